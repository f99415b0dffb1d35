"""Weights that are estimates: the error that batches tell is the error from run to run."""

import numpy as np

from bayesbridge.engines.weights import Batches, standard_error, stretches_of

RUNS = 400
AGREES = 5 * np.sqrt(2.4 / RUNS)
"""Five standard errors of the mean square of RUNS deviations; their tails are those of Student's t."""


def test_stretches_of_a_chain_count_its_autocorrelation():
    rng, n, slow = np.random.default_rng(1), 624, 0.7
    away, naive = [], []
    for _ in range(RUNS):
        noise = rng.standard_normal((2, n)) * np.sqrt(1 - slow**2)
        chain = np.empty((2, n))
        chain[:, 0] = rng.standard_normal(2)
        for i in range(1, n):
            chain[:, i] = slow * chain[:, i - 1] + noise[:, i]
        ess = 2 * n * (1 - slow) / (1 + slow)
        u, mean = chain.ravel(), chain.mean()
        error = standard_error(chain.reshape(2 * stretches_of(2, ess), -1).mean(axis=1) - mean)
        away.append(mean / error)
        naive.append(mean / (u.std() / np.sqrt(2 * n)))
    # Stretches of finite length hang together a little: their error is too small by some percent.
    assert -AGREES < np.mean(np.square(away)) - 1 < AGREES + 0.2
    assert np.mean(np.square(naive)) > 1.2 + AGREES, "independent draws would have a smaller error"


def test_batches_that_vary_together_move_an_answer_together():
    rng = np.random.default_rng(2)
    row, values = rng.integers(0, 5, 300), rng.standard_normal(300)
    truth = np.array([1.0, 2.0, 0.5, 1.5, 3.0])
    exact = (truth[row] * values).sum() / truth[row].sum()
    away = []
    for _ in range(RUNS):
        table = truth * (1 + 0.2 * rng.standard_normal((32, 5)))
        weights = table.mean(axis=0)[row]
        weights /= weights.sum()
        mean = weights @ values
        batches = Batches.of(table, row, drawn=False)
        np.testing.assert_allclose(batches.moved(np.ones(300), weights).mean(), 1.0)
        away.append((mean - exact) / standard_error(batches.moved(values - mean, weights)))
    assert abs(np.mean(np.square(away)) - 1) < AGREES
