"""The exact whole-space distribution: against printed figures, Monte Carlo, and combinations walked by hand."""

import numpy as np
from scipy import stats

from bayesbridge.capture import exact, kernels
from tests.capture.deals import random_deals


def counts_of(conditions: np.ndarray, T: np.ndarray) -> np.ndarray:
    """(14,) as the study counts."""
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
