"""Exact tables by suit classes: layouts counted and numbered by value.

Values are those of some quantities (:mod:`~bayesbridge.engines.quantities`). Codes that
nothing in the other suits tells apart are one *class*. Rows of a suit, or pairs of rows
of two, with the same key and classes are one *entry*; a *pairing* is a key of either
suit of a pair. Entries of both halves are joined where every hand is full and all hard
evidence is kept, and each such pair has one value: layouts are counted by value, and
numbered within it, without being enumerated. Counts are exact; totals from 2^63 on are
refused.

A key is a number here: pair key, or length index, · points + points index. Arrays
``x_start`` and ``ways`` are as in :mod:`~bayesbridge.engines.tables`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Final, NamedTuple, Self

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
from bayesbridge.engines.tables import (
    KeyJoin,
    LayoutIndex,
    SuitPair,
    SuitRows,
    add_cards,
)
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
ENTRY: Final = 0  # the entry of the pair
NUMBER: Final = 1  # which of its pairs of rows

NONE: Final = -1  # where there is no layout


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
    """The classes of a quantity over the rows of a position.

    Codes that give the same values with every partner are merged into one class.
    """
    codes: list[Ints] = []
    code_of_row: list[Ints] = []
    for suit, rows in enumerate(index.suits):
        fields = rows.fields | index.certain[suit]
        codes_of_rows = quantity.codes(suit, fields)
        suit_codes, places = np.unique(codes_of_rows, return_inverse=True)
        codes.append(suit_codes)
        code_of_row.append(places)
    low_codes, low_numbers = _composed(quantity, codes[0], codes[1])
    high_codes, high_numbers = _composed(quantity, codes[2], codes[3])
    verify_size(len(low_codes) * len(high_codes), MOST_CODES, "pairs of codes")
    values = quantity.values(low_codes, high_codes)
    merged_codes = merged((low_numbers, high_numbers), values)
    class_of_row = [
        class_of_code[codes_of_suit]
        for class_of_code, codes_of_suit in zip(
            merged_codes.part_classes, code_of_row, strict=True
        )
    ]
    low_classes, high_classes = merged_codes.half_classes
    return Classes(
        quantity.size,
        tuple(class_of_row),
        low_classes,
        high_classes,
        merged_codes.values.astype(np.int64),
    )


def _composed(quantity: Quantity, first: Ints, second: Ints) -> tuple[Ints, Ints]:
    """The distinct codes of two suits, and by the codes of each the number of theirs."""
    codes, numbers = np.unique(quantity.composed(first, second), return_inverse=True)
    return codes, numbers


class ClassRows(NamedTuple):
    """The rows of one suit, sorted by entry; entries are sorted by key."""

    fields: Fields
    row_start: Ints  #: (entries + 1,) where the rows of each begin.
    ways: Ints  #: (entries,) how many rows each has.
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
        row_start = np.append(row_start, len(labels)).astype(np.int64)
        entry_keys = entries // math.prod(sizes)
        return cls(
            np.ascontiguousarray(rows.fields[order]),
            row_start,
            np.diff(row_start),
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
        """A suit and the next one, entries not yet :meth:`tallied`.

        Too many pairs of these are refused.
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


