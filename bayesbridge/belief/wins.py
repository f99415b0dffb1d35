"""P(card wins the trick), for each card that a seat may play now.

A card wins in a layout if it holds the trick and no legal card of an opposing hand
still to play can beat it; a void opponent with a trump can ruff. The posterior weighs
the layouts.
"""

from __future__ import annotations

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.errors import IllegalPlay
from bayesbridge.evidence.kinds import Play
from bayesbridge.game.cards import DECK_MASK, SUIT_MASK, Card, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Hands
from bayesbridge.game.tricks import Trick


def card_wins(
    posterior: Posterior, trick: Trick, pair: tuple[Seat, Seat] | None = None
) -> dict[Card, float]:
    """P(card wins) for every legal card of the seat in turn, high cards first.

    ``pair`` are the seats that play together, by default the observer and the dummy.
    Where the hand of the seat is hidden, the answer is given that it holds the card and
    may play it.

    >>> from bayesbridge import Belief, Reveal
    >>> trick = Trick.of("W:H5")
    >>> seen = Belief("S", "AKQ2.J32.A54.Q32", trump="NT").given(Reveal("N", "J54.AQ4.KQ76.A54"), trick)
    >>> {str(card): round(chance, 2) for card, chance in card_wins(seen.infer(), trick).items()}
    {'HA': 1.0, 'HQ': 0.48, 'H4': 0.0}
    """
    seat = trick.turn
    if seat is None:
        raise IllegalPlay(
            f"trick '{trick}' is complete: give at most three cards", cards=trick.cards
        )
    verify_seen(posterior.belief, trick)
    side = posterior.belief.pair if pair is None else pair
    opponents = [
        one
        for one in map(seat.next, range(1, 4 - len(trick.cards)))
        if (one in side) != (seat in side)
    ]
    left = np.uint64(DECK_MASK & ~posterior.belief.table.played)
    held, won = np.zeros(52), np.zeros(52)
    for masks, weights in posterior.blocks():
        own = _legal(masks[:, seat] & left, trick.suit)
        for card in map(Card, range(52)):
            playable = (own >> np.uint64(card.index) & np.uint64(1)).astype(np.bool_)
            if not playable.any():
                continue
            held[card.index] += weights[playable].sum()
            if trick.after(seat, card).winner == seat:
                higher = (
                    SUIT_MASK << (13 * card.suit) & ~((2 << card.index) - 1) & DECK_MASK
                )
                if trick.trump is not None and card.suit != trick.trump:
                    higher |= SUIT_MASK << (13 * trick.trump)
                for other in opponents:
                    answers = _legal(
                        masks[:, other] & left,
                        card.suit if trick.suit is None else trick.suit,
                    )
                    playable &= (answers & np.uint64(higher)) == 0
                won[card.index] += weights[playable].sum()
    return {
        Card(int(i)): float(min(1.0, won[i] / held[i]))
        for i in np.flatnonzero(held)[::-1]
    }


def verify_seen(belief: Belief, trick: Trick) -> None:
    """Refuse a trick whose cards are no evidence: layouts in which others hold them
    would be asked about it.
    """
    seen = {
        (play.seat, play.card) for play in belief.evidence if isinstance(play, Play)
    }
    if not seen.issuperset(trick):
        raise IllegalPlay(
            f"trick '{trick}' is not in the evidence, so the layouts do not know of it: ask belief.given(trick) first",
            cards=trick.cards,
        )


def _legal(hand: Hands, suit: Suit | None) -> Hands:
    """The cards of each hand that may be played to a suit, any before the lead."""
    if suit is None:
        return hand
    following = hand & np.uint64(SUIT_MASK << (13 * suit))
    return np.where(following != 0, following, hand)
