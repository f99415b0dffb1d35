"""Predictions corrected by solved layouts: unbiased with a prediction however bad, and errors that cover."""

import numpy as np
import pytest

from bayesbridge.cards import Strain
from bayesbridge.deal import Seat
from bayesbridge.estimators.correction import Corrected
from bayesbridge.estimators.protocol import Question, run
from bayesbridge.estimators.tricks import TricksEstimator
from tests.estimators.solved_deals import solved_deals

REPETITIONS = 400
LAYOUTS, DRAWS, SOLVED = 4000, 150, 100
NEEDED = 9


def scores():
    """z of P(at least nine) and of the mean in each repetition, with the error as stated and with one half of it.

    The prediction is too high by one and far too sure.
    """
    rng = np.random.default_rng(7)
    truth = np.clip(np.rint(rng.normal(8.7, 1.6, LAYOUTS)), 0, 13).astype(int)
    guesses = np.full((LAYOUTS, 14), 0.001)
    guessed = np.clip(truth + rng.integers(0, 3, LAYOUTS), 0, 13)
    guesses[np.arange(LAYOUTS), guessed] = 1 - 0.013
    right = (truth >= NEEDED).mean(), truth.mean()
    found = {"stated": [], "of the draws alone": [], "of the solved alone": [], "prediction alone": []}
    for _ in range(REPETITIONS):
        drawn = rng.integers(LAYOUTS, size=DRAWS)
        some = drawn[rng.integers(DRAWS, size=SOLVED)]
        one = Corrected(guesses[drawn].mean(axis=0), guesses[some], truth[some], DRAWS)
        two = Corrected(one.predicted, one.guesses, one.solved, np.inf)
        stated = np.array([one.at_least(NEEDED)[1], one.mean[1]])
        solved = np.array([two.at_least(NEEDED)[1], two.mean[1]])
        off = np.array([one.at_least(NEEDED)[0], one.mean[0]]) - right
        found["stated"].append(off / stated)
        found["of the solved alone"].append(off / solved)
        found["of the draws alone"].append(off / np.sqrt(stated**2 - solved**2))
        blind = np.array([one.predicted[NEEDED:].sum(), (one.predicted * np.arange(14)).sum()])
        found["prediction alone"].append((blind - right) / stated)
    return {name: np.array(values) for name, values in found.items()}


@pytest.fixture(scope="module")
def found():
    return scores()


WIDE = 4 / np.sqrt(2 * REPETITIONS)
"""Four standard errors of the root mean square of so many standard normal numbers."""


def test_no_bias_and_the_error_covers(found):
    stated = found["stated"]
    assert (np.abs(stated.mean(axis=0)) < 4 / np.sqrt(REPETITIONS)).all()
    rms = np.sqrt((stated**2).mean(axis=0))
    assert (np.abs(rms - 1) < WIDE).all()


def test_either_source_alone_is_too_small_an_error(found):
    for name in ("of the draws alone", "of the solved alone"):
        assert (np.sqrt((found[name] ** 2).mean(axis=0)) > 1 + WIDE).all()


def test_without_correction_the_bias_is_plain(found):
    assert (found["prediction alone"].mean(axis=0) > 4 / np.sqrt(REPETITIONS)).all()


def test_a_distribution_that_adds_up():
    rng = np.random.default_rng(1)
    guesses = rng.dirichlet(np.ones(14), 50)
    solved = rng.integers(0, 14, 50)
    one = Corrected(guesses.mean(axis=0), guesses, solved, np.inf)
    np.testing.assert_allclose(one.pmf, np.bincount(solved, minlength=14) / 50, atol=1e-12)  # all were solved
    assert one.pmf.sum() == pytest.approx(1.0)
    assert one.exactly(4)[0] == pytest.approx(one.at_least(4)[0] - one.at_least(5)[0])


def test_how_many_solved_layouts_a_prediction_saves():
    solved = np.tile([8, 9], 30)
    sure = np.zeros((60, 14))
    sure[np.arange(60), solved] = 1
    blind = np.full((60, 14), 1 / 14)
    assert Corrected(sure.mean(axis=0), sure, solved, np.inf).saved(9) == np.inf
    assert Corrected(blind.mean(axis=0), blind, solved, np.inf).saved(9) == pytest.approx(1)


def coverage(strain, repetitions, solved=60):
    """Shares of repetitions within one and within two errors of the solver's answer over all layouts.

    The layouts are real deals with all four declarers, the prediction is the network's; of each repetition ``solved``
    layouts are looked up. (goals, 2), as stated and with half the error.
    """
    layouts, tables = solved_deals()
    asked = [Question.of((seat, seat.partner), trump=strain.trump) for seat in Seat]
    guesses = np.concatenate([run(TricksEstimator(), layouts, one)["tricks"] for one in asked]).astype(np.float64)
    truth = np.concatenate([tables[:, strain, seat] for seat in Seat])
    rng = np.random.default_rng(5)
    z = []
    for _ in range(repetitions):
        some = rng.integers(len(truth), size=solved)
        one = Corrected(guesses.mean(axis=0), guesses[some], truth[some], np.inf)
        found = [one.at_least(goal) for goal in GOALS]
        z.append([(share - (truth >= goal).mean()) / error for goal, (share, error) in zip(GOALS, found, strict=True)])
    far = np.abs(np.array(z))[..., None]
    return (far < [1, 2]).mean(axis=0), (far < [0.5, 1]).mean(axis=0)


GOALS = (6, 7, 8, 9)
NORMAL = np.array([0.6827, 0.9545])
"""Shares of a normal distribution within one and two standard deviations."""


def covers(strain, repetitions):
    stated, halved = coverage(strain, repetitions)
    margin = 4 * np.sqrt(NORMAL * (1 - NORMAL) / repetitions)
    assert (stated > NORMAL - margin).all()
    assert (halved < NORMAL - margin).any()


def test_the_stated_error_covers_what_the_solver_says_of_all():
    covers(Strain.NT, 200)


@pytest.mark.slow
@pytest.mark.parametrize("strain", Strain)
def test_the_stated_error_covers_in_every_strain(strain):
    covers(strain, 2000)
