"""Rows of a suit in classes, so that whole sets of layouts are counted by what a few quantities need to know.

A *quantity* of a layout is found suit by suit if each row of a suit has a code, two neighbouring suits have a code that
follows from their codes, and the value follows from the codes of both halves (clubs with diamonds, hearts with spades).
The level of Algorithm 1 is one. Rows with the same key (see ``suit_rows``) and the same codes of all quantities are one
*entry*; pairs of entries of two suits with the same key and codes are one entry of the pair. No row is looked at again
until layouts are drawn.

All counts are int64 and exact: each counts a part of all layouts, and totals from 2^63 on are refused.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import SEATS, Constraints
from bayesbridge.engines.suit_rows import Ints, SuitPair, SuitRows
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import njit

type Fields = NDArray[np.uint16]
type Places = NDArray[np.int32]

MOST_CLASSES: Final = 1 << 24
"""Combined classes of a pair of suits beyond which tables are refused; one seat's level needs a few thousand."""


class Quantity(Protocol):
    """What can be found suit by suit: codes are int64, values 0 … ``size`` − 1."""

    @property
    def size(self) -> int:
        """The number of values."""

    def codes(self, suit: int, fields: Fields) -> Ints:
        """(r,) codes of r rows of a suit, from the (r, 4) fields of the seats."""

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) codes of two suits from (n,) codes of the first and (m,) codes of the next one."""

    def values(self, low: Ints, high: Ints) -> Ints:
        """(n, m) values of layouts with (n,) codes in clubs and diamonds and (m,) codes in hearts and spades."""


class Lookup(NamedTuple):
    """For each quantity a matrix, all in one array; what is looked up for several quantities is added up."""

    table: Places
    offset: Ints
    """(quantities,) where the matrix of a quantity begins."""
    width: Ints
    """(quantities,) the length of its rows."""
    size: int
    """All sums are below it."""

    @classmethod
    def of(cls, matrices: Sequence[Ints], sizes: Sequence[int]) -> Self:
        """Matrices whose entries are below ``sizes``; their sum is a number in mixed radix, the first digit lowest."""
        radices = [math.prod(sizes[:i]) for i in range(len(sizes))]
        flat = [(matrix * radix).astype(np.int32).ravel() for matrix, radix in zip(matrices, radices, strict=True)]
        return cls(
            np.concatenate([*flat, np.zeros(0, dtype=np.int32)]),
            np.cumsum([0, *(len(part) for part in flat[:-1])], dtype=np.int64)[: len(flat)],
            np.array([matrix.shape[1] for matrix in matrices], dtype=np.int64),
            math.prod(sizes),
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
    """(entries, quantities) class of each quantity: an index of its codes."""

    @classmethod
    def of(
        cls, rows: SuitRows, suit: int, known: Constraints, quantities: Sequence[Quantity]
    ) -> tuple[Self, list[Ints]]:
        """The rows of a suit under normalised constraints in classes, and the codes of each quantity, ascending."""
        certain = np.array([known.must[seat] >> (13 * suit) & SUIT_MASK for seat in SEATS], dtype=np.uint16)
        key = np.repeat(np.arange(rows.ways.size), rows.ways.ravel())
        label, radix, codes = np.zeros(len(key), dtype=np.int64), 1, []
        for quantity in quantities:
            distinct, place = np.unique(quantity.codes(suit, rows.fields | certain), return_inverse=True)
            codes.append(distinct)
            label += radix * place
            radix *= len(distinct)
        label += radix * key
        order = np.argsort(label, kind="stable")
        entries, row_start = np.unique(label[order], return_index=True)
        digits = np.array([math.prod(map(len, codes[:i])) for i in range(len(codes))], dtype=np.int64)
        sizes = np.array([len(distinct) for distinct in codes], dtype=np.int64)
        found = cls(
            np.ascontiguousarray(rows.fields[order]),
            np.append(row_start, len(label)).astype(np.int64),
            np.searchsorted(entries // radix, np.arange(rows.ways.size + 1)),
            entries[:, None] // digits % sizes,
        )
        return found, codes


class ClassPair(NamedTuple):
    """Two suits together, in entries that are sorted by key."""

    first: ClassRows
    second: ClassRows
    split_start: Ints
    """As in ``SuitPair``: where the splits of each lengths index begin, and the lengths indices of both suits."""
    split_first: Ints
    split_second: Ints
    points: int
    place: Lookup
    """The class of the pair from the classes of both suits, all quantities in one number."""
    key_start: Ints
    """(keys + 1,) where the entries of each key of the pair begin."""
    label: Ints
    """(entries,) the number that ``place`` gives."""
    count: Ints
    """(entries,) how many pairs of rows an entry has."""
    classes: Ints
    """(entries, quantities) class of each quantity: an index of its codes."""

    @classmethod
    def of(
        cls, pair: SuitPair, suit: int, known: Constraints, quantities: Sequence[Quantity]
    ) -> tuple[Self, list[Ints]]:
        """A suit and the next one under normalised constraints, and the codes of each quantity, ascending."""
        first, first_codes = ClassRows.of(pair.first, suit, known, quantities)
        second, second_codes = ClassRows.of(pair.second, suit + 1, known, quantities)
        codes, matrices = [], []
        for quantity, one, two in zip(quantities, first_codes, second_codes, strict=True):
            distinct, place = np.unique(quantity.composed(one, two), return_inverse=True)
            codes.append(distinct)
            matrices.append(place.reshape(len(one), len(two)))
        sizes = [len(distinct) for distinct in codes]
        if math.prod(sizes) > MOST_CLASSES:
            raise BayesBridgeError(
                f"{math.prod(sizes)} classes of two suits are needed and tables stop at {MOST_CLASSES}: "
                "ask about fewer seats at once, or make a hand known",
                classes=math.prod(sizes),
            )
        place, points = Lookup.of(matrices, sizes), pair.ways.shape[1]
        splits = pair.split_start, pair.split_first, pair.split_second
        key_start, label, count = _tally(first, second, splits, points, place)
        digits = np.array([math.prod(sizes[:i]) for i in range(len(sizes))], dtype=np.int64)
        classes = label[:, None] // digits % np.array(sizes, dtype=np.int64)
        return cls(first, second, *splits, points, place, key_start, label, count, classes), codes


@njit
def _tally(
    first: ClassRows, second: ClassRows, splits: tuple[Ints, Ints, Ints], points: int, place: Lookup
) -> tuple[Ints, Ints, Ints]:
    """Entries of a pair of suits: where those of each key begin, their labels and their numbers of pairs of rows."""
    split_start, split_first, split_second = splits
    one_start, two_start, ones, twos = first.key_start, second.key_start, first.classes, second.classes
    one_rows, two_rows, table = first.row_start, second.row_start, place.table
    offset, width, quantities = place.offset, place.width, ones.shape[1]
    keys = len(one_start) - 1
    key_start = np.zeros(keys + 1, np.int64)
    label, count = np.empty(1024, np.int64), np.empty(1024, np.int64)
    sums, touched, base = np.zeros(place.size, np.int64), np.empty(place.size, np.int32), np.empty(quantities, np.int64)
    entries = 0
    for key in range(keys):
        length, score = key // points, key % points
        found = 0
        for split in range(split_start[length], split_start[length + 1]):
            for p in range(score + 1):
                a, b = split_first[split] * points + p, split_second[split] * points + score - p
                for i in range(one_start[a], one_start[a + 1]):
                    rows = one_rows[i + 1] - one_rows[i]
                    for q in range(quantities):
                        base[q] = offset[q] + ones[i, q] * width[q]
                    for j in range(two_start[b], two_start[b + 1]):
                        name = 0
                        for q in range(quantities):
                            name += table[base[q] + twos[j, q]]
                        if sums[name] == 0:
                            touched[found] = name
                            found += 1
                        sums[name] += rows * (two_rows[j + 1] - two_rows[j])
        while entries + found > len(label):
            label, count = np.concatenate((label, label)), np.concatenate((count, count))
        for place_of in range(found):
            name = touched[place_of]
            label[entries], count[entries] = name, sums[name]
            sums[name] = 0
            entries += 1
        key_start[key + 1] = entries
    return key_start, label[:entries].copy(), count[:entries].copy()
