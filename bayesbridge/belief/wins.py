"""P(card wins the trick), for each card that a seat may play now.

A card wins in a layout if it holds the trick and no legal card of an opposing hand
still to play can beat it; a void opponent with a trump can ruff. The posterior weighs
the layouts.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.errors import IllegalPlay
from bayesbridge.evidence.kinds import Play
from bayesbridge.game.cards import (
    DECK_CARDS,
    DECK_MASK,
    SUIT_CARDS,
    SUIT_MASK,
    Card,
    Suit,
)
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands, Masks
from bayesbridge.game.tricks import Trick


def card_wins(
    posterior: Posterior, trick: Trick, pair: tuple[Seat, Seat] | None = None
) -> dict[Card, float]:
    """P(card wins the trick) for every legal card of the seat in turn.

    Where the hand of the seat is hidden, the answer is given that it holds the card and
    may play it.

    Parameters
    ----------
    posterior : Posterior
        What an observer believes, the cards of the trick among the evidence.
    trick : Trick
        At most three cards; ``Trick.of("W:")`` where West is to lead.
    pair : pair of Seat, optional
        The seats that play together, by default the observer and the dummy.

    Returns
    -------
    dict of Card to float
        High cards first, spades first.

    Raises
    ------
    IllegalPlay
        If the trick is complete, or its cards are not in the evidence.

    Examples
    --------
    >>> from bayesbridge import Belief, Reveal
    >>> trick = Trick.of("W:H5")
    >>> belief = Belief("S", "AKQ2.J32.A54.Q32", trump="NT")
    >>> belief = belief.given(Reveal("N", "J54.AQ4.KQ76.A54"), trick)
    >>> chances = card_wins(belief.infer(), trick)
    >>> {str(card): round(chance, 2) for card, chance in chances.items()}
    {'HA': 1.0, 'HQ': 0.48, 'H4': 0.0}
    """
    seat = trick.turn
    if seat is None:
        raise IllegalPlay(
            f"trick '{trick}' is complete: give at most three cards", cards=trick.cards
        )
    belief = posterior.belief
    verify_seen(belief, trick)
    side = belief.pair if pair is None else pair
    opponents = _opponents_to_play(trick, seat, side)
    playable_weight, winning_weight = _weigh_cards(posterior, trick, seat, opponents)
    by_height = np.flatnonzero(playable_weight)[::-1]
    return {
        Card(int(index)): float(
            min(1.0, winning_weight[index] / playable_weight[index])
        )
        for index in by_height
    }


def _weigh_cards(
    posterior: Posterior, trick: Trick, seat: Seat, opponents: list[Seat]
) -> tuple[Floats, Floats]:
    """The weight of the layouts where a card may be played, and of those where it wins.

    Both are (52,), for the cards that ``seat`` may play to the trick. ``opponents`` are
    those still to play, who may beat a card.
    """
    remaining = np.uint64(DECK_MASK & ~posterior.belief.table.played)
    playable_weight = np.zeros(DECK_CARDS)
    winning_weight = np.zeros(DECK_CARDS)
    for masks, weights in posterior.blocks():
        hands = masks & remaining
        legal_cards = _legal(hands[:, seat], trick.suit)
        for card in map(Card, range(DECK_CARDS)):
            is_playable = legal_cards & np.uint64(card.mask) != 0
            if not is_playable.any():
                continue
            playable_weight[card.index] += weights[is_playable].sum()
            beats_cards_played = trick.after(seat, card).winner == seat
            if beats_cards_played:
                is_beaten_later = _can_be_beaten(hands, opponents, trick, card)
                wins = is_playable & ~is_beaten_later
                winning_weight[card.index] += weights[wins].sum()
    return playable_weight, winning_weight


def _opponents_to_play(trick: Trick, seat: Seat, side: tuple[Seat, Seat]) -> list[Seat]:
    """The seats after this one in the trick that play against it."""
    seats_after = [seat.next(step) for step in range(1, 4 - len(trick.cards))]
    return [after for after in seats_after if (after in side) != (seat in side)]


def _can_be_beaten(
    hands: Masks, opponents: list[Seat], trick: Trick, card: Card
) -> NDArray[np.bool_]:
    """(n,) whether an opponent has a legal card that beats this one, of (n, 4) hands."""
    suit_led = card.suit if trick.suit is None else trick.suit
    beating = np.uint64(_cards_that_beat(card, trick.trump))
    beaten = np.zeros(len(hands), np.bool_)
    for opponent in opponents:
        answers = _legal(hands[:, opponent], suit_led)
        beaten |= answers & beating != 0
    return beaten


def _cards_that_beat(card: Card, trump: Suit | None) -> int:
    """The mask of higher cards of the suit, and of trumps where it is another."""
    up_to_card = (card.mask << 1) - 1
    higher = SUIT_MASK << (SUIT_CARDS * card.suit) & ~up_to_card
    if trump is not None and card.suit != trump:
        higher |= SUIT_MASK << (SUIT_CARDS * trump)
    return higher


def verify_seen(belief: Belief, trick: Trick) -> None:
    """Refuse a trick whose cards are no evidence.

    Layouts in which other seats hold them would be asked about it.
    """
    plays = [piece for piece in belief.evidence if isinstance(piece, Play)]
    cards_seen = {(play.seat, play.card) for play in plays}
    if not cards_seen.issuperset(trick):
        raise IllegalPlay(
            f"trick '{trick}' is not in the evidence, so the layouts do not know of "
            "it: ask belief.given(trick) first",
            cards=trick.cards,
        )


def _legal(hands: Hands, suit: Suit | None) -> Hands:
    """The cards of each hand that may be played to a suit, any before the lead."""
    if suit is None:
        return hands
    following = hands & np.uint64(SUIT_MASK << (SUIT_CARDS * suit))
    return np.where(following != 0, following, hands)
