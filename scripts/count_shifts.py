"""Count Algorithm 1 for 7 tricks and Algorithm 2 jointly, over all pairs of hands.

``python scripts/count_shifts.py`` writes ``bayesbridge/capture/shifts.json``, in some
minutes.

Algorithm 1 walks the suits of the first hand in the order C D H S. It starts with a
budget of 6 − Δ₁, Δ₁ the sum of the hand's own leading gaps, and in each suit pays gaps
until one is too large. With the budget of a suit given, leading gap, gaps paid and
cards captured add up over the suits, so they stand above the bits of a summary (see
``tables``) and are added where summaries are merged. A suit that follows has what the
one before has left.

A set of deals whose suits are independent but for the lengths of the hands never has to
be enumerated: a :class:`Tally` counts, for one suit or for several merged, how many
ways lead to each (lengths, summary), and tallies multiply by convolution.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table
from bayesbridge.capture.tables import (
    DELTA_PLACE,
    LEADING_GAP,
    LENGTH,
    ROWS,
    SUMMARY_BITS,
    T_PLACE,
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
"""What one column of leading gap, of gaps paid, one captured card add to a summary."""

DIGITS: Final = 16
"""Each of the three has four bits."""

MOST_GAPS: Final = 6
"""Columns of gaps that a target of seven tricks leaves to pay."""

WHOLE_SUIT: Final = (1 << 13) - 1

LIMB: Final = 21
"""Bits of a limb: two of them hold a count of half deals.

All rows of two suits are 3²⁶ < 2⁴².
"""

WORD: Final = 25
"""Bits of the lower word of a product of limbs."""

FULL: Final = 14 * 13 + 13
"""Lengths of two full hands, as ``Tally.lengths`` packs them."""

HANDS: Final = 14 * 14
"""How many values packed lengths have, ``14 * first + second``."""

type Joint = dict[tuple[int, int], int]
"""Pairs of hands by the outcomes of both algorithms.

