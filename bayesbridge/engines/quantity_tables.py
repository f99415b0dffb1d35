"""Exact tables by suit classes: layouts counted, numbered and unranked by the values of
some quantities (:mod:`~bayesbridge.engines.quantities`).

Codes that nothing in the other suits tells apart are one *class*. Rows of a suit, or
pairs of rows of two, with the same key and classes are one *entry*; a *pairing* is a
key of either suit of a pair. Entries of both halves are joined where every hand is full
and all hard evidence is kept, and each such pair has one value: layouts are counted by
value, and numbered within it, without being enumerated. Counts are exact; totals from
2^63 on are refused.

A key is a number here: pair key, or length index, · points + points index. Arrays
``x_start`` and ``ways`` are as in :mod:`~bayesbridge.engines.tables`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, Final, NamedTuple, Self

import numpy as np

from bayesbridge.engines.classes import (
    Lookup,
    digits,
    merged,
    radices,
    running,
    verify_size,
)
from bayesbridge.engines.quantities import Fields, Quantity
from bayesbridge.engines.search import looked_up, place_of
from bayesbridge.engines.tables import KeyJoin, LayoutIndex, SuitPair, SuitRows
from bayesbridge.game.layouts import Ints, Masks
from bayesbridge.runtime.jit import njit

MOST_CODES: Final = 1 << 27
"""Pairs of codes of two halves beyond which tables are refused: so many bytes."""

MOST_PRODUCTS: Final = 1 << 28
"""Pairs of entries to go through beyond which tables are refused; so many take a second
or two.
"""

MOST_PRODUCTS_POSSIBLE: Final = 1 << 38
"""The same before entries are known: of those possible, one in a thousand is joined, or
fewer.
"""

FIRST_ENTRIES: Final = 1024  # room for entries, doubled as they come

# Rows of the arrays in which kernels say where a layout lies in a pair of suits.
ENTRY: Final = 0
NUMBER: Final = 1


@dataclass(frozen=True, slots=True, eq=False)
class Classes:
    """The classes of one quantity over the rows of one position."""

    size: int
    rows: tuple[Ints, ...]  #: For C D H S, the class of each row.
    low: Ints  #: By the classes of clubs and of diamonds, the class of the pair.
    high: Ints  #: The same of hearts and spades.
    values: Ints  #: By the classes of both pairs.


# Common tables, those of one caller and those of one quantity more use the same in turn.
@lru_cache(maxsize=8)
def _classes(quantity: Quantity, index: LayoutIndex) -> Classes:
    codes: list[Ints] = []
    code_of_row: list[Ints] = []
    for suit, rows in enumerate(index.suits):
        fields = rows.fields | index.certain[suit]
        distinct: Any = np.unique(quantity.codes(suit, fields), return_inverse=True)
        codes.append(distinct[0])
        code_of_row.append(distinct[1])
    low_codes, low = _composed(quantity, codes[0], codes[1])
    high_codes, high = _composed(quantity, codes[2], codes[3])
    verify_size(len(low_codes) * len(high_codes), MOST_CODES, "pairs of codes")
    fewest = merged((low, high), quantity.values(low_codes, high_codes))
    rows_classes = [
        classes[numbers]
        for classes, numbers in zip(fewest.part_classes, code_of_row, strict=True)
    ]
    low, high = fewest.half_classes
    values = fewest.values.astype(np.int64)
    return Classes(quantity.size, tuple(rows_classes), low, high, values)


def _composed(quantity: Quantity, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The distinct codes of two suits, and by the codes of each the number of theirs."""
    codes, numbers = np.unique(quantity.composed(first, second), return_inverse=True)
    return codes, numbers


