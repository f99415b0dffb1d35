"""P(card wins the trick), for each card that a seat may play now.

A card wins in a layout if it holds the trick and no legal card of an opposing hand still to play can beat it; a void
opponent with a trump can ruff. The posterior weighs the layouts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import DECK_MASK, SUIT_MASK, Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import IllegalPlay
from bayesbridge.evidence.kinds import Play
from bayesbridge.layouts import Bools, Masks
from bayesbridge.tricks import Trick


def card_wins(posterior: Posterior, trick: Trick, pair: tuple[Seat, Seat] | None = None) -> dict[Card, float]:
    """P(card wins) for every legal card of the seat in turn, high cards first.

    ``pair`` are the seats that play together, the observer and the dummy by default; the other two oppose
    them. Where the hand of the seat is hidden, the answer is given that it holds the card and may play it.

    >>> from bayesbridge import Belief, Reveal
    >>> trick = Trick.of("W:H5")
    >>> seen = Belief("S", "AKQ2.J32.A54.Q32", trump="NT").given(Reveal("N", "J54.AQ4.KQ76.A54"), trick)
    >>> {str(card): round(chance, 2) for card, chance in card_wins(seen.infer(), trick).items()}
    {'HA': 1.0, 'HQ': 0.48, 'H4': 0.0}
    """
    seat = trick.turn
    if seat is None:
        raise IllegalPlay(f"trick '{trick}' is complete: give at most three cards", cards=trick.cards)
    verify_seen(posterior.belief, trick)
    gone = sum(card.mask for earlier in posterior.belief.tricks for card in earlier.cards if card not in trick.cards)
    held, won = np.zeros(52), np.zeros(52)
    side = posterior.belief.pair if pair is None else pair
    held_by_seat = posterior.belief.constraints.may[seat]
    possible = [Card(index) for index in range(52) if held_by_seat >> index & 1]
    for masks, weights in posterior.blocks():
        for card in possible:
            playable, wins = winning_cards(masks, trick, card, side, np.uint64(gone))
            held[card.index] += weights[playable].sum()
            won[card.index] += weights[wins].sum()
    return {Card(int(i)): float(min(1.0, won[i] / held[i])) for i in np.flatnonzero(held)[::-1]}


def verify_seen(belief: Belief, trick: Trick) -> None:
    """Refuse a trick whose cards are no evidence: layouts in which others hold them would be asked about it."""
    seen = {(play.seat, play.card) for play in belief.evidence if isinstance(play, Play)}
    if not seen.issuperset(trick):
        raise IllegalPlay(
            f"trick '{trick}' is not in the evidence, so the layouts do not know of it: ask belief.given(trick) first",
            cards=trick.cards,
        )


def winning_cards(
    masks: Masks, trick: Trick, card: Card, pair: tuple[Seat, Seat], played: np.uint64
) -> tuple[Bools, Bools]:
    """For (n, 4) layouts: whether the seat in turn may play the card, and whether it then wins; (n,) each.

    ``played`` are the cards that have left their hands; those of the trick need not be among them.
    """
    seat = trick.turn
    assert seat is not None
    played |= np.uint64(sum(other.mask for other in trick.cards))
    own = _legal(masks[:, seat] & ~played, trick.suit)
    playable: Bools = (own >> np.uint64(card.index) & np.uint64(1)).astype(np.bool_)
    if not playable.any() or card in trick.cards or trick.after(seat, card).winner != seat:
        return playable, np.zeros(len(masks), dtype=np.bool_)
    higher = SUIT_MASK << (13 * card.suit) & ~((2 << card.index) - 1) & DECK_MASK
    if trick.trump is not None and card.suit != trick.trump:
        higher |= SUIT_MASK << (13 * trick.trump)
    wins = playable.copy()
    for step in range(1, 4 - len(trick.cards)):
        other = seat.next(step)
        if (other in pair) != (seat in pair):
            answers = _legal(masks[:, other] & ~played, card.suit if trick.suit is None else trick.suit)
            wins &= (answers & np.uint64(higher)) == 0
    return playable, wins


def _legal(hand: NDArray[np.uint64], suit: Suit | None) -> NDArray[np.uint64]:
    """The cards of each hand that may be played to a suit, any before the lead."""
    if suit is None:
        return hand
    following = hand & np.uint64(SUIT_MASK << (13 * suit))
    return np.where(following != 0, following, hand)
