"""Classes of what leads to the same whatever the rest is, and look-ups by classes.

Needs no compiler.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import TablesTooLarge
from bayesbridge.game.layouts import Ints

MOST_CLASSES: Final = 1 << 24
"""Combined classes of a pair of suits beyond which tables are refused; one seat's level
needs a few thousand.
"""

MOST_KEYS: Final = 1 << 62  # numbers of rows in mixed radix stay below it
FITS_INT32: Final = 1 << 30  # sums of two entries below it are 32-bit integers


def verify_size(needed: int, most: int, counted_things: str) -> None:
    """Refuse tables that would take too much memory or time."""
    if needed > most:
        raise TablesTooLarge(
            f"{needed} {counted_things} are needed and tables stop at {most}: "
            "ask about fewer hands at once, or make one known",
            needed=needed,
        )


def row_classes(table: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """Number the distinct rows of a table.

    Returns the class of each row, -1 for rows of -1 only, and the first row of each
    class.
    """
    used_rows = np.flatnonzero((table >= 0).any(1))
    # Big-endian numbers: the order of the bytes is that of the numbers.
    sortable = "u1" if table.itemsize == 1 else ">u4"
    row_bytes = [(table[row] + 1).astype(sortable).tobytes() for row in used_rows]
    first_row: dict[bytes, int] = {}
    for row, content in zip(used_rows.tolist(), row_bytes, strict=True):
        first_row.setdefault(content, row)
    contents = sorted(first_row)
    number = {content: place for place, content in enumerate(contents)}
    classes = np.full(len(table), -1, dtype=np.int64)
    classes[used_rows] = [number[content] for content in row_bytes]
    representatives = [first_row[content] for content in contents]
    return classes, np.array(representatives, dtype=np.int64)


def numbered_rows(table: Ints) -> tuple[Ints, Ints]:
    """The number of each row's vector, and the distinct vectors in ascending order."""
    lowest = table.min(axis=0, initial=0)
    sizes = [int(size) for size in table.max(axis=0, initial=0) - lowest + 1]
    if math.prod(sizes) >= MOST_KEYS:
        distinct, numbers = np.unique(table, axis=0, return_inverse=True)
        return numbers, distinct
    keys = np.zeros(len(table), dtype=np.int64)
    for column, size in enumerate(sizes):
        keys = keys * size + (table[:, column] - lowest[column])
    _, first_rows, numbers = np.unique(keys, return_index=True, return_inverse=True)
    return numbers, table[first_rows]


class Merged[Kind: NDArray[Any]](NamedTuple):
    """The fewest classes of two halves, each of two parts."""

    part_classes: list[Ints]  #: For each of the four parts, the class of each code.
    #: For each half, by the classes of its parts the class of the half; -1: nowhere.
    half_classes: tuple[Ints, Ints]
    values: Kind  #: By the classes of both halves.
    representatives: tuple[Ints, Ints]  #: For each half, one old number of each class.


def merged[Kind: NDArray[Any]](pairs: tuple[Ints, Ints], values: Kind) -> Merged[Kind]:
    """Make one class of all that leads to the same values whatever the rest is.

    ``pairs``: for each half, by codes of its two parts, its number, -1 where they do
    not go together; ``values``: by the numbers of both halves, -1 leads nowhere.
    """
    low_classes, low_kept = row_classes(values)
    high_classes, high_kept = row_classes(values[low_kept].T)
    part_classes = []
    half_classes = []
    for pair, classes in zip(pairs, (low_classes, high_classes), strict=True):
        by_codes = np.where(pair >= 0, classes[pair], -1)
        first_classes, first_kept = row_classes(by_codes)
        second_classes, second_kept = row_classes(by_codes[first_kept].T)
        part_classes += [first_classes, second_classes]
        by_classes = by_codes[np.ix_(first_kept, second_kept)]
        half_classes.append(np.ascontiguousarray(by_classes))
    kept_values: Any = values[np.ix_(low_kept, high_kept)]
    return Merged(
        part_classes,
        (half_classes[0], half_classes[1]),
        kept_values,
        (low_kept, high_kept),
    )


def radices(sizes: Sequence[int]) -> list[int]:
    """The place value of each digit of a number in mixed radix, the first digit lowest."""
    return [math.prod(sizes[:place]) for place in range(len(sizes))]


def digits(numbers: Ints, sizes: Sequence[int]) -> Ints:
    """(n, digits) the digits of (n,) numbers in mixed radix, the first digit lowest."""
    place_values = np.array(radices(sizes), dtype=np.int64)
    return numbers[:, None] // place_values % np.array(sizes, dtype=np.int64)


class Lookup(NamedTuple):
    """For each quantity a matrix, all in one array.

    What is looked up for several quantities is added up.
    """

    table: NDArray[np.signedinteger]
    offset: Ints  #: (quantities,) where the matrix of each begins.
    width: Ints  #: (quantities,) the length of its rows.
    size: int  #: All sums are below it.

    @classmethod
    def of(
        cls,
        matrices: Sequence[NDArray[Any]],
        sizes: Sequence[int],
        most: int = MOST_CLASSES,
    ) -> Self:
        """From matrices whose entries are below ``sizes``.

        Sums are numbers in mixed radix, negative where an entry is.
        """
        size = math.prod(sizes)
        verify_size(size, most, "classes of two suits")
        nowhere = -2 * most  # so low that the other entries cannot make up for it
        flat = []
        for matrix, radix in zip(matrices, radices(sizes), strict=True):
            entries = matrix.astype(np.int64) * radix
            flat.append(np.where(matrix < 0, nowhere, entries).ravel())
        table = np.concatenate([*flat, np.zeros(0, dtype=np.int64)])
        return cls(
            table.astype(np.int32) if most < FITS_INT32 else table,
            np.cumsum([0, *map(len, flat)], dtype=np.int64)[:-1],
            np.array([matrix.shape[1] for matrix in matrices], dtype=np.int64),
            size,
        )

    def between(self, low: Ints, high: Ints) -> Ints:
        """(n, m) what is looked up for (n, quantities) and (m, quantities) classes.

        It is added up over quantities.
        """
        total = np.zeros((len(low), len(high)), dtype=np.int64)
        for offset, width, low_class, high_class in zip(
            self.offset, self.width, low.T, high.T, strict=True
        ):
            row_begin = offset + low_class * width
            total += self.table[row_begin[:, None] + high_class]
        return total


def running(values: Ints) -> Ints:
    """Running sums, from 0 on."""
    zero = np.zeros(1, dtype=np.int64)
    return np.concatenate([zero, np.cumsum(values, dtype=np.int64)])
