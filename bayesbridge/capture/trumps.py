"""Algorithm 2 with trumps (``literal_trumps``, an extension of this package) over batches of deals.

As at no trumps (``tables``, ``kernels``) all that a suit contributes is worked out once for each of its 3¹³ rows, here
twice: as trumps and as a side suit. A packed row holds, from the lowest bit, up to 13 entries of three bits: 0 for the
free capture, then the gaps, 7 after the last one; λ in four bits; one bit where condition B fails in trumps. A side
suit that captures nothing has no entries. T of a deal is the number of entries that the merge of its four rows takes,
smallest head first, while the gaps can be paid from 6 − Δ and χ is below 13. That merge is associative (``merge``).
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cache import cached_arrays
from bayesbridge.capture.kernels import BOTH, NEITHER, ONLY_A, Masks, Small
from bayesbridge.capture.tables import END, ROWS, TERNARY, columns_at, remove_rightmost
from bayesbridge.cards import Suit
from bayesbridge.errors import one_row
from bayesbridge.jit import njit

Ints = NDArray[np.int64]
Places = NDArray[np.uint16]

LOSERS_SHIFT: Final = 39
"""Where λ stands in a packed row."""

NO_ENTRIES: Final = (1 << LOSERS_SHIFT) - 1
"""Entries of a row that captures nothing: thirteen times END. Also the mask of the entries."""

FAILS_B: Final = 1 << 43
"""Bit of a packed row of trumps that fails condition B."""

DEAD: Final = FAILS_B | 7 << LOSERS_SHIFT | NO_ENTRIES
"""Summary of suits whose losers already exceed the budget: condition A fails whatever follows."""


class TrumpCaptures(NamedTuple):
    """The extended algorithm over n deals, as ``literal_trumps.TrumpCapture``; (n, 4) arrays run over C D H S."""

    losers: Small
    kappa: Small
    Delta: Small
    Z: Small
    condition: Small
    T: Small
    chi: Small


def trump_captures(first: Masks, second: Masks, trump: Suit) -> TrumpCaptures:
    """Captures of each pair of hands with a trump suit; ``first`` and ``second`` are (n,) disjoint masks of 13 cards.

    >>> from bayesbridge.cards import Hand
    >>> hands = [np.array([Hand.of(text).mask], np.uint64) for text in ("AKQJ54.3.A54.Q32", "T32.A762.K2.A654")]
    >>> trump_captures(*hands, Suit.S).T
    array([12], dtype=int8)
    """
    one_row("hands", first, second)
    n = len(first)
    out = TrumpCaptures(*(np.empty(shape, np.int8) for shape in ((n, 4), (n, 4), n, n, n, n, n)))
    _trump_captures(first, second, int(trump), *trump_tables(), TERNARY, *out)
    return out


def packed_rows(first: NDArray[np.integer], second: NDArray[np.integer], trumps: bool) -> Ints:
    """(n,) packed rows of two hands' 13-bit fields in one suit."""
    side, trump, rows = trump_tables()
    found: Ints = rows[(trump if trumps else side)[TERNARY[first] + 2 * TERNARY[second]]]
    return found


@cache
def trump_tables() -> tuple[Places, Places, Ints]:
    """As a side suit and as trumps (3¹³,) where the packed row stands, and the packed rows; kept in the cache."""
    kept = cached_arrays("trump-rows", "1", _build)
    return kept["side"], kept["trump"], kept["rows"]


def _build() -> dict[str, NDArray[Any]]:
    packed = np.empty((2, ROWS), np.int64)
    fill_rows(packed[0], False)
    fill_rows(packed[1], True)
    rows, place = np.unique(packed, return_inverse=True)
    side, trump = place.reshape(packed.shape).astype(np.uint16)
    return {"side": side, "trump": trump, "rows": rows}


@njit
def fill_rows(out: Ints, trumps: bool) -> None:
    """All rows up to ``len(out)``, packed."""
    for row in range(len(out)):
        out[row] = packed_row(row, trumps)


