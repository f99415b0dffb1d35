"""What one hand is worth with a dummy that nobody has seen.

T, counted exactly over all 8 122 425 444 dummies.

A suit of the hand leaves the dummy at most 2¹³ fields in that suit. They are grouped by
length and by *summary*, what the row contributes to Algorithm 2 (``capture.tables``).
Two suits merge into a half and two halves into a hand, as counts of dummies by length
and summary. What fails a condition is dropped on the way: it counts as T = 0.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import (
    DELTA_MASK,
    DELTA_PLACE,
    DELTA_SHIFT,
    FAILED_B,
    FAILS_B,
    LENGTH,
    T_PLACE,
    TERNARY,
    Ints,
    merge_table,
    outcome_table,
    row_table,
)
from bayesbridge.errors import one_row
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.runtime.cache import cached_arrays
from bayesbridge.runtime.jit import njit

DUMMIES: Final = comb(39, 13)
"""How many dummies a hand may meet."""

FIELDS: Final = 1 << 13
"""What a suit of a hand may be."""

FIELD: Final = (1 << 13) - 1  # the thirteen cards of a suit
ACCUMULATORS: Final = 4  # a power of two, so that a mask picks one in turn
LAST_ACCUMULATOR: Final = ACCUMULATORS - 1
LENGTHS: Final = 14
"""A dummy holds 0 … 13 cards of two suits."""

GAP_BUDGET: Final = 6
"""Condition A: Δ is at most this."""

CONTRACTS: Final = np.arange(7, 14)
"""Tricks needed at levels 1 … 7."""


class DummyTables(NamedTuple):
    """What every field of a suit leaves to the dummy, and how halves combine.

    The rows of field ``a`` are ``start[a]`` to ``start[a + 1]``.
    """

    start: Ints  # (8193,)
    length: NDArray[np.int8]  # (rows,) cards of the dummy in the suit
    summary: NDArray[np.int16]  # (rows,) number of the suit's summary
    ways: NDArray[np.int16]  # (rows,) how many fields of the dummy
    half: NDArray[np.int16]  # (suits, suits) number of a half's summary, −1 where dead
    captured: NDArray[np.int8]  # (halves, halves) T of a whole deal, 0 where A fails
    gap: NDArray[np.int8]  # (halves,) leading gaps of a half; never falling


@cache
def dummy_tables() -> DummyTables:
    """The tables, built once and kept in the user's cache directory."""
    arrays = cached_arrays("dummies", lambda: _build()._asdict())
    return DummyTables(**arrays)


