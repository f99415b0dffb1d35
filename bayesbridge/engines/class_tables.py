"""Layouts counted and numbered by the values of quantities that are found suit by suit.

The entries of both pairs of suits (see ``class_pairs``) meet where every hand is full and every points range is kept;
each meeting has one value. So layouts are counted by value without being walked, and the layouts of each value are
numbered as ``unranking`` numbers all layouts: by the entry of the low pair, then by its pair of rows, then by the entry
of the high pair and its pair of rows. Which pair of suit entries lies behind a number is not kept: it is found for many
numbers at once by walking the pairs of entries as they were walked when the table was built.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Self

import numpy as np

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import SEATS, SUITS
from bayesbridge.engines.class_joins import join
from bayesbridge.engines.class_pairs import (
    HOPELESS_PRODUCTS,
    MOST_JOINT_PRODUCTS,
    PATIENT_PRODUCTS,
    ClassPair,
    ClassRows,
    Lookup,
    Meeting,
    PairPlan,
    verify_work,
)
from bayesbridge.engines.class_unranking import add_pair, locate
from bayesbridge.engines.levels import Level
from bayesbridge.engines.suit_classes import Classes, Fields, Quantity
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.engines.unranking import Unranking
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks


@dataclass(frozen=True, slots=True, eq=False)
class ClassTables:
    """The tables of some quantities over the layouts of one set of constraints."""

    unranking: Unranking
    classes: tuple[Classes, ...]
    """Of each quantity."""
    low: ClassPair
    high: ClassPair
    meeting: Meeting
    joined: bool = False
    """Whether these are tables of two levels that are too large to let entries meet one by one."""

    @classmethod
    def of(cls, unranking: Unranking, quantities: Sequence[Quantity]) -> Self:
        """Tables over all layouts that are numbered."""
        return cls._of_classes(unranking, tuple(_classes(quantity, unranking) for quantity in quantities))

    @classmethod
    def joint(cls, unranking: Unranking, first: Quantity, second: Quantity, patient: bool = False) -> Self:
        """Tables over the layouts in which neither of two levels has the value 0, which is left out of both.

        With ``patient`` they may take a minute.
        """
        classes = (_classes(quantity, unranking).without_first() for quantity in (first, second))
        return cls._of_classes(unranking, tuple(classes), PATIENT_PRODUCTS if patient else MOST_JOINT_PRODUCTS)

    def extended(self, *quantities: Quantity) -> Self:
        """Tables of more quantities, the last ones."""
        more = (_classes(quantity, self.unranking) for quantity in quantities)
        return self._of_classes(self.unranking, (*self.classes, *more))

    @classmethod
    def _of_classes(cls, unranking: Unranking, classes: tuple[Classes, ...], most: int | None = None) -> Self:
        """Tables of some classes; ``most``: of two levels that are to be joined, pairs of entries beyond which they
        are refused."""
        keys, order = unranking.keys, unranking.order
        value = Lookup.of([c.values for c in classes], [c.size for c in classes])
        within = (keys.cards[:, :-1] <= keys.rooms[:-1]).all(1)
        full = (keys.cards[:, :-1] == keys.rooms[:-1]).all(1).argmax()
        partner = np.where(within, full - np.arange(len(within)), -1)
        meeting = Meeting(len(keys.points), partner, order.fit_start, order.fit_points, value)
        joined = most is not None
        plans = PairPlan.of(unranking.low, 0, classes, most), PairPlan.of(unranking.high, 2, classes, most)
        if not joined:
            verify_work(_meetings(meeting, *(plan.most_entries for plan in plans)), HOPELESS_PRODUCTS)
        low, high = map(ClassPair.of, plans)
        if not joined:
            verify_work(_meetings(meeting, *(np.diff(pair.key_start) for pair in (low, high))))
        return cls(unranking, classes, low, high, meeting, joined)

    @property
    def size(self) -> int:
        """The number of values; that of several quantities is v₀ + size₀ · (v₁ + size₁ · …)."""
        return self.meeting.value.size

    def counts(self) -> Ints:
        """(size,) how many layouts have each value."""
        out = np.zeros(self.size, dtype=np.int64)
        _count(self.low, self.high, self.meeting, out)
        return out

    def rests(self) -> tuple[Ints, Ints]:
        """For each entry of the low and of the high pair, (entries, size): how many pairs of rows of the other pair
        make a layout of each value with one of its pairs of rows."""
        if self.joined:
            return join(self.low, self.high, self.meeting, *self.classes)
        low = np.zeros((len(self.low.ways), self.size), dtype=np.int64)
        high = np.zeros((len(self.high.ways), self.size), dtype=np.int64)
        _join(self.low, self.high, self.meeting, low, high)
        return low, high

    def layouts(self, low_rest: Ints, values: Ints, numbers: Ints) -> Masks:
        """The layouts with the given numbers among those of the given values: (n, 4) masks.

        ``low_rest``: the first part of :meth:`rests`. The numbers of value v are 0 … ``counts()[v]`` − 1.
        """
        before = np.cumsum(self.low.ways[:, None] * low_rest, axis=0)
        low_entry, low_number = np.empty_like(numbers), np.empty_like(numbers)
        high_entry, high_number = np.empty_like(numbers), np.empty_like(numbers)
        of_low, of_high = (low_entry, low_number), (high_entry, high_number)
        locate(self.low, self.high, self.meeting, (before, low_rest), (values, numbers), of_low, of_high)
        out = np.tile(self.unranking.base, (len(numbers), 1))
        for shift, pair, entry, number in ((0, self.low, *of_low), (26, self.high, *of_high)):
            order = np.lexsort((number, entry))
            add_pair(pair, shift, entry, number, order, out)
        return out

    def completions(self, low_rest: Ints, high_rest: Ints) -> tuple[Ints, Ints, Ints, Ints]:
        """For C D H S, (entries, size): how many layouts of each value contain one given row of an entry."""
        return *_completions(self.low, low_rest), *_completions(self.high, high_rest)

    @property
    def suits(self) -> tuple[ClassRows, ClassRows, ClassRows, ClassRows]:
        """The rows of C D H S."""
        return self.low.first, self.low.second, self.high.first, self.high.second


def _meetings(meeting: Meeting, low: Ints, high: Ints) -> int:
    """How many pairs of entries meet; ``low``, ``high``: (keys,) entries of each key."""
    ones, twos = low.reshape(-1, meeting.points), high.reshape(-1, meeting.points)
    fits = np.zeros((meeting.points, meeting.points))
    fits[np.repeat(np.arange(meeting.points), np.diff(meeting.fit_start)), meeting.fit_points] = 1
    within = meeting.partner >= 0
    return int((ones[within] * (twos[meeting.partner[within]] @ fits.T)).sum())


def _classes(quantity: Quantity, unranking: Unranking) -> Classes:
    if isinstance(quantity, Level):
        return _level_classes(quantity, unranking)
    return Classes.of(quantity, _fields(unranking))


@lru_cache(maxsize=4)  # common tables, a mixture and the tables of one caller ask for the same classes in turn
def _level_classes(level: Level, unranking: Unranking) -> Classes:
    return Classes.of(level, _fields(unranking))


def _fields(unranking: Unranking) -> list[Fields]:
    """The rows of C D H S with the certain cards."""
    must = unranking.keys.known.must
    certain = [np.array([must[seat] >> (13 * suit) & SUIT_MASK for seat in SEATS], dtype=np.uint16) for suit in SUITS]
    return [rows.fields | cards for rows, cards in zip(unranking.suits, certain, strict=True)]


# Kernels take the arrays they need out of tuples before they loop: taking one out counts references, at a high price.


@njit
def _count(low: ClassPair, high: ClassPair, meeting: Meeting, out: Ints) -> None:
    low_start, high_start, ones, twos = low.key_start, high.key_start, low.classes, high.classes
    low_count, high_count, points, partner = low.ways, high.ways, meeting.points, meeting.partner
    fit_start, fit_points = meeting.fit_start, meeting.fit_points
    table, offset, width = meeting.value.table, meeting.value.offset, meeting.value.width
    quantities = ones.shape[1]
    base = np.empty(quantities, np.int64)
    for key in range(len(low_start) - 1):
        other, score = partner[key // points], key % points
        if other < 0:
            continue
        for i in range(low_start[key], low_start[key + 1]):
            for q in range(quantities):
                base[q] = offset[q] + ones[i, q] * width[q]
            for place in range(fit_start[score], fit_start[score + 1]):
                there = other * points + fit_points[place]
                for j in range(high_start[there], high_start[there + 1]):
                    value = 0
                    for q in range(quantities):
                        value += table[base[q] + twos[j, q]]
                    if value >= 0:
                        out[value] += low_count[i] * high_count[j]


@njit
def _join(low: ClassPair, high: ClassPair, meeting: Meeting, low_rest: Ints, high_rest: Ints) -> None:
    """Add to each entry the pairs of rows of the entries that it meets, by value."""
    low_start, high_start, ones, twos = low.key_start, high.key_start, low.classes, high.classes
    low_count, high_count, points, partner = low.ways, high.ways, meeting.points, meeting.partner
    fit_start, fit_points = meeting.fit_start, meeting.fit_points
    table, offset, width = meeting.value.table, meeting.value.offset, meeting.value.width
    quantities = ones.shape[1]
    base = np.empty(quantities, np.int64)
    for key in range(len(low_start) - 1):
        other, score = partner[key // points], key % points
        if other < 0:
            continue
        for i in range(low_start[key], low_start[key + 1]):
            for q in range(quantities):
                base[q] = offset[q] + ones[i, q] * width[q]
            for place in range(fit_start[score], fit_start[score + 1]):
                there = other * points + fit_points[place]
                for j in range(high_start[there], high_start[there + 1]):
                    value = 0
                    for q in range(quantities):
                        value += table[base[q] + twos[j, q]]
                    if value >= 0:
                        low_rest[i, value] += high_count[j]
                        high_rest[j, value] += low_count[i]


@njit
def _completions(pair: ClassPair, rest: Ints) -> tuple[Ints, Ints]:
    """For each entry of either suit and each value, how many layouts contain one given row of it.

    ``rest``: (entries of the pair, size) pairs of rows of the other two suits that complete one of its pairs of rows.
    """
    one_start, two_start = pair.first.key_start, pair.second.key_start
    ones, twos = pair.first.classes, pair.second.classes
    one_rows, two_rows = pair.first.row_start, pair.second.row_start
    split_start, split_first, split_second = pair.split_start, pair.split_first, pair.split_second
    table, offset, width = pair.place.table, pair.place.offset, pair.place.width
    key_start, label, quantities, size = pair.key_start, pair.label, ones.shape[1], rest.shape[1]
    for_first, for_second = np.zeros((len(ones), size), np.int64), np.zeros((len(twos), size), np.int64)
    base, entry_of = np.empty(quantities, np.int64), np.empty(pair.place.size, np.int64)
    for key in range(len(key_start) - 1):
        for entry in range(key_start[key], key_start[key + 1]):
            entry_of[label[entry]] = entry
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
                    entry, more = entry_of[name], two_rows[j + 1] - two_rows[j]
                    for value in range(size):
                        for_first[i, value] += more * rest[entry, value]
                        for_second[j, value] += rows * rest[entry, value]
    return for_first, for_second
