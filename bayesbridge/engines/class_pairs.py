"""Rows of suits in entries, and entries of two suits together: layouts counted without looking at rows one by one.

Rows of a suit with the same key (see ``suit_rows``) and the same classes of all quantities (see ``suit_classes``) are
one *entry*; pairs of rows of two suits with the same key and classes are one entry of the pair. What has a negative
class is left out: see ``Classes.without_first``.

All counts are int64 and exact: each counts a part of all layouts, and totals from 2^63 on are refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.suit_classes import Classes, Fields
from bayesbridge.engines.suit_rows import Ints, SuitPair, SuitRows
from bayesbridge.errors import TablesTooLarge
from bayesbridge.jit import njit

MOST_CLASSES: Final = 1 << 24
"""Combined classes of a pair of suits beyond which tables are refused; one seat's level needs a few thousand."""

MOST_PRODUCTS: Final = 1 << 28
"""Pairs of entries to go through beyond which tables are refused; so many take a second or two."""

MOST_JOINT_PRODUCTS: Final = 1 << 29
"""The same for two callers at once, where any other engine takes as long."""

PATIENT_PRODUCTS: Final = 1 << 31
"""The same where exact answers are insisted on: some 20 s for the tables, as much again for draws, and 1.5 GiB."""

HOPELESS_PRODUCTS: Final = 1 << 38
"""Pairs of entries that could meet beyond which no attempt is made: one in a thousand of them does meet, or fewer."""

LEFT_OUT: Final = -(1 << 30)
"""What is looked up for a negative class: all sums with it are negative."""


class Lookup(NamedTuple):
    """For each quantity a matrix, all in one array; what is looked up for several quantities is added up."""

    table: NDArray[np.int32]
    offset: Ints
    """(quantities,) where the matrix of a quantity begins."""
    width: Ints
    """(quantities,) the length of its rows."""
    size: int
    """All sums are below it."""

    @classmethod
    def of(cls, matrices: Sequence[Ints], sizes: Sequence[int]) -> Self:
        """Matrices whose entries are below ``sizes``; their sum is a number in mixed radix, the first digit lowest.

        The sum is negative where an entry is.
        """
        size = math.prod(sizes)
        if size > MOST_CLASSES:
            raise TablesTooLarge(
                f"{size} classes of two suits are needed and tables stop at {MOST_CLASSES}: "
                "ask about fewer seats at once, or make a hand known",
                needed=size,
            )
        flat = [
            np.where(matrix < 0, LEFT_OUT, matrix * radix).astype(np.int32).ravel()
            for matrix, radix in zip(matrices, radices(sizes), strict=True)
        ]
        return cls(
            np.concatenate([*flat, np.zeros(0, dtype=np.int32)]),
            np.cumsum([0, *map(len, flat)], dtype=np.int64)[:-1],
            np.array([matrix.shape[1] for matrix in matrices], dtype=np.int64),
            size,
        )


