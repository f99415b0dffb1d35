"""Algorithm 2 counted exactly over huge sets of deals, suit by suit.

Step 6 of Algorithm 2 is a merge of four sequences, smallest head first and the first suit on ties. Such a merge is
associative: clubs with diamonds, hearts with spades, then both halves. So a set of deals whose suits are independent
but for the lengths of the hands never has to be enumerated: a :class:`Tally` counts, for one suit or for several
merged, how many ways lead to each (lengths, summary), and tallies multiply by convolution. A *summary* is a packed row
(see ``tables``) read as an integer, of one suit or of a merge of suits. Two values stand for what cannot recover: DEAD
once Δ exceeds 6, and FAILS_B with Δ alone once condition B has failed in any suit. The *outcome code* of a whole deal
is 0 where condition A fails, 1 where only B fails, else ``512 · Δ + 32 · T + χ``.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import DELTA_SHIFT, END, FAILS_B, NO_GAPS, ROWS, row_table
from bayesbridge.jit import njit

type Ints = NDArray[np.int64]

DEAD: Final = 7 << DELTA_SHIFT | NO_GAPS | FAILS_B
"""Summary of suits whose leading gaps already exceed the budget: condition A fails whatever follows."""

SUMMARY_BITS: Final = 32
"""A summary is below 2 to this power."""

CODES: Final = 7 * 512
"""Every outcome code is below this."""

LIMB: Final = 21
"""Counts of half deals stay below 2⁴² (all rows of two suits are 3²⁶ < 2⁴²), so two limbs of 21 bits hold them."""


FULL: Final = 14 * 13 + 13
"""Lengths of two full hands, as ``Tally.lengths`` packs them."""


class Tally(NamedTuple):
    """How many ways lead to each (lengths, summary); rows are distinct and counts positive."""

    lengths: Ints
    """(k,) cards of the two tracked hands so far, ``14 * first + second``."""
    summary: Ints
    """(k,) packed merge of the suits so far."""
    ways: Ints
    """(k,) how many, below 2⁶³."""

    @classmethod
    def of(cls, lengths: Ints, summary: Ints, count: Ints) -> Tally:
        """Collect equal (lengths, summary) pairs; summaries are first brought to their simplest form."""
        key = lengths << 32 | simplified(summary)
        distinct, place = np.unique(key, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        weigh(place, count, total)
        return cls(distinct >> 32, distinct & 0xFFFFFFFF, total)

    def merged(self, right: Tally) -> Tally:
        """With the suits that follow; this side is first on ties."""
        left_values, left = np.unique(self.summary, return_inverse=True)
        right_values, place = np.unique(right.summary, return_inverse=True)
        merged, by_pair = np.unique(merge_table(left_values, right_values), return_inverse=True)
        table = np.zeros((14 * 14, len(merged)), dtype=np.int64)
        _multiply(self._replace(summary=left), right._replace(summary=place), by_pair, table)
        lengths, index = np.nonzero(table)
        return Tally(lengths, merged[index], table[lengths, index])


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
    """The outcome code of a whole deal's summary (see ``outcomes``)."""
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
def _multiply(left: Tally, right: Tally, merged: Ints, table: Ints) -> None:
    """Add up products by lengths and merged summary; ``merged``: by the summaries of both, given as numbers."""
    lengths_a, index_a, count_a = left
    lengths_b, index_b, count_b = right
    for i in range(len(count_a)):
        first, second, row = lengths_a[i] // 14, lengths_a[i] % 14, merged[index_a[i]]
        for j in range(len(count_b)):
            lengths = lengths_b[j]
            if first + lengths // 14 <= 13 and second + lengths % 14 <= 13:
                table[lengths_a[i] + lengths, row[index_b[j]]] += count_a[i] * count_b[j]


def join(left: Tally, right: Tally, total: int) -> dict[int, int]:
    """Exact number of deals for each outcome code, over all pairs whose lengths add up to ``total``.

    The counts pass 2⁶³, so they come back as Python integers. Floating-point numbers add them up, for matrix products
    are quick, but hold integers below 2⁵³ alone: ways in two limbs, and products of them in two words.
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
                    counts[code] = counts.get(code, 0) + (int(ways) << LIMB * (i + j) + 25 * word)
    return {code: ways for code, ways in counts.items() if ways}


@njit
def outcome_table(left: Ints, right: Ints) -> NDArray[np.int16]:
    """Outcome code of each pair of half-deal summaries."""
    out = np.empty((len(left), len(right)), dtype=np.int16)
    for i in range(len(left)):
        for j in range(len(right)):
            out[i, j] = outcome(merge_pair(left[i], right[j]))
    return out


def half_deals() -> Tally:
    """All rows of two suits, clubs with diamonds (or hearts with spades): those of one are 3¹³."""
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(13):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    suit = Tally.of(lengths, row_table().astype(np.int64), np.ones(ROWS, dtype=np.int64))
    return suit.merged(suit)
