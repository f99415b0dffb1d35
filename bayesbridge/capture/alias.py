"""Alias tables (A. J. Walker, 1977) in integers: one draw from any distribution for one look-up.

A table has a power of two of buckets, so the leading bits of a random word choose the bucket without bias and the next
32 bits decide inside it. A bucket is one word: threshold (32 bits), its own value and its alias (16 bits each).
The only error left is the rounding of thresholds, at most 2⁻³² of a bucket.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bayesbridge.jit import njit


def alias_table(values: Sequence[int], weights: Sequence[int]) -> NDArray[np.uint64]:
    """Buckets for values below 2¹⁶ with integer weights of any size; at least two buckets.

    >>> len(alias_table([5, 7, 9], [1, 2, 1]))
    4
    """
    size = max(2, 1 << (len(values) - 1).bit_length())
    total = sum(weights)
    mass = [weight * size for weight in weights] + [0] * (size - len(values))
    names = [*values, *[values[0]] * (size - len(values))]
    table = np.empty(size, dtype=np.uint64)
    small = [i for i, part in enumerate(mass) if part < total]
    large = [i for i, part in enumerate(mass) if part >= total]
    while small:
        i, j = small.pop(), large[-1]
        table[i] = (mass[i] << 32) // total << 32 | names[i] << 16 | names[j]
        mass[j] -= total - mass[i]
        if mass[j] < total:
            small.append(large.pop())
    for i in large:  # exactly full: in integers nothing is left over
        table[i] = names[i] << 16 | names[i]
    return table


@njit
def alias_pick(bucket: np.uint64, part: np.uint64) -> np.uint64:
    """The value that 32 random bits pick from one bucket."""
    shift = np.uint64(16) if part < bucket >> np.uint64(32) else np.uint64(0)
    return (bucket >> shift) & np.uint64(0xFFFF)
