"""What one hand is worth with a dummy that nobody has seen.

T, counted exactly over all 8 122 425 444 dummies.

A suit of the hand leaves the dummy at most 2¹³ fields, sets of cards, in that suit.
They are grouped by length and by *summary*, what the suit contributes to the captures T
of Algorithm 2 (``capture.tables``): the leading gap and the gaps that captures pay. Two
suits merge into a half and two halves into a hand, as counts of dummies by length and
summary. What fails a condition is dropped on the way: it counts as T = 0.
"""

from __future__ import annotations

from functools import cache
from math import comb
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.tables import (
    DELTA_PLACE,
    FAILED_B,
    FAILS_B,
    GAP_BUDGET,
    LENGTH,
    SUIT_BITS,
    T_PLACE,
    TERNARY,
    Ints,
    leading_gaps,
    merge_table,
    outcome_table,
    row_table,
    suit_field,
)
from bayesbridge.errors import one_row
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.runtime.cache import cached_arrays
from bayesbridge.runtime.jit import njit

DUMMIES: Final = comb(39, 13)
"""How many dummies a hand may meet."""

FIELDS: Final = 1 << SUIT_BITS
"""What a suit of a hand may be."""

DROPPED: Final = -1  # in place of a summary's number: a condition fails
ACCUMULATORS: Final = 4  # a power of two, so that a mask picks one in turn
LAST_ACCUMULATOR: Final = ACCUMULATORS - 1
LENGTHS: Final = 14
"""A dummy holds 0 … 13 cards of two suits."""

CONTRACTS: Final = np.arange(7, 14)
"""Tricks needed at levels 1 … 7."""


class DummyTables(NamedTuple):
    """What every field of a suit leaves to the dummy, and how halves combine.

    A row is a group of fields of the dummy with the same length and summary. Those
    beside field ``a`` of the hand are ``start[a]`` to ``start[a + 1]``.
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
    """Number the summaries of suits and of halves, and merge them in pairs.

    A summary is what one suit of hand and dummy, or a half deal of two suits, C D or H
    S, contributes to Algorithm 2: its leading gaps and the gaps that captures pay. Only
    those that may still meet both conditions get a number.
    """
    rows = row_table().astype(np.int64)  # the summary of every suit
    suit_summaries, number_of_row = _numbered_alive(rows)
    merged = merge_table(suit_summaries, suit_summaries)
    half_summaries, number_of_half = _numbered_alive(merged)
    codes = outcome_table(half_summaries, half_summaries)
    meets_conditions = codes > FAILED_B
    captured = np.where(meets_conditions, codes % DELTA_PLACE // T_PLACE, 0)
    start, length, summary, ways = _fields_of_dummies(number_of_row)
    return DummyTables(
        start=start,
        length=length,
        summary=summary,
        ways=ways,
        half=number_of_half.astype(np.int16),
        captured=captured.astype(np.int8),
        gap=leading_gaps(half_summaries).astype(np.int8),
    )


def _numbered_alive(summaries: Ints) -> tuple[Ints, Ints]:
    """The distinct summaries that may still meet both conditions, and their numbers.

    Condition A: the leading gaps are within the budget. The distinct summaries rise;
    the numbers have the shape of ``summaries``, with DROPPED where a condition fails.
    """
    meets_a = leading_gaps(summaries) <= GAP_BUDGET
    meets_b = summaries & FAILS_B == 0
    alive = meets_a & meets_b
    distinct, alive_numbers = np.unique(summaries[alive], return_inverse=True)
    numbers = np.full(summaries.shape, DROPPED)
    numbers[alive] = alive_numbers
    return distinct, numbers


class _DummyFields(NamedTuple):
    """The fields that the hand's fields leave to the dummy: see :class:`DummyTables`."""

    start: Ints
    length: NDArray[np.int8]
    summary: NDArray[np.int16]
    ways: NDArray[np.int16]


