"""The exact whole-space distribution: against printed figures, Monte Carlo, and combinations walked by hand."""

from collections import Counter
from itertools import product

import numpy as np
from scipy import stats

from bayesbridge.capture import exact, kernels, literal
from bayesbridge.capture.half_deals import Tally, draw_tricks, join
from bayesbridge.capture.tables import row_table
from bayesbridge.studies import captures, conditions
from tests.capture.deals import random_deals


def test_the_papers_six_runs_agree_with_the_exact_distribution() -> None:
    for found in (conditions.count_exactly(), captures.count_exactly()):
        shares = np.array([figure.own / 1e6 for figure in found.figures])
        for run in zip(*(figure.printed for figure in found.figures), strict=True):
            seen = np.array([*run, found.trials - sum(run)])
            expected = np.array([*shares, 1 - shares.sum()]) * found.trials
            used = expected > 1e-6
            assert not seen[~used].any()
            assert stats.chisquare(seen[used], expected[used]).pvalue > 1e-3


def counts_of(conditions: np.ndarray, T: np.ndarray) -> np.ndarray:
    """(14,) as draw_tricks counts."""
    return np.bincount(np.where(conditions < 2, conditions, T), minlength=14)


def expected_counts(deals: int) -> np.ndarray:
    out = np.zeros(14)
    for T, count in exact.tricks().items():
        out[T] = deals * (count / exact.DEALS)
    out[0] = deals * (exact.conditions()["neither"] / exact.DEALS)
    out[1] = deals * (exact.conditions()["only A"] / exact.DEALS)
    return out


def p_value(counts: np.ndarray) -> float:
    expected = expected_counts(counts.sum())
    used = expected > 0
    assert not counts[~used].any()
    return float(stats.chisquare(counts[used], expected[used]).pvalue)


def test_drawn_half_deals_agree_with_the_exact_distribution() -> None:
    assert p_value(draw_tricks(10_000_000, 1)) > 1e-6


def test_shuffled_decks_agree_with_the_exact_distribution() -> None:
    """The independent way: whole deals from a shuffled deck through the kernel."""
    batch = kernels.captures(*random_deals(300_000, 5))
    assert p_value(counts_of(batch.condition, batch.T)) > 1e-6


def test_a_slightly_wrong_dealer_is_caught() -> None:
    """Negative control: one deal in twenty is always the same deal."""
    first, second = random_deals(300_000, 5)
    first[::20], second[::20] = random_deals(1, 3)[0][0], random_deals(1, 3)[1][0]
    batch = kernels.captures(first, second)
    assert p_value(counts_of(batch.condition, batch.T)) < 1e-9


def test_merging_by_halves_equals_walking_small_decks() -> None:
    """Four suits of a few chosen rows each: every combination through the literal algorithm, counted by hand."""
    rng = np.random.default_rng(2)
    for _ in range(5):
        suits = [rng.choice(3**13, 7, replace=False) for _ in range(4)]
        digits = {int(row): [int(row) // 3**rank % 3 for rank in range(12, -1, -1)] for rows in suits for row in rows}
        direct: Counter[tuple[int, int]] = Counter()
        for rows in product(*suits):
            found = literal.capture_matrix([digits[int(row)] for row in rows])
            lengths = 14 * sum(found.c1) + sum(found.c2)
            if sum(found.c1) <= 13 and sum(found.c2) <= 13:
                code = literal.CONDITIONS.index(found.condition)
                direct[lengths, 512 * found.Delta + 32 * found.T + found.chi if code == 2 else code] += 1
        tallies = []
        for rows in suits:
            lengths = np.array([14 * digits[int(row)].count(1) + digits[int(row)].count(2) for row in rows])
            tallies.append(Tally.of(lengths, row_table()[rows].astype(np.int64), np.ones(len(rows), dtype=np.int64)))
        lower, upper = tallies[0] * tallies[1], tallies[2] * tallies[3]
        merged: Counter[tuple[int, int]] = Counter()
        for total in {lengths for lengths, _ in direct}:
            for code, count in join(lower, upper, total).items():
                merged[total, code] += count
        assert merged == direct
