"""Kernels of weighted splits: sums over all ways to split some cards.

See :mod:`~bayesbridge.engines.tilt_split` for what is split and how it is weighed.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.jit import njit

type Floats = NDArray[np.float64]
type Ints = NDArray[np.int64]
type Hands = NDArray[np.uint64]


STRETCHES: Final = 8
"""Stretches of points at most over which neither side changes its class; four classes a side make seven."""


class Side(NamedTuple):
    """One side of a split: what it must and may hold, and its tilt."""

    must: Ints
    """(4,) fields of 13 bits by suit."""
    may: Ints
    low: Ints
    """(4,) shortest and longest lengths by suit."""
    high: Ints
    bounds: Ints
    """(2,) fewest and most points."""
    classes: Ints
    """(41,) the class of its points; all zero for a side without a tilt."""
    holding: Floats
    """(4, 14, 16) by suit, length and honours."""
    pair: Floats
    """(classes, 2, 14, 14) by the lengths of clubs and diamonds, of hearts and spades."""
    points: Floats
    """(41,)"""


class Work(NamedTuple):
    """What is known of one set of cards while it is split; filled anew for each."""

    suit: Ints
    """(4, 8) by suit: what the first side certainly gets; honours and small cards in doubt, as fields; the number of
    those small cards; cards altogether; shortest and longest length of the first side; what the rest certainly gets."""
    ways: Floats
    """(4, 14, 11) weighted ways by suit, length and points in doubt of the first side."""
    both: Floats
    """(2, 14, 14, 21) the same of two suits, by length, length and points."""
    table: Floats
    """(2, 14, 21, 8) with lengths added up and the pairs' tilts, by stretch."""
    stretch: Ints
    """(8, 4): first and last points of the first side, its class, the class of the rest."""
    total: Floats
    """(8,) the sum of weights of each stretch."""
    tilt: Floats
    """(41,) the tilt of both sides by the points of the first."""
    most: Ints
    """(2,) points in doubt in each pair."""
    factor: Floats
    """(8,) the tilts of two lengths, by stretch."""


@njit
def new_work() -> Work:
    return Work(
        np.zeros((4, 8), np.int64),
        np.zeros((4, 14, 11)),
        np.zeros((2, 14, 14, 21)),
        np.zeros((2, 14, 21, STRETCHES)),
        np.zeros((STRETCHES, 4), np.int64),
        np.zeros(STRETCHES),
        np.zeros(41),
        np.zeros(2, np.int64),
        np.zeros(STRETCHES),
    )


@njit
def count_suits(
    one: Side, rest: Side, cards: np.int64, counts: Ints, worth: Ints, binomial: Floats, work: Work
) -> tuple[int, int, int]:
    """Fill the tables that are free of classes; the points of the first side that are certain, in doubt, and of both.

    The first number is -1 if a card has no place.
    """
    suits, ways, both = work.suit, work.ways, work.both
    one_must, one_may, one_low, one_high = one.must, one.may, one.low, one.high
    rest_must, rest_may, rest_low, rest_high = rest.must, rest.may, rest.low, rest.high
    one_holding, rest_holding = one.holding, rest.holding
    certain, doubtful, everything = 0, 0, 0
    for suit in range(4):
        left = (cards >> (13 * suit)) & 0x1FFF
        if left & ~one_may[suit] & ~rest_may[suit]:
            return -1, 0, 0
        mine = one_must[suit] | (left & ~rest_may[suit])
        theirs = rest_must[suit] | (left & ~one_may[suit])
        doubt = left & one_may[suit] & rest_may[suit]
        honours, small = doubt >> 9, counts[doubt & 0x1FF]
        certain += worth[mine >> 9]
        doubtful += worth[honours]
        everything += worth[(mine | theirs | doubt) >> 9]
        fewest, all_cards = counts[mine], counts[mine] + counts[theirs] + counts[doubt]
        shortest = max(fewest, one_low[suit], all_cards - rest_high[suit])
        longest = min(fewest + counts[doubt], one_high[suit], all_cards - rest_low[suit])
        suits[suit, 0], suits[suit, 1], suits[suit, 2], suits[suit, 3] = mine, honours, doubt & 0x1FF, small
        suits[suit, 4], suits[suit, 5], suits[suit, 6], suits[suit, 7] = all_cards, shortest, longest, theirs
        for length in range(shortest, longest + 1):
            ways[suit, length] = 0.0
        given = honours
        while True:  # every subset of the honours in doubt
            mine_here, theirs_here = (mine >> 9) | given, (theirs >> 9) | (honours & ~given)
            at_least = fewest + counts[given]
            for length in range(max(shortest, at_least), min(longest, at_least + small) + 1):
                ways[suit, length, worth[given]] += (
                    binomial[small, length - at_least]
                    * one_holding[suit, length, mine_here]
                    * rest_holding[suit, all_cards - length, theirs_here]
                )
            if given == 0:
                break
            given = (given - 1) & honours
    for k in range(2):
        most, more = worth[suits[2 * k, 1]], worth[suits[2 * k + 1, 1]]
        work.most[k] = most + more
        for length in range(suits[2 * k, 5], suits[2 * k, 6] + 1):
            for other in range(suits[2 * k + 1, 5], min(suits[2 * k + 1, 6], 13 - length) + 1):
                for p in range(most + more + 1):
                    both[k, length, other, p] = 0.0
                for p in range(most + 1):
                    share = ways[2 * k, length, p]
                    if share > 0.0:
                        for q in range(more + 1):
                            both[k, length, other, p + q] += share * ways[2 * k + 1, other, q]
    return certain, doubtful, everything