class ClassRows(NamedTuple):
    """The rows of one suit, sorted by entry; entries are sorted by key."""

    fields: Fields
    row_start: Ints  #: (entries + 1,) where the rows of each begin.
    key_start: Ints  #: (keys + 1,) where the entries of each begin.
    classes: Ints  #: (entries, quantities)

    @classmethod
    def of(cls, rows: SuitRows, row_classes: Sequence[Ints]) -> Self:
        """``row_classes``: (rows,) for each quantity."""
        sizes = [1 + int(classes.max(initial=0)) for classes in row_classes]
        keys = np.repeat(np.arange(rows.ways.size), rows.ways.ravel())
        labels = keys * math.prod(sizes)
        for classes, radix in zip(row_classes, radices(sizes), strict=True):
            labels += classes * radix
        order = np.argsort(labels, kind="stable")
        entries, row_start = np.unique(labels[order], return_index=True)
        entry_keys = entries // math.prod(sizes)
        return cls(
            np.ascontiguousarray(rows.fields[order]),
            np.append(row_start, len(labels)).astype(np.int64),
            np.searchsorted(entry_keys, np.arange(rows.ways.size + 1)),
            digits(entries, sizes),
        )


class ClassPair(NamedTuple):
    """Two suits together, in entries that are sorted by key."""

    first: ClassRows
    second: ClassRows
    pairing_start: Ints  #: (keys + 1,) where the pairings of each key begin.
    pairing_first: Ints  #: (pairings,) the key of either suit; both have rows.
    pairing_second: Ints
    class_of: Lookup
    """The class of the pair from the classes of both suits, all quantities in one
    number.
    """
    sizes: Ints  #: (quantities,) how many classes the pair has of each.
    key_start: Ints  #: (keys + 1,) where the entries of each key begin.
    label: Ints  #: (entries,) the number that ``class_of`` gives.
    ways: Ints  #: (entries,)
    classes: Ints  #: (entries, quantities)

    @classmethod
    def of(cls, pair: SuitPair, suit: int, quantities: Sequence[Classes]) -> Self:
        """A suit and the next one, entries not yet :meth:`tallied`; too many pairs of
        these are refused.
        """
        first = ClassRows.of(pair.first, [classes.rows[suit] for classes in quantities])
        second = ClassRows.of(
            pair.second, [classes.rows[suit + 1] for classes in quantities]
        )
        points = pair.ways.shape[1]
        first_entries = np.diff(first.key_start).reshape(-1, points).sum(1)
        second_entries = np.diff(second.key_start).reshape(-1, points).sum(1)
        products = (
            first_entries[pair.pairing_first] * second_entries[pair.pairing_second]
        )
        verify_size(int(products.sum()), MOST_PRODUCTS, "pairs of suit classes")
        matrices = [classes.high if suit else classes.low for classes in quantities]
        sizes = [1 + int(matrix.max(initial=0)) for matrix in matrices]
        no_entries = np.zeros(0, dtype=np.int64)
        return cls(
            first,
            second,
            *_key_pairings(pair),
            Lookup.of(matrices, sizes),
            np.array(sizes, np.int64),
            no_entries,
            no_entries,
            no_entries,
            no_entries[:, None],
        )

    @property
    def most_entries(self) -> Ints:
        """(keys,) no key of the pair has more entries."""
        first_entries = np.diff(self.first.key_start)
        second_entries = np.diff(self.second.key_start)
        products = (
            first_entries[self.pairing_first] * second_entries[self.pairing_second]
        )
        of_key = np.diff(running(products)[self.pairing_start])
        return np.minimum(of_key, self.class_of.size)

    def tallied(self) -> Self:
        """With its entries."""
        key_start, label, ways = _tally(self)
        classes = digits(label, self.sizes.tolist())
        return self._replace(
            key_start=key_start, label=label, ways=ways, classes=classes
        )


