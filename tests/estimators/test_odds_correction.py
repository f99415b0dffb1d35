"""Solved layouts weighted by predictions: errors that cover, to the edge, and weights that are weights."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.estimators.builtin import TricksEstimator
from bayesbridge.estimators.odds import SolvedSample
from bayesbridge.estimators.protocol import Question, run
from tests.estimators.solved_deals import solved_deals

NORMAL = 0.9545
"""Share of a normal distribution within two standard deviations."""


@given(st.integers(0, 2**32 - 1), st.integers(2, 300), st.integers(1, 4), st.floats(0.001, 100))
def test_weights_are_a_distribution_that_meets_the_predictions(seed, m, k, scale):
    """They are never negative and add up to one, wherever the targets lie; within what was drawn these are met."""
    rng = np.random.default_rng(seed)
    controls = scale * rng.gamma(0.2, size=(m, k))
    inside = SolvedSample.of(np.full(m, 1 / m), controls, controls.mean(axis=0) * 1.02, 4000.0)
    outside = SolvedSample.of(np.full(m, 1 / m), controls, controls.max(axis=0) * 3 + 1, 4000.0)
    values = rng.random(m)
    for one in (inside, outside):
        assert (one.weights >= 0).all()
        assert one.weights.sum() == pytest.approx(1.0)
        share, error = one.share(values)
        assert values.min() <= share <= values.max()
        assert 0 < error <= 0.5
    used = inside.controls.shape[1]
    assert used <= m // 8
    if used:
        before = np.abs(controls.mean(axis=0) * 0.02)
        after = np.abs(inside.weights @ controls - controls.mean(axis=0) * 1.02)
        assert (after <= before + 1e-9).any()


def test_a_prediction_that_explains_all_leaves_the_error_of_the_draws():
    rng = np.random.default_rng(1)
    truth = rng.integers(6, 11, 5000).astype(float)
    some = rng.integers(5000, size=200)
    blind = SolvedSample.of(np.full(200, 1 / 200))
    sure = SolvedSample.of(blind.weights, truth[some, None], truth.mean()[None], 5000.0)
    mean, error = sure.mean(truth[some], 0.0, 13.0, 1.0)
    assert mean == pytest.approx(truth.mean(), abs=0.01)
    assert error == pytest.approx(truth.std() / 5000**0.5, rel=0.1)
    assert blind.mean(truth[some], 0.0, 13.0, 1.0)[1] > 4 * error


def covered(chance, predicted, solved, repetitions, rng, factor=1.0):
    """How often the share of solved layouts that make lies within two errors of the truth.

    ``chance`` (n,) is 1 where a layout makes, ``predicted`` (n,) what the network says of it.
    """
    truth = chance.mean()
    hits = 0
    for _ in range(repetitions):
        some = rng.integers(len(chance), size=solved)
        sample = SolvedSample.of(np.full(solved, 1 / solved), predicted[some, None], predicted.mean()[None])
        share, error = sample.share(chance[some])
        hits += abs(share - truth) <= 2 * factor * error
    return hits


def coverage(strain, goals, repetitions, solved=100):
    """Shares within two errors over real deals with all declarers, as stated and with half the error, and the truths.

    The goals reach from contracts that nearly always make to those that nearly never do.
    """
    layouts, tables = solved_deals()
    asked = [Question.of((seat, seat.partner), trump=strain.trump) for seat in Seat]
    guesses = np.concatenate([run(TricksEstimator(), layouts, one)["tricks"] for one in asked]).astype(np.float64)
    truth = np.concatenate([tables[:, strain, seat] for seat in Seat])
    rng = np.random.default_rng(5)
    made = [(truth >= goal).astype(np.float64) for goal in goals]
    said = [guesses[:, goal:].sum(axis=1) for goal in goals]
    stated, halved = (
        sum(covered(*pair, solved, repetitions, rng, factor) for pair in zip(made, said, strict=True))
        for factor in (1.0, 0.5)
    )
    return np.array([stated, halved]) / (repetitions * len(goals)), [float(one.mean()) for one in made]


def covers(strain, goals, repetitions):
    (stated, halved), truths = coverage(strain, goals, repetitions)
    margin = 4 * np.sqrt(NORMAL * (1 - NORMAL) / (repetitions * len(goals)))
    assert min(truths) < 0.1
    assert max(truths) > 0.9
    assert 0.93 - margin / 2 < stated < 0.98 + margin / 2
    assert halved < 0.93 - margin


@pytest.mark.parametrize("strain", Strain)
def test_two_errors_cover_to_the_edge(strain):
    covers(strain, range(2, 12), 100)