def _fields_of_dummies(number_of_row: Ints) -> _DummyFields:
    """Group the dummy's fields in a suit by length and summary, for each of the hand's.

    A field is a set of cards of the suit, 13 bits. ``number_of_row`` (3¹³,) is the
    number of the summary, what a suit contributes to the captures of hand and dummy, or
    DROPPED; a row is numbered in base 3, with digits 1 for the hand's cards, 2 for the
    dummy's and 0 for the others'.
    """
    fields = np.arange(FIELDS)
    summaries = int(number_of_row.max()) + 1
    groups_by_field: list[Ints] = []
    ways_by_field: list[Ints] = []
    for hand_field in fields:
        dummy_fields = fields[fields & hand_field == 0]
        rows = TERNARY[hand_field] + 2 * TERNARY[dummy_fields]
        summary = number_of_row[rows]
        # Length and summary in one number.
        group = LENGTH[dummy_fields].astype(np.int64) * summaries + summary
        groups, ways = np.unique(group[summary != DROPPED], return_counts=True)
        groups_by_field.append(groups)
        ways_by_field.append(ways)
    all_groups = np.concatenate(groups_by_field)
    return _DummyFields(
        start=np.cumsum([0, *map(len, groups_by_field)]),
        length=(all_groups // summaries).astype(np.int8),
        summary=(all_groups % summaries).astype(np.int16),
        ways=np.concatenate(ways_by_field).astype(np.int16),
    )


def captures_with_dummies(hands: Masks) -> Ints:
    """With how many dummies each hand captures T = 0, …, 13.

    T is the paper's model of tricks, counted by Algorithm 2 for a hand and its dummy.

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
    _count_dummies(np.ascontiguousarray(hands), tables, counts)
    counts[:, 0] = DUMMIES - counts[:, 1:].sum(axis=1)
    return counts


def chances_of_contracts(hands: Masks) -> Floats:
    """(n, 7) P(T ≥ 7), …, P(T ≥ 13) of each hand, over every dummy."""
    counts = captures_with_dummies(hands)
    at_least = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    return np.asarray(at_least[:, CONTRACTS] / DUMMIES)


@njit
def _count_dummies(hands: Masks, tables: DummyTables, counts: Ints) -> None:
    """Add to ``counts`` (n, 14) the dummies of each hand by the captures T.

    Only those that meet both conditions of Algorithm 2. A dummy is two halves: its
    cards in clubs and diamonds, the lower ones, and those in hearts and spades. Halves
    that have the same length and the same summary, the gaps that they contribute, are
    counted together: arrays (14, halves) are ways by length and number of the summary.
    """
    halves = len(tables.gap)
    lower_ways = np.zeros((LENGTHS, halves), dtype=np.int64)
    upper_ways = np.zeros((LENGTHS, halves), dtype=np.int64)
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        lower_ways[:] = 0
        upper_ways[:] = 0
        _merge_suits(suit_field(hand, 0), suit_field(hand, 1), tables, lower_ways)
        _merge_suits(suit_field(hand, 2), suit_field(hand, 3), tables, upper_ways)
        _join_halves(lower_ways, upper_ways, tables, counts[i])


@njit
def _join_halves(
    lower_ways: Ints, upper_ways: Ints, tables: DummyTables, counts: Ints
) -> None:
    """Add to ``counts`` (14,) the dummies of one hand by T, from those of both halves.

    ``lower_ways`` and ``upper_ways`` (14, halves) count half dummies, by length and by
    the number of their summary. A lower half goes with each upper one that completes 13
    cards and whose leading gap is within the rest of the budget, condition A.
    """
    upper_halves, upper_number = _halves_that_occur(upper_ways)
    # Several accumulators in turn: an addition to the same place waits for the last one.
    sums = np.zeros((ACCUMULATORS, LENGTHS), dtype=np.int64)
    for length in range(LENGTHS):
        upper_length = 13 - length
        for lower in range(lower_ways.shape[1]):
            ways = lower_ways[length, lower]
            if not ways:
                continue
            budget = GAP_BUDGET - tables.gap[lower]
            for k in range(upper_number[upper_length]):
                upper = upper_halves[upper_length, k]
                if tables.gap[upper] > budget:
                    break  # halves are numbered by rising gaps
                T = tables.captured[lower, upper]
                accumulator = k & LAST_ACCUMULATOR
                sums[accumulator, T] += ways * upper_ways[upper_length, upper]
    for accumulator in range(ACCUMULATORS):
        counts += sums[accumulator]


@njit
def _halves_that_occur(ways: Ints) -> tuple[Ints, Ints]:
    """The halves that occur, for each length, and how many these are.

    ``ways`` (14, halves) are counts by length and number of the half's summary. Row
    ``length`` of the first result, (14, halves), begins with the numbers, rising, of
    those with a count; the second, (14,), is how many entries of the row are used.
    """
    halves = np.empty(ways.shape, dtype=np.int64)
    used = np.zeros(LENGTHS, dtype=np.int64)
    for length in range(LENGTHS):
        for half in range(ways.shape[1]):
            if ways[length, half]:
                halves[length, used[length]] = half
                used[length] += 1
    return halves, used


@njit
def _merge_suits(
    first_field: np.int64, second_field: np.int64, tables: DummyTables, ways: Ints
) -> None:
    """Add to ``ways`` (14, halves) the dummy's possible cards in two suits.

    They are counted by length and by the number of their summary, what the two suits
    contribute to Algorithm 2. ``first_field`` and ``second_field`` are the hand's cards
    in the suits, which the dummy cannot have. Pairs that fail a condition are dropped.
    """
    first_rows = range(tables.start[first_field], tables.start[first_field + 1])
    second_rows = range(tables.start[second_field], tables.start[second_field + 1])
    for i in first_rows:
        first_summary = tables.summary[i]
        room = 13 - tables.length[i]
        for j in second_rows:
            if tables.length[j] > room:
                break  # rows are sorted by length
            half = tables.half[first_summary, tables.summary[j]]
            if half != DROPPED:
                length = tables.length[i] + tables.length[j]
                ways[length, half] += np.int64(tables.ways[i]) * tables.ways[j]
