"""Reliability curves by hand."""

import numpy as np
import pytest

from bayesbridge.studies.benchmark import Bin, bin_of, calibration_error, curve, curve_of


def test_forecasts_fall_into_their_bins():
    predicted, observed = np.array([0.1, 0.12, 0.9, 0.95, 0.92]), np.array([0.0, 1.0, 1.0, 1.0, 0.0])
    found = curve_of(predicted, observed, 10)
    assert found == (Bin(pytest.approx(0.11), 0.5, 2), Bin(pytest.approx(0.92333333), pytest.approx(2 / 3), 3))
    assert calibration_error(found) == pytest.approx((2 * 0.39 + 3 * (0.92333333 - 2 / 3)) / 5)


def test_sums_and_single_forecasts_agree():
    rng = np.random.default_rng(1)
    predicted = rng.random(1000)
    observed = (rng.random(1000) < predicted).astype(float)
    place = bin_of(predicted, 20)
    sums = [np.bincount(place, weight, 20) for weight in (np.ones(1000), predicted, observed)]
    assert curve(*sums) == curve_of(predicted, observed, 20)
    # By chance a bin strays by |z| standard errors, with mean √(2/π) and variance 1 − 2/π.
    spread = np.sqrt([np.sum((predicted * (1 - predicted))[place == i]) for i in range(20)]) / 1000
    most = np.sqrt(2 / np.pi) * spread.sum() + 5 * np.sqrt((1 - 2 / np.pi) * (spread**2).sum())
    assert calibration_error(curve_of(predicted, observed, 20)) < most < 0.1
    assert calibration_error(curve_of(predicted, 1 - observed, 20)) > 0.3


def test_edges_belong_above_whatever_rounding_did():
    assert bin_of(np.array([0.3, 0.1 + 0.2, 0.7 - 0.4]), 10).tolist() == [3, 3, 3]
    assert bin_of(np.array([0.0, 1.0, 1.0 + 1e-12]), 10).tolist() == [0, 9, 9]