def _key_pairings(pair: SuitPair) -> tuple[Ints, Ints, Ints]:
    """Where the pairings of each key of a pair begin, and the keys of either suit."""
    first_keys = (pair.first.ways > 0).sum(1)[pair.pairing_first]
    second_keys = (pair.second.ways > 0).sum(1)[pair.pairing_second]
    pairings = np.empty((3, int((first_keys * second_keys).sum())), dtype=np.int64)
    _fill_pairings(pair, pairings)
    keys, first, second = pairings
    order = np.argsort(keys, kind="stable")
    start = running(np.bincount(keys, minlength=pair.ways.size))
    return start, first[order], second[order]


@dataclass(frozen=True, eq=False)
class ClassTables:
    """The tables of some quantities over the layouts of one set of constraints."""

    index: LayoutIndex
    quantities: tuple[Quantity, ...]
    low: ClassPair
    high: ClassPair
    value_of: Lookup
    """The value of a layout from the classes of both pairs: v₀ + size₀ · (v₁ + …)."""

    @classmethod
    def of(cls, index: LayoutIndex, quantities: Sequence[Quantity]) -> Self:
        """Raises ``TablesTooLarge`` where they would be."""
        classes = tuple(_classes(quantity, index) for quantity in quantities)
        value_of = Lookup.of(
            [of_quantity.values for of_quantity in classes],
            [of_quantity.size for of_quantity in classes],
        )
        low = ClassPair.of(index.low, 0, classes)
        high = ClassPair.of(index.high, 2, classes)
        possible = _joined_pairs(index.join, low.most_entries, high.most_entries)
        verify_size(possible, MOST_PRODUCTS_POSSIBLE, "pairs of suit classes")
        low = low.tallied()
        high = high.tallied()
        products = _joined_pairs(
            index.join, np.diff(low.key_start), np.diff(high.key_start)
        )
        verify_size(products, MOST_PRODUCTS, "pairs of suit classes")
        return cls(index, tuple(quantities), low, high, value_of)

    def counts(self) -> Ints:
        """(size,) how many layouts have each value."""
        counts = np.zeros(self.value_of.size, dtype=np.int64)
        none = np.zeros((0, 0), dtype=np.int64)
        _count(self.low, self.high, self.index.join, self.value_of, counts, none, none)
        return counts

    @cached_property
    def pair_completions(self) -> tuple[Ints, Ints]:
        """Of the low and the high pair, (entries, size): pairs of rows of the other
        that make each value with one.
        """
        size = self.value_of.size
        low = np.zeros((len(self.low.ways), size), dtype=np.int64)
        high = np.zeros((len(self.high.ways), size), dtype=np.int64)
        none = np.zeros(0, dtype=np.int64)
        _count(self.low, self.high, self.index.join, self.value_of, none, low, high)
        return low, high

    def layouts(self, values: Ints, numbers: Ints) -> Masks:
        """(n, 4) masks of the layouts with these numbers, 0 … ``counts()[value]`` − 1,
        among those of their values.
        """
        low_completions = self.pair_completions[0]
        entries, size = low_completions.shape
        before = np.zeros((size, entries + 1), dtype=np.int64)
        np.cumsum((self.low.ways[:, None] * low_completions).T, 1, out=before[:, 1:])
        in_low, in_high = locate(
            self.low,
            self.high,
            self.index.join,
            self.value_of,
            before,
            low_completions,
            values,
            numbers,
        )
        masks = np.tile(self.index.base, (len(numbers), 1))
        for shift, pair, located in ((0, self.low, in_low), (26, self.high, in_high)):
            order = np.lexsort((located[NUMBER], located[ENTRY]))
            add_pair(pair, shift, located, order, masks)
        return masks

    def completions(self) -> tuple[Ints, ...]:
        """For C D H S, (entries, size): how many layouts of each value contain one
        given row of an entry.
        """
        low_completions, high_completions = self.pair_completions
        clubs, diamonds = _completions(self.low, low_completions)
        hearts, spades = _completions(self.high, high_completions)
        return clubs, diamonds, hearts, spades


