"""Kernels that several tables are read with."""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.classes import Lookup
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit


@njit
def looked_up(lookup: Lookup, low: Ints, high: Ints, a: int, b: int) -> int:
    """The sum of what is looked up for row ``a`` of some classes and ``b`` of others.

    ``low``, ``high``: (rows, quantities).
    """
    table = lookup.table
    offset = lookup.offset
    width = lookup.width
    number = 0
    for q in range(low.shape[1]):
        number += table[offset[q] + low[a, q] * width[q] + high[b, q]]
    return number


@njit
def place_of(before: Ints, begin: int, end: int, number: int | np.int64) -> int:
    """Which place from ``begin`` up to ``end`` a number falls to.

    ``before``: how many numbers earlier places take.
    """
    while end - begin > 1:
        middle = (begin + end) >> 1
        if before[middle] <= number:
            begin = middle
        else:
            end = middle
    return begin