@njit
def packed_row(row: int, trumps: bool) -> int:
    """What one row contributes, packed."""
    columns = np.zeros(13, dtype=np.int8)
    held = np.zeros(3, dtype=np.int64)
    rest = row
    for rank in range(13):
        columns[12 - rank] = rest % 3
        held[rest % 3] += 1
        rest //= 3
    delta = 0
    while delta < 13 and columns[delta] == 0:
        delta += 1
    shorter, longer = min(held[1], held[2]), max(held[1], held[2])
    if trumps and shorter <= delta:
        return FAILS_B | delta << LOSERS_SHIFT | NO_ENTRIES
    losers = delta if trumps else min(delta, shorter)
    if longer <= delta:
        return losers << LOSERS_SHIFT | NO_ENTRIES
    # With trumps drawn after ⌈c₀ / 2⌉ rounds, captures after so many are free.
    row_budget = max(0, (held[0] + 1) // 2 - 1) if trumps else held[0]
    budget = 6 - losers
    chi = losers + 1
    entries = NO_ENTRIES ^ END
    captured = 1
    remove_rightmost(columns, 3 - columns[delta])
    while captured < longer and chi < 13:
        here, there = columns_at(columns, captured - 1)
        if there < 0:
            break
        gap = there - here - 1 if row_budget > 0 else 0
        if gap > budget:
            break
        entries ^= (END ^ gap) << (3 * captured)
        budget -= gap
        chi += 1 + gap
        if row_budget > 0:
            row_budget -= 1
        captured += 1
        remove_rightmost(columns, 3 - columns[there])
    return losers << LOSERS_SHIFT | entries


@njit
def merge_rows(left: int, right: int) -> int:
    """Summary of two groups of suits from their summaries; the left group is first on ties."""
    Delta = (left >> LOSERS_SHIFT & 15) + (right >> LOSERS_SHIFT & 15)
    if Delta > 6:
        return DEAD
    if (left | right) & FAILS_B:
        return FAILS_B | Delta << LOSERS_SHIFT | NO_ENTRIES
    left &= NO_ENTRIES
    right &= NO_ENTRIES
    entries = NO_ENTRIES
    budget = 6 - Delta
    chi = Delta
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
        entries ^= (END ^ gap) << shift
        shift += 3
        budget -= gap
        chi += 1 + gap
    return Delta << LOSERS_SHIFT | entries


@njit
def captures_of(summary: int) -> int:
    """T of a whole deal's summary: −2 where condition A fails, −1 where only B fails."""
    if summary >> LOSERS_SHIFT & 15 > 6:
        return -2
    if summary & FAILS_B:
        return -1
    T = 0
    while T < 13 and summary & END != END:
        summary >>= 3
        T += 1
    return T


@njit
def merge_all(first: Ints, second: Ints) -> Ints:
    """(n, m) summaries of each pair."""
    out = np.empty((len(first), len(second)), np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            out[i, j] = merge_rows(first[i], second[j])
    return out


@njit
def all_captures(first: Ints, second: Ints) -> Small:
    """(n, m) T of each pair of half deals, −2 and −1 as in :func:`captures_of`."""
    out = np.empty((len(first), len(second)), np.int8)
    for i in range(len(first)):
        for j in range(len(second)):
            out[i, j] = captures_of(merge_rows(first[i], second[j]))
    return out


@njit
def _trump_captures(
    first: Masks,
    second: Masks,
    trump: int,
    side_place: Places,
    trump_place: Places,
    packed: Ints,
    ternary: NDArray[np.int32],
    losers: Small,
    kappa: Small,
    Delta: Small,
    Z: Small,
    condition: Small,
    T: Small,
    chi: Small,
) -> None:
    rows = np.empty(4, dtype=np.int64)
    for i in range(len(first)):
        mine, theirs = np.int64(first[i]), np.int64(second[i])
        total = 0
        for suit in range(4):
            a, b = (mine >> (13 * suit)) & 0x1FFF, (theirs >> (13 * suit)) & 0x1FFF
            place = ternary[a] + 2 * ternary[b]
            rows[suit] = packed[trump_place[place] if suit == trump else side_place[place]]
            losers[i, suit] = (rows[suit] >> LOSERS_SHIFT) & 15
            kappa[i, suit] = 0
            total += losers[i, suit]
        Delta[i] = total
        taken, spent = 0, total
        if total > 6:
            condition[i] = NEITHER
        elif rows[trump] & FAILS_B:
            condition[i] = ONLY_A
        else:
            condition[i] = BOTH
            # The free captures of all suits come before any other.
            for suit in range(4):
                rows[suit] &= NO_ENTRIES
                if rows[suit] & END != END:
                    rows[suit] = rows[suit] >> 3 | END << (LOSERS_SHIFT - 3)
                    kappa[i, suit] = 1
                    taken += 1
            while taken + spent < 13:
                suit = 0
                for other in range(1, 4):
                    if rows[other] & END < rows[suit] & END:
                        suit = other
                gap = rows[suit] & END
                if gap > 6 - spent:
                    break
                rows[suit] = rows[suit] >> 3 | END << (LOSERS_SHIFT - 3)
                spent += gap
                kappa[i, suit] += 1
                taken += 1
        T[i] = taken
        chi[i] = taken + spent
        Z[i] = 6 - spent
