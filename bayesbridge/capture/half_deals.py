"""Algorithm 2 by suits and halves of a deal, so that huge sets of deals are counted and never enumerated.

Step 6 of Algorithm 2 is a merge of four sequences, smallest head first and the first suit on ties. Such a merge is
associative: clubs with diamonds, hearts with spades, then both halves. A *summary* is a packed row (see ``tables``)
read as an integer, of one suit or of a merge of suits. Two values stand for what cannot recover: DEAD once Δ exceeds 6,
and FAILS_B with Δ alone once condition B has failed in any suit. The *outcome code* of a whole deal is 0 where
condition A fails, 1 where only B fails, else ``512 · Δ + 32 · T + χ``.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import DELTA_SHIFT, END, FAILS_B, NO_GAPS
from bayesbridge.jit import njit

type Ints = NDArray[np.int64]

DEAD: Final = 7 << DELTA_SHIFT | NO_GAPS | FAILS_B
"""Summary of suits whose leading gaps already exceed the budget: condition A fails whatever follows."""

SUMMARY_BITS: Final = 32
"""A summary is below 2 to this power."""

CODES: Final = 7 * 512
"""Every outcome code is below this."""


@njit
def weigh(values: NDArray[np.integer], ways: Ints, out: Ints) -> None:
    """Add the ways of each row to its value: exact, unlike ``np.bincount``, and always quick, unlike ``np.add.at``."""
    for i in range(len(values)):
        out[values[i]] += ways[i]


def simplified(summary: Ints) -> Ints:
    """Summaries in which what cannot recover is one value: DEAD, or FAILS_B with Δ and no gaps."""
    delta = summary >> DELTA_SHIFT & 15
    out = np.where(summary & FAILS_B, FAILS_B | delta << DELTA_SHIFT | NO_GAPS, summary)
    return np.where(delta > 6, DEAD, out)


@njit
def merge_pair(left: int, right: int) -> int:
    """Summary of two groups of suits from their summaries; the left group is first on ties.

    What stands above the 32 bits of a summary is added up (see ``scripts/count_shifts.py``).
    """
    Delta = (left >> DELTA_SHIFT & 15) + (right >> DELTA_SHIFT & 15)
    above = (left >> SUMMARY_BITS) + (right >> SUMMARY_BITS) << SUMMARY_BITS
    if Delta > 6:
        return above | DEAD
    if (left | right) & FAILS_B:
        return above | FAILS_B | Delta << DELTA_SHIFT | NO_GAPS
    left &= NO_GAPS
    right &= NO_GAPS
    gaps = NO_GAPS
    budget = 6 - Delta
    chi = 4 + Delta
    shift = 0
    while chi < 13:
        gap = left & END
        if gap <= right & END:
            left >>= 3
        else:
            gap = right & END
            right >>= 3
        if gap > budget:
            break
        gaps ^= (END ^ gap) << shift
        shift += 3
        budget -= gap
        chi += 1 + gap
    return above | Delta << DELTA_SHIFT | gaps


@njit
def outcome(summary: int) -> int:
    """The outcome code of a whole deal's summary."""
    Delta = summary >> DELTA_SHIFT & 15
    if Delta > 6:
        return 0
    if summary & FAILS_B:
        return 1
    T = 4
    chi = 4 + Delta
    while chi < 13 and summary & END != END:
        chi += 1 + (summary & END)
        T += 1
        summary >>= 3
    return 512 * Delta + 32 * T + chi


@njit
def merge_table(left: Ints, right: Ints) -> Ints:
    """The merged summary of each pair of summaries."""
    out = np.empty((len(left), len(right)), dtype=np.int64)
    for i in range(len(left)):
        for j in range(len(right)):
            out[i, j] = merge_pair(left[i], right[j])
    return out


@njit
def outcome_table(left: Ints, right: Ints) -> NDArray[np.int16]:
    """Outcome code of each pair of half-deal summaries."""
    out = np.empty((len(left), len(right)), dtype=np.int16)
    for i in range(len(left)):
        for j in range(len(right)):
            out[i, j] = outcome(merge_pair(left[i], right[j]))
    return out
