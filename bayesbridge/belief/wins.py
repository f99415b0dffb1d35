"""P(card wins the trick), for each card that a seat may play now.

A card wins in a layout if it holds the trick and no legal card of an opposing hand still to play can beat it; a void
opponent with a trump can ruff. The posterior weighs the layouts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import DECK_MASK, SUIT_MASK, Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalPlay
from bayesbridge.posterior.layouts import Masks
from bayesbridge.tricks import Trick


def card_wins(posterior: Posterior, trick: Trick, pair: tuple[Seat, Seat] | None = None) -> dict[Card, float]:
    """P(card wins) for every legal card of the seat in turn, high cards first.

    ``pair`` are the seats that play together, the observer and the dummy unless said otherwise; the other two oppose
    them. Where the hand of the seat is hidden, the answer is given that it holds the card and may play it.
    """
    seat = trick.turn
    if seat is None:
        raise IllegalPlay(f"trick '{trick}' is complete: give at most three cards", cards=trick.cards)
    side = pair or posterior.belief.pair
    later = [seat.next(step) for step in range(1, 4 - len(trick.cards))]
    against = [other for other in later if (other in side) != (seat in side)]
    played = _played(posterior, trick)
    held = np.zeros(52)
    won = np.zeros(52)
    for masks, weights in posterior.blocks():
        hand = masks[:, seat] & ~played
        legal = _legal(hand, trick.suit)
        for index in np.flatnonzero([bool((legal & np.uint64(1 << card)).any()) for card in range(52)]):
            card = Card(int(index))
            may = (legal >> np.uint64(index) & np.uint64(1)).astype(np.bool_)
            held[index] += weights[may].sum()
            if trick.after(seat, card).winner == seat:
                safe = may & ~_beaten(masks, against, played, trick.suit or card.suit, card, trick.trump)
                won[index] += weights[safe].sum()
    return {Card(int(i)): float(min(1.0, won[i] / held[i])) for i in np.flatnonzero(held)[::-1]}


def _played(posterior: Posterior, trick: Trick) -> np.uint64:
    """Every card that has left its hand, the trick's own among them."""
    gone = sum(card.mask for earlier in posterior.belief.tricks for card in earlier.cards if card not in trick.cards)
    return np.uint64(gone | sum(card.mask for card in trick.cards))


def _legal(hand: NDArray[np.uint64], suit: Suit | None) -> NDArray[np.uint64]:
    if suit is None:
        return hand
    following = hand & np.uint64(SUIT_MASK << (13 * suit))
    return np.where(following != 0, following, hand)


def _beaten(
    masks: Masks, against: list[Seat], played: np.uint64, suit: Suit, card: Card, trump: Suit | None
) -> NDArray[np.bool_]:
    """Whether some opponent still to play has a legal card above ``card``."""
    higher = SUIT_MASK << (13 * card.suit) & ~((2 << card.index) - 1) & DECK_MASK
    if trump is not None and card.suit != trump:
        higher |= SUIT_MASK << (13 * trump)
    beaten = np.zeros(len(masks), dtype=np.bool_)
    for opponent in against:
        beaten |= (_legal(masks[:, opponent] & ~played, suit) & np.uint64(higher)) != 0
    return beaten