class ClassRows(NamedTuple):
    """The rows of one suit, sorted by entry; entries are sorted by key."""

    fields: Fields
    """(rows, 4) unknown cards by seat."""
    row_start: Ints
    """(entries + 1,) where the rows of each entry begin."""
    key_start: Ints
    """(keys + 1,) where the entries of each key begin; a key is lengths index · points + points index."""
    classes: Ints
    """(entries, quantities) class of each quantity."""

    @classmethod
    def of(cls, rows: SuitRows, classes: Sequence[Ints]) -> Self:
        """The rows of a suit, with the class of each row for each quantity."""
        kept = np.ones(len(rows.fields), dtype=np.bool_)
        for of_row in classes:
            kept &= of_row >= 0
        sizes = [1 + int(of_row.max(initial=0)) for of_row in classes]
        label = np.repeat(np.arange(rows.ways.size), rows.ways.ravel())[kept] * math.prod(sizes)
        for of_row, radix in zip(classes, radices(sizes), strict=True):
            label += of_row[kept] * radix
        order = np.argsort(label, kind="stable")
        entries, row_start = np.unique(label[order], return_index=True)
        return cls(
            np.ascontiguousarray(rows.fields[kept][order]),
            np.append(row_start, len(label)).astype(np.int64),
            np.searchsorted(entries // math.prod(sizes), np.arange(rows.ways.size + 1)),
            digits(entries, sizes),
        )


class PairPlan(NamedTuple):
    """Two suits before their entries are put together: enough to say what that takes."""

    first: ClassRows
    second: ClassRows
    splits: tuple[Ints, Ints, Ints]
    """``split_start``, ``split_first`` and ``split_second`` of :class:`ClassPair`."""
    place: Lookup
    sizes: list[int]
    """The classes of the pair, of each quantity."""

    @classmethod
    def of(cls, pair: SuitPair, suit: int, quantities: Sequence[Classes], most: int | None = None) -> Self:
        """A suit and the next one; more than ``most`` pairs of entries are refused (see :func:`verify_work`)."""
        first = ClassRows.of(pair.first, [classes.rows[suit] for classes in quantities])
        second = ClassRows.of(pair.second, [classes.rows[suit + 1] for classes in quantities])
        verify_work(_products(pair, first, second), most)
        matrices = [classes.low if suit == 0 else classes.high for classes in quantities]
        sizes = [1 + int(matrix.max(initial=0)) for matrix in matrices]
        splits = _splits(pair, np.zeros(pair.first.ways.size + 1, dtype=np.int64))
        return cls(first, second, splits, Lookup.of(matrices, sizes), sizes)

    @property
    def most_entries(self) -> Ints:
        """(keys,) no key of the pair has more entries."""
        start, one, two = self.splits
        products = np.diff(self.first.key_start)[one] * np.diff(self.second.key_start)[two]
        running = np.concatenate([[0], np.cumsum(products)])
        return np.minimum(np.diff(running[start]), self.place.size)


class ClassPair(NamedTuple):
    """Two suits together, in entries that are sorted by key."""

    first: ClassRows
    second: ClassRows
    split_start: Ints
    """(keys + 1,) where the splits of each key of the pair begin; a split is a key of either suit, both with rows."""
    split_first: Ints
    split_second: Ints
    place: Lookup
    """The class of the pair from the classes of both suits, all quantities in one number."""
    key_start: Ints
    """(keys + 1,) where the entries of each key of the pair begin."""
    label: Ints
    """(entries,) the number that ``place`` gives."""
    ways: Ints
    """(entries,) how many pairs of rows an entry has."""
    classes: Ints
    """(entries, quantities) class of each quantity."""

    @classmethod
    def of(cls, plan: PairPlan) -> Self:
        """A suit and the next one."""
        key_start, label, ways = _tally(plan.first, plan.second, plan.splits, plan.place)
        classes = digits(label, plan.sizes)
        return cls(plan.first, plan.second, *plan.splits, plan.place, key_start, label, ways, classes)


class Meeting(NamedTuple):
    """Which keys of the high pair complete a key of the low pair, and the value of two entries that meet."""

    points: int
    """The number of points indices."""
    partner: Ints
    """(lengths,) the length index of the high pair that fills the hands, −1 where a hand is overfull already."""
    fit_start: Ints
    """(points + 1,) where the points of the high pair that fit points of the low pair begin in ``fit_points``."""
    fit_points: Ints
    value: Lookup
    """The value of a layout from the classes of both pairs, all quantities in one number."""


def verify_work(products: int, most: int | None = None) -> None:
    """Refuse what takes too long: more than ``MOST_PRODUCTS`` unless told otherwise."""
    most = MOST_PRODUCTS if most is None else most
    if products > most:
        raise TablesTooLarge(
            f"{products} pairs of suit classes are needed and tables stop at {most}: "
            "ask about fewer seats at once, or make a hand known",
            needed=products,
        )


def _products(pair: SuitPair, first: ClassRows, second: ClassRows) -> int:
    """How many pairs of entries a pair of suits has."""
    ones, twos = (np.diff(rows.key_start).reshape(-1, pair.ways.shape[1]).sum(1) for rows in (first, second))
    return int((ones[pair.split_first] * twos[pair.split_second]).sum())


def radices(sizes: Sequence[int]) -> list[int]:
    """What each digit of a number in mixed radix is worth, the first digit lowest."""
    return [math.prod(sizes[:i]) for i in range(len(sizes))]


def digits(numbers: Ints, sizes: Sequence[int]) -> Ints:
    """(n, digits) the digits of (n,) numbers in mixed radix, the first digit lowest."""
    return numbers[:, None] // np.array(radices(sizes), dtype=np.int64) % np.array(sizes, dtype=np.int64)


@njit
def _splits(pair: SuitPair, start: Ints) -> tuple[Ints, Ints, Ints]:
    """For each key of a pair, the keys of both suits that make it; ``start``: zeros, (keys + 1,)."""
    first, second = pair.first.ways, pair.second.ways
    ones, twos, points = pair.first.scores, pair.second.scores, pair.ways.shape[1]
    split_first, split_second = pair.split_first, pair.split_second
    for split in range(len(split_first)):
        a, b = split_first[split], split_second[split]
        for p in ones:
            if first[a, p]:
                for q in twos:
                    if second[b, q]:
                        start[(a + b) * points + p + q + 1] += 1
    for key in range(len(start) - 1):
        start[key + 1] += start[key]
    free, left, right = start.copy(), np.empty(start[-1], np.int64), np.empty(start[-1], np.int64)
    for split in range(len(split_first)):
        a, b = split_first[split], split_second[split]
        for p in ones:
            if first[a, p]:
                for q in twos:
                    if second[b, q]:
                        at = free[(a + b) * points + p + q]
                        free[(a + b) * points + p + q] += 1
                        left[at], right[at] = a * points + p, b * points + q
    return start, left, right


@njit
def _tally(
    first: ClassRows, second: ClassRows, splits: tuple[Ints, Ints, Ints], place: Lookup
) -> tuple[Ints, Ints, Ints]:
    """Entries of a pair of suits: where those of each key begin, their labels and their numbers of pairs of rows."""
    split_start, split_first, split_second = splits
    one_start, two_start, ones, twos = first.key_start, second.key_start, first.classes, second.classes
    one_rows, two_rows, table = first.row_start, second.row_start, place.table
    offset, width, quantities = place.offset, place.width, ones.shape[1]
    keys = len(split_start) - 1
    key_start = np.zeros(keys + 1, np.int64)
    label, ways = np.empty(1024, np.int64), np.empty(1024, np.int64)
    sums, touched, base = np.zeros(place.size, np.int64), np.empty(place.size, np.int64), np.empty(quantities, np.int64)
    entries = 0
    for key in range(keys):
        found = 0
        for split in range(split_start[key], split_start[key + 1]):
            a, b = split_first[split], split_second[split]
            for i in range(one_start[a], one_start[a + 1]):
                rows = one_rows[i + 1] - one_rows[i]
                for q in range(quantities):
                    base[q] = offset[q] + ones[i, q] * width[q]
                for j in range(two_start[b], two_start[b + 1]):
                    name = 0
                    for q in range(quantities):
                        name += table[base[q] + twos[j, q]]
                    if name < 0:
                        continue
                    if sums[name] == 0:
                        touched[found] = name
                        found += 1
                    sums[name] += rows * (two_rows[j + 1] - two_rows[j])
        while entries + found > len(label):
            label, ways = np.concatenate((label, label)), np.concatenate((ways, ways))
        for place_of in range(found):
            name = touched[place_of]
            label[entries], ways[entries] = name, sums[name]
            sums[name] = 0
            entries += 1
        key_start[key + 1] = entries
    return key_start, label[:entries].copy(), ways[:entries].copy()
