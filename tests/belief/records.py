"""Random deals and random legal play of them, by rules written apart from the package's."""

import numpy as np

from bayesbridge import Belief, Deal, Hand, Seat, Strain, Suit
from bayesbridge.evidence.kinds import Piece, Play, Reveal


def random_deal(rng: np.random.Generator) -> Deal:
    """Four hands of 13."""
    north, east, south, west = (Hand(sum(1 << int(card) for card in part)) for part in np.split(rng.permutation(52), 4))
    return Deal((north, east, south, west))


def random_play(deal: Deal, trump: Suit | None, rng: np.random.Generator, cards: int = 52) -> list[Play]:
    """The first so many cards of a play in which everybody follows suit and otherwise does as he likes."""
    left = {seat: list(deal[seat]) for seat in Seat}
    leader = Seat(int(rng.integers(4)))
    record: list[Play] = []
    while len(record) < cards:
        trick: list[Play] = []
        for seat in (leader, leader.next(1), leader.next(2), leader.next(3)):
            following = [card for card in left[seat] if trick and card.suit == trick[0].card.suit]
            options = following or left[seat]
            card = options[rng.integers(len(options))]
            left[seat].remove(card)
            trick.append(Play(seat, card))
        strength = [(play.card.suit == trump, play.card.suit == trick[0].card.suit, play.card.rank) for play in trick]
        leader = trick[strength.index(max(strength))].seat
        record += trick
    return record[:cards]


def watched(
    deal: Deal, record: list[Play], observer: Seat, dummy: Seat, trump: Suit | None
) -> tuple[Belief, list[Piece]]:
    """An observer's belief before the play, and what he then sees: dummy comes down after the first card."""
    belief = Belief(observer, deal[observer], dummy=dummy, trump=Strain.NT if trump is None else trump)
    return belief, [record[0], Reveal(dummy, deal[dummy]), *record[1:]]
