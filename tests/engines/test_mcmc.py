"""Swap MCMC against exact posteriors of small positions, and wrong targets that must fail the same tests."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines import mcmc
from bayesbridge.engines.convergence import diagnose
from bayesbridge.engines.mcmc import Kernel, State, init, run, step
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Masks, high_card_points, suit_lengths
from tests.engines.brute_force import all_layouts, p_value, position, tally

POSITION = position("SA SK S4 HQ HJ H5 DT D9 C3 C2", (0, 5, 0, 5)).points(3, 2, 9).length(1, 3, 2, 12)
LAYOUTS = all_layouts(POSITION)
SAMPLER = Sampler.of(POSITION)


def likes_points(layouts: Masks) -> NDArray[np.float64]:
    return 0.3 * high_card_points(layouts)[:, 3] - 0.7 * suit_lengths(layouts)[:, 1, 3].astype(float)


def forbids_odd_clubs(layouts: Masks) -> NDArray[np.float64]:
    """A likelihood with holes: West's clubs must be even in number."""
    return np.where(suit_lengths(layouts)[:, 3, 0] % 2 == 0, likes_points(layouts), -np.inf)


def posterior(likelihood: mcmc.LogLikelihood, exponent: float = 1.0) -> NDArray[np.float64]:
    return Weights(exponent * likelihood(LAYOUTS)).W


def exact_state(kernel: Kernel, chains: int, seed: int) -> State:
    """Every rung distributed exactly as it should be."""
    rng = np.random.default_rng(seed)
    rungs = [
        LAYOUTS[rng.choice(len(LAYOUTS), size=chains, p=posterior(kernel.likelihood, exponent))]
        for exponent in kernel.exponents
    ]
    return State(np.stack(rungs), np.stack([kernel.likelihood(rung) for rung in rungs]))


@pytest.mark.parametrize("likelihood", [likes_points, forbids_odd_clubs])
@pytest.mark.parametrize("ladder", [(1.0,), (1.0, 0.6, 0.3, 0.1)])
def test_a_step_leaves_the_posterior_as_it_is(likelihood: mcmc.LogLikelihood, ladder: tuple[float, ...]) -> None:
    kernel = Kernel.of(likelihood, POSITION, SAMPLER, ladder, swaps=3, fresh=0.2)
    state, rng = exact_state(kernel, 30_000, 1), np.random.default_rng(2)
    for _ in range(4):
        state, info = step(state, kernel, rng)
    assert 0.2 < info.moved[0] < 0.95
    for layouts, exponent in zip(state.layouts, ladder, strict=True):
        assert p_value(tally(layouts, LAYOUTS), posterior(likelihood, exponent)) > 1e-6
    np.testing.assert_array_equal(state.log_likelihood, [likelihood(rung) for rung in state.layouts])


def test_wrong_steps_fail_that_test() -> None:
    rng = np.random.default_rng(3)
    kernel = Kernel.of(likes_points, POSITION, SAMPLER, swaps=3, fresh=0.2)
    ignored = replace(kernel, likelihood=lambda layouts: np.zeros(len(layouts)))
    tempered = replace(kernel, exponents=np.array([0.8]))
    for wrong in (ignored, tempered):
        state = exact_state(kernel, 30_000, 1)
        state = replace(state, log_likelihood=np.stack([wrong.likelihood(rung) for rung in state.layouts]))
        for _ in range(8):
            state, _ = step(state, wrong, rng)
        assert p_value(tally(state.layouts[0], LAYOUTS), posterior(likes_points)) < 1e-9


def test_blind_trades_between_rungs_fail_that_test() -> None:
    kernel = Kernel.of(likes_points, POSITION, SAMPLER, (1.0, 0.2))
    state = exact_state(kernel, 30_000, 5)
    traded = state.layouts.copy()
    traded[:, ::2] = traded[::-1, ::2]
    assert p_value(tally(traded[0], LAYOUTS), posterior(likes_points)) < 1e-9


