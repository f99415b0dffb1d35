"""The table of suit rows equals a plain reading of the paper's steps.

Merged tables equal combinations walked by hand.
"""

from collections import Counter
from itertools import chain, product

import numpy as np
import pytest

from bayesbridge.capture import literal
from bayesbridge.capture.tables import (
    DELTA_SHIFT,
    END,
    FAILS_B,
    NO_GAPS,
    ROWS,
    row_table,
)
from scripts.count_shifts import Tally, join


def unpack(packed):
    gaps = []
    while len(gaps) < 9 and packed & END != END:
        gaps.append(packed & END)
        packed >>= 3
    return gaps


def literal_row(digits):
    """δ, whether condition B fails, and the gaps paid by one row alone.

    By a plain reading of steps 3 to 6.
    """
    row = list(digits)
    delta = next((r for r in range(13) if row[r]), 13)
    if row.count(1) <= delta or row.count(2) <= delta:
        return delta, True, []
    most = max(row.count(1), row.count(2))
    zeros = row.count(0)
    gaps = []
    pointer = 0
    while True:
        held = [r for r in range(13) if row[r]]
        partner_columns = [r for r in held if row[r] == 3 - row[held[pointer]]]
        if partner_columns:
            row[partner_columns[-1]] = 0
        held = [r for r in range(13) if row[r]]
        if len(gaps) + 1 >= most or pointer + 1 >= len(held):
            return delta, False, gaps
        gap = held[pointer + 1] - held[pointer] - 1 if zeros > 0 else 0
        if sum(gaps) + gap > 6 - delta or 4 + delta + len(gaps) + sum(gaps) >= 13:
            return delta, False, gaps
        gaps.append(gap)
        zeros -= zeros > 0
        pointer += 1


@pytest.mark.parametrize(
    "rows",
    [
        np.random.default_rng(1).integers(0, ROWS, 20_000),
        pytest.param(np.arange(ROWS), marks=pytest.mark.slow),
    ],
    ids=["some", "all"],
)
def test_rows_equal_the_plain_reading(rows):
    table = row_table()
    for row in rows:
        digits = [int(row) // 3**rank % 3 for rank in range(12, -1, -1)]
        packed = int(table[row])
        delta, fails, gaps = literal_row(digits)
        assert packed >> DELTA_SHIFT & 15 == delta
        assert bool(packed & FAILS_B) == fails
        assert unpack(packed & NO_GAPS) == gaps, digits


def test_merging_by_halves_equals_walking_small_decks():
    """Every combination of a few rows of four suits, counted by hand.

    Each goes through the literal algorithm.
    """
    rng = np.random.default_rng(2)
    for _ in range(5):
        suits = [rng.choice(3**13, 7, replace=False) for _ in range(4)]
        digits = {}
        for row in chain.from_iterable(suits):
            digits[int(row)] = [int(row) // 3**rank % 3 for rank in range(12, -1, -1)]
        direct = Counter()
        for rows in product(*suits):
            result = literal.capture_matrix([digits[int(row)] for row in rows])
            lengths = 14 * sum(result.c1) + sum(result.c2)
            if sum(result.c1) <= 13 and sum(result.c2) <= 13:
                code = literal.CONDITIONS.index(result.condition)
                direct[
                    lengths,
                    512 * result.Delta + 32 * result.T + result.chi
                    if code == 2
                    else code,
                ] += 1
        tallies = []
        for rows in suits:
            lengths = np.array(
                [
                    14 * digits[int(row)].count(1) + digits[int(row)].count(2)
                    for row in rows
                ]
            )
            tallies.append(
                Tally.of(
                    lengths,
                    row_table()[rows].astype(np.int64),
                    np.ones(len(rows), dtype=np.int64),
                )
            )
        lower = tallies[0].merged(tallies[1])
        upper = tallies[2].merged(tallies[3])
        merged = Counter()
        for total in {lengths for lengths, _ in direct}:
            for code, count in join(lower, upper, total).items():
                merged[total, code] += count
        assert merged == direct
