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
    DELTA_MASK,
    DELTA_SHIFT,
    END,
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

# Codes of the condition outcome; ``literal.CONDITIONS`` has their names.
NEITHER: Final = 0
ONLY_A: Final = 1
BOTH: Final = 2


class Captures(NamedTuple):
    """Algorithm 2 over n deals, in the letters of ``literal.Capture``.

    (n, 4) arrays run over the suits C D H S; those of ``ONE_A_DEAL`` are (n,).
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


ONE_A_DEAL: Final = {"Delta", "Z", "condition", "T", "chi"}
"""Fields of :class:`Captures` that are (n,) arrays."""


class Bids(NamedTuple):
    """Algorithm 1 over n hands."""

    level: Small  #: (n,) 0 for a pass … 7.
    #: (n, 7) captures counted for the targets 7 … 13, 0 where a condition fails.
    counts: Small


def captures(first_hands: Masks, second_hands: Masks) -> Captures:
    """Algorithm 2 for each pair of hands.

    ``first_hands`` and ``second_hands`` are (n,) masks of 13 cards each, disjoint.

    >>> captures(np.array([0x1FFF], dtype=np.uint64), np.array([0x3FFE000], dtype=np.uint64)).T
    array([0], dtype=int8)
    """
    one_row("hands", first_hands, second_hands)
    n = len(first_hands)
    arrays = {
        name: np.zeros(n if name in ONE_A_DEAL else (n, 4), np.int8)
        for name in Captures._fields
    }
    captured = Captures(**arrays)
    _captures(first_hands, second_hands, row_table(), captured)
    return captured._replace(
        c0=np.int8(13) - captured.c1 - captured.c2,
        M=np.maximum(captured.c1, captured.c2),
        Z=np.int8(6) + captured.T - captured.chi,
    )


def tricks(first_hands: Masks, second_hands: Masks) -> Small:
    """T alone for each pair of hands, (n,) int8: 0 where a condition fails."""
    one_row("hands", first_hands, second_hands)
    return _tricks(first_hands, second_hands, row_table())


def bids(hands: Masks) -> Bids:
    """Algorithm 1 for each hand, (n,) masks of 13 cards.

    >>> bids(np.array([0x1FFF], dtype=np.uint64)).level
    array([0], dtype=int8)
    """
    one_row("hands", hands)
    n = len(hands)
    answer = Bids(np.zeros(n, np.int8), np.zeros((n, 7), np.int8))
    _bids(hands, walk_table(), answer)
    return answer


@njit
def _merge(rows: NDArray[np.int64], Delta: np.int64) -> tuple[int, np.int64, int]:
    """T, χ and the captures by suit of a deal: step 6 on (4,) packed rows.

    The captures are packed, four bits each, clubs lowest. ``c``, ``d``, ``h`` and ``s``
    are the gaps that are left of each suit, the next one lowest.
    """
    c = rows[0] & NO_GAPS
    d = rows[1] & NO_GAPS
    h = rows[2] & NO_GAPS
    s = rows[3] & NO_GAPS
    T = 4
    chi = 4 + Delta
    budget = 6 - Delta
    kappa = 0x1111
    while chi < 13:
        gap = c & END
        suit = 0
        if (d & END) < gap:
            gap = d & END
            suit = 1
        if (h & END) < gap:
            gap = h & END
            suit = 2
        if (s & END) < gap:
            gap = s & END
            suit = 3
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
    hand: np.int64,
    other_hand: np.int64,
    table: NDArray[np.uint32],
    rows: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """Δ of two hands, and whether condition B fails: 0 where it holds.

    Writes the packed row of each suit to ``rows`` (4,).
    """
    Delta = np.int64(0)
    flags = np.int64(0)
    for suit in range(4):
        field = (hand >> (13 * suit)) & 0x1FFF
        other_field = (other_hand >> (13 * suit)) & 0x1FFF
        row = np.int64(table[TERNARY[field] + 2 * TERNARY[other_field]])
        rows[suit] = row
        flags |= row
        Delta += (row >> DELTA_SHIFT) & DELTA_MASK
    return Delta, flags & FAILS_B


@njit
def _captures(
    first_hands: Masks,
    second_hands: Masks,
    table: NDArray[np.uint32],
    captured: Captures,
) -> None:
    """Fill all but c0, M and Z, which follow from them."""
    rows = np.empty(4, dtype=np.int64)
    for i in range(len(first_hands)):
        hand = np.int64(first_hands[i])
        other_hand = np.int64(second_hands[i])
        Delta, fails_b = _look_up(hand, other_hand, table, rows)
        for suit in range(4):
            captured.c1[i, suit] = LENGTH[(hand >> (13 * suit)) & 0x1FFF]
            captured.c2[i, suit] = LENGTH[(other_hand >> (13 * suit)) & 0x1FFF]
            captured.delta[i, suit] = (rows[suit] >> DELTA_SHIFT) & DELTA_MASK
        captured.Delta[i] = Delta
        captured.chi[i] = Delta
        if Delta > 6:
            captured.condition[i] = NEITHER
        elif fails_b:
            captured.condition[i] = ONLY_A
        else:
            captured.condition[i] = BOTH
            T, chi, kappa = _merge(rows, Delta)
            captured.T[i] = T
            captured.chi[i] = chi
            for suit in range(4):
                captured.kappa[i, suit] = (kappa >> (4 * suit)) & 15


@njit
def _tricks(
    first_hands: Masks, second_hands: Masks, table: NDArray[np.uint32]
) -> Small:
    """(n,) T of each pair of hands."""
    T = np.zeros(len(first_hands), np.int8)
    rows = np.empty(4, dtype=np.int64)
    for i in range(len(first_hands)):
        hand = np.int64(first_hands[i])
        other_hand = np.int64(second_hands[i])
        Delta, fails_b = _look_up(hand, other_hand, table, rows)
        if Delta <= 6 and not fails_b:
            T[i] = _merge(rows, Delta)[0]
    return T


@cache
def walk_table() -> NDArray[np.uint8]:
    """(8192, 7) what Algorithm 1's walk does in one suit, by field and budget R.

    It is 16 · captures after the first + gaps paid.
    """
    return suit_walks(np.full(1 << 13, 13))


@njit
def suit_walks(paying: NDArray[np.int64]) -> NDArray[np.uint8]:
    """(8192, 7) the same where only some cards of the suit pay for their gaps.

    These are the first ``paying`` (8192,) of each field.
    """
    walks = np.zeros((1 << 13, 7), np.uint8)
    for field in range(1, 1 << 13):
        for budget in range(7):
            remaining = budget
            cards = 0
            gap = 0
            for rank in range(12, -1, -1):
                if field >> rank & 1:
                    if 0 < cards < paying[field]:
                        if gap > remaining:
                            break
                        remaining -= gap
                    cards += 1
                    gap = 0
                else:
                    gap += 1
            walks[field, budget] = 16 * (cards - 1) + budget - remaining
    return walks


@njit
def _bids(hands: Masks, walk: NDArray[np.uint8], answer: Bids) -> None:
    """Fill level and counts of each hand; ``walk`` is :func:`walk_table`."""
    for i in range(len(hands)):
        mask = np.int64(hands[i])
        Delta = 0
        fails_b = False
        for suit in range(4):
            field = (mask >> (13 * suit)) & 0x1FFF
            delta = LEADING_GAP[field]
            Delta += delta
            fails_b |= LENGTH[field] <= delta
        climbing = True
        for target in range(7, 14):
            budget = 13 - target - Delta
            count = 0
            if budget >= 0 and not fails_b:
                count = 4
                for suit in range(4):
                    step = walk[(mask >> (13 * suit)) & 0x1FFF, budget]
                    count += step >> 4
                    budget -= step & 15
            answer.counts[i, target - 7] = count
            climbing = climbing and count >= target
            if climbing:
                answer.level[i] = target - 6