@pytest.mark.parametrize(
    ("likelihood", "ladder"),
    [(likes_points, (1.0,)), (forbids_odd_clubs, (1.0,)), (forbids_odd_clubs, (1.0, 0.3, 0.0))],
)
def test_chains_come_from_the_prior_to_the_posterior(likelihood: mcmc.LogLikelihood, ladder: tuple[float, ...]) -> None:
    chains = run(likelihood, POSITION, SAMPLER, chains=5000, draws=4, warmup=40, thin=1, rng=4, ladder=ladder)
    # The last draws of different chains are independent, as χ² wants them.
    counts = tally(chains.layouts[:, -1], LAYOUTS)
    assert p_value(counts, posterior(likelihood)) > 1e-6
    assert p_value(counts, np.full(len(LAYOUTS), 1 / len(LAYOUTS))) < 1e-9
    assert np.isfinite(chains.log_likelihood).all()


def test_fresh_layouts_join_what_swaps_cannot() -> None:
    # West and East share two kings and two aces with points pinned down: only a double swap leads on.
    split = position("SA SK HA HK", (0, 2, 0, 2))
    layouts = all_layouts(split)
    points = high_card_points(layouts)[:, 3]
    pinned = split.points(3, int(np.median(points)), int(np.median(points))).length(3, 3, 3, 3)
    layouts = all_layouts(pinned)
    assert len(layouts) == 2
    kernel = Kernel.of(lambda masks: np.zeros(len(masks)), pinned, Sampler.of(pinned))
    stuck, made = kernel.moves.shuffle(layouts, 1000, 1)
    np.testing.assert_array_equal(stuck, layouts)
    assert made == 0
    chains = run(kernel.likelihood, pinned, Sampler.of(pinned), chains=1000, draws=4, warmup=40, rng=1)
    assert p_value(tally(chains.layouts[:, -1], layouts), np.array([0.5, 0.5])) > 1e-6
    with pytest.raises(BayesBridgeError, match="may never be reached"):
        Kernel.of(kernel.likelihood, pinned, Sampler.of(pinned), fresh=0.0)


def test_hard_evidence_holds_at_every_draw() -> None:
    chains = run(likes_points, POSITION, SAMPLER, chains=20, draws=200, warmup=20, rng=7, ladder=(1.0, 0.0))
    assert POSITION.allows(chains.flat()).all()
    assert chains.layouts.shape == (20, 200, 4)
    np.testing.assert_array_equal(chains.log_likelihood.ravel(), likes_points(chains.flat()))


def test_means_agree_with_the_exact_ones_within_the_error_that_ess_gives() -> None:
    chains = run(likes_points, POSITION, SAMPLER, chains=16, draws=500, warmup=100, thin=3, rng=8, fresh=0.05)
    diagnostics = chains.diagnostics()
    assert diagnostics.converged, diagnostics.diagnosis
    assert "worth" in diagnostics.diagnosis
    p = posterior(likes_points)
    exact_points = high_card_points(LAYOUTS)[:, 3].astype(float)
    mean = p @ exact_points
    error = np.sqrt(p @ (exact_points - mean) ** 2 / diagnostics.ess["points W"])
    found = high_card_points(chains.flat())[:, 3].mean()
    assert abs(found - mean) < 4.5 * error
    assert abs(found - exact_points.mean()) > 4.5 * error, "the prior mean would have passed too"


def test_diagnostics_name_what_is_constant_and_what_is_stuck() -> None:
    rng = np.random.default_rng(9)
    quantities = {
        "good": rng.normal(size=(4, 500)),
        "constant": np.ones((4, 500)),
        "stuck": np.repeat(np.arange(4.0)[:, None], 500, axis=1),
        "apart": rng.normal(size=(4, 500)) + np.arange(4)[:, None],
    }
    diagnostics = diagnose(quantities)
    assert diagnostics.constant == ("constant",)
    assert diagnostics.rhat["good"] < 1.01 < 1.1 < diagnostics.rhat["apart"]
    assert diagnostics.rhat["stuck"] == np.inf
    assert diagnostics.ess["good"] > 1000
    assert diagnostics.worst_ess < 50
    assert not diagnostics.converged
    assert "not enough" in diagnostics.diagnosis
    assert "Nothing varies" in diagnose({"constant": np.ones((4, 500))}).diagnosis