An outcome is 0 where condition A fails, 1 where only B fails, else the captures.
"""


class Tally(NamedTuple):
    """How many ways lead to each (lengths, summary).

    Rows are distinct and counts positive.
    """

    lengths: Ints
    """(k,) cards of the two tracked hands so far, ``14 * first + second``."""
    summary: Ints
    """(k,) packed merge of the suits so far."""
    ways: Ints
    """(k,) how many, below 2⁶³."""

    @classmethod
    def of(cls, lengths: Ints, summary: Ints, count: Ints) -> Tally:
        """Collect equal (lengths, summary) pairs, summaries in their simplest form."""
        key = lengths << 32 | simplified(summary)
        distinct, place = np.unique(key, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        weigh(place, count, total)
        return cls(distinct >> 32, distinct & 0xFFFFFFFF, total)

    def merged(self, right: Tally) -> Tally:
        """With the suits that follow; this side is first on ties."""
        left_values, left_place = np.unique(self.summary, return_inverse=True)
        right_values, right_place = np.unique(right.summary, return_inverse=True)
        merged, merged_place = np.unique(
            merge_table(left_values, right_values), return_inverse=True
        )
        ways = np.zeros((HANDS, len(merged)), dtype=np.int64)
        _multiply(
            self._replace(summary=left_place),
            right._replace(summary=right_place),
            merged_place,
            ways,
        )
        lengths, place = np.nonzero(ways)
        return Tally(lengths, merged[place], ways[lengths, place])

    def rows(self, chosen: NDArray[np.bool_]) -> Tally:
        """The chosen rows."""
        return Tally(self.lengths[chosen], self.summary[chosen], self.ways[chosen])

    def leading_gaps(self) -> Ints:
        """(k,) columns of leading gap that stand above the summaries."""
        return self.summary // GAP % DIGITS

    def gaps_paid(self) -> Ints:
        """(k,) columns of gaps paid that stand above the summaries."""
        return self.summary // PAID % DIGITS


@njit
def _multiply(left: Tally, right: Tally, merged: Ints, table: Ints) -> None:
    """Add up products of ways by lengths and merged summary, into ``table``.

    Summaries of both sides are given as numbers; ``merged`` (left, right) is that of
    their merge, ``table`` (14 · 14, merged) by lengths.
    """
    lengths_a, index_a, ways_a = left
    lengths_b, index_b, ways_b = right
    for i in range(len(ways_a)):
        first = lengths_a[i] // 14
        second = lengths_a[i] % 14
        merged_row = merged[index_a[i]]
        for j in range(len(ways_b)):
            lengths = lengths_b[j]
            if first + lengths // 14 <= 13 and second + lengths % 14 <= 13:
                ways = ways_a[i] * ways_b[j]
                table[lengths_a[i] + lengths, merged_row[index_b[j]]] += ways


def join(left: Tally, right: Tally, total: int) -> dict[int, int]:
    """Exact number of deals for each outcome code.

    All pairs count whose lengths add up to ``total``. The counts pass 2⁶³, so they come
    back as Python integers. Floating-point numbers add them up, for matrix products are
    quick, but hold integers below 2⁵³ alone: ways in two limbs, and products of them in
    two words.
    """
    left_values, left_place = np.unique(left.summary, return_inverse=True)
    right_values, right_place = np.unique(right.summary, return_inverse=True)
    codes = outcome_table(left_values, right_values).ravel()
    # Left ways by lengths, right ways by the lengths that they need on the left.
    left_ways = np.zeros((HANDS, len(left_values)))
    left_ways[left.lengths, left_place] = left.ways
    right_ways = np.zeros((HANDS, len(right_values)))
    fits = (right.lengths <= total) & (right.lengths % 14 <= total % 14)
    right_ways[total - right.lengths[fits], right_place[fits]] = right.ways[fits]
    return _counts_by_code(left_ways, right_ways, codes)


def _counts_by_code(
    left_ways: NDArray[np.float64], right_ways: NDArray[np.float64], codes: Ints
) -> dict[int, int]:
    """Exact sums of products of ways by outcome code.

    Ways are (lengths, left summaries) and (lengths, right summaries), ``codes`` those
    of all pairs of summaries in a row.
    """
    counts: dict[int, int] = {}
    right_limbs = _low_and_high(right_ways, LIMB)
    for left_bits, left_limb in _low_and_high(left_ways, LIMB):
        for right_bits, right_limb in right_limbs:
            sums = left_limb.T @ right_limb  # at most 196 terms below 2⁴²
            for word_bits, word in _low_and_high(sums, WORD):
                bits = left_bits + right_bits + word_bits
                ways_by_code = np.bincount(codes, word.ravel()).tolist()
                for code, ways in enumerate(ways_by_code):
                    counts[code] = counts.get(code, 0) + (int(ways) << bits)
    return {code: ways for code, ways in counts.items() if ways}


def _low_and_high(
    values: NDArray[np.float64], bits: int
) -> tuple[tuple[int, NDArray[np.float64]], ...]:
    """The lower bits of whole numbers, and what stands above them.

    Each comes after how many bits it is to be shifted by.
    """
    return (0, values % 2**bits), (bits, values // 2**bits)


def half_deals() -> Tally:
    """All rows of two suits, clubs with diamonds (or hearts with spades).

    Those of one suit are 3¹³.
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
    # Every pair is taken to fail condition A by its first hand; then those that meet it
    # are moved, then those that meet both conditions.
    pairs: Joint = {}
    for (_, second), count in rows.all_pairs(lengths).items():
        pairs[0, second] = count
    for (_, second), count in rows.pairs_meeting_a(lengths).items():
        pairs[0, second] -= count
        _add(pairs, {(1, second): count})
    for (captured, second), count in rows.pairs_meeting_both(lengths).items():
        pairs[1, second] -= count
        _add(pairs, {(captured, second): count})
    return {outcomes: count for outcomes, count in sorted(pairs.items()) if count}


