"""What one suit contributes to Algorithm 2, and how suits are merged.

A table over all 3¹³ rows of the state matrix.

Inside a suit the sequence of effective gaps does not depend on the other suits, so it
can be worked out once for each of the 3¹³ = 1 594 323 rows. A row is numbered in base 3
by rank, ``row = Σ D(rank) · 3**rank`` (the two is the lowest digit), so ``row =
TERNARY[field of player 1] + 2 * TERNARY[field of player 2]``.

A packed row holds, from the lowest bit: nine gaps of three bits each, first gap lowest,
7 after the last one; δ in four bits; one bit where condition B fails. The gaps are cut
where nothing can follow: where the row's own gaps exceed its own budget 6 − δ, and
where χ would reach 13 by this row alone, which nine captures always do. What is cut can
never be captured in any deal, because the other suits only lower the budget and raise
χ.

Step 6 of Algorithm 2 is a merge of four sequences, smallest head first and the first
suit on ties. Such a merge is associative: clubs with diamonds, hearts with spades, then
both halves. A *summary* is a packed row read as an integer, of one suit or of a merge
of suits. Two values stand for what cannot recover: DEAD once Δ exceeds 6, and FAILS_B
with Δ alone once condition B has failed in any suit. The *outcome code* of a whole deal
is 0 where condition A fails, 1 where only B fails, else ``512 · Δ + 32 · T + χ``.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.runtime.cache import cached_arrays
from bayesbridge.runtime.jit import njit

type Ints = NDArray[np.int64]

ROWS: Final = 3**13  # how many states a row of the matrix has
GAP_BITS: Final = 3
END: Final = 7  # the three bits that stand after the last gap

# Outcome codes: failures, and the places of T and Δ above that of χ.
FAILED_A: Final = 0
FAILED_B: Final = 1
T_PLACE: Final = 32
DELTA_PLACE: Final = 512

NO_GAPS: Final = (1 << 27) - 1
"""Packed gaps when nothing follows the free capture: nine times END. Also the mask of
the gaps.
"""

DELTA_SHIFT: Final = 27
"""Where δ stands in a packed row."""

DELTA_MASK: Final = 15
"""Its four bits, once they are shifted down."""

FAILS_B: Final = 1 << 31
"""The bit of a packed row that fails condition B (c₁ ≤ δ or c₂ ≤ δ)."""

DEAD: Final = 7 << DELTA_SHIFT | NO_GAPS | FAILS_B
"""Summary of suits whose leading gaps already exceed the budget: condition A fails
whatever follows.
"""

SUMMARY_BITS: Final = 32
"""A summary is below 2 to this power."""

CODES: Final = 7 * DELTA_PLACE
"""Every outcome code is below this."""

HOLDS_RANK: Final = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
"""(8192, 13) which ranks a 13-bit field holds."""

TERNARY: Final[NDArray[np.int32]] = (HOLDS_RANK @ 3 ** np.arange(13)).astype(np.int32)
"""(8192,) a 13-bit field read as base-3 digits."""

LENGTH: Final[NDArray[np.int8]] = HOLDS_RANK.sum(axis=1).astype(np.int8)
"""(8192,) how many cards a 13-bit field holds."""

LEADING_GAP: Final[NDArray[np.int8]] = np.array(
    [13 - field.bit_length() for field in range(1 << 13)], dtype=np.int8
)
"""(8192,) δ of a 13-bit field: the columns before its highest card, 13 when it is
empty.
"""


@njit
def packed_row(row: int) -> int:
    """What one row contributes, packed; a row that fails condition B has no gaps."""
    columns = np.zeros(13, dtype=np.int8)
    digits = row
    for rank in range(13):
        columns[12 - rank] = digits % 3
        digits //= 3
    held = np.bincount(columns, minlength=3)
    delta = 0
    while delta < 13 and columns[delta] == 0:
        delta += 1
    if held[1] <= delta or held[2] <= delta:
        return FAILS_B | delta << DELTA_SHIFT | NO_GAPS
    most = max(held[1], held[2])
    row_budget = held[0]
    budget = 6 - delta
    chi = 4 + delta
    gaps = NO_GAPS
    captured = 1
    pointer = 0
    remove_rightmost(columns, 3 - columns[delta])
    while captured < most and chi < 13:
        current, following = _neighbours(columns, pointer)
        if following < 0:
            break
        gap = following - current - 1 if row_budget > 0 else 0
        if gap > budget:
            break
        gaps ^= (END ^ gap) << (3 * pointer)
        budget -= gap
        chi += 1 + gap
        if row_budget > 0:
            row_budget -= 1
        pointer += 1
        captured += 1
        remove_rightmost(columns, 3 - columns[following])
    return delta << DELTA_SHIFT | gaps


@njit
def _neighbours(columns: NDArray[np.int8], pointer: int) -> tuple[int, int]:
    """The columns of the cards numbered ``pointer`` and ``pointer + 1``, −1 for none."""
    current = -1
    number = -1
    for column in range(13):
        if columns[column] != 0:
            number += 1
            if number == pointer:
                current = column
            elif number > pointer:
                return current, column
    return current, -1


@njit
def remove_rightmost(columns: NDArray[np.int8], value: int) -> None:
    """Step 4 on one row: the player ``value`` loses their rightmost card, if any."""
    for column in range(12, -1, -1):
        if columns[column] == value:
            columns[column] = 0
            return


@njit
def _all_rows(rows: int) -> NDArray[np.uint32]:
    """(rows,) every row, packed."""
    table = np.empty(rows, dtype=np.uint32)
    for row in range(rows):
        table[row] = packed_row(row)
    return table


@cache
def row_table() -> NDArray[np.uint32]:
    """(3¹³,) every row, packed; built once and kept in the user's cache directory."""
    return cached_arrays("rows", lambda: {"rows": _all_rows(ROWS)})["rows"]


