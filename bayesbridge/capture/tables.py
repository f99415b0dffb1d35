"""What one suit contributes to Algorithm 2: a table over all 3¹³ rows of the state matrix.

Inside a suit the sequence of effective gaps does not depend on the other suits, so it can be worked out once for each
of the 3¹³ = 1 594 323 rows. A row is numbered in base 3 by rank, ``row = Σ D(rank) · 3**rank`` (the two is the lowest
digit), so ``row = TERNARY[field of player 1] + 2 * TERNARY[field of player 2]``.

A packed row holds, from the lowest bit: nine gaps of three bits each, first gap lowest, 7 after the last one; δ in
four bits; one bit where condition B fails. The gaps are cut where nothing can follow: where the row's own gaps exceed
its own budget 6 − δ, and where χ would reach 13 by this row alone, which nine captures always do. What is cut can
never be captured in any deal, because the other suits only lower the budget and raise χ.
"""

from __future__ import annotations

from functools import cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cache import cached_arrays
from bayesbridge.jit import njit

ROWS: Final = 3**13
"""How many states a row of the matrix has."""

END: Final = 7
"""The three bits that stand after the last gap."""

NO_GAPS: Final = (1 << 27) - 1
"""Packed gaps when nothing follows the free capture: nine times END. Also the mask of the gaps."""

DELTA_SHIFT: Final = 27
"""Where δ stands in a packed row."""

FAILS_B: Final = 1 << 31
"""Bit of a packed row that fails condition B (c₁ ≤ δ or c₂ ≤ δ)."""

HOLDS_RANK: Final = np.arange(1 << 13)[:, None] >> np.arange(13) & 1
"""(8192, 13) which ranks a 13-bit field holds."""

TERNARY: Final[NDArray[np.int32]] = (HOLDS_RANK @ 3 ** np.arange(13)).astype(np.int32)
"""(8192,) a 13-bit field read as base-3 digits."""

LENGTH: Final[NDArray[np.int8]] = HOLDS_RANK.sum(axis=1).astype(np.int8)
"""(8192,) how many cards a 13-bit field holds."""

LEADING_GAP: Final[NDArray[np.int8]] = np.array([13 - field.bit_length() for field in range(1 << 13)], dtype=np.int8)
"""(8192,) δ of a 13-bit field: the columns before its highest card, 13 when it is empty."""


@njit
def packed_row(row: int) -> int:
    """What one row contributes, packed; a row that fails condition B has no gaps."""
    columns = np.zeros(13, dtype=np.int8)
    rest = row
    for rank in range(13):
        columns[12 - rank] = rest % 3
        rest //= 3
    held = np.zeros(3, dtype=np.int64)
    for column in range(13):
        held[columns[column]] += 1
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
        here, there, seen = -1, -1, -1
        for column in range(13):
            seen += columns[column] != 0
            if seen == pointer and here < 0:
                here = column
            elif seen > pointer:
                there = column
                break
        if there < 0:
            break
        gap = there - here - 1 if row_budget > 0 else 0
        if gap > budget:
            break
        gaps ^= (END ^ gap) << (3 * pointer)
        budget -= gap
        chi += 1 + gap
        if row_budget > 0:
            row_budget -= 1
        pointer += 1
        captured += 1
        remove_rightmost(columns, 3 - columns[there])
    return delta << DELTA_SHIFT | gaps


@njit
def remove_rightmost(columns: NDArray[np.int8], value: int) -> None:
    """Step 4 on one row: the player ``value`` loses their rightmost card, if they have one."""
    for column in range(12, -1, -1):
        if columns[column] == value:
            columns[column] = 0
            return


@njit
def _all_rows(rows: int) -> NDArray[np.uint32]:
    table = np.empty(rows, dtype=np.uint32)
    for row in range(rows):
        table[row] = packed_row(row)
    return table


@cache
def row_table() -> NDArray[np.uint32]:
    """(3¹³,) every row, packed; built once and kept in the user's cache directory."""
    return cached_arrays("rows", lambda: {"rows": _all_rows(ROWS)})["rows"]
