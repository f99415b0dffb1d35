"""How many layouts fit: an exact integer, without a compiler, so that a count answers at once.

**Counting** is dynamic programming over suits. Within a suit, cards that may lie in the same seats and count the same
points are interchangeable, so a class of ``n`` of them splits in multinomially many ways. A suit becomes a table of
ways, indexed by how many unknown cards each hidden seat gets (all but the last, which gets the rest) and how many
points each seat with a points range gets. Two suits combine by convolution; the two pairs of suits, clubs with diamonds
and hearts with spades, are joined where every hand has 13 cards and every range is kept. A hand whose shape is
restricted cannot be joined by its number of minor cards alone: how many of them are clubs matters too. But two pairs of
lengths (c, d) that leave the same pairs (h, s) possible are interchangeable, so each pair has one table for each of few
*shape classes*. Tables are int64: a pair of suits has at most 4^26 = 2^52 ways. The last products stay below 2^63 with
three hidden hands (at most 84 478 098 072 866 400 layouts) and are taken in Python integers with four.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import HIGH_CARD_POINTS, SUIT_MASK
from bayesbridge.constraints import SEATS, SUITS, Constraints, points_in
from bayesbridge.layouts import Bools, Ints
from bayesbridge.shapes import Shapes, shape_table


@dataclass(frozen=True, slots=True, eq=False)
class ShapeClasses:
    """The classes of one hand: by its lengths in C D and in H S, and which of them fit together."""

    minors: Ints
    """(14, 14) class of the lengths of clubs and diamonds, -1 where no shape has them."""
    majors: Ints
    """(14, 14) the same of hearts and spades."""
    fit: Bools
    """(minor classes, major classes) whether the two make one of the shapes."""

    @classmethod
    def of(cls, shapes: Shapes) -> Self:
        """The classes of a set of shapes.

        >>> ShapeClasses.of(frozenset({(4, 3, 3, 3), (3, 4, 3, 3)})).fit.tolist()
        [[True]]
        """
        by_three = shape_table(shapes)
        together = np.zeros((14, 14, 14, 14), dtype=np.bool_)
        c, d, h = np.nonzero(by_three)
        together[c, d, h, 13 - c - d - h] = True
        flat = together.reshape(196, 196)
        minors, first = row_classes(np.where(flat, 0, -1))
        majors, second = row_classes(np.where(flat.T, 0, -1))
        return cls(minors.reshape(14, 14), majors.reshape(14, 14), flat[np.ix_(first, second)])


def row_classes(table: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """The class of each row of a table, equal for equal rows and -1 for rows of -1 only; the first row of each."""
    alive = np.flatnonzero((table >= 0).any(1))
    kind = "u1" if table.itemsize == 1 else ">u4"  # bytes are in the order of the numbers
    names = [(table[place] + 1).astype(kind).tobytes() for place in alive]
    first = {name: place for place, name in zip(alive[::-1].tolist(), reversed(names), strict=True)}
    order = {name: number for number, name in enumerate(sorted(first))}
    classes = np.full(len(table), -1, dtype=np.int64)
    classes[alive] = [order[name] for name in names]
    return classes, np.array([first[name] for name in order], dtype=np.int64)


type Ways = Ints
type Range = tuple[int, int]
type Classes = tuple[int, ...]
"""A number for each hand whose shape is restricted: its class in a pair of suits, or its length in a suit."""


def count(constraints: Constraints) -> int:
    """The number of layouts that fit, conditions aside; 0 if the constraints contradict each other.

    >>> count(Constraints.free())
    53644737765488792839237440000
    >>> count(Constraints.free().hold(2, SUIT_MASK))
    84478098072866400
    """
    known = replace(constraints.normalised(), conditions=())
    if known.impossible:
        return 0
    certain = reduce(lambda alone, seat: alone.hold(seat, known.must[seat]), SEATS, Constraints.free())
    if known == certain.normalised():  # any other card may lie anywhere: a multinomial coefficient
        rooms = [known.room(seat) for seat in known.hidden]
        return math.factorial(sum(rooms)) // math.prod(map(math.factorial, rooms))
    hidden = known.hidden
    scored = known.bounded[: len(hidden) - 1]  # all points add up to a known sum: those of one seat follow
    rooms, sure = [known.room(seat) for seat in hidden[:-1]], [points_in(hand) for hand in known.must]
    low, high = ([points[seat] - sure[seat] for seat in SEATS] for points in (known.points_low, known.points_high))
    limits = rooms + [high[seat] for seat in scored]
    suits = [_suit_ways(known, suit, scored, limits) for suit in SUITS]
    shapes = {seat: ShapeClasses.of(known.shapes[seat] or frozenset()) for seat in known.shaped}
    minors, majors = (_pair_ways(known, suit, limits, shapes, suits[suit : suit + 2]) for suit in (0, 2))
    unknown = points_in(known.unknown_mask)
    rest = [seat for seat in hidden if seat not in scored]
    together = (unknown - high[rest[0]], unknown - low[rest[0]]) if len(rest) == 1 else (0, unknown)
    ranges = [(low[seat], high[seat]) for seat in scored]
    return sum(
        # Index i of one table is joined with room - i of the other: turn the other round.
        _joined(_by_lengths(first, rooms), _by_lengths(second, rooms)[::-1], ranges, together, len(hidden) > 3)
        for minor, first in minors.items()
        for major, second in majors.items()
        if all(shape.fit[a, b] for shape, a, b in zip(shapes.values(), minor, major, strict=True))
    )


def _suit_ways(known: Constraints, suit: int, scored: Sequence[int], limits: Sequence[int]) -> Ways:
    """Ways to place the unknown cards of a suit so that every length lies in its range."""
    hidden = known.hidden
    field = known.unknown_mask >> (13 * suit) & SUIT_MASK
    classes = Counter(
        (
            tuple(seat for seat in hidden if known.may[seat] >> (13 * suit + rank) & 1),
            HIGH_CARD_POINTS[rank] if scored else 0,
        )
        for rank in range(13)
        if field >> rank & 1
    )
    ways: Ways = np.ones((1,) * len(limits), dtype=np.int64)
    for (seats, points), size in classes.items():
        shares, many = compositions(size, [hidden.index(seat) for seat in seats], len(hidden))
        steps = [(*row[:-1], *(points * row[hidden.index(seat)] for seat in scored)) for row in shares.tolist()]
        ways = _spread(ways, list(zip(steps, many.tolist(), strict=True)), limits)
    fits = np.ones(ways.shape, dtype=np.bool_)
    for seat, length in _lengths(ways, known, suit).items():
        fits &= (length >= known.shortest[seat][suit]) & (length <= known.longest[seat][suit])
    return np.where(fits, ways, 0)


def _lengths(ways: Ways, known: Constraints, suit: int) -> dict[int, Ints]:
    """For each hidden seat, its length in the suit behind each entry of a table."""
    cards = list(np.indices(ways.shape)[: len(known.hidden) - 1])
    last = (known.unknown_mask >> (13 * suit) & SUIT_MASK).bit_count() - sum(cards)
    return {
        seat: unknown + (known.must[seat] >> (13 * suit) & SUIT_MASK).bit_count()
        for seat, unknown in zip(known.hidden, [*cards, last], strict=True)
    }


def _pair_ways(
    known: Constraints,
    suit: int,
    limits: Sequence[int],
    shapes: Mapping[int, ShapeClasses],
    ways: Sequence[Ways],
) -> dict[Classes, Ways]:
    """The tables of a suit and the next one, by the shape class of each hand whose shape is restricted."""
    first, second = (_by_share(table, known, which, shapes) for which, table in enumerate(ways, suit))
    found: dict[Classes, Ways] = {}
    for lengths, one in first.items():
        for more, two in second.items():
            tables = [shape.majors if suit else shape.minors for shape in shapes.values()]
            key = tuple(int(table[a, b]) for table, a, b in zip(tables, lengths, more, strict=True))
            if min(key, default=0) >= 0:
                found[key] = _added(found.get(key), _convolved(one, two, limits))
    return found


def _by_share(ways: Ways, known: Constraints, suit: int, shapes: Mapping[int, ShapeClasses]) -> dict[Classes, Ways]:
    """The table of a suit, apart for each length that the hands with a restricted shape have in it."""
    lengths = [length for seat, length in _lengths(ways, known, suit).items() if seat in shapes]
    found: dict[Classes, Ways] = {}
    for key in itertools.product(range(14), repeat=len(lengths)):
        chosen = ways.copy()
        for length, cards in zip(lengths, key, strict=True):
            chosen[length != cards] = 0
        if chosen.any():
            found[key] = chosen
    return found


def _added(total: Ways | None, more: Ways) -> Ways:
    """The sum of two tables that may differ in size."""
    if total is None:
        return more
    shape = [max(sizes) for sizes in zip(total.shape, more.shape, strict=True)]
    out = np.zeros(shape, dtype=np.int64)
    for table in (total, more):
        out[tuple(map(slice, table.shape))] += table
    return out


def compositions(size: int, allowed: Sequence[int], holders: int) -> tuple[Ints, Ints]:
    """(n, holders) all ways to share like cards among the allowed holders by number, and (n,) how many ways each is.

    >>> shares, ways = compositions(2, (0, 2), 3)
    >>> shares.tolist(), ways.tolist()
    ([[0, 0, 2], [1, 0, 1], [2, 0, 0]], [1, 2, 1])
    """
    bars = list(itertools.combinations(range(size + len(allowed) - 1), len(allowed) - 1))
    ends = np.array([(-1, *bar, size + len(allowed) - 1) for bar in bars], dtype=np.int64).reshape(len(bars), -1)
    found = np.zeros((len(bars), holders), dtype=np.int64)
    found[:, list(allowed)] = np.diff(ends) - 1
    ways = [math.factorial(size) // math.prod(map(math.factorial, share)) for share in found.tolist()]
    return found, np.array(ways, dtype=np.int64)


def _spread(table: Ways, steps: Sequence[tuple[Sequence[int], int]], limits: Sequence[int]) -> Ways:
    """The table moved by each step, times its ways, summed; what passes a limit is dropped."""
    reach = [max((step[axis] for step, _ in steps), default=0) for axis in range(table.ndim)]
    shape = [min(n + r, limit + 1) for n, r, limit in zip(table.shape, reach, limits, strict=True)]
    out = np.zeros(shape, dtype=np.int64)
    for step, ways in steps:
        widths = [min(n, top - s) for n, top, s in zip(table.shape, shape, step, strict=True)]
        if all(width > 0 for width in widths):
            there = tuple(slice(s, s + width) for s, width in zip(step, widths, strict=True))
            out[there] += ways * table[tuple(slice(width) for width in widths)]
    return out


def _convolved(first: Ways, second: Ways, limits: Sequence[int]) -> Ways:
    if np.count_nonzero(first) > np.count_nonzero(second):
        first, second = second, first
    places = np.argwhere(first)
    return _spread(second, list(zip(places.tolist(), first[first != 0].tolist(), strict=True)), limits)


def _by_lengths(table: Ways, rooms: Sequence[int]) -> Ways:
    """Length axes filled up to ``room + 1`` each, then made one; the axes of points follow."""
    missing = [(0, room + 1 - size) for room, size in zip(rooms, table.shape, strict=False)]
    points = table.shape[len(rooms) :]
    return np.pad(table, missing + [(0, 0)] * len(points)).reshape(-1, *points)


def _joined(first: Ways, second: Ways, ranges: Sequence[Range], together: Range, wide: bool) -> int:
    """Sum of first[l, p] · second[l, q] over all p + q within their ranges, the sum of p + q within ``together``.

    Every axis of points but the last is walked in pairs; along the last one, running sums answer a range at once.
    """
    if not ranges:
        return _dot(first, second, wide)
    *walked, (last_low, last_high) = ranges
    first, second = np.moveaxis(first, 0, -2), np.moveaxis(second, 0, -2)
    sums = np.concatenate([np.zeros((*second.shape[:-1], 1), dtype=np.int64), np.cumsum(second, axis=-1)], axis=-1)
    own = np.arange(first.shape[-1])
    total = 0
    for p in itertools.product(*map(range, first.shape[:-2])):
        for q in itertools.product(*map(range, second.shape[:-2])):
            if any(not low <= a + b <= high for a, b, (low, high) in zip(p, q, walked, strict=True)):
                continue
            low = max(last_low, together[0] - sum(p) - sum(q))
            high = min(last_high, together[1] - sum(p) - sum(q))
            if low <= high:
                bottom, top = (np.clip(edge - own, 0, second.shape[-1]) for edge in (low, high + 1))
                total += _dot(first[p], sums[q][:, top] - sums[q][:, bottom], wide)
    return total


def _dot(first: Ways, second: Ways, wide: bool) -> int:
    """Sum of products, exactly: in Python integers where 64 bits could overflow."""
    return int((first.astype(object) * second).sum() if wide else np.vdot(first, second))