class ClassJoin(NamedTuple):
    """Both pairs of suits, how their keys are joined, and the values of layouts."""

    low: ClassPair
    high: ClassPair
    join: KeyJoin
    value_of: Lookup  #: From the classes of both pairs, see :class:`ClassTables`.


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

    @property
    def _joined(self) -> ClassJoin:
        return ClassJoin(self.low, self.high, self.index.join, self.value_of)

    def counts(self) -> Ints:
        """(size,) how many layouts have each value."""
        counts = np.zeros(self.value_of.size, dtype=np.int64)
        no_completions = np.zeros((0, 0), dtype=np.int64)
        _count(self._joined, counts, no_completions, no_completions)
        return counts

    @cached_property
    def pair_completions(self) -> tuple[Ints, Ints]:
        """(entries, size) of the low and of the high pair, by value of a layout.

        How many pairs of rows of the other pair of suits make the value with one.
        """
        size = self.value_of.size
        low = np.zeros((len(self.low.ways), size), dtype=np.int64)
        high = np.zeros((len(self.high.ways), size), dtype=np.int64)
        no_counts = np.zeros(0, dtype=np.int64)
        _count(self._joined, no_counts, low, high)
        return low, high

    def layouts(self, values: Ints, numbers: Ints) -> Masks:
        """(n, 4) masks of the layouts with given numbers among those of their values.

        ``values``, ``numbers``: (n,); numbers are 0 … ``counts()[value]`` − 1.
        """
        in_low, high_numbers = self._in_low_pair(values, numbers)
        in_high = np.empty_like(in_low)
        _locate_high(self._joined, in_low[ENTRY], values, high_numbers, in_high)
        masks = np.tile(self.index.base, (len(numbers), 1))
        add_pair(self.low, 0, in_low, masks)
        add_pair(self.high, 26, in_high, masks)
        return masks

    def _in_low_pair(self, values: Ints, numbers: Ints) -> tuple[Ints, Ints]:
        """Where layouts lie in the low pair, given their values and numbers.

        Returns (2, n) ``ENTRY`` and ``NUMBER``, and the (n,) numbers of the layouts
        among those of their value with the same pair of rows there.
        """
        completions = self.pair_completions[0]
        located = np.empty((2, len(numbers)), dtype=np.int64)
        high_numbers = np.empty(len(numbers), dtype=np.int64)
        for value in np.flatnonzero(np.bincount(values)):
            of_value = np.flatnonzero(values == value)
            before = running(self.low.ways * completions[:, value])
            entry = np.searchsorted(before, numbers[of_value], side="right") - 1
            number = numbers[of_value] - before[entry]
            located[ENTRY, of_value] = entry
            located[NUMBER, of_value], high_numbers[of_value] = np.divmod(
                number, completions[entry, value]
            )
        return located, high_numbers

    def completions(self) -> tuple[Ints, ...]:
        """For C D H S, (entries, size): how many layouts of a value contain a given row."""
        low_completions, high_completions = self.pair_completions
        clubs, diamonds = _completions(self.low, low_completions)
        hearts, spades = _completions(self.high, high_completions)
        return clubs, diamonds, hearts, spades