def _joined_pairs(join: KeyJoin, low: Ints, high: Ints) -> int:
    """How many pairs of entries are joined; ``low``, ``high``: (keys,) entries of each
    key.
    """
    points = len(join.fit_start) - 1
    low_entries = low.reshape(-1, points)
    high_entries = high.reshape(-1, points)
    fits = np.zeros((points, points))
    low_points = np.repeat(np.arange(points), np.diff(join.fit_start))
    fits[low_points, join.fit_points] = 1
    low_keys = np.repeat(np.arange(len(low_entries)), np.diff(join.partner_start))
    partner_entries = (high_entries @ fits.T)[join.partners]
    return int((low_entries[low_keys] * partner_entries).sum())


# Kernels take the arrays they need out of tuples before they loop: taking one out
# counts references, at a high price. Their letters: a, b are keys of the first and the
# second suit of a pair, i, j entries; p, q points indices.


@njit
def _fill_pairings(pair: SuitPair, pairings: Ints) -> None:
    """Fill (3, pairings) with the key of the pair and those of either suit."""
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    first_scores = pair.first.scores
    second_scores = pair.second.scores
    pairing_start = pair.pairing_start
    pairing_first = pair.pairing_first
    pairing_second = pair.pairing_second
    points = pair.ways.shape[1]
    filled = 0
    for pair_key in range(len(pairing_start) - 1):
        for lengths in range(pairing_start[pair_key], pairing_start[pair_key + 1]):
            first = pairing_first[lengths]
            second = pairing_second[lengths]
            for p in first_scores:
                for q in second_scores:
                    if first_ways[first, p] and second_ways[second, q]:
                        pairings[0, filled] = pair_key * points + p + q
                        pairings[1, filled] = first * points + p
                        pairings[2, filled] = second * points + q
                        filled += 1


@njit
def _grown(values: Ints) -> Ints:
    """The same values in an array of twice the length."""
    grown = np.empty(2 * len(values), np.int64)
    for place in range(len(values)):
        grown[place] = values[place]
    return grown


@njit
def _tally(pair: ClassPair) -> tuple[Ints, Ints, Ints]:
    """Entries of a pair of suits: where those of each key begin, their labels and their
    numbers of pairs of rows.
    """
    class_of = pair.class_of
    pairing_start = pair.pairing_start
    pairing_first = pair.pairing_first
    pairing_second = pair.pairing_second
    first_start = pair.first.key_start
    second_start = pair.second.key_start
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_rows = pair.first.row_start
    second_rows = pair.second.row_start
    keys = len(pairing_start) - 1
    key_start = np.zeros(keys + 1, np.int64)
    labels = np.empty(FIRST_ENTRIES, np.int64)
    ways = np.empty(FIRST_ENTRIES, np.int64)
    sums = np.zeros(class_of.size, np.int64)  # by label, 0 between keys
    key_labels = np.empty(class_of.size, np.int64)  # as they come
    entries = 0
    for key in range(keys):
        found = 0
        for pairing in range(pairing_start[key], pairing_start[key + 1]):
            a = pairing_first[pairing]
            b = pairing_second[pairing]
            for i in range(first_start[a], first_start[a + 1]):
                rows = first_rows[i + 1] - first_rows[i]
                for j in range(second_start[b], second_start[b + 1]):
                    label = looked_up(class_of, first_classes, second_classes, i, j)
                    if sums[label] == 0:
                        key_labels[found] = label
                        found += 1
                    sums[label] += rows * (second_rows[j + 1] - second_rows[j])
        while entries + found > len(labels):
            labels = _grown(labels)
            ways = _grown(ways)
        for place in range(found):
            label = key_labels[place]
            labels[entries] = label
            ways[entries] = sums[label]
            sums[label] = 0
            entries += 1
        key_start[key + 1] = entries
    return key_start, labels[:entries].copy(), ways[:entries].copy()


