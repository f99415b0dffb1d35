"""Weighted splits: the remaining cards go to one seat and to the rest, with weights that suits and points share.

One split gives a seat its 13 cards out of those that are left; the *rest* is another seat, or several seats that split
again. The weight of a split is the product of the two sides' tilts. A tilt is a function of one hand::

    tilt(hand) = Π_suits holding[suit, length, honours] · Π_pairs pair[b(points), length, length] · points[points]

Points are high-card points, or other values of the honours that add up to ten in a suit at most, if the model offers
them and no hard evidence is about high-card points. b is the class of the hand's points, honours are the A K Q J it
holds in the suit, the pairs are clubs with diamonds and hearts with spades. The sum over all splits is exact: a suit is
a table by (length, points), two suits combine to one by (length, length, points); both are free of classes. Over a
stretch of points within which no class changes the pairs shrink to (length, points) and meet where 13 cards are
reached. The same sums, walked backwards, draw a split with probability weight / sum.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Self

import numpy as np

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import Constraints
from bayesbridge.engines.tilt_draws import fill_splits
from bayesbridge.engines.tilt_sums import Floats, Hands, Ints, Side
from bayesbridge.jit import njit
from bayesbridge.random64 import State

CLASSES: Final = 4
"""Classes of points that have a table of lengths each."""

CLASS: Final = np.digitize(np.arange(41), (7, 11, 15)).astype(np.int64)
"""(41,) the class of a hand's points."""

HONOUR_POINTS: Final = (np.arange(16)[:, None] >> np.arange(4) & 1) @ np.arange(1, 5)
"""(16,) points of a set of honours, jack at bit 0."""

COUNT: Final = np.array([field.bit_count() for field in range(1 << 13)])
_WAYS: Final = np.array([[float(np.prod([(n - i) / (i + 1) for i in range(k)])) for k in range(14)] for n in range(14)])
"""(14, 14) binomial coefficients."""


class Tilt(NamedTuple):
    """The logarithm of a seat's tilt, in three tables; see the module's text."""

    holding: Floats
    """(4, 14, 16)"""
    pair: Floats
    """(classes, 2, 14, 14)"""
    points: Floats
    """(41,)"""
    coefficients: Floats | None
    """What the tables were made of, for a later fit to start from; ``None`` if the tilt is 1 for every hand."""
    worth: Ints = HONOUR_POINTS
    """(16,) points of a set of honours; the same for all seats of a proposal."""

    @classmethod
    def none(cls, worth: Ints = HONOUR_POINTS) -> Self:
        """Every hand counts the same."""
        return cls(np.zeros((4, 14, 16)), np.zeros((CLASSES, 2, 14, 14)), np.zeros(41), None, worth)

    def log(self, hands: Hands) -> Floats:
        """(n,) log tilt of (n,) hands of 13 cards."""
        if self.coefficients is None:
            return np.zeros(len(hands))
        found = np.empty(len(hands))
        _log_tilt(np.ascontiguousarray(hands), CLASS, self.holding, self.pair, self.points, COUNT, self.worth, found)
        return found


def side(known: Constraints, seats: tuple[int, ...], tilt: Tilt) -> Side:
    """The side of some seats under normalised constraints."""
    must, may = (0, 0)
    for seat in seats:
        must, may = must | known.must[seat], may | known.may[seat]
    low = np.array([sum(known.shortest[seat][suit] for seat in seats) for suit in range(4)], dtype=np.int64)
    high = np.array([sum(known.longest[seat][suit] for seat in seats) for suit in range(4)], dtype=np.int64)
    bounds = [0, 40]
    if np.array_equal(tilt.worth, HONOUR_POINTS):
        bounds = [sum(known.points_low[seat] for seat in seats), sum(known.points_high[seat] for seat in seats)]
    return Side(
        _fields(must),
        _fields(may),
        low,
        np.minimum(high, 13),
        np.array([bounds[0], min(bounds[1], 40)], dtype=np.int64),
        np.zeros(41, dtype=np.int64) if tilt.coefficients is None else CLASS,
        np.exp(tilt.holding),
        np.exp(tilt.pair),
        np.exp(tilt.points),
    )


def _fields(mask: int) -> Ints:
    return np.array([mask >> (13 * suit) & SUIT_MASK for suit in range(4)], dtype=np.int64)


def split(one: Side, rest: Side, cards: Hands, state: State | None, worth: Ints) -> tuple[Hands, Floats]:
    """For each (n,) set of cards to split: the hand of ``one`` (with what it must hold), and the log sum of weights.

    Without a state of random bits no hand is drawn, and the hands are empty. Sets that cannot be split have the sum
    -inf and an empty hand. Equal sets next to each other share their tables.
    """
    hands = np.zeros(len(cards), dtype=np.uint64)
    logs = np.empty(len(cards))
    drawn = state is not None
    some = np.zeros(4, dtype=np.uint64) if state is None else state
    fill_splits(one, rest, np.ascontiguousarray(cards), COUNT, worth, _WAYS, some, drawn, hands, logs)
    return hands, logs


@njit
def _log_tilt(
    hands: Hands,
    classes: Ints,
    holding: Floats,
    pair: Floats,
    points: Floats,
    counts: Ints,
    worth: Ints,
    out: Floats,
) -> None:
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        total = 0
        for suit in range(4):
            total += worth[(hand >> (13 * suit + 9)) & 15]
        b = classes[total]
        value = points[total]
        for k in range(2):
            first, second = (hand >> (26 * k)) & 0x1FFF, (hand >> (26 * k + 13)) & 0x1FFF
            one, two = counts[first], counts[second]
            value += pair[b, k, one, two] + holding[2 * k, one, first >> 9] + holding[2 * k + 1, two, second >> 9]
        out[i] = value