class _Rows:
    """The rows of one suit that can be made of some ranks."""

    def __init__(self, ranks: int) -> None:
        first = np.zeros(ROWS, dtype=np.int64)
        second = np.zeros(ROWS, dtype=np.int64)
        for rank in range(13):
            digit = np.arange(ROWS) // 3**rank % 3
            first |= (digit == 1).astype(np.int64) << rank
            second |= (digit == 2).astype(np.int64) << rank
        possible = np.flatnonzero((first | second) & ~ranks == 0)
        self.first = first[possible]
        first_lengths = LENGTH[self.first].astype(np.int64)
        self.lengths = 14 * first_lengths + LENGTH[second[possible]]
        self.summary = row_table()[possible].astype(np.int64)
        self.gap = LEADING_GAP[self.first].astype(np.int64)

    def tally(self, chosen: NDArray[np.bool_], above: Ints) -> Tally:
        """The chosen rows of a suit, with what stands above their summaries."""
        places = np.flatnonzero(chosen)
        return _collected(
            self.lengths[places],
            above[places] | self.summary[places],
            np.ones(len(places), dtype=np.int64),
        )

    def all_pairs(self, lengths: int) -> Joint:
        """All pairs, by 4 and the outcome of Algorithm 2."""
        suit = Tally.of(
            self.lengths, self.summary, np.ones(len(self.summary), dtype=np.int64)
        )
        half = suit.merged(suit)
        return _joined(half, half, lengths)

    def pairs_meeting_a(self, lengths: int) -> Joint:
        """Pairs whose first hand meets condition A, by 4 and Algorithm 2's outcome.

        Its leading gaps are at most 6.
        """
        suit = self.tally(self.gap <= MOST_GAPS, self.gap * GAP)
        half = suit.merged(suit)
        pairs: Joint = {}
        for gap in range(MOST_GAPS + 1):
            right = half.rows(half.summary // GAP <= MOST_GAPS - gap)
            right = _collected(right.lengths, right.summary % GAP, right.ways)
            left = half.rows(half.leading_gaps() == gap)
            _add(pairs, _joined(left, right, lengths))
        return pairs

    def pairs_meeting_both(self, lengths: int) -> Joint:
        """Pairs whose first hand meets both conditions, by both outcomes."""
        suits = self.walked_suits()
        budgets = range(MOST_GAPS + 1)
        right_halves = [_walked_half(suits, budget, paid=False) for budget in budgets]
        pairs: Joint = {}
        # Δ is the sum of leading gaps, which leaves a budget of 6 − Δ.
        for Delta in range(MOST_GAPS + 1):
            budget = MOST_GAPS - Delta
            left_half = _walked_half(suits, budget, paid=True)
            for paid in range(budget + 1):
                left = left_half.rows(left_half.gaps_paid() == paid)
                right = right_halves[budget - paid]
                for gap in range(Delta + 1):
                    left_rows = left.rows(left.leading_gaps() == gap)
                    right_rows = right.rows(right.leading_gaps() == Delta - gap)
                    _add(pairs, _joined(left_rows, right_rows, lengths))
        return pairs

    def walked_suits(self) -> list[Tally]:
        """The rows that the first hand can walk, by the budget that the suit has.

        Above their summaries stand leading gap, gaps paid and cards captured.
        """
        steps = walk_table().astype(np.int64)[self.first]  # (rows, budgets)
        can_walk = (LENGTH[self.first] > self.gap) & (self.gap <= MOST_GAPS)
        suits = []
        for step in steps.T:
            paid = step % DIGITS
            captured = step // DIGITS
            above = self.gap * GAP + paid * PAID + captured * CAPTURED
            suits.append(self.tally(can_walk, above))
        return suits


def _walked_half(suits: list[Tally], budget: int, *, paid: bool) -> Tally:
    """Two suits that are walked with this budget, by what they pay if ``paid``.

    ``suits`` are the rows of a suit by the budget that it has.
    """
    most_leading = MOST_GAPS - budget
    halves = []
    for spent in range(budget + 1):
        first = suits[budget]
        first = first.rows(first.gaps_paid() == spent)
        first = first.rows(first.leading_gaps() <= most_leading)
        second = suits[budget - spent]
        second = second.rows(second.leading_gaps() <= most_leading)
        if not paid:
            first = _without_gaps_paid(first)
            second = _without_gaps_paid(second)
        half = first.merged(second)
        halves.append(half.rows(half.leading_gaps() <= most_leading))
    return _collected(*map(np.concatenate, zip(*halves, strict=True)))


def _without_gaps_paid(tally: Tally) -> Tally:
    """The same rows, whatever they pay."""
    summary = tally.summary - tally.gaps_paid() * PAID
    return _collected(tally.lengths, summary, tally.ways)


def _collected(lengths: Ints, summary: Ints, ways: Ints) -> Tally:
    """The rows in order of lengths, then of summary; equal rows are added up."""
    key, place = np.unique(lengths << 48 | summary, return_inverse=True)
    total = np.zeros(len(key), dtype=np.int64)
    weigh(place, ways, total)
    return Tally(key >> 48, key & (1 << 48) - 1, total)


def _add(total: Joint, pairs: Joint) -> None:
    """Add pairs to a total."""
    for outcomes, count in pairs.items():
        total[outcomes] = total.get(outcomes, 0) + count


def _joined(left: Tally, right: Tally, total: int) -> Joint:
    """Pairs of half deals by captures of Algorithm 1 and outcome of Algorithm 2.

    Their lengths add up to ``total``.
    """
    left_values, left_place = np.unique(left.summary % GAP, return_inverse=True)
    right_values, right_place = np.unique(right.summary % GAP, return_inverse=True)
    codes = outcome_table(left_values, right_values)
    outcomes = np.where(codes < 2, codes, codes % DELTA_PLACE // T_PLACE).astype(
        np.int8
    )
    sums = np.zeros((14, 14, 4), dtype=np.uint64)
    for lengths in np.unique(left.lengths):
        if lengths % 14 <= total % 14:
            left_rows = _rows_of_lengths(left, left_place, lengths)
            right_rows = _rows_of_lengths(right, right_place, total - lengths)
            _join_block(left_rows, right_rows, outcomes, sums)
    pairs: Joint = {}
    for first, second in np.argwhere(sums.any(axis=2)).tolist():
        pairs[first, second] = _whole(sums[first, second])
    return pairs


def _whole(sums: NDArray[np.uint64]) -> int:
    """The number whose (4,) sums of products of limbs these are.

    The products are low · low, low · high, high · low, high · high.
    """
    low, low_high, high_low, high = map(int, sums)
    middle = low_high + high_low
    return low + (middle << LIMB) + (high << 2 * LIMB)


def _rows_of_lengths(tally: Tally, places: Ints, lengths: int) -> tuple[Ints, ...]:
    """(summary as a number, captured, ways) of the rows of these lengths."""
    rows = slice(*np.searchsorted(tally.lengths, [lengths, lengths + 1]))
    return places[rows], tally.summary[rows] // CAPTURED, tally.ways[rows]


@njit
def _join_block(
    left: tuple[Ints, Ints, Ints],
    right: tuple[Ints, Ints, Ints],
    outcomes: NDArray[np.int8],
    sums: NDArray[np.uint64],
) -> None:
    """Add up products of ways by captures and outcome, one for each pair of limbs.

    Rows are (summary, captured, ways), each (k,); ``outcomes`` (left, right) by
    summaries; ``sums`` (14, 14, 4) by captures, outcome and pair of limbs. For the left
    rows with equal captures the ways are first added up by right summary and outcome,
    which stay below 2⁴²: a sum has fewer than 2²² terms below 2⁴². Names with a are of
    the left rows, with b of the right ones; 0 and 1 are the low and the high limb.
    """
    place_a, captured_a, ways_a = left
    place_b, captured_b, ways_b = right
    low = (1 << LIMB) - 1
    reached = np.zeros((outcomes.shape[1], 14), dtype=np.int64)
    for captured in range(10):
        reached[:] = 0
        is_reached = False
        for i in range(len(place_a)):
            if captured_a[i] == captured:
                is_reached = True
                row = outcomes[place_a[i]]
                for j in range(len(row)):
                    reached[j, row[j]] += ways_a[i]
        if not is_reached:
            continue
        for j in range(len(place_b)):
            b0 = np.uint64(ways_b[j] & low)
            b1 = np.uint64(ways_b[j] >> LIMB)
            for second in range(14):
                ways = reached[place_b[j], second]
                if ways:
                    a0 = np.uint64(ways & low)
                    a1 = np.uint64(ways >> LIMB)
                    limb = sums[4 + captured + captured_b[j], second]
                    limb[0] += a0 * b0
                    limb[1] += a0 * b1
                    limb[2] += a1 * b0
                    limb[3] += a1 * b1


def main() -> None:
    """Write the counts that the package contains."""
    rows = []
    for outcomes, count in count_pairs().items():
        rows.append(json.dumps([*outcomes, count]))
    text = ",\n".join(rows)
    path = Path(__file__).parents[1] / "bayesbridge/capture/shifts.json"
    path.write_text(f"[\n{text}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
