"""Algorithms 1 and 2 over batches of deals.

Masks come in, arrays come out. A deal costs four look-ups in the table of suit rows and
one merge of four short sequences: always the smallest head, the first suit on ties,
until the budget or χ ends it.
"""

from __future__ import annotations

from functools import cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import (
    DELTA_SHIFT,
    FAILS_B,
    LEADING_GAP,
    LENGTH,
    NO_GAPS,
    TERNARY,
    row_table,
)
from bayesbridge.errors import one_row
from bayesbridge.runtime.jit import njit

Masks = NDArray[np.uint64]
Small = NDArray[np.int8]

NEITHER, ONLY_A, BOTH = (
    0,
    1,
    2,
)  #: codes of the condition outcome; ``literal.CONDITIONS`` has their names


class Captures(NamedTuple):
    """Algorithm 2 over n deals, in the letters of ``literal.Capture``; (n, 4) arrays
    run over the suits C D H S.
    """

    c1: Small
    c2: Small
    c0: Small
    delta: Small
    M: Small
    kappa: Small
    Delta: Small
    Z: Small
    condition: Small
    T: Small
    chi: Small


ONE_A_DEAL: Final = {
    "Delta",
    "Z",
    "condition",
    "T",
    "chi",
}  #: fields of :class:`Captures` that are (n,) arrays


class Bids(NamedTuple):
    """Algorithm 1 over n hands."""

    level: Small  #: (n,) 0 for a pass … 7.
    #: (n, 7) captures counted for the targets 7 … 13, 0 where a condition fails.
    counts: Small


def captures(first: Masks, second: Masks) -> Captures:
    """Algorithm 2 for each pair of hands; ``first`` and ``second`` are (n,) masks of 13
    cards each, disjoint.

    >>> captures(np.array([0x1FFF], dtype=np.uint64), np.array([0x3FFE000], dtype=np.uint64)).T
    array([0], dtype=int8)
    """
    one_row("hands", first, second)
    n = len(first)
    found = Captures(
        *(
            np.zeros(n if name in ONE_A_DEAL else (n, 4), np.int8)
            for name in Captures._fields
        )
    )
    _captures(first, second, row_table(), found)
    c0, M, Z = (
        np.int8(13) - found.c1 - found.c2,
        np.maximum(found.c1, found.c2),
        np.int8(6) + found.T - found.chi,
    )
    return found._replace(c0=c0, M=M, Z=Z)


def tricks(first: Masks, second: Masks) -> Small:
    """T alone for each pair of hands, (n,) int8: 0 where a condition fails."""
    one_row("hands", first, second)
    return _tricks(first, second, row_table())


def bids(hands: Masks) -> Bids:
    """Algorithm 1 for each hand, (n,) masks of 13 cards.

    >>> bids(np.array([0x1FFF], dtype=np.uint64)).level
    array([0], dtype=int8)
    """
    one_row("hands", hands)
    found = Bids(np.zeros(len(hands), np.int8), np.zeros((len(hands), 7), np.int8))
    _bids(hands, walk_table(), found)
    return found


@njit
def _merge(rows: NDArray[np.int64], Delta: np.int64) -> tuple[int, np.int64, int]:
    """Step 6 on the rows of four suits: (T, χ, captures per suit packed four bits each,
    clubs lowest).
    """
    c, d, h, s = (
        rows[0] & NO_GAPS,
        rows[1] & NO_GAPS,
        rows[2] & NO_GAPS,
        rows[3] & NO_GAPS,
    )
    T = 4
    chi = 4 + Delta
    budget = 6 - Delta
    kappa = 0x1111
    while chi < 13:
        gap, suit = c & 7, 0
        if (d & 7) < gap:
            gap, suit = d & 7, 1
        if (h & 7) < gap:
            gap, suit = h & 7, 2
        if (s & 7) < gap:
            gap, suit = s & 7, 3
        if gap > budget:
            break
        if suit == 0:
            c >>= 3
        elif suit == 1:
            d >>= 3
        elif suit == 2:
            h >>= 3
        else:
            s >>= 3
        budget -= gap
        chi += 1 + gap
        T += 1
        kappa += 1 << (4 * suit)
    return T, chi, kappa


