"""Algorithm 1 for a target of 7 tricks and Algorithm 2 counted jointly, exactly over
all pairs of hands.

``python scripts/count_shifts.py`` writes ``bayesbridge/capture/shifts.json``, in some
minutes.

Algorithm 1 walks the suits of the first hand in the order C D H S. It starts with a
budget of 6 − Δ₁, Δ₁ the sum of the hand's own leading gaps, and in each suit pays gaps
until one is too large. With the budget of a suit given, leading gap, gaps paid and
cards captured add up over the suits, so they stand above the bits of a summary (see
``tables``) and are added where summaries are merged. A suit that follows has what the
one before has left.

A set of deals whose suits are independent but for the lengths of the hands never has to be enumerated: a
:class:`Tally` counts, for one suit or for several merged, how many ways lead to each (lengths, summary), and tallies
multiply by convolution.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table
from bayesbridge.capture.tables import (
    LEADING_GAP,
    LENGTH,
    ROWS,
    SUMMARY_BITS,
    Ints,
    merge_table,
    outcome_table,
    row_table,
    simplified,
    weigh,
)
from bayesbridge.runtime.jit import njit

GAP: Final = 1 << SUMMARY_BITS
PAID: Final = GAP << 4
CAPTURED: Final = PAID << 4
"""What one column of leading gap, one of gaps paid, one captured card add to a summary.
"""

WHOLE_SUIT: Final = (1 << 13) - 1

LIMB: Final = 21
"""Counts of half deals stay below 2⁴² (all rows of two suits are 3²⁶ < 2⁴²), so two
limbs of 21 bits hold them.
"""

FULL: Final = 14 * 13 + 13
"""Lengths of two full hands, as ``Tally.lengths`` packs them."""

type Joint = dict[tuple[int, int], int]
"""Pairs of hands by the outcomes of both algorithms: 0 where condition A fails, 1 where
only B fails, else captures.
"""


class Tally(NamedTuple):
    """How many ways lead to each (lengths, summary); rows are distinct and counts
    positive.
    """

    lengths: Ints
    """(k,) cards of the two tracked hands so far, ``14 * first + second``."""
    summary: Ints
    """(k,) packed merge of the suits so far."""
    ways: Ints
    """(k,) how many, below 2⁶³."""

    @classmethod
    def of(cls, lengths: Ints, summary: Ints, count: Ints) -> Tally:
        """Collect equal (lengths, summary) pairs; summaries are first brought to their
        simplest form.
        """
        key = lengths << 32 | simplified(summary)
        distinct, place = np.unique(key, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        weigh(place, count, total)
        return cls(distinct >> 32, distinct & 0xFFFFFFFF, total)

    def merged(self, right: Tally) -> Tally:
        """With the suits that follow; this side is first on ties."""
        left_values, left = np.unique(self.summary, return_inverse=True)
        right_values, place = np.unique(right.summary, return_inverse=True)
        merged, by_pair = np.unique(
            merge_table(left_values, right_values), return_inverse=True
        )
        table = np.zeros((14 * 14, len(merged)), dtype=np.int64)
        _multiply(
            self._replace(summary=left), right._replace(summary=place), by_pair, table
        )
        lengths, index = np.nonzero(table)
        return Tally(lengths, merged[index], table[lengths, index])


@njit
def _multiply(left: Tally, right: Tally, merged: Ints, table: Ints) -> None:
    """Add up products by lengths and merged summary; ``merged``: by the summaries of
    both, given as numbers.
    """
    lengths_a, index_a, count_a = left
    lengths_b, index_b, count_b = right
    for i in range(len(count_a)):
        first, second, row = lengths_a[i] // 14, lengths_a[i] % 14, merged[index_a[i]]
        for j in range(len(count_b)):
            lengths = lengths_b[j]
            if first + lengths // 14 <= 13 and second + lengths % 14 <= 13:
                table[lengths_a[i] + lengths, row[index_b[j]]] += (
                    count_a[i] * count_b[j]
                )


def join(left: Tally, right: Tally, total: int) -> dict[int, int]:
    """Exact number of deals for each outcome code, over all pairs whose lengths add up
    to ``total``.

    The counts pass 2⁶³, so they come back as Python integers. Floating-point numbers
    add them up, for matrix products are quick, but hold integers below 2⁵³ alone: ways
    in two limbs, and products of them in two words.
    """
    left_values, left_place = np.unique(left.summary, return_inverse=True)
    right_values, right_place = np.unique(right.summary, return_inverse=True)
    codes = outcome_table(left_values, right_values).ravel()
    ones, twos = np.zeros((196, len(left_values))), np.zeros((196, len(right_values)))
    ones[left.lengths, left_place] = left.ways
    within = (right.lengths <= total) & (right.lengths % 14 <= total % 14)
    twos[total - right.lengths[within], right_place[within]] = right.ways[within]
    counts: dict[int, int] = {}
    for i, one in enumerate((ones % 2**LIMB, ones // 2**LIMB)):
        for j, two in enumerate((twos % 2**LIMB, twos // 2**LIMB)):
            products = one.T @ two  # sums of at most 196 terms below 2⁴²
            for word, part in enumerate((products % 2**25, products // 2**25)):
                for code, ways in enumerate(np.bincount(codes, part.ravel()).tolist()):
                    counts[code] = counts.get(code, 0) + (
                        int(ways) << LIMB * (i + j) + 25 * word
                    )
    return {code: ways for code, ways in counts.items() if ways}


def half_deals() -> Tally:
    """All rows of two suits, clubs with diamonds (or hearts with spades): those of one
    are 3¹³.
    """
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(13):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    suit = Tally.of(
        lengths, row_table().astype(np.int64), np.ones(ROWS, dtype=np.int64)
    )
    return suit.merged(suit)


def count_pairs(ranks: int = WHOLE_SUIT, lengths: int = FULL) -> Joint:
    """How many pairs of hands have each outcome of Algorithm 1 and of Algorithm 2.

    ``ranks`` (13 bits, the two lowest) and ``lengths`` of the hands, as
    ``Tally.lengths`` packs them, make the deck and the hands smaller. With all cards it
    takes some minutes.
    """
    rows = _Rows(ranks)
    # Every pair is taken to fail condition A by its first hand, then those that meet it are moved, then those that meet
    # both conditions.
    found = {(0, second): count for (_, second), count in rows.every(lengths).items()}
    for joint, before in ((rows.meeting_a(lengths), 0), (rows.walked(lengths), 1)):
        for (captured, second), count in joint.items():
            found[before, second] -= count
            first = captured if before else 1
            found[first, second] = found.get((first, second), 0) + count
    return {place: count for place, count in sorted(found.items()) if count}


class _Rows:
    """The rows of one suit that can be made of some ranks."""

    def __init__(self, ranks: int) -> None:
        first, second = np.zeros(ROWS, dtype=np.int64), np.zeros(ROWS, dtype=np.int64)
        for rank in range(13):
            digit = np.arange(ROWS) // 3**rank % 3
            first |= (digit == 1).astype(np.int64) << rank
            second |= (digit == 2).astype(np.int64) << rank
        kept = np.flatnonzero((first | second) & ~ranks == 0)
        self.first = first[kept]
        self.lengths = 14 * LENGTH[self.first].astype(np.int64) + LENGTH[second[kept]]
        self.summary = row_table()[kept].astype(np.int64)
        self.gap = LEADING_GAP[self.first].astype(np.int64)

    def tally(self, some: NDArray[np.bool_], above: Ints) -> Tally:
        """The rows of a suit that are wanted, with what stands above their summaries."""
        kept = np.flatnonzero(some)
        return _collected(
            self.lengths[kept],
            above[kept] | self.summary[kept],
            np.ones(len(kept), dtype=np.int64),
        )

    def every(self, lengths: int) -> Joint:
        """All pairs, by 4 and the outcome of Algorithm 2."""
        suit = Tally.of(
            self.lengths, self.summary, np.ones(len(self.summary), dtype=np.int64)
        )
        half = suit.merged(suit)
        return _joined(half, half, lengths)

    def meeting_a(self, lengths: int) -> Joint:
        """Pairs whose first hand has leading gaps of at most 6, by 4 and the outcome of
        Algorithm 2.
        """
        suit = self.tally(self.gap <= 6, self.gap * GAP)
        half = suit.merged(suit)
        found: Joint = {}
        for gap in range(7):
            within = half.summary // GAP <= 6 - gap
            right = _collected(
                half.lengths[within], half.summary[within] % GAP, half.ways[within]
            )
            _add(found, _joined(_part(half, GAP, gap), right, lengths))
        return found

    def walked(self, lengths: int) -> Joint:
        """Pairs whose first hand meets both conditions alone, by its captures and the
        outcome of Algorithm 2.
        """
        steps = walk_table().astype(np.int64)[self.first]
        suits = [
            self.tally(
                (LENGTH[self.first] > self.gap) & (self.gap <= 6),
                self.gap * GAP + (step & 15) * PAID + (step >> 4) * CAPTURED,
            )
            for step in steps.T
        ]
        rights = [_half(suits, budget, paid=False) for budget in range(7)]
        found: Joint = {}
        for Delta in range(7):
            left = _half(suits, 6 - Delta, paid=True)
            for paid in range(7 - Delta):
                low, high = _part(left, PAID, paid), rights[6 - Delta - paid]
                for gap in range(Delta + 1):
                    _add(
                        found,
                        _joined(
                            _part(low, GAP, gap), _part(high, GAP, Delta - gap), lengths
                        ),
                    )
        return found


def _half(suits: list[Tally], budget: int, *, paid: bool) -> Tally:
    """Two suits that are walked with this budget; ``paid``: whether to say what they
    pay.
    """
    parts = []
    for spent in range(budget + 1):
        first, second = suits[budget], suits[budget - spent]
        some = (first.summary // PAID % 16 == spent) & (
            first.summary // GAP % 16 <= 6 - budget
        )
        one = Tally(first.lengths[some], first.summary[some], first.ways[some])
        some = second.summary // GAP % 16 <= 6 - budget
        two = Tally(second.lengths[some], second.summary[some], second.ways[some])
        if not paid:
            one, two = (
                _collected(x.lengths, x.summary - x.summary // PAID % 16 * PAID, x.ways)
                for x in (one, two)
            )
        both = one.merged(two)
        some = both.summary // GAP % 16 <= 6 - budget
        parts.append((both.lengths[some], both.summary[some], both.ways[some]))
    return _collected(*map(np.concatenate, zip(*parts, strict=True)))


def _collected(lengths: Ints, summary: Ints, ways: Ints) -> Tally:
    """Rows by lengths, then by summary with what stands above it; equal ones are one."""
    key, place = np.unique(lengths << 48 | summary, return_inverse=True)
    total = np.zeros(len(key), dtype=np.int64)
    weigh(place, ways, total)
    return Tally(key >> 48, key & (1 << 48) - 1, total)


def _part(tally: Tally, unit: int, amount: int) -> Tally:
    """The rows with so much of leading gap or of gaps paid."""
    some = tally.summary // unit % 16 == amount
    return Tally(tally.lengths[some], tally.summary[some], tally.ways[some])


def _add(found: Joint, more: Joint) -> None:
    for place, count in more.items():
        found[place] = found.get(place, 0) + count


def _joined(left: Tally, right: Tally, total: int) -> Joint:
    """Pairs of half deals whose lengths add up to ``total``, by captures of Algorithm 1
    and outcome of Algorithm 2.
    """
    left_values, left_place = np.unique(left.summary % GAP, return_inverse=True)
    right_values, right_place = np.unique(right.summary % GAP, return_inverse=True)
    codes = outcome_table(left_values, right_values)
    outcomes = np.where(codes < 2, codes, codes % 512 // 32).astype(np.int8)
    sums = np.zeros((14, 14, 4), dtype=np.uint64)
    for lengths in np.unique(left.lengths):
        if lengths % 14 <= total % 14:
            here = slice(*np.searchsorted(left.lengths, [lengths, lengths + 1]))
            there = slice(
                *np.searchsorted(right.lengths, [total - lengths, total - lengths + 1])
            )
            one = left_place[here], left.summary[here] // CAPTURED, left.ways[here]
            two = (
                right_place[there],
                right.summary[there] // CAPTURED,
                right.ways[there],
            )
            _join_block(one, two, outcomes, sums)
    found: Joint = {}
    for first, second in np.argwhere(sums.any(axis=2)).tolist():
        low, cross, crossed, high = (int(limb) for limb in sums[first, second])
        found[first, second] = low + (cross + crossed << LIMB) + (high << 2 * LIMB)
    return found


@njit
def _join_block(
    left: tuple[Ints, Ints, Ints],
    right: tuple[Ints, Ints, Ints],
    outcomes: NDArray[np.int8],
    sums: NDArray[np.uint64],
) -> None:
    """Add up products by captures and outcome, one for each pair of limbs; rows are
    (summary, captured, ways).

    For the left rows with equal captures the ways are first added up by right summary
    and outcome, which stay below 2⁴²: a sum has fewer than 2²² terms below 2⁴².
    """
    place_a, captured_a, ways_a = left
    place_b, captured_b, ways_b = right
    low = (1 << LIMB) - 1
    reached = np.zeros((outcomes.shape[1], 14), dtype=np.int64)
    for captured in range(10):
        reached[:] = 0
        some = False
        for i in range(len(place_a)):
            if captured_a[i] == captured:
                some = True
                row = outcomes[place_a[i]]
                for j in range(len(row)):
                    reached[j, row[j]] += ways_a[i]
        if not some:
            continue
        for j in range(len(place_b)):
            b0, b1 = np.uint64(ways_b[j] & low), np.uint64(ways_b[j] >> LIMB)
            for second in range(14):
                ways = reached[place_b[j], second]
                if ways:
                    a0, a1 = np.uint64(ways & low), np.uint64(ways >> LIMB)
                    limb = sums[4 + captured + captured_b[j], second]
                    limb[0] += a0 * b0
                    limb[1] += a0 * b1
                    limb[2] += a1 * b0
                    limb[3] += a1 * b1


if __name__ == "__main__":
    lines = ",\n".join(
        json.dumps([*place, count]) for place, count in count_pairs().items()
    )
    (Path(__file__).parents[1] / "bayesbridge/capture/shifts.json").write_text(
        f"[\n{lines}\n]\n", "utf-8"
    )
