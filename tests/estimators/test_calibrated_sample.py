"""Weights of solved layouts: they agree with all layouts on what is predicted."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge.estimators.calibrated_sample import CalibratedSample


@given(
    st.integers(0, 2**32 - 1),
    st.integers(2, 300),
    st.integers(1, 4),
    st.floats(0.001, 100),
)
def test_weights_are_a_distribution_that_meets_the_predictions(seed, m, k, scale):
    """Weights are never negative and add up to one, wherever the targets lie.

    Targets within what was drawn are met.
    """
    rng = np.random.default_rng(seed)
    controls = scale * rng.gamma(0.2, size=(m, k))
    inside = CalibratedSample.of(
        np.full(m, 1 / m), controls, controls.mean(axis=0) * 1.02, 4000.0
    )
    outside = CalibratedSample.of(
        np.full(m, 1 / m), controls, controls.max(axis=0) * 3 + 1, 4000.0
    )
    values = rng.random(m)
    for sample in (inside, outside):
        assert (sample.weights >= 0).all()
        assert sample.weights.sum() == pytest.approx(1.0)
        share, error = sample.share(values)
        assert values.min() <= share <= values.max()
        assert 0 < error <= 0.5
    used = inside.controls.shape[1]
    assert used <= m // 8
    if used:
        before = np.abs(controls.mean(axis=0) * 0.02)
        after = np.abs(inside.weights @ controls - controls.mean(axis=0) * 1.02)
        assert (after <= before + 1e-9).any()


def test_predictions_that_are_the_same_in_all_layouts_explain_nothing():
    rng = np.random.default_rng(3)
    made = (rng.random(60) < 0.8).astype(float)
    plain = CalibratedSample.of(np.full(60, 1 / 60), ess=200.0)
    constant = np.tile([1.0, 0.9, 0.3, 7.1], (60, 1))  # whose means are off by rounding
    assert CalibratedSample.of(plain.weights, constant, constant[0], 200.0).share(
        made
    ) == plain.share(made)


def test_a_prediction_that_explains_all_leaves_the_error_of_the_draws():
    rng = np.random.default_rng(1)
    truth = rng.integers(6, 11, 5000).astype(float)
    places = rng.integers(5000, size=200)
    blind = CalibratedSample.of(np.full(200, 1 / 200))
    sure = CalibratedSample.of(
        blind.weights, truth[places, None], truth.mean()[None], 5000.0
    )
    mean, error = sure.mean(truth[places], 0.0, 13.0, 1.0)
    assert mean == pytest.approx(truth.mean(), abs=0.01)
    assert error == pytest.approx(truth.std() / 5000**0.5, rel=0.1)
    assert blind.mean(truth[places], 0.0, 13.0, 1.0)[1] > 4 * error
