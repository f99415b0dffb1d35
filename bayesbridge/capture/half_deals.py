"""Algorithm 2 counted exactly over huge sets of deals, suit by suit, and Monte Carlo deals from the same tables.

Step 6 of Algorithm 2 is a merge of four sequences, smallest head first and the first suit on ties. Such a merge is
associative: clubs with diamonds, hearts with spades, then both halves. So a set of deals whose suits are independent
but for the lengths of the hands never has to be enumerated: a :class:`Tally` counts, for one suit or for several
merged, how many ways lead to each (lengths, summary), and tallies multiply by convolution. A *summary* is a packed row
(see ``tables``) read as an integer, of one suit or of a merge of suits. Two values stand for what cannot recover: DEAD
once Δ exceeds 6, and FAILS_B with Δ alone once condition B has failed in any suit. The *outcome code* of a whole deal
is 0 where condition A fails, 1 where only B fails, else ``512 · Δ + 32 · T + χ``. So the whole space of 5 157 850 293
780 050 462 400 deals of two hands is counted: the 3¹³ rows of a suit are tallied, two suits make a half deal, and two
half deals of complementary lengths make a deal.

A random deal, as far as T can see it, is three draws from the same tallies: the lengths of its lower half, then each
half given its lengths. Each draw is one look-up in an alias table (A. J. Walker, 1977) in integers: it has a power of
two of buckets, so the leading bits of a random word choose the bucket without bias and the next 32 bits decide inside
it. A bucket is one word: threshold (32 bits), its own value and its alias (16 bits each). The only error left is the
rounding of thresholds, at most 2⁻³² of a bucket.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cache import cached_arrays
from bayesbridge.capture.tables import DELTA_SHIFT, END, FAILS_B, NO_GAPS, ROWS, row_table
from bayesbridge.jit import njit
from bayesbridge.random64 import Seed, State, fill64, seed_state

type Ints = NDArray[np.int64]

DEAD: Final = 7 << DELTA_SHIFT | NO_GAPS | FAILS_B
"""Summary of suits whose leading gaps already exceed the budget: condition A fails whatever follows."""

CODES: Final = 7 * 512
"""Every outcome code is below this."""

LIMB: Final = 21
"""Counts of half deals stay below 2⁴² (all rows of two suits are 3²⁶ < 2⁴²), so two limbs of 21 bits hold them."""


@dataclass(frozen=True, slots=True)
class Tally:
    """How many ways lead to each (lengths, summary); rows are distinct and counts positive."""

    lengths: Ints
    """(k,) cards of the two tracked hands so far, ``14 * first + second``."""
    summary: Ints
    """(k,) packed merge of the suits so far."""
    count: Ints
    """(k,) number of ways, below 2⁶³."""

    @classmethod
    def of(cls, lengths: Ints, summary: Ints, count: Ints) -> Tally:
        """Collect equal (lengths, summary) pairs; summaries are first brought to their simplest form."""
        key = lengths << 32 | simplified(summary)
        distinct, place = np.unique(key, return_inverse=True)
        total = np.zeros(len(distinct), dtype=np.int64)
        weigh(place, count, total)
        return cls(distinct >> 32, distinct & 0xFFFFFFFF, total)

    def __mul__(self, right: Tally) -> Tally:
        """Merge with the suits that follow; this side is first on ties."""
        left_values, left = np.unique(self.summary, return_inverse=True)
        right_values, right_place = np.unique(right.summary, return_inverse=True)
        merged, place = np.unique(merge_table(left_values, right_values), return_inverse=True)
        table = np.zeros((14 * 14, len(merged)), dtype=np.int64)
        _multiply(
            self.lengths,
            left,
            self.count,
            right.lengths,
            right_place,
            right.count,
            place.reshape(-1),
            len(right_values),
            table,
        )
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
    """Summary of two groups of suits from their summaries; the left group is first on ties."""
    Delta = (left >> DELTA_SHIFT & 15) + (right >> DELTA_SHIFT & 15)
    if Delta > 6:
        return DEAD
    if (left | right) & FAILS_B:
        return FAILS_B | Delta << DELTA_SHIFT | NO_GAPS
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
    return Delta << DELTA_SHIFT | gaps


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
def _multiply(
    lengths_a: Ints,
    index_a: Ints,
    count_a: Ints,
    lengths_b: Ints,
    index_b: Ints,
    count_b: Ints,
    place: Ints,
    width: int,
    table: Ints,
) -> None:
    for i in range(len(count_a)):
        first, second = lengths_a[i] // 14, lengths_a[i] % 14
        base = index_a[i] * width
        for j in range(len(count_b)):
            lengths = lengths_b[j]
            if first + lengths // 14 <= 13 and second + lengths % 14 <= 13:
                table[lengths_a[i] + lengths, place[base + index_b[j]]] += count_a[i] * count_b[j]


def join(left: Tally, right: Tally, total: int) -> dict[int, int]:
    """Exact number of deals for each outcome code, over all pairs whose lengths add up to ``total``.

    The counts pass 2⁶³, so they come back as Python integers.
    """
    left_values, left_place = np.unique(left.summary, return_inverse=True)
    right_values, right_place = np.unique(right.summary, return_inverse=True)
    codes = outcome_table(left_values, right_values)
    counts: dict[int, int] = {}
    for lengths in np.unique(left.lengths):
        if lengths % 14 > total % 14:
            continue
        here = left.lengths == lengths
        there = right.lengths == total - lengths
        limbs = _join_block(left_place[here], left.count[here], right_place[there], right.count[there], codes)
        for code in np.flatnonzero(limbs.any(axis=1)):
            low, cross, crossed, high = (int(limb) for limb in limbs[code])
            ways = low + (cross + crossed << LIMB) + (high << 2 * LIMB)
            counts[int(code)] = counts.get(int(code), 0) + ways
    return counts


@njit
def outcome_table(left: Ints, right: Ints) -> NDArray[np.int16]:
    """Outcome code of each pair of half-deal summaries."""
    out = np.empty((len(left), len(right)), dtype=np.int16)
    for i in range(len(left)):
        for j in range(len(right)):
            out[i, j] = outcome(merge_pair(left[i], right[j]))
    return out


@njit
def _join_block(
    index_a: Ints, count_a: Ints, index_b: Ints, count_b: Ints, codes: NDArray[np.int16]
) -> NDArray[np.uint64]:
    """Sums of products by outcome code, one for each pair of limbs.

    No more than 1 790 summaries of half deals exist, so a sum has fewer than 2²² terms below 2⁴²: it fits 64 bits.
    """
    sums = np.zeros((CODES, 4), dtype=np.uint64)
    low = (1 << LIMB) - 1
    for i in range(len(index_a)):
        a0, a1 = np.uint64(count_a[i] & low), np.uint64(count_a[i] >> LIMB)
        row = codes[index_a[i]]
        for j in range(len(index_b)):
            b0, b1 = np.uint64(count_b[j] & low), np.uint64(count_b[j] >> LIMB)
            limb = sums[row[index_b[j]]]
            limb[0] += a0 * b0
            limb[1] += a0 * b1
            limb[2] += a1 * b0
            limb[3] += a1 * b1
    return sums


def alias_table(values: Sequence[int], weights: Sequence[int]) -> NDArray[np.uint64]:
    """Buckets for values below 2¹⁶ with integer weights of any size; at least two buckets.

    >>> len(alias_table([5, 7, 9], [1, 2, 1]))
    4
    """
    size = max(2, 1 << (len(values) - 1).bit_length())
    total = sum(weights)
    mass = [weight * size for weight in weights] + [0] * (size - len(values))
    names = [*values, *[values[0]] * (size - len(values))]
    table = np.empty(size, dtype=np.uint64)
    small = [i for i, part in enumerate(mass) if part < total]
    large = [i for i, part in enumerate(mass) if part >= total]
    while small:
        i, j = small.pop(), large[-1]
        table[i] = (mass[i] << 32) // total << 32 | names[i] << 16 | names[j]
        mass[j] -= total - mass[i]
        if mass[j] < total:
            small.append(large.pop())
    for i in large:  # exactly full: in integers nothing is left over
        table[i] = names[i] << 16 | names[i]
    return table


@njit
def alias_pick(bucket: np.uint64, part: np.uint64) -> np.uint64:
    """The value that 32 random bits pick from one bucket."""
    shift = np.uint64(16) if part < bucket >> np.uint64(32) else np.uint64(0)
    return (bucket >> shift) & np.uint64(0xFFFF)


FULL = 14 * 13 + 13
"""Lengths of two full hands, as ``Tally.lengths`` packs them."""

BLOCK = 512
"""Deals drawn together."""


def suit_tally() -> Tally:
    """All 3¹³ rows of one suit."""
    lengths = np.zeros(1, dtype=np.int64)
    for _ in range(13):
        lengths = np.concatenate([lengths, lengths + 14, lengths + 1])
    return Tally.of(lengths, row_table().astype(np.int64), np.ones(ROWS, dtype=np.int64))


def half_deals() -> Tally:
    """All rows of two suits, clubs with diamonds (or hearts with spades)."""
    suit = suit_tally()
    return suit * suit


def draw_tricks(deals: int, rng: Seed = None) -> NDArray[np.int64]:
    """Draw deals at random and count what Algorithm 2 makes of them.

    Returns (14,) counts: at 0 condition A fails, at 1 only condition B fails, at 4 … 13 T of the deals that qualify.
    """
    tables = _draw_tables()
    counts = np.zeros(14, dtype=np.int64)
    _draw(
        deals,
        seed_state(rng),
        tables["lengths"],
        tables["start"],
        tables["bits"],
        tables["halves"],
        tables["T"],
        counts,
    )
    return counts


@cache
def _draw_tables() -> dict[str, NDArray[Any]]:
    return cached_arrays("halves", _build_draw_tables)


def _build_draw_tables() -> dict[str, NDArray[Any]]:
    half = half_deals()
    summaries, place = np.unique(half.summary, return_inverse=True)
    # Common summaries first, so that the part of the T table that most deals touch fits the cache.
    count = half.count.astype(np.float64)
    others = np.bincount(half.lengths, count, minlength=FULL + 1)[FULL - half.lengths]
    order = np.argsort(-np.bincount(place, count * others))
    summaries, place = summaries[order], np.argsort(order)[place]
    ways = [0] * (FULL + 1)
    pieces: list[NDArray[np.uint64]] = []
    start = np.zeros(FULL + 1, dtype=np.uint64)
    bits = np.zeros(FULL + 1, dtype=np.uint64)
    filled = 0
    for lengths in range(FULL + 1):
        here = np.flatnonzero(half.lengths == lengths)
        weights = [int(count) for count in half.count[here]]
        ways[lengths] = sum(weights)
        table = alias_table([int(value) for value in place[here]], weights)
        start[lengths], bits[lengths] = filled, len(table).bit_length() - 1
        filled += len(table)
        pieces.append(table)
    joint = [ways[lengths] * ways[FULL - lengths] for lengths in range(FULL + 1)]
    codes = outcome_table(summaries, summaries)
    return {
        "lengths": alias_table(range(FULL + 1), joint),
        "start": start,
        "bits": bits,
        "halves": np.concatenate(pieces),
        "T": np.where(codes < 2, codes, codes % 512 // 32).astype(np.uint8),
    }


@njit
def _draw(
    deals: int,
    state: State,
    lengths: NDArray[np.uint64],
    start: NDArray[np.uint64],
    bits: NDArray[np.uint64],
    halves: NDArray[np.uint64],
    tricks: NDArray[np.uint8],
    counts: NDArray[np.int64],
) -> None:
    # In blocks, one kind of work at a time: the look-ups of different deals then overlap in the memory. Lower halves
    # fill the first part of the arrays and upper halves the second. All is unsigned, which spares checks of signs.
    words = np.empty(3 * BLOCK, dtype=np.uint64)
    place = np.empty(2 * BLOCK, dtype=np.uint32)
    part = np.empty(2 * BLOCK, dtype=np.uint32)
    half = np.empty(2 * BLOCK, dtype=np.uint16)
    # Four sums side by side: an increment need not wait for the one before it, which is often of the same T.
    sums = np.zeros(4 * 16, dtype=np.int64)
    width, cells = np.uint64(tricks.shape[1]), tricks.ravel()
    while deals > 0:
        size = min(deals, BLOCK)
        deals -= size
        fill64(state, words)
        for i in range(BLOCK):
            word = words[i]
            lower = alias_pick(lengths[word >> np.uint64(56)], (word << np.uint64(8)) >> np.uint64(32))
            upper = np.uint64(FULL) - lower
            word = words[BLOCK + i]
            place[i] = start[lower] + (word >> (np.uint64(64) - bits[lower]))
            part[i] = (word << bits[lower]) >> np.uint64(32)
            word = words[2 * BLOCK + i]
            place[BLOCK + i] = start[upper] + (word >> (np.uint64(64) - bits[upper]))
            part[BLOCK + i] = (word << bits[upper]) >> np.uint64(32)
        for i in range(2 * BLOCK):
            half[i] = alias_pick(halves[place[i]], np.uint64(part[i]))
        for i in range(size):
            T = cells[np.uint64(half[i]) * width + np.uint64(half[BLOCK + i])]
            sums[np.uint64(16 * (i & 3)) + np.uint64(T)] += 1
    for i in range(4):
        for T in range(len(counts)):
            counts[T] += sums[16 * i + T]