@njit
def weigh(values: NDArray[np.integer], ways: Ints, out: Ints) -> None:
    """Add the ways of each row to its value: ``out[values[i]] += ways[i]``.

    Exact, unlike ``np.bincount``, and always quick, unlike ``np.add.at``.
    """
    for i in range(len(values)):
        out[values[i]] += ways[i]


def simplified(summary: Ints) -> Ints:
    """Summaries in which what cannot recover is one value.

    That is DEAD, or FAILS_B with Δ and no gaps.
    """
    Delta = summary >> DELTA_SHIFT & DELTA_MASK
    failed = FAILS_B | Delta << DELTA_SHIFT | NO_GAPS
    alive_or_failed = np.where(summary & FAILS_B, failed, summary)
    return np.where(Delta > 6, DEAD, alive_or_failed)


@njit
def merge_pair(left: int, right: int) -> int:
    """Summary of two groups of suits from their summaries.

    The left group is first on ties.

    What stands above the 32 bits of a summary is added up (see
    ``scripts/count_shifts.py``).
    """
    Delta = (left >> DELTA_SHIFT & DELTA_MASK) + (right >> DELTA_SHIFT & DELTA_MASK)
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
    """The outcome code of a whole deal's summary.

    Each suit has one free capture. Each further one stands in the summary by the gap
    before it, in ``GAP_BITS`` bits, up to ``END``. χ is T and all gaps, and ends at 13.
    """
    Delta = summary >> DELTA_SHIFT & DELTA_MASK
    if Delta > 6:
        return FAILED_A
    if summary & FAILS_B:
        return FAILED_B
    T = 4
    chi = 4 + Delta
    while chi < 13 and summary & END != END:
        gap = summary & END
        chi += 1 + gap
        T += 1
        summary >>= GAP_BITS
    return DELTA_PLACE * Delta + T_PLACE * T + chi


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
