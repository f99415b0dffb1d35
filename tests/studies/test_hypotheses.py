"""The tests against textbook arithmetic, and under the hypothesis they keep their level."""

from math import isnan, sqrt

import numpy as np
import pytest
from scipy import stats

from bayesbridge.studies.strategies import solve
from bayesbridge.studies.study import goodness_of_fit, holm, homogeneity, mcnemar, together, two_proportions


def test_goodness_of_fit_by_hand():
    found = goodness_of_fit("fair", [30, 70], [0.5, 0.5])
    assert found.statistic == pytest.approx(16.0)
    assert found.p == pytest.approx(stats.chi2.sf(16, 1))
    assert found.effect == pytest.approx(0.4)


def test_a_count_where_nothing_can_be_refutes_the_distribution():
    assert goodness_of_fit("x", [5, 5, 1], [0.5, 0.5, 0.0]).p == 0.0
    assert goodness_of_fit("x", [5, 5, 0], [0.5, 0.5, 0.0]).p == 1.0


def test_homogeneity_by_hand():
    found = homogeneity("same", [[10, 20, 0], [20, 10, 0]])
    assert found.statistic == pytest.approx(4 * 5**2 / 15)
    assert found.effect == pytest.approx(sqrt(found.statistic / 60))
    assert isnan(homogeneity("same", [[3, 0], [5, 0]]).p)


def test_two_proportions_by_hand_and_newcombes_published_interval():
    found = two_proportions("same", (56, 48), (70, 80))
    pooled = 104 / 150
    z = (0.8 - 0.6) / sqrt(pooled * (1 - pooled) * (1 / 70 + 1 / 80))
    assert found.statistic == pytest.approx(z)
    assert found.p == pytest.approx(2 * stats.norm.sf(z))
    # Newcombe (1998), example (a), method 10: 0.0524 to 0.3339.
    assert found.interval == pytest.approx((0.0524, 0.3339), abs=5e-5)
    assert two_proportions("same", (48, 56), (80, 70)).statistic == pytest.approx(-z)
    assert isnan(two_proportions("same", (0, 0), (5, 9)).p)


def test_mcnemar_is_the_sign_test_of_discordant_pairs():
    found = mcnemar("same", 2, 8)
    assert found.p == pytest.approx(2 * (1 + 10 + 45) / 1024)
    assert found.effect == pytest.approx(-0.3)
    assert found.interval[0] < 0.2 < found.interval[1]
    assert isnan(mcnemar("same", 0, 0).p)


def test_holm_corrects_step_by_step():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []
    tests = together([mcnemar("a", 2, 8), mcnemar("b", 0, 10)])
    assert [test.p_holm for test in tests] == pytest.approx([tests[0].p, 2 * tests[1].p])


def test_under_the_hypothesis_small_p_are_as_rare_as_promised():
    rng = np.random.default_rng(5)
    p = [homogeneity("x", rng.multinomial(1000, [0.2, 0.3, 0.5], size=3).tolist()).p for _ in range(400)]
    assert stats.kstest(p, "uniform").pvalue > 1e-6
    wrong = [
        goodness_of_fit("x", rng.multinomial(1000, [0.2, 0.3, 0.5]).tolist(), [0.25, 0.3, 0.45]).p for _ in range(50)
    ]
    assert np.median(wrong) < 0.01


def test_equilibria_known_from_books():
    scissors = solve(np.array([[0.0, -1.0, 1.0], [1.0, 0.0, -1.0], [-1.0, 1.0, 0.0]]))
    assert scissors.row == pytest.approx((1 / 3,) * 3)
    assert scissors.value == pytest.approx(0.0, abs=1e-9)
    assert scissors.row_exploitability == pytest.approx((1.0,) * 3)
    mixed = solve(np.array([[3.0, -1.0], [-2.0, 4.0]]))  # value 1, rows 3 : 2, columns 1 : 1
    assert (mixed.value, *mixed.row, *mixed.column) == pytest.approx((1.0, 0.6, 0.4, 0.5, 0.5))
    saddle = solve(np.array([[2.0, 3.0], [1.0, 9.0]]))
    assert (saddle.value, saddle.row, saddle.column) == (pytest.approx(2.0), (1.0, 0.0), (1.0, 0.0))
    assert saddle.row_exploitability == pytest.approx((0.0, 1.0))
    assert saddle.column_exploitability == pytest.approx((0.0, 7.0))