@njit
def _count(
    low: ClassPair,
    high: ClassPair,
    join: KeyJoin,
    value_of: Lookup,
    counts: Ints,
    low_completions: Ints,
    high_completions: Ints,
) -> None:
    """Add up (size,) layouts by value; or, where ``counts`` is empty, for each entry of
    either pair the (entries, size) pairs of rows that it is joined with.
    """
    low_start = low.key_start
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    low_ways = low.ways
    high_ways = high.ways
    partner_start = join.partner_start
    partners = join.partners
    fit_start = join.fit_start
    fit_points = join.fit_points
    points = len(fit_start) - 1
    for low_key in range(len(low_start) - 1):
        pair_key = low_key // points
        low_points = low_key % points
        for i in range(low_start[low_key], low_start[low_key + 1]):
            for partner in range(partner_start[pair_key], partner_start[pair_key + 1]):
                for fit in range(fit_start[low_points], fit_start[low_points + 1]):
                    high_key = partners[partner] * points + fit_points[fit]
                    for j in range(high_start[high_key], high_start[high_key + 1]):
                        value = looked_up(value_of, low_classes, high_classes, i, j)
                        if len(counts):
                            counts[value] += low_ways[i] * high_ways[j]
                        else:
                            low_completions[i, value] += high_ways[j]
                            high_completions[j, value] += low_ways[i]


@njit
def _completions(pair: ClassPair, pair_completions: Ints) -> tuple[Ints, Ints]:
    """(entries, size) for either suit, how many layouts of each value contain one given
    row; ``pair_completions``: (entries, size) those of one pair of rows.
    """
    class_of = pair.class_of
    key_start = pair.key_start
    labels = pair.label
    pairing_start = pair.pairing_start
    pairing_first = pair.pairing_first
    pairing_second = pair.pairing_second
    first_start = pair.first.key_start
    second_start = pair.second.key_start
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_rows = pair.first.row_start
    second_rows = pair.second.row_start
    size = pair_completions.shape[1]
    of_first = np.zeros((len(first_classes), size), np.int64)
    of_second = np.zeros((len(second_classes), size), np.int64)
    entry_of = np.empty(class_of.size, np.int64)  # by label, of the key at hand
    for key in range(len(key_start) - 1):
        for entry in range(key_start[key], key_start[key + 1]):
            entry_of[labels[entry]] = entry
        for pairing in range(pairing_start[key], pairing_start[key + 1]):
            a = pairing_first[pairing]
            b = pairing_second[pairing]
            for i in range(first_start[a], first_start[a + 1]):
                rows_i = first_rows[i + 1] - first_rows[i]
                for j in range(second_start[b], second_start[b + 1]):
                    rows_j = second_rows[j + 1] - second_rows[j]
                    label = looked_up(class_of, first_classes, second_classes, i, j)
                    entry = entry_of[label]
                    for value in range(size):
                        layouts = pair_completions[entry, value]
                        of_first[i, value] += rows_j * layouts
                        of_second[j, value] += rows_i * layouts
    return of_first, of_second


