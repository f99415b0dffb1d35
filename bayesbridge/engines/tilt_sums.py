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
    """What is known of one set of cards while it is split; filled anew for each. Points are those in doubt."""

    suit: Ints
    """(4, 8) by suit: what the first side certainly gets; honours and small cards in doubt, as fields; the number of
    those small cards; cards altogether; shortest and longest length of the first side; what the rest certainly gets."""
    ways: Floats
    """(4, 11, 14) weighted ways by suit, points and length of the first side."""
    both: Floats
    """(2 · 14 · 22 · 14,) the same of two suits, by pair, length of the first, points of both, length of the second."""
    factor: Floats
    """(14 · 14 · 4,) the tilts of two lengths, by stretch, of four stretches at a time."""
    table: Floats
    """(2, 22, 14, 8) lengths added up and the pairs' tilts put in, by pair, points, length and stretch."""
    stretch: Ints
    """(8, 4): first and last points of the first side, its class, the class of the rest."""
    which: Ints
    """(41,) the stretch of the first side's points, -1 if they are out of bounds."""
    tilt: Floats
    """(41,) the tilt of both sides by the points of the first."""
    most: Ints
    """(2,) points in each pair."""
    cell: Floats
    """(21, 21) the sum of weights by the points of both pairs."""
    row: Floats
    """(21,) the same by those of the first pair."""


@njit
def new_work() -> Work:
    return Work(
        np.zeros((4, 8), np.int64),
        np.zeros((4, 11, 14)),
        np.zeros(2 * 14 * 22 * 14),
        np.zeros(14 * 14 * 4),
        np.zeros((2, 22, 14, STRETCHES)),
        np.zeros((STRETCHES, 4), np.int64),
        np.zeros(41, np.int64),
        np.zeros(41),
        np.zeros(2, np.int64),
        np.zeros((21, 21)),
        np.zeros(21),
    )


@njit
def add_up(one: Side, rest: Side, cards: np.int64, counts: Ints, worth: Ints, binomial: Floats, work: Work) -> float:
    """Fill all tables for a set of cards; the sum of the weights of its splits."""
    certain, doubt, everything = _count_suits(one, rest, cards, counts, worth, binomial, work)
    if certain < 0:
        return 0.0
    _combine(worth, work)
    stretches = _list_stretches(one, rest, certain, doubt, everything, work)
    _fill(one.pair, rest.pair, stretches, work)
    return _join(work)


@njit
def _count_suits(
    one: Side, rest: Side, cards: np.int64, counts: Ints, worth: Ints, binomial: Floats, work: Work
) -> tuple[int, int, int]:
    """Fill the tables of single suits; the points of the first side that are certain, in doubt, and of both sides.

    The first number is -1 if a card has no place.
    """
    suits, ways = work.suit, work.ways
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
        ways[suit, : worth[honours] + 1] = 0.0
        given = honours
        while True:  # every subset of the honours in doubt
            mine_here, theirs_here = (mine >> 9) | given, (theirs >> 9) | (honours & ~given)
            at_least, points = fewest + counts[given], worth[given]
            for length in range(max(shortest, at_least), min(longest, at_least + small) + 1):
                ways[suit, points, length] += (
                    binomial[small, length - at_least]
                    * one_holding[suit, length, mine_here]
                    * rest_holding[suit, all_cards - length, theirs_here]
                )
            if given == 0:
                break
            given = (given - 1) & honours
    return certain, doubtful, everything


@njit
def place(k: int, length: int, points: int) -> int:
    """Where the lengths of a pair's second suit begin in the table of both suits."""
    return ((k * 14 + length) * 22 + points) * 14


@njit
def _combine(worth: Ints, work: Work) -> None:
    """The tables of two suits, free of classes.

    The innermost loop is long, plain, and its places have no sign: this is what compilers make fast.
    """
    suits, ways, both = work.suit, work.ways, work.both
    flat = ways.reshape(-1)
    for k in range(2):
        most, more = worth[suits[2 * k, 1]], worth[suits[2 * k + 1, 1]]
        work.most[k] = most + more
        begin, size = np.uint64((2 * k + 1) * 11 * 14), (more + 1) * 14
        for length in range(suits[2 * k, 5], suits[2 * k, 6] + 1):
            both[place(k, length, 0) : place(k, length, most + more + 1)] = 0.0
            for p in range(most + 1):
                share = ways[2 * k, p, length]
                if share > 0.0:
                    start = np.uint64(place(k, length, p))
                    for i in range(size):
                        both[start + np.uint64(i)] += share * flat[begin + np.uint64(i)]