@njit
def _look_up(
    mine: np.int64, theirs: np.int64, table: NDArray[np.uint32], rows: NDArray[np.int64]
) -> tuple[np.int64, np.int64]:
    """Write the packed row of each suit to ``rows`` (4,); Δ, and not 0 if condition B
    fails.
    """
    total, flags = np.int64(0), np.int64(0)
    for suit in range(4):
        a, b = (mine >> (13 * suit)) & 0x1FFF, (theirs >> (13 * suit)) & 0x1FFF
        row = np.int64(table[TERNARY[a] + 2 * TERNARY[b]])
        rows[suit] = row
        flags |= row
        total += (row >> DELTA_SHIFT) & 15
    return total, flags & FAILS_B


@njit
def _captures(
    first: Masks, second: Masks, table: NDArray[np.uint32], found: Captures
) -> None:
    """Fill all but c0, M and Z, which follow from them."""
    rows, c1, c2, delta, kappa = (
        np.empty(4, dtype=np.int64),
        found.c1,
        found.c2,
        found.delta,
        found.kappa,
    )
    Delta, condition, T, chi = found.Delta, found.condition, found.T, found.chi
    for i in range(len(first)):
        mine, theirs = np.int64(first[i]), np.int64(second[i])
        total, fails_b = _look_up(mine, theirs, table, rows)
        for suit in range(4):
            c1[i, suit] = LENGTH[(mine >> (13 * suit)) & 0x1FFF]
            c2[i, suit] = LENGTH[(theirs >> (13 * suit)) & 0x1FFF]
            delta[i, suit] = (rows[suit] >> DELTA_SHIFT) & 15
        Delta[i] = chi[i] = total
        condition[i] = NEITHER if total > 6 else ONLY_A if fails_b else BOTH
        if condition[i] == BOTH:
            T[i], chi[i], made = _merge(rows, total)
            for suit in range(4):
                kappa[i, suit] = (made >> (4 * suit)) & 15


@njit
def _tricks(first: Masks, second: Masks, table: NDArray[np.uint32]) -> Small:
    out, rows = np.zeros(len(first), np.int8), np.empty(4, dtype=np.int64)
    for i in range(len(first)):
        total, fails_b = _look_up(np.int64(first[i]), np.int64(second[i]), table, rows)
        if total <= 6 and not fails_b:
            out[i] = _merge(rows, total)[0]
    return out


@cache
def walk_table() -> NDArray[np.uint8]:
    """(8192, 7) what Algorithm 1's walk does in one suit with a budget R: 16 · captures
    after the first + gaps paid.
    """
    return walked(np.full(1 << 13, 13))


@njit
def walked(paying: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(8192, 7) the same where only the first ``paying`` (8192,) cards of the suit pay
    for the gap before them.
    """
    out = np.zeros((1 << 13, 7), np.uint8)
    for field in range(1, 1 << 13):
        for budget in range(7):
            left, cards, gap = budget, 0, 0
            for rank in range(12, -1, -1):
                if field >> rank & 1:
                    if 0 < cards < paying[field]:
                        if gap > left:
                            break
                        left -= gap
                    cards += 1
                    gap = 0
                else:
                    gap += 1
            out[field, budget] = 16 * (cards - 1) + budget - left
    return out


@njit
def _bids(hands: Masks, walk: NDArray[np.uint8], found: Bids) -> None:
    for i in range(len(hands)):
        mask = np.int64(hands[i])
        Delta = 0
        fails = False
        for suit in range(4):
            field = (mask >> (13 * suit)) & 0x1FFF
            delta = LEADING_GAP[field]
            Delta += delta
            fails |= LENGTH[field] <= delta
        climbing = True
        for target in range(7, 14):
            budget = 13 - target - Delta
            count = 0
            if budget >= 0 and not fails:
                count = 4
                for suit in range(4):
                    step = walk[(mask >> (13 * suit)) & 0x1FFF, budget]
                    count += step >> 4
                    budget -= step & 15
            found.counts[i, target - 7] = count
            climbing = climbing and count >= target
            if climbing:
                found.level[i] = target - 6