def _joined_pairs(join: KeyJoin, low: Ints, high: Ints) -> int:
    """How many pairs of entries are joined.

    ``low``, ``high``: (keys,) entries of each key.
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


# Inner loops take the arrays that they need out of tuples first, and a function that is
# called for every layout takes no tuple: both would count references, at a high price.
# Letters: a, b are keys of the first and the second suit of a pair, i, j entries of these, or of
# the low and the high pair; p, q points indices. A label is the class of a pair of
# entries, all quantities in one number.


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
    """Entries of a pair of suits, sorted by key.

    Returns (keys + 1,) where those of each key begin, and (entries,) their labels and
    their numbers of pairs of rows.
    """
    keys = len(pair.pairing_start) - 1
    key_start = np.zeros(keys + 1, np.int64)
    labels = np.empty(FIRST_ENTRIES, np.int64)
    ways = np.empty(FIRST_ENTRIES, np.int64)
    label_ways = np.zeros(pair.class_of.size, np.int64)  # all 0 between keys
    key_labels = np.empty(pair.class_of.size, np.int64)
    entries = 0
    for key in range(keys):
        key_entries = _tally_key(pair, key, label_ways, key_labels)
        while entries + key_entries > len(labels):
            labels = _grown(labels)
            ways = _grown(ways)
        for place in range(key_entries):
            label = key_labels[place]
            labels[entries] = label
            ways[entries] = label_ways[label]
            label_ways[label] = 0
            entries += 1
        key_start[key + 1] = entries
    return key_start, labels[:entries].copy(), ways[:entries].copy()


@njit
def _tally_key(pair: ClassPair, key: int, label_ways: Ints, key_labels: Ints) -> int:
    """Add up pairs of rows of a key by label; returns how many labels occur.

    ``label_ways``: (labels,) all 0 before; ``key_labels``: (labels,) is filled with the
    labels that occur, as they come.
    """
    class_of = pair.class_of
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    second_start = pair.second.key_start
    occurring = 0
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for i in range(pair.first.key_start[a], pair.first.key_start[a + 1]):
            for j in range(second_start[b], second_start[b + 1]):
                label = looked_up(class_of, first_classes, second_classes, i, j)
                if label_ways[label] == 0:
                    key_labels[occurring] = label
                    occurring += 1
                label_ways[label] += first_ways[i] * second_ways[j]
    return occurring


@njit
def _count(
    tables: ClassJoin, counts: Ints, low_completions: Ints, high_completions: Ints
) -> None:
    """Add up (size,) layouts by value, or completions of entries by value.

    Where ``counts`` is empty, ``low_completions`` and ``high_completions``, (entries,
    size), get for each entry of either pair how many pairs of rows of the other it is
    joined with.
    """
    low, high, join, value_of = tables
    high_start = high.key_start
    low_classes = low.classes
    high_classes = high.classes
    high_ways = high.ways
    points = len(join.fit_start) - 1
    for low_key in range(len(low.key_start) - 1):
        p = low_key % points
        partner_begin = join.partner_start[low_key // points]
        partner_end = join.partner_start[low_key // points + 1]
        for i in range(low.key_start[low_key], low.key_start[low_key + 1]):
            low_ways = low.ways[i]
            for partner in range(partner_begin, partner_end):
                for fit in range(join.fit_start[p], join.fit_start[p + 1]):
                    high_key = join.partners[partner] * points + join.fit_points[fit]
                    for j in range(high_start[high_key], high_start[high_key + 1]):
                        value = looked_up(value_of, low_classes, high_classes, i, j)
                        if len(counts):
                            counts[value] += low_ways * high_ways[j]
                        else:
                            low_completions[i, value] += high_ways[j]
                            high_completions[j, value] += low_ways


@njit
def _completions(pair: ClassPair, pair_completions: Ints) -> tuple[Ints, Ints]:
    """(entries, size) for either suit, how many layouts of each value contain a given row.

    ``pair_completions``: (entries, size) how many contain a given pair of rows.
    """
    size = pair_completions.shape[1]
    of_first = np.zeros((len(pair.first.ways), size), np.int64)
    of_second = np.zeros((len(pair.second.ways), size), np.int64)
    entry_of = np.empty(pair.class_of.size, np.int64)  # by label, of the key at hand
    for key in range(len(pair.key_start) - 1):
        for entry in range(pair.key_start[key], pair.key_start[key + 1]):
            entry_of[pair.label[entry]] = entry
        _complete_key(pair, key, entry_of, pair_completions, of_first, of_second)
    return of_first, of_second


@njit
def _complete_key(
    pair: ClassPair,
    key: int,
    entry_of: Ints,
    pair_completions: Ints,
    of_first: Ints,
    of_second: Ints,
) -> None:
    """Add to the completions of either suit those by pairs of rows of one key.

    ``entry_of``: (labels,) the entry of the key with each label; the rest is as in
    :func:`_completions`.
    """
    class_of = pair.class_of
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    first_ways = pair.first.ways
    second_ways = pair.second.ways
    second_start = pair.second.key_start
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for i in range(pair.first.key_start[a], pair.first.key_start[a + 1]):
            ways_i = first_ways[i]
            for j in range(second_start[b], second_start[b + 1]):
                ways_j = second_ways[j]
                label = looked_up(class_of, first_classes, second_classes, i, j)
                entry = entry_of[label]
                for value in range(pair_completions.shape[1]):
                    layouts = pair_completions[entry, value]
                    of_first[i, value] += ways_j * layouts
                    of_second[j, value] += ways_i * layouts


@njit
def _locate_high(
    tables: ClassJoin, low_entries: Ints, values: Ints, numbers: Ints, located: Ints
) -> None:
    """Fill (2, n) ``ENTRY`` and ``NUMBER`` of layouts in the high pair.

    ``low_entries``, ``values``: (n,) of each layout; ``numbers``: (n,) its number among
    the layouts of its value that have the same pair of rows in the low pair.
    """
    low, high, join, value_of = tables
    points = len(join.fit_start) - 1
    for n in range(len(numbers)):
        i = low_entries[n]
        number = numbers[n]
        low_key = place_of(low.key_start, 0, len(low.key_start), i)
        p = low_key % points
        partner = join.partner_start[low_key // points]
        fit = join.fit_start[p]
        located[ENTRY, n] = NONE
        while located[ENTRY, n] == NONE:
            high_key = join.partners[partner] * points + join.fit_points[fit]
            for j in range(high.key_start[high_key], high.key_start[high_key + 1]):
                if looked_up(value_of, low.classes, high.classes, i, j) != values[n]:
                    continue
                if number < high.ways[j]:
                    located[ENTRY, n] = j
                    break
                number -= high.ways[j]
            fit += 1
            if fit == join.fit_start[p + 1]:
                partner += 1
                fit = join.fit_start[p]
        located[NUMBER, n] = number


def add_pair(pair: ClassPair, shift: int, located: Ints, out: Masks) -> None:
    """Add to each of (n, 4) layouts its cards of two suits.

    The first suit begins at bit ``shift``; ``located``: (2, n) ``ENTRY`` and
    ``NUMBER`` of each layout in the pair.
    """
    order = np.lexsort((located[NUMBER], located[ENTRY]))
    sorted_rows = np.empty((2, len(out)), dtype=np.int64)
    _find_rows(pair, located[ENTRY, order], located[NUMBER, order], sorted_rows)
    rows = np.empty_like(sorted_rows)
    rows[:, order] = sorted_rows
    add_cards(pair.first.fields, rows[0], shift, out)
    add_cards(pair.second.fields, rows[1], shift + 13, out)


@njit
def _find_rows(pair: ClassPair, entries: Ints, numbers: Ints, rows: Ints) -> None:
    """Fill (2, n) the row of either suit for layouts sorted by entry, then by number.

    ``entries``, ``numbers``: (n,), see :func:`add_pair`. The layouts of one key are
    found on one walk through its pairings.
    """
    key_start = pair.key_start
    next_layout = np.full(pair.class_of.size, NONE, np.int64)
    passed = np.zeros(pair.class_of.size, np.int64)
    begin = 0
    while begin < len(entries):
        key = place_of(key_start, 0, len(key_start), entries[begin])
        end = begin + 1
        while end < len(entries) and entries[end] < key_start[key + 1]:
            end += 1
        _find_rows_of_key(
            pair,
            key,
            entries[begin:end],
            numbers[begin:end],
            next_layout,
            passed,
            rows[:, begin:end],
        )
        begin = end


@njit
def _find_rows_of_key(
    pair: ClassPair,
    key: int,
    entries: Ints,
    numbers: Ints,
    next_layout: Ints,
    passed: Ints,
    rows: Ints,
) -> None:
    """Fill (2, n) the rows of the layouts of one key, see :func:`_find_rows`.

    ``next_layout``: (labels,) the first layout with each label that has no rows yet, or
    ``NONE``, as everywhere before and after; ``passed``: (labels,) how many pairs of
    rows with each label were passed.
    """
    class_of = pair.class_of
    first_classes = pair.first.classes
    second_classes = pair.second.classes
    for layout in range(len(entries) - 1, -1, -1):
        label = pair.label[entries[layout]]
        next_layout[label] = layout
        passed[label] = 0
    missing = len(entries)
    for pairing in range(pair.pairing_start[key], pair.pairing_start[key + 1]):
        a = pair.pairing_first[pairing]
        b = pair.pairing_second[pairing]
        for i in range(pair.first.key_start[a], pair.first.key_start[a + 1]):
            for j in range(pair.second.key_start[b], pair.second.key_start[b + 1]):
                label = looked_up(class_of, first_classes, second_classes, i, j)
                layout = next_layout[label]
                if layout == NONE:
                    continue
                entry = entries[layout]
                second_ways = pair.second.ways[j]
                reached = passed[label] + pair.first.ways[i] * second_ways
                while layout != NONE and numbers[layout] < reached:
                    number = numbers[layout] - passed[label]
                    row = number // second_ways
                    column = number - row * second_ways
                    rows[0, layout] = pair.first.row_start[i] + row
                    rows[1, layout] = pair.second.row_start[j] + column
                    missing -= 1
                    layout += 1
                    if layout == len(entries) or entries[layout] != entry:
                        layout = NONE
                next_layout[label] = layout
                passed[label] = reached
        if missing == 0:
            break
