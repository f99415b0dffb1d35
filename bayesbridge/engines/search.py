"""Kernels that several tables are read with."""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.classes import Lookup
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit


@njit
def looked_up(
    lookup: Lookup, low_classes: Ints, high_classes: Ints, low: int, high: int
) -> int:
    """The sum, over quantities, of the matrix entries for row ``low`` and row ``high``.

    ``low_classes``, ``high_classes``: (rows, quantities). The matrix of a quantity, by
    low class and high class, lies row by row in the table, from ``offset`` on. The sum
    is one number in mixed radix, negative where a class does not go with the other.
    """
    table = lookup.table
    offset = lookup.offset
    width = lookup.width
    total = 0
    for quantity in range(low_classes.shape[1]):
        matrix_row = offset[quantity] + low_classes[low, quantity] * width[quantity]
        total += table[matrix_row + high_classes[high, quantity]]
    return total


@njit
def place_of(before: Ints, begin: int, end: int, number: int | np.int64) -> int:
    """The last place from ``begin`` up to ``end`` with ``before[place] <= number``.

    ``before``: (places,) running sums: how many numbers the earlier places take. So it
    is the place that the number falls to.
    """
    while end - begin > 1:
        middle = (begin + end) >> 1
        if before[middle] <= number:
            begin = middle
        else:
            end = middle
    return begin
