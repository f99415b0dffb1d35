"""Ranks by hand, and what uniform and other ranks look like to the tests."""

from math import inf

import numpy as np
import pytest
from calibration import Distribution, chi_square, ecdf_band, ecdf_test, tally
from scipy import stats


def test_exact_ranks_are_the_distribution_function_with_ties_spread_out():
    thirds = Distribution(np.array([0, 1, 5]), np.full(3, 1 / 3), 1)
    assert thirds.worth == inf
    assert [thirds.rank(u) for u in (0.0, 0.5, 1.0)] == pytest.approx([1 / 3, 1 / 2, 2 / 3])
    sure = Distribution(np.array([4]), np.ones(1), 4)
    assert sure.rank(0.25) == 0.25


def test_a_truth_drawn_like_the_draws_ranks_evenly_however_few_they_are():
    rng = np.random.default_rng(1)
    ranks = []
    for _ in range(4000):
        values = rng.integers(0, 4, size=6)  # five draws and the truth, with many ties
        ranks.append(Distribution(values[1:], np.full(5, 0.2), values[0], worth=5.0).rank(rng.random()))
    counts = tally(ranks)
    assert chi_square("", counts).p > 1e-6
    assert ecdf_test("", counts).statistic < stats.kstwo.isf(1e-6, 4000)
    # Without its own place among them the truth would lie outside too often.
    naive = [Distribution(values[1:], np.full(5, 0.2), values[0]).rank(0.5) for values in rng.random((4000, 6))]
    assert chi_square("", tally(naive)).p < 1e-6


@pytest.mark.parametrize("deals", [15, 100, 700])
def test_uniform_ranks_stay_in_the_band_as_often_as_it_says(deals):
    rng = np.random.default_rng(deals)
    low, high = ecdf_band(deals, 0.9)
    samples = [tally(rng.random(deals)) for _ in range(1500)]
    below = np.array([one.cumsum()[:-1] for one in samples]) / deals
    inside = ((below >= low - 1e-12) & (below <= high + 1e-12)).all(axis=1)
    # The band is found by 9999 samples; counts are whole, so it may hold a little more.
    error = np.sqrt(0.9 * 0.1 * (1 / 1500 + 1 / 9999))
    assert 0.9 - 5 * error < inside.mean() < 0.905 + 5 * error
    p = np.array([ecdf_test("", one).p for one in samples[:500]])
    assert ((p > 0.1) == inside[:500]).mean() > 0.97
    assert (p <= 0.1).mean() < 0.1 + 5 * np.sqrt(0.1 * 0.9 * (1 / 500 + 1 / 9999))
    assert (p <= 0.1).any()


@pytest.mark.parametrize("shape", [(2, 2), (0.5, 0.5), (1.3, 1)], ids=["timid", "boasting", "shifted"])
def test_other_ranks_are_found_out(shape):
    counts = tally(np.random.default_rng(1).beta(*shape, size=5000))
    assert chi_square("", counts).p < 1e-6
    assert ecdf_test("", counts).p < 1e-3
    low, high = ecdf_band(5000)
    below = counts.cumsum()[:-1] / 5000
    assert ((below < low) | (below > high)).any()