@njit
def locate(
    low: ClassPair,
    high: ClassPair,
    join: KeyJoin,
    value_of: Lookup,
    before: Ints,
    low_completions: Ints,
    values: Ints,
    numbers: Ints,
) -> Ints:
    """(2, 2, n) for the low and the high pair ``ENTRY`` and ``NUMBER`` of (n,) layouts,
    given their values and numbers: the entry, and which of its pairs of rows.

    ``before``: (size, low entries + 1) layouts of each value before each low entry;
    ``low_completions``: (low entries, size) with one of its pairs of rows.
    """
    low_start = low.key_start
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    partner_start = join.partner_start
    partners = join.partners
    fit_start = join.fit_start
    fit_points = join.fit_points
    points = len(fit_start) - 1
    located = np.empty((2, 2, len(numbers)), np.int64)
    for n in range(len(numbers)):
        value = values[n]
        number = numbers[n]
        entry = place_of(before[value], 0, len(low_classes), number)
        number -= before[value, entry]
        low_number = number // low_completions[entry, value]
        located[0, ENTRY, n] = entry
        located[0, NUMBER, n] = low_number
        number -= low_number * low_completions[entry, value]
        low_key = place_of(low_start, 0, len(low_start), entry)
        partner = partner_start[low_key // points]
        low_points = low_key % points
        fit = fit_start[low_points]
        j = -1
        while j < 0:
            high_key = partners[partner] * points + fit_points[fit]
            for entry_j in range(high_start[high_key], high_start[high_key + 1]):
                if (
                    looked_up(value_of, low_classes, high_classes, entry, entry_j)
                    == value
                ):
                    if number < high_ways[entry_j]:
                        j = entry_j
                        break
                    number -= high_ways[entry_j]
            fit += 1
            if fit == fit_start[low_points + 1]:
                partner += 1
                fit = fit_start[low_points]
        located[1, ENTRY, n] = j
        located[1, NUMBER, n] = number
    return located


@njit
def add_pair(
    pair: ClassPair, shift: int, located: Ints, order: Ints, out: Masks
) -> None:
    """Add to each of (n, 4) layouts its cards of two suits, the first from bit
    ``shift`` on.

    ``located``: (2, n), see :func:`locate`; ``order``: (n,) sorts it by entry, then by
    number. The layouts of one key are found on one walk through its pairings.
    """
    key_start = pair.key_start
    labels = pair.label
    class_of = pair.class_of
    pairing_start = pair.pairing_start
    pairing_first = pair.pairing_first
    pairing_second = pair.pairing_second
    first_start = pair.first.key_start
    second_start = pair.second.key_start
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_rows = pair.first.row_start
    second_rows = pair.second.row_start
    first_fields = pair.first.fields
    second_fields = pair.second.fields
    entries = located[ENTRY]
    numbers = located[NUMBER]
    first_bit = np.uint64(shift)
    second_bit = np.uint64(shift + 13)
    # By label: the place in ``order`` of the next layout with it, -1 if there is none,
    # and how many pairs of rows with this label were passed.
    following = np.full(class_of.size, -1, np.int64)
    passed = np.zeros(class_of.size, np.int64)
    begin = 0
    while begin < len(order):
        key = place_of(key_start, 0, len(key_start), entries[order[begin]])
        end = begin
        while end < len(order) and entries[order[end]] < key_start[key + 1]:
            entry = entries[order[end]]
            if end == begin or entry != entries[order[end - 1]]:
                following[labels[entry]] = end
                passed[labels[entry]] = 0
            end += 1
        missing = end - begin
        for pairing in range(pairing_start[key], pairing_start[key + 1]):
            if missing == 0:
                break
            a = pairing_first[pairing]
            b = pairing_second[pairing]
            for i in range(first_start[a], first_start[a + 1]):
                rows_i = first_rows[i + 1] - first_rows[i]
                for j in range(second_start[b], second_start[b + 1]):
                    label = looked_up(class_of, first_classes, second_classes, i, j)
                    place = following[label]
                    if place < 0:
                        continue
                    rows_j = second_rows[j + 1] - second_rows[j]
                    reached = passed[label] + rows_i * rows_j
                    while place >= 0 and numbers[order[place]] < reached:
                        n = order[place]
                        row = (numbers[n] - passed[label]) // rows_j
                        column = numbers[n] - passed[label] - row * rows_j
                        one = first_rows[i] + row
                        two = second_rows[j] + column
                        for seat in range(4):
                            first_cards = np.uint64(first_fields[one, seat])
                            second_cards = np.uint64(second_fields[two, seat])
                            out[n, seat] |= first_cards << first_bit
                            out[n, seat] |= second_cards << second_bit
                        missing -= 1
                        place += 1
                        if place == end or entries[order[place]] != entries[n]:
                            place = -1
                    following[label] = place
                    passed[label] = reached
        begin = end
