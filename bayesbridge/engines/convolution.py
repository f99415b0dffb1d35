"""Suit convolution: exact distributions of what Algorithm 2 computes, without walking a single layout.

As long as the evidence ties suits together only by the lengths of the hands, every suit row adds its own leading gap
and its own sequence of gaps, and the merge of four suits is associative. So the rows of each suit are tallied by
(lengths, gaps), clubs merge with diamonds, hearts with spades, and both halves are joined where hands have 13 cards.
High-card points in a range and shapes tie the suits otherwise; such evidence is left to the other engines.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from bayesbridge.capture.half_deals import Tally, join, weigh
from bayesbridge.capture.outcomes import NEITHER, ONLY_A, met, tricks_of
from bayesbridge.capture.tables import LEADING_GAP, LENGTH, TERNARY, row_table
from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import SUITS, Constraints
from bayesbridge.engines.tables import Ints, Unranking
from bayesbridge.errors import BayesBridgeError
from bayesbridge.jit import njit

HIGHEST_DELTA: Final = 52
"""Δ when no suit has a card of the pair."""

LOWEST_Z: Final = 6 - HIGHEST_DELTA
"""Z then."""


@dataclass(frozen=True, slots=True, eq=False)
class CaptureCounts:
    """In how many layouts each quantity of Algorithm 2 takes each value, for a pair of seats; all counts are exact."""

    total: int
    c1: Ints
    """(4, 14) by suit and value, as c2, c0, delta and M."""
    c2: Ints
    c0: Ints
    delta: Ints
    M: Ints
    Delta: Ints
    """(53,) by Δ."""
    Z: Ints
    """(59,) by Z from −46 on."""
    condition: Ints
    """(3,) layouts in which condition A fails, only B fails, both hold."""
    T: Ints
    """(14,) by T; T[0] counts the layouts that fail a condition."""
    chi: Ints
    """(53,) by χ."""


def factors(constraints: Constraints) -> bool:
    """Whether the hard evidence ties the suits together by lengths alone."""
    known = constraints.normalised()
    return not known.bounded and not known.shaped and len(known.hidden) <= 3


def capture_counts(constraints: Constraints, first: int, second: int) -> CaptureCounts:
    """Exact counts for the pair (first, second) of seats; raises where :func:`factors` says no."""
    if not factors(constraints):
        raise BayesBridgeError(
            "suit convolution needs one hand known and no points range that ties the suits together: use another method"
        )
    unranking = Unranking.of(constraints)
    known = unranking.keys.known
    tallies: list[Tally] = []
    gaps: list[Ints] = []
    by_suit = {name: np.zeros((4, 14), dtype=np.int64) for name in ("c1", "c2", "c0", "delta", "M")}
    for suit, rows, completions in zip(SUITS, unranking.suits, unranking.completions(), strict=True):
        ours = [rows.fields[:, seat] | (known.must[seat] >> (13 * suit) & SUIT_MASK) for seat in (first, second)]
        lengths = np.repeat(np.arange(len(rows.ways)), rows.ways[:, 0])
        summary = row_table()[TERNARY[ours[0]] + 2 * TERNARY[ours[1]]].astype(np.int64)
        delta = LEADING_GAP[ours[0] | ours[1]]
        tallies.append(Tally.of(lengths, summary, np.ones(len(lengths), dtype=np.int64)))
        size = len(rows.ways)
        gaps.append(np.bincount(14 * lengths + delta, minlength=14 * size).reshape(size, 14))
        ways = np.repeat(completions[:, 0], rows.ways[:, 0])
        c1, c2 = LENGTH[ours[0]], LENGTH[ours[1]]
        for counts, values in zip(by_suit.values(), (c1, c2, 13 - c1 - c2, delta, np.maximum(c1, c2)), strict=True):
            weigh(values, ways, counts[suit])
    full = int(sum(int(room) * 14**power for power, room in enumerate(unranking.keys.rooms[-2::-1])))
    outcomes = join(tallies[0] * tallies[1], tallies[2] * tallies[3], full)
    Delta = _total_gap(_convolved(gaps[0], gaps[1]), _convolved(gaps[2], gaps[3]), full)
    T, Z, chi = np.zeros(14, dtype=np.int64), np.zeros(HIGHEST_DELTA + 7, dtype=np.int64), np.zeros(53, dtype=np.int64)
    failing = Delta.copy()
    for code, count in outcomes.items():
        captured = tricks_of(code)
        T[captured] += count
        if met(code):
            gap, check = code // 512, code % 32
            failing[gap] -= count
            chi[check] += count
            Z[HIGHEST_DELTA + captured - check] += count
    chi += failing  # nothing captured: χ = Δ and Z = 6 − Δ
    Z[: HIGHEST_DELTA + 1] += failing[::-1]
    neither, only_a = outcomes.get(NEITHER, 0), outcomes.get(ONLY_A, 0)
    return CaptureCounts(
        total=unranking.total,
        **by_suit,
        Delta=Delta,
        Z=Z,
        condition=np.array([neither, only_a, unranking.total - neither - only_a]),
        T=T,
        chi=chi,
    )


@njit
def _convolved(first: Ints, second: Ints) -> Ints:
    """(lengths, gaps) of two suits together; length indices that carry over 13 cards are left out."""
    size = len(first)
    out = np.zeros((size, first.shape[1] + second.shape[1] - 1), dtype=np.int64)
    for a in range(size):
        for b in range(size - a):
            if a % 14 + b % 14 < 14:
                for i in range(first.shape[1]):
                    if first[a, i]:
                        for j in range(second.shape[1]):
                            out[a + b, i + j] += first[a, i] * second[b, j]
    return out


@njit
def _total_gap(low: Ints, high: Ints, full: int) -> Ints:
    """(53,) layouts by total leading gap, both halves together filling every hand."""
    out = np.zeros(HIGHEST_DELTA + 1, dtype=np.int64)
    for a in range(full + 1):
        if a % 14 <= full % 14:
            for i in range(low.shape[1]):
                if low[a, i]:
                    for j in range(high.shape[1]):
                        out[i + j] += low[a, i] * high[full - a, j]
    return out