@njit
def list_stretches(one: Side, rest: Side, certain: int, doubt: int, everything: int, work: Work) -> int:
    """Stretches of points over which both classes stay the same; returns how many."""
    stretch, tilt = work.stretch, work.tilt
    bounds, other = one.bounds, rest.bounds
    one_classes, rest_classes, one_points, rest_points = one.classes, rest.classes, one.points, rest.points
    fewest = max(bounds[0], everything - other[1], certain)
    most = min(bounds[1], everything - other[0], certain + doubt)
    n = 0
    for points in range(fewest, most + 1):
        tilt[points] = one_points[points] * rest_points[everything - points]
        a, b = one_classes[points], rest_classes[everything - points]
        if n == 0 or stretch[n - 1, 2] != a or stretch[n - 1, 3] != b:
            stretch[n, 0], stretch[n, 2], stretch[n, 3] = points, a, b
            n += 1
        stretch[n - 1, 1] = points
    return n


@njit
def fill(one_pair: Floats, rest_pair: Floats, stretches: int, work: Work) -> None:
    """The tables of the two pairs. The innermost loop has a fixed length, which is what compilers make fast."""
    suits, both, table, most, factor = work.suit, work.both, work.table, work.most, work.factor
    stretch = work.stretch
    table[:, :, : max(most[0], most[1]) + 1] = 0.0
    factor[:] = 0.0
    for k in range(2):
        total, more = suits[2 * k, 4], suits[2 * k + 1, 4]
        for length in range(suits[2 * k, 5], suits[2 * k, 6] + 1):
            for other in range(suits[2 * k + 1, 5], min(suits[2 * k + 1, 6], 13 - length) + 1):
                for s in range(stretches):
                    mine, theirs = stretch[s, 2], stretch[s, 3]
                    factor[s] = one_pair[mine, k, length, other] * rest_pair[theirs, k, total - length, more - other]
                for p in range(most[k] + 1):
                    share = both[k, length, other, p]
                    if share > 0.0:
                        for s in range(STRETCHES):
                            table[k, length + other, p, s] += share * factor[s]


@njit
def join(stretches: int, certain: int, work: Work) -> float:
    """The weight of every stretch, and of all."""
    table, tilt, most, stretch, totals = work.table, work.tilt, work.most, work.stretch, work.total
    whole = 0.0
    for s in range(stretches):
        low, high = stretch[s, 0] - certain, stretch[s, 1] - certain
        total = 0.0
        for length in range(14):
            for p in range(max(0, low - most[1]), min(most[0], high) + 1):
                share = table[0, length, p, s]
                if share > 0.0:
                    part = 0.0
                    for q in range(max(0, low - p), min(most[1], high - p) + 1):
                        part += table[1, 13 - length, q, s] * tilt[certain + p + q]
                    total += share * part
        totals[s] = total
        whole += total
    return whole