@njit
def _list_stretches(one: Side, rest: Side, certain: int, doubt: int, everything: int, work: Work) -> int:
    """Stretches of points over which both classes stay the same; returns how many."""
    stretch, which, tilt = work.stretch, work.which, work.tilt
    bounds, other = one.bounds, rest.bounds
    one_classes, rest_classes, one_points, rest_points = one.classes, rest.classes, one.points, rest.points
    fewest = max(bounds[0], everything - other[1], certain)
    most = min(bounds[1], everything - other[0], certain + doubt)
    which[:] = -1
    n = 0
    for points in range(fewest, most + 1):
        a, b, here = one_classes[points], rest_classes[everything - points], points - certain
        if n == 0 or stretch[n - 1, 2] != a or stretch[n - 1, 3] != b:
            stretch[n, 0], stretch[n, 2], stretch[n, 3] = here, a, b
            n += 1
        stretch[n - 1, 1] = here
        which[here], tilt[here] = n - 1, one_points[points] * rest_points[everything - points]
    return n


@njit
def _fill(one_pair: Floats, rest_pair: Floats, stretches: int, work: Work) -> None:
    """The tables of the two pairs, for four stretches and two numbers of points at a time.

    So the sums stay out of memory until they are whole. Points that reach none of the four stretches, whatever the
    other pair has, are not worked out, and never looked at.
    """
    suits, both, most, factor, stretch = work.suit, work.both, work.most, work.factor, work.stretch
    flat, ones, rests = work.table.reshape(-1), one_pair.reshape(-1), rest_pair.reshape(-1)
    for k in range(2):
        total, more = suits[2 * k, 4], suits[2 * k + 1, 4]
        shortest, longest, low, high = suits[2 * k, 5], suits[2 * k, 6], suits[2 * k + 1, 5], suits[2 * k + 1, 6]
        for group in range(0, stretches, 4):
            final = min(group + 4, stretches) - 1
            for s in range(group, final + 1):
                mine, theirs = (2 * stretch[s, 2] + k) * 196, (2 * stretch[s, 3] + k) * 196
                for length in range(shortest, longest + 1):
                    at = np.uint64(4 * (14 * length + low) + s - group)
                    left = np.uint64(mine + 14 * length + low)
                    right = np.uint64(theirs + 14 * (total - length) + more - low)
                    for _ in range(low, min(high, 13 - length) + 1):
                        factor[at] = ones[left] * rests[right]
                        at, left, right = at + np.uint64(4), left + np.uint64(1), right - np.uint64(1)
            first, last = max(0, stretch[group, 0] - most[1 - k]), min(most[k], stretch[final, 1])
            for together in range(14):
                begin, end = max(shortest, together - high), min(longest, together - low)
                for p in range(first, last + 1, 2):
                    a, b, c, d, e, f, g, h = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
                    for length in range(begin, end + 1):
                        here, at = np.uint64(place(k, length, p) + together - length), np.uint64(13 * length + together)
                        share, other_share = both[here], both[here + np.uint64(14)]
                        at *= np.uint64(4)
                        w, x, y, z = (
                            factor[at],
                            factor[at + np.uint64(1)],
                            factor[at + np.uint64(2)],
                            factor[at + np.uint64(3)],
                        )
                        a, b, c, d = a + share * w, b + share * x, c + share * y, d + share * z
                        e, f = e + other_share * w, f + other_share * x
                        g, h = g + other_share * y, h + other_share * z
                    at = np.uint64(((k * 22 + p) * 14 + together) * STRETCHES + group)
                    flat[at], flat[at + np.uint64(1)], flat[at + np.uint64(2)], flat[at + np.uint64(3)] = a, b, c, d
                    at += np.uint64(14 * STRETCHES)
                    flat[at], flat[at + np.uint64(1)], flat[at + np.uint64(2)], flat[at + np.uint64(3)] = e, f, g, h


@njit
def _join(work: Work) -> float:
    """The weight of every pair of points, and of all."""
    table, tilt, most, which, cell, row = work.table, work.tilt, work.most, work.which, work.cell, work.row
    whole = 0.0
    for p in range(most[0] + 1):
        so_far = 0.0
        for q in range(most[1] + 1):
            s = which[p + q]
            part = 0.0
            if s >= 0:
                even, odd = 0.0, 0.0  # two sums, so that one need not wait for the other
                for length in range(0, 14, 2):
                    even += table[0, p, length, s] * table[1, q, 13 - length, s]
                    odd += table[0, p, length + 1, s] * table[1, q, 12 - length, s]
                part = (even + odd) * tilt[p + q]
            cell[p, q] = part
            so_far += part
        row[p] = so_far
        whole += so_far
    return whole
