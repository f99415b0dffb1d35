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
    """Number the distinct rows of a table, in ascending order.

    ``table``: (rows, columns) numbers from -1 on. Returns (rows,) the number of each
    row's class, -1 for rows of -1 only, and (classes,) the first row of each class.
    """
    used_rows = np.flatnonzero((table >= 0).any(1))
    # Bytes sort as the numbers do if these are big-endian and, one added, not negative.
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
    """Number the distinct rows of a table, as ``np.unique`` does with ``axis=0``.

    ``table``: (rows, columns). Returns (rows,) the number of each row's vector, and
    (vectors, columns) the distinct vectors in ascending order. Columns are the digits
    of one number where that has room for them, which sorts faster.
    """
    # Digits count from the lowest value of a column; `initial` is for empty tables.
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

    A hand or a layout has two halves, each of two parts, say four suits, and every part
    has a code. ``pairs``: for each half, by the codes of its two parts, the number of
    the half, -1 where these do not go together; ``values``: by the numbers of both
    halves, what is counted in the end, -1 where they do not go together.
    """
    # Numbers of the low half are rows here, those of the high half then columns.
    low_classes, low_representatives = row_classes(values)
    high_classes, high_representatives = row_classes(values[low_representatives].T)
    low = _merge_parts(pairs[0], low_classes)
    high = _merge_parts(pairs[1], high_classes)
    class_values: Any = values[np.ix_(low_representatives, high_representatives)]
    return Merged(
        part_classes=[low.first, low.second, high.first, high.second],
        half_classes=(low.half, high.half),
        values=class_values,
        representatives=(low_representatives, high_representatives),
    )


class _MergedHalf(NamedTuple):
    """The classes of the two parts of a half."""

    first: Ints  #: The class of each code of the first part.
    second: Ints  #: The class of each code of the second part.
    half: Ints  #: By the classes of both parts the class of the half; -1: nowhere.


def _merge_parts(pair: Ints, class_of_number: Ints) -> _MergedHalf:
    """Make one class of codes that give the same class of their half with every partner.

    ``pair``: by the codes of both parts, the number of the half, -1 where they do not
    go together; ``class_of_number``: the class of each of these numbers.
    """
    by_codes = np.where(pair >= 0, class_of_number[pair], -1)
    first_classes, first_representatives = row_classes(by_codes)
    second_classes, second_representatives = row_classes(
        by_codes[first_representatives].T
    )
    by_classes = by_codes[np.ix_(first_representatives, second_representatives)]
    return _MergedHalf(first_classes, second_classes, np.ascontiguousarray(by_classes))


def place_values(sizes: Sequence[int]) -> list[int]:
    """The place value of each digit of a number in mixed radix, the first digit lowest."""
    return [math.prod(sizes[:place]) for place in range(len(sizes))]


def digits(numbers: Ints, sizes: Sequence[int]) -> Ints:
    """(n, digits) the digits of (n,) numbers in mixed radix, the first digit lowest."""
    by_place = np.array(place_values(sizes), dtype=np.int64)
    return numbers[:, None] // by_place % np.array(sizes, dtype=np.int64)


class Lookup(NamedTuple):
    """For each quantity a matrix, all in one array: flattened, one after the other.

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
        """Make matrices whose entries add up to one number in mixed radix.

        ``matrices``: one for each quantity, by classes of the two things that are put
        together, say two suits; its entries become the digit of this quantity, from 0
        up to its size in ``sizes``. They are negative where the two do not go together,
        and so is the sum then. ``most``: refuse more numbers than these.
        """
        size = math.prod(sizes)
        verify_size(size, most, "classes of two suits")
        impossible = -2 * most  # so low that the other digits cannot make up for it
        flat_matrices = [np.zeros(0, dtype=np.int64)]
        for matrix, place_value in zip(matrices, place_values(sizes), strict=True):
            digit = matrix.astype(np.int64) * place_value
            flat_matrices.append(np.where(matrix < 0, impossible, digit).ravel())
        table = np.concatenate(flat_matrices)
        ends = np.cumsum([len(flat) for flat in flat_matrices], dtype=np.int64)
        return cls(
            table=table.astype(np.int32) if most < FITS_INT32 else table,
            offset=ends[:-1],
            width=np.array([matrix.shape[1] for matrix in matrices], dtype=np.int64),
            size=size,
        )

    def between(self, low: Ints, high: Ints) -> Ints:
        """(n, m) the sums for all pairs of (n, quantities) and (m, quantities) classes.

        The matrix of a quantity lies row by row in ``table``, from ``offset`` on: rows
        are the classes in ``low``, columns those in ``high``.
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
