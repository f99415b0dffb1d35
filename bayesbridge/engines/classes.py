"""Classes, what leads to the same whatever the rest is, and look-ups by the classes of
two parts; needs no compiler.
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


def verify_size(needed: int, most: int, what: str) -> None:
    """Refuse tables that would take too much memory or time."""
    if needed > most:
        raise TablesTooLarge(
            f"{needed} {what} are needed and tables stop at {most}: ask about fewer hands at once, or make one known",
            needed=needed,
        )


def row_classes(table: NDArray[np.integer]) -> tuple[Ints, Ints]:
    """The class of each row of a table, equal for equal rows and -1 for rows of -1
    only; the first row of each.
    """
    alive = np.flatnonzero((table >= 0).any(1))
    kind = (
        "u1" if table.itemsize == 1 else ">u4"
    )  # bytes are in the order of the numbers
    names = [(table[place] + 1).astype(kind).tobytes() for place in alive]
    first = {
        name: place
        for place, name in zip(alive[::-1].tolist(), reversed(names), strict=True)
    }
    order = {name: number for number, name in enumerate(sorted(first))}
    classes = np.full(len(table), -1, dtype=np.int64)
    classes[alive] = [order[name] for name in names]
    return classes, np.array([first[name] for name in order], dtype=np.int64)


def merged[Kind: NDArray[Any]](
    pairs: tuple[Ints, Ints], values: Kind
) -> tuple[list[Ints], tuple[Ints, Ints], Kind, tuple[Ints, Ints]]:
    """The fewest classes: what leads to the same values whatever the other suits are is
    one class, −1 leads nowhere.

    ``pairs``: for each half, by codes of its suits, its number; ``values``: by the
    numbers of both. Returns the class of each code by suit, both tables by class, and
    one half of each class.
    """
    low, low_kept = row_classes(values)
    high, high_kept = row_classes(values[low_kept].T)
    by_code, tables = [], []
    for pair, classes in zip(pairs, (low, high), strict=True):
        table = np.where(pair >= 0, classes[pair], -1)
        first, ones = row_classes(table)
        second, twos = row_classes(table[ones].T)
        by_code += [first, second]
        tables.append(np.ascontiguousarray(table[np.ix_(ones, twos)]))
    kept: Any = values[np.ix_(low_kept, high_kept)]
    return by_code, (tables[0], tables[1]), kept, (low_kept, high_kept)


def radices(sizes: Sequence[int]) -> list[int]:
    """The place value of each digit of a number in mixed radix, the first digit lowest."""
    return [math.prod(sizes[:i]) for i in range(len(sizes))]


def digits(numbers: Ints, sizes: Sequence[int]) -> Ints:
    """(n, digits) the digits of (n,) numbers in mixed radix, the first digit lowest."""
    return (
        numbers[:, None]
        // np.array(radices(sizes), dtype=np.int64)
        % np.array(sizes, dtype=np.int64)
    )


class Lookup(NamedTuple):
    """For each quantity a matrix, all in one array; what is looked up for several
    quantities is added up.
    """

    table: NDArray[np.signedinteger]
    #: (quantities,) where the matrix of each begins, and the length of its rows.
    offset: Ints
    width: Ints
    size: int  #: All sums are below it.

    @classmethod
    def of(
        cls,
        matrices: Sequence[NDArray[Any]],
        sizes: Sequence[int],
        most: int = MOST_CLASSES,
    ) -> Self:
        """Matrices whose entries are below ``sizes``; sums are numbers in mixed radix,
        negative where an entry is.
        """
        size = math.prod(sizes)
        verify_size(size, most, "classes of two suits")
        flat = [
            np.where(matrix < 0, -2 * most, matrix.astype(np.int64) * radix).ravel()
            for matrix, radix in zip(matrices, radices(sizes), strict=True)
        ]
        table = np.concatenate([*flat, np.zeros(0, dtype=np.int64)])
        return cls(
            table.astype(np.int32) if most < 1 << 30 else table,
            np.cumsum([0, *map(len, flat)], dtype=np.int64)[:-1],
            np.array([matrix.shape[1] for matrix in matrices], dtype=np.int64),
            size,
        )

    def between(self, low: Ints, high: Ints) -> Ints:
        """(n, m) what is looked up for (n, quantities) and (m, quantities) classes,
        added up.
        """
        total = np.zeros((len(low), len(high)), dtype=np.int64)
        for offset, width, ours, theirs in zip(
            self.offset, self.width, low.T, high.T, strict=True
        ):
            total += self.table[(offset + ours * width)[:, None] + theirs]
        return total


def running(values: Ints) -> Ints:
    """Running sums, from 0 on."""
    return np.concatenate(
        [np.zeros(1, dtype=np.int64), np.cumsum(values, dtype=np.int64)]
    )