def test_warm_up_steers_the_number_of_swaps_and_then_stops() -> None:
    def flat(layouts: Masks) -> NDArray[np.float64]:
        return np.zeros(len(layouts))

    def sharp(layouts: Masks) -> NDArray[np.float64]:
        return 12 * likes_points(layouts)

    bold = run(flat, POSITION, SAMPLER, chains=50, draws=4, warmup=60, rng=1)
    timid = run(sharp, POSITION, SAMPLER, chains=50, draws=4, warmup=60, rng=1)
    assert bold.kernel.swaps[0] == mcmc.MOST_SWAPS
    assert timid.kernel.swaps[0] < 8
    assert run(sharp, POSITION, SAMPLER, chains=50, draws=4, warmup=0, rng=1).kernel.swaps[0] == 16


def test_the_same_seed_gives_the_same_draws() -> None:
    def draws(seed: int) -> Masks:
        return run(likes_points, POSITION, SAMPLER, chains=4, draws=30, warmup=10, rng=seed, ladder=(1, 0.5, 0)).layouts

    np.testing.assert_array_equal(draws(1), draws(1))
    assert (draws(1) != draws(2)).any()


def test_impossible_soft_evidence_says_so() -> None:
    with pytest.raises(Contradiction, match=r"impossible under the model.*slip"):
        run(lambda layouts: np.full(len(layouts), -np.inf), POSITION, SAMPLER, rng=1)


def test_starts_avoid_the_impossible() -> None:
    rare = LAYOUTS[17]

    def only_one(layouts: Masks) -> NDArray[np.float64]:
        return np.where((layouts == rare).all(axis=1), 0.0, -np.inf)

    state = init(Kernel.of(only_one, POSITION, SAMPLER), 5, 1)
    assert (state.layouts == rare).all()


@pytest.mark.parametrize(
    ("likelihood", "message"),
    [
        (lambda layouts: np.full(len(layouts), np.nan), "nan or inf"),
        (lambda layouts: np.full(len(layouts), np.inf), "nan or inf"),
        (lambda _: np.zeros(3), r"shape \(3,\)"),
    ],
    ids=["nan", "inf", "shape"],
)
def test_bad_likelihoods_get_one_line(likelihood: mcmc.LogLikelihood, message: str) -> None:
    with pytest.raises(BayesBridgeError, match=message):
        run(likelihood, POSITION, SAMPLER, chains=4, rng=1)


@pytest.mark.parametrize("ladder", [(), (0.5,), (1.0, 1.0), (1.0, -0.5), (1.0, 0.2, 0.4)])
def test_a_ladder_falls_from_one(ladder: tuple[float, ...]) -> None:
    with pytest.raises(BayesBridgeError, match="fall from 1"):
        Kernel.of(likes_points, POSITION, SAMPLER, ladder)


def test_r_hat_needs_chains() -> None:
    with pytest.raises(BayesBridgeError, match="at least 2 chains of 4 draws"):
        run(likes_points, POSITION, SAMPLER, chains=1, rng=1)


def test_a_known_deal_has_one_draw() -> None:
    known = Constraints.free()
    for seat, text in enumerate(("AKQJT98765432...", ".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432")):
        known = known.hold(seat, Hand.from_pbn(text).mask)
    layouts = np.array([known.must], dtype=np.uint64)
    chains = run(lambda masks: np.zeros(len(masks)), known, Sampler.of(known), chains=2, draws=5, warmup=1, rng=1)
    assert (chains.layouts == layouts[0]).all()
    assert chains.diagnostics().worst_rhat == 1.0
