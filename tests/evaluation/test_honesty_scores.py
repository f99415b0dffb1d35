"""Scores of stated errors: honest ones pass, errors too small, too large, biased or missing fail."""

import numpy as np
import pytest
from honesty import (
    BIASED,
    EXACT,
    GROUPS,
    HONEST,
    LARGE,
    LEVEL,
    POSITIONS,
    QUANTITIES,
    SMALL,
    WRONG,
    Answers,
    Case,
    rms,
    row,
    scored,
)
from scipy import stats

TRUTH = dict.fromkeys(QUANTITIES, 0.5)
MANY = len(QUANTITIES)


def made(n, stated=1.0, shift=0.0, engine="auto", seed=1, position=POSITIONS[0]):
    """``n`` answers whose true error is 0.01, stated as ``stated`` times as much."""
    rng = np.random.default_rng(seed)
    value = 0.5 + shift + 0.01 * rng.standard_normal((n, MANY))
    error = np.full((n, MANY), 0.01 * stated)
    no = np.zeros(n, dtype=np.bool_)
    return Answers(Case(engine, position, n, 100), value, error, no, no, np.full(n, 2500.0))


@pytest.mark.parametrize(
    ("stated", "shift", "verdict"), [(1.0, 0.0, HONEST), (0.7, 0.0, SMALL), (1.5, 0.0, LARGE), (1.0, 0.004, BIASED)]
)
def test_a_verdict_for_each_fault(stated, shift, verdict):
    found = row([scored(made(300, stated, shift), TRUTH, None)])
    assert found.verdict == verdict
    assert found.answers == 300
    assert set(found.rms) == set(GROUPS)


def test_an_error_of_zero_must_be_the_truth():
    exact = made(20, 0.0)
    assert row([scored(exact, TRUTH, None)]).verdict == WRONG
    exact.value[:] = 0.5
    found = row([scored(exact, TRUTH, None)])
    assert (found.verdict, found.exact, found.wrong) == (EXACT, 1.0, 0)
    assert np.isnan(found.within.value)


def test_the_interval_is_that_of_chi_square_and_holds_as_often_as_it_says():
    rng = np.random.default_rng(1)
    z = rng.standard_normal((20_000, 1))
    found = rms([z])
    low, high = stats.chi2.ppf([(1 + LEVEL) / 2, (1 - LEVEL) / 2], 20_000)
    assert (found.low, found.high) == pytest.approx(found.value * np.sqrt([20_000 / low, 20_000 / high]), rel=0.005)
    # One number told three times is no more than one number; as three it would be missed far more often.
    held = np.array([(one := rms([np.repeat(rng.standard_normal((60, 1)), 3, axis=1)])).low <= 1.0 <= one.high
                     for _ in range(600)])  # fmt: skip
    assert stats.binomtest(int((~held).sum()), 600, 0.03, alternative="greater").pvalue > 1e-6