def _build() -> DummyTables:
    rows = row_table().astype(np.int64)
    alive = _alive(rows)
    summaries, numbers = np.unique(rows[alive], return_inverse=True)
    summary_of_row = np.full(len(rows), -1)
    summary_of_row[alive] = numbers
    merged = merge_table(summaries, summaries)
    merged_alive = _alive(merged)
    halves, half_numbers = np.unique(merged[merged_alive], return_inverse=True)
    half = np.full(merged.shape, -1, dtype=np.int16)
    half[merged_alive] = half_numbers
    codes = outcome_table(halves, halves)
    # Codes 0 and 1 stand for conditions that fail.
    captured = np.where(codes > FAILED_B, codes % DELTA_PLACE // T_PLACE, 0)
    captured = captured.astype(np.int8)
    start, length, summary, ways = _fields_of_dummies(summary_of_row)
    gap = (halves >> DELTA_SHIFT & DELTA_MASK).astype(np.int8)
    return DummyTables(start, length, summary, ways, half, captured, gap)


def _alive(summaries: Ints) -> NDArray[np.bool_]:
    """Which summaries may still meet both conditions."""
    within_budget = (summaries >> DELTA_SHIFT & DELTA_MASK) <= GAP_BUDGET
    return np.asarray(within_budget & (summaries & FAILS_B == 0))


def _fields_of_dummies(
    summary_of_row: Ints,
) -> tuple[Ints, NDArray[np.int8], NDArray[np.int16], NDArray[np.int16]]:
    """The rows of :class:`DummyTables`: start, length, summary and ways."""
    fields = np.arange(FIELDS)
    kinds = int(summary_of_row.max()) + 1
    groups: list[Ints] = []
    group_ways: list[Ints] = []
    for own in fields:
        of_dummy = fields[fields & own == 0]
        summary = summary_of_row[TERNARY[own] + 2 * TERNARY[of_dummy]]
        key = LENGTH[of_dummy].astype(np.int64) * kinds + summary
        values, ways = np.unique(key[summary >= 0], return_counts=True)
        groups.append(values)
        group_ways.append(ways)
    start = np.cumsum([0, *map(len, groups)])
    keys = np.concatenate(groups)
    return (
        start,
        (keys // kinds).astype(np.int8),
        (keys % kinds).astype(np.int16),
        np.concatenate(group_ways).astype(np.int16),
    )


def captures_with_dummies(hands: Masks) -> Ints:
    """In how many dummies each hand captures T = 0, …, 13.

    Parameters
    ----------
    hands : array of uint64, shape (n,)
        Masks of 13 cards.

    Returns
    -------
    array of int64, shape (n, 14)
        Every row adds up to 8 122 425 444; T = 0 stands for conditions that fail.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> hand = bb.Hand.of("AKQ2.KJ3.A54.Q32")
    >>> counts = captures_with_dummies(np.array([hand.mask], dtype=np.uint64))
    >>> int(counts.sum()), round(float(counts[0, 7:].sum() / counts.sum()), 4)
    (8122425444, 0.7312)
    """
    one_row("hands", hands)
    counts = np.zeros((len(hands), LENGTHS), dtype=np.int64)
    tables = dummy_tables()
    _count(np.ascontiguousarray(hands), tables, counts)
    counts[:, 0] = DUMMIES - counts[:, 1:].sum(axis=1)
    return counts


def chances_of_contracts(hands: Masks) -> Floats:
    """(n, 7) P(T ≥ 7), …, P(T ≥ 13) of each hand, over every dummy."""
    counts = captures_with_dummies(hands)
    at_least = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.asarray(at_least[:, CONTRACTS] / DUMMIES)


@njit
def _count(hands: Masks, tables: DummyTables, counts: Ints) -> None:
    """Add to ``counts`` (n, 14) the dummies by T of those that meet both conditions.

    A dummy is two halves, its cards in clubs and diamonds and those in hearts and
    spades. Halves that add the same to T have one summary: ways are counted by length
    and summary, and a lower half is joined with every upper one that has the rest of 13
    cards and of the gap budget.
    """
    summaries = len(tables.gap)
    lower_ways = np.zeros((LENGTHS, summaries), dtype=np.int64)
    upper_ways = np.zeros((LENGTHS, summaries), dtype=np.int64)
    # The upper summaries that occur, by length, and how many they are.
    upper_summaries = np.empty((LENGTHS, summaries), dtype=np.int64)
    upper_count = np.empty(LENGTHS, dtype=np.int64)
    # Several accumulators in turn: an addition to the same place waits for the last one.
    sums = np.empty((ACCUMULATORS, LENGTHS), dtype=np.int64)
    for i in range(len(hands)):
        mask = np.int64(hands[i])
        lower_ways[:] = 0
        upper_ways[:] = 0
        _merge_suits(mask & FIELD, mask >> 13 & FIELD, tables, lower_ways)
        _merge_suits(mask >> 26 & FIELD, mask >> 39 & FIELD, tables, upper_ways)
        _list_present(upper_ways, upper_summaries, upper_count)
        sums[:] = 0
        for length in range(LENGTHS):
            upper_length = 13 - length
            for lower in range(summaries):
                ways = lower_ways[length, lower]
                if not ways:
                    continue
                budget = GAP_BUDGET - tables.gap[lower]
                for k in range(upper_count[upper_length]):
                    upper = upper_summaries[upper_length, k]
                    if tables.gap[upper] > budget:
                        break
                    T = tables.captured[lower, upper]
                    sums[k & LAST_ACCUMULATOR, T] += (
                        ways * upper_ways[upper_length, upper]
                    )
        for accumulator in range(ACCUMULATORS):
            counts[i] += sums[accumulator]


@njit
def _list_present(ways: Ints, present: Ints, number: Ints) -> None:
    """List the summaries of (14, halves) ``ways`` that occur, for each length.

    Row ``length`` of ``present`` (14, halves) begins with them, rising; ``number``
    (14,) is how many they are.
    """
    for length in range(LENGTHS):
        number[length] = 0
        for half in range(ways.shape[1]):
            if ways[length, half]:
                present[length, number[length]] = half
                number[length] += 1


@njit
def _merge_suits(
    field: np.int64, other_field: np.int64, tables: DummyTables, ways: Ints
) -> None:
    """Add to ``ways`` (14, halves) the dummies of two suits, by length and summary."""
    for i in range(tables.start[field], tables.start[field + 1]):
        summary = tables.summary[i]
        room = 13 - tables.length[i]
        for j in range(tables.start[other_field], tables.start[other_field + 1]):
            length = tables.length[j]
            if length > room:
                break
            half = tables.half[summary, tables.summary[j]]
            if half >= 0:
                total = tables.length[i] + length
                ways[total, half] += np.int64(tables.ways[i]) * tables.ways[j]
