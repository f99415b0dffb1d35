"""Log weights: normalised, measured, diagnosed and resampled; errors told by batches."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge.engines.weights import Batches, Weights, standard_error, stretches_of
from bayesbridge.errors import Contradiction

log_weights = st.lists(
    st.floats(-800, 800) | st.just(-np.inf), min_size=1, max_size=60
).filter(lambda values: max(values) > -np.inf)


@given(log_weights)
def test_normalised_weights_sum_to_one_and_ess_lies_between_one_and_n(values):
    weights = Weights(values)
    assert weights.W.sum() == pytest.approx(1.0)
    assert (weights.W >= 0).all()
    assert weights.ess >= 1.0 - 1e-12
    assert weights.ess <= len(values)


def test_figures_equal_the_plain_formulas():
    w = np.random.default_rng(1).exponential(size=200)
    weights = Weights(np.log(w))
    assert weights.ess == pytest.approx(w.sum() ** 2 / (w**2).sum())
    assert weights.log_mean == pytest.approx(np.log(w.mean()))
    assert weights.log_mean_error() == pytest.approx(
        w.std(ddof=1) / w.mean() / np.sqrt(200)
    )
    # Equal weights are no proof.
    assert Weights(np.zeros(50)).log_mean_error() == 1 / 50


def test_huge_ranges_neither_overflow_nor_vanish():
    assert Weights([-1e300, -1e6, -1e6]).W.tolist() == [0.0, 0.5, 0.5]
    assert Weights([1e5, 0.0]).log_mean == pytest.approx(1e5 - np.log(2))


def test_impossible_soft_evidence_says_so_and_offers_the_slip():
    with pytest.raises(
        Contradiction, match=r"impossible under the model.*slip"
    ) as caught:
        Weights(np.full(7, -np.inf))
    assert caught.value.data["draws"] == 7


def test_khat_finds_the_tail_that_was_put_in():
    # w = u^(-k) has a Pareto tail of shape k, and the wrong sign (a bounded tail) would
    # give a k̂ far below.
    rng = np.random.default_rng(3)
    n = 200_000
    for k in (0.3, 0.6, 1.0):
        khat = Weights(-k * np.log(rng.random(n))).khat
        # The largest 3 √n weights are fitted, and of m draws the shape is known up to
        # (1 + k) / √m.
        assert khat == pytest.approx(k, abs=4.5 * (1 + k) / np.sqrt(3 * np.sqrt(n)))
    bounded = Weights(np.log(rng.random(20_000))).khat
    assert bounded is not None
    assert bounded < 0


def test_khat_is_that_of_arviz():
    from arviz_stats.base import array_stats

    rng = np.random.default_rng(4)
    for log in (
        rng.normal(0, 1, 1000),
        rng.normal(0, 3, 5000),
        -0.8 * np.log(rng.random(300)),
    ):
        # ArviZ takes log likelihoods that are left out, so minus the log weights, and
        # divides by the largest.
        assert Weights(log).khat == pytest.approx(
            float(array_stats.psislw(-(log - log.max()))[1]), abs=2e-3
        )


def test_khat_of_tied_weights():
    """Equal weights have none.

    Where layouts share their weight the tail is still judged.
    """
    equal = np.zeros(1000)
    few = np.r_[np.zeros(3), np.full(997, -np.inf)]
    too_few = np.arange(10.0)
    for log_weights in (equal, few, too_few):
        assert Weights(log_weights).khat is None
    assert Weights(np.repeat([0.0, -1.0], 500)).khat < 0
    heavy = np.repeat(-1.0 * np.log(np.random.default_rng(1).random(5000)), 4)
    assert Weights(heavy).khat > 0.7


def test_systematic_takes_floor_or_ceiling_and_never_a_dead_draw():
    rng = np.random.default_rng(5)
    weights = Weights(np.where(rng.random(300) < 0.3, -np.inf, rng.normal(0, 2, 300)))
    for seed in range(50):
        chosen = weights.resample(1000, seed)
        copies = np.bincount(chosen, minlength=300)
        assert (np.diff(chosen) >= 0).all()
        assert (copies >= np.floor(1000 * weights.W - 1e-9)).all()
        assert (copies <= np.ceil(1000 * weights.W + 1e-9)).all()
        assert not copies[np.isneginf(weights.log)].any()


@pytest.mark.parametrize("method", ["systematic", "multinomial"])
def test_resampling_is_unbiased(method):
    weights = Weights(np.log([0.05, 0.15, 0.3, 0.5]))
    rng = np.random.default_rng(6)
    total = np.zeros(4)
    for _ in range(20_000):
        total += np.bincount(weights.resample(3, rng, method), minlength=4)
    mean = total / 20_000
    sigma = np.sqrt(3 * weights.W * (1 - weights.W) / 20_000)
    assert (np.abs(mean - 3 * weights.W) < 5 * sigma).all()
    assert (np.abs(mean - 0.75) > 5 * sigma).any(), (
        "equal weights would have passed too"
    )


RUNS = 400
AGREES = 5 * np.sqrt(2.4 / RUNS)
"""Five standard errors of the mean square of RUNS deviations; their tails are those of
Student's t.
"""


def test_stretches_of_a_chain_count_its_autocorrelation():
    rng = np.random.default_rng(1)
    n = 624
    correlation = 0.7
    z_by_stretches = []
    z_by_draws = []
    for _ in range(RUNS):
        noise = rng.standard_normal((2, n)) * np.sqrt(1 - correlation**2)
        chain = np.empty((2, n))
        chain[:, 0] = rng.standard_normal(2)
        for i in range(1, n):
            chain[:, i] = correlation * chain[:, i - 1] + noise[:, i]
        ess = 2 * n * (1 - correlation) / (1 + correlation)
        mean = chain.mean()
        stretches = chain.reshape(2 * stretches_of(2, ess), -1)
        z_by_stretches.append(mean / standard_error(stretches.mean(axis=1) - mean))
        z_by_draws.append(mean / (chain.std() / np.sqrt(2 * n)))
    # Stretches of finite length hang together a little: their error is too small by
    # some
    # percent.
    assert -AGREES < np.mean(np.square(z_by_stretches)) - 1 < AGREES + 0.2
    assert np.mean(np.square(z_by_draws)) > 1.2 + AGREES, (
        "independent draws would have a smaller error"
    )


def test_batches_that_vary_together_move_an_answer_together():
    rng = np.random.default_rng(2)
    row = rng.integers(0, 5, 300)
    values = rng.standard_normal(300)
    truth = np.array([1.0, 2.0, 0.5, 1.5, 3.0])
    exact = (truth[row] * values).sum() / truth[row].sum()
    z = []
    for _ in range(RUNS):
        table = truth * (1 + 0.2 * rng.standard_normal((32, 5)))
        weights = table.mean(axis=0)[row]
        weights /= weights.sum()
        mean = weights @ values
        batches = Batches.of(table, row, drawn=False)
        np.testing.assert_allclose(batches.moved(np.ones(300), weights).mean(), 1.0)
        error = standard_error(batches.moved(values - mean, weights))
        z.append((mean - exact) / error)
    assert abs(np.mean(np.square(z)) - 1) < AGREES
