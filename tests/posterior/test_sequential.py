"""Sequential Monte Carlo against exact posteriors and exact P(evidence) of small positions."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from bayesbridge.cards import Hand
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.counting import count, count_points
from bayesbridge.posterior.layouts import Masks, high_card_points, suit_lengths
from bayesbridge.posterior.sampling import Sampler
from bayesbridge.posterior.sequential import State, init, restrict, unique, update
from bayesbridge.posterior.swaps import LogLikelihood
from bayesbridge.posterior.weights import Weights
from tests.posterior.brute_force import all_layouts, p_value, position, tally

POSITION = position("SA SK S4 HQ HJ H5 DT D9 C3 C2", (0, 5, 0, 5)).length(1, 3, 2, 12)
LAYOUTS = all_layouts(POSITION)
SAMPLER = Sampler.of(POSITION)
SPADE_ACE = Hand.of("SA").mask
WEST_ACE = Constraints.free().hold(3, SPADE_ACE)


def likes_points(layouts: Masks) -> NDArray[np.float64]:
    return 0.3 * high_card_points(layouts)[:, 3].astype(float)


def likes_spades(layouts: Masks) -> NDArray[np.float64]:
    return -1.2 * suit_lengths(layouts)[:, 1, 3].astype(float) - 2.0


def sharp(layouts: Masks) -> NDArray[np.float64]:
    return 2.5 * suit_lengths(layouts)[:, 3, 2].astype(float) + likes_points(layouts)


def forbids_odd_clubs(layouts: Masks) -> NDArray[np.float64]:
    return np.where(suit_lengths(layouts)[:, 3, 0] % 2 == 0, likes_points(layouts), -np.inf)


def exact(likelihoods: tuple[LogLikelihood, ...], constraints: Constraints | None = None) -> Weights:
    """The posterior over ``LAYOUTS``; its log_mean is log P(soft and hard evidence)."""
    total = np.sum([likelihood(LAYOUTS) for likelihood in likelihoods], axis=0)
    return Weights(total if constraints is None else np.where(constraints.allows(LAYOUTS), total, -np.inf))


def equally_weighted(state: State, rng: int, share: int = 5) -> Masks:
    """A fifth of the particles, drawn by weight: copies are rare among them, so they are nearly independent."""
    return state.layouts[state.weights.resample(len(state), rng, "multinomial")[: len(state) // share]]


@pytest.mark.parametrize(
    "likelihoods",
    [
        (likes_points,),
        (likes_points, likes_spades),
        (likes_spades, forbids_odd_clubs, likes_points),
        (sharp,),
        (likes_spades, sharp),
    ],
    ids=lambda pieces: "+".join(piece.__name__ for piece in pieces),
)
def test_particles_stand_for_the_exact_posterior(likelihoods: tuple[LogLikelihood, ...]) -> None:
    state = init(POSITION, SAMPLER, 20_000, 1)
    for seed, likelihood in enumerate(likelihoods):
        state, info = update(state, likelihood, seed)
        assert POSITION.allows(state.layouts).all()
        assert info.unique == unique(state.layouts) == len({row.tobytes() for row in state.layouts})
    truth = exact(likelihoods)
    counts = tally(equally_weighted(state, 3), LAYOUTS)
    assert p_value(counts, truth.W) > 1e-4
    assert p_value(counts, np.full(len(LAYOUTS), 1 / len(LAYOUTS))) < 1e-9
    assert abs(state.log_evidence - truth.log_mean) < 5 * state.log_evidence_error + 1e-9
    possible = state.weights.W > 0
    total = np.sum([likelihood(state.layouts[possible]) for likelihood in likelihoods], axis=0)
    np.testing.assert_allclose(state.log_likelihood[possible], total)


def test_a_wrong_target_fails_that_test() -> None:
    # Rejuvenation that has forgotten the first piece of evidence pulls the particles away from it.
    first, _ = update(init(POSITION, SAMPLER, 20_000, 1), likes_points, 0)
    truth = exact((likes_points, likes_spades)).W
    forgetful = replace(first, likelihoods=(), log_likelihood=np.zeros(len(first)))
    for state, right in ((first, True), (forgetful, False)):
        state, info = update(state, likes_spades, 1, threshold=0.7)
        assert info.resampled
        p = p_value(tally(equally_weighted(state, 3), LAYOUTS), truth)
        assert p > 1e-4 if right else p < 1e-9


def test_the_evidence_estimate_is_unbiased_and_its_error_honest() -> None:
    likelihoods = (likes_spades, sharp, forbids_odd_clubs)
    truth = exact(likelihoods).log_mean
    runs = []
    for seed in range(60):
        state, rng = init(POSITION, SAMPLER, 300, seed), np.random.default_rng(1000 + seed)
        for likelihood in likelihoods:
            state, _ = update(state, likelihood, rng)
        runs.append((math.exp(state.log_evidence - truth), state.log_evidence_error))
    ratio, error = np.array(runs).T
    assert abs(ratio.mean() - 1.0) < 4.5 * ratio.std(ddof=1) / math.sqrt(len(ratio))
    assert 0.4 < error.mean() / np.log(ratio).std(ddof=1) < 1.6
    # The control: leaving out one piece would be seen.
    without = math.exp(exact(likelihoods[:2]).log_mean - truth)
    assert abs(ratio.mean() - without) > 4.5 * ratio.std(ddof=1) / math.sqrt(len(ratio))


@pytest.mark.parametrize("slope", [0.3, 1.0])
def test_three_hidden_hands_agree_with_exact_counts(slope: float) -> None:
    # Soft evidence about West's points alone: counting gives P(evidence) and the mean over all layouts.
    south = Constraints.free().hold(2, Hand.from_pbn("AKQ52.J3.A94.K83").mask)
    sampler, points = Sampler.of(south), np.arange(38)
    ways = np.array(count_points(south, 3), dtype=float)
    truth = Weights(np.log(np.maximum(ways, 1e-300)) + slope * points)
    log_evidence = truth.log_mean + math.log(38) - math.log(sampler.total)
    mean = float(truth.W @ points)
    deviation = math.sqrt(truth.W @ (points - mean) ** 2)

    def strong_west(layouts: Masks) -> NDArray[np.float64]:
        return slope * high_card_points(layouts)[:, 3].astype(float)

    state, info = update(init(south, sampler, 2000, 1), strong_west, 2)
    assert info.unique > 1900
    assert abs(state.log_evidence - log_evidence) < 5 * state.log_evidence_error
    found = float(state.weights.W @ high_card_points(state.layouts)[:, 3])
    assert abs(found - mean) < 5 * deviation / math.sqrt(state.weights.ess)
    prior_mean = float(ways @ points / ways.sum())
    assert abs(found - prior_mean) > 20 * deviation / math.sqrt(state.weights.ess)


def test_mild_evidence_only_weighs_and_sharp_evidence_is_tempered() -> None:
    state = init(POSITION, SAMPLER, 4000, 1)
    mild, info = update(state, likes_points, 2)
    assert (info.resampled, info.exponents) == (False, (1.0,))
    assert math.isnan(info.acceptance)
    assert mild.layouts is state.layouts
    assert info.ess == mild.weights.ess > 2000
    assert info.log_increment == pytest.approx(mild.log_evidence)
    keen, info = update(state, sharp, 2)
    assert info.resampled
    assert 1 < len(info.exponents) < 12
    assert list(info.exponents) == sorted({*info.exponents})
    assert info.exponents[-1] == 1.0
    assert 0.49 * 4000 < info.ess <= 0.51 * 4000
    assert 0.1 < info.acceptance < 0.9
    assert keen.weights.ess > 1900


def test_astronomically_sharp_evidence_still_arrives() -> None:
    state, info = update(init(POSITION, SAMPLER, 500, 1), lambda layouts: 1e13 * sharp(layouts), 2, steps=1)
    best = sharp(LAYOUTS).max()
    assert info.exponents[-1] == 1.0
    np.testing.assert_allclose(sharp(state.layouts[state.weights.W > 0]), best)


def test_later_hard_evidence_leaves_survivors() -> None:
    state, _ = update(init(POSITION, SAMPLER, 20_000, 1), likes_points, 2)
    kept, info = restrict(state, WEST_ACE, 3)
    assert info.resampled
    assert not info.restarted
    assert (kept.layouts[:, 3] & np.uint64(SPADE_ACE)).all()
    truth = exact((likes_points,), WEST_ACE)
    assert p_value(tally(equally_weighted(kept, 4), LAYOUTS), truth.W) > 1e-4
    assert p_value(tally(equally_weighted(state, 4), LAYOUTS), truth.W) < 1e-9, "the ace would not be noticed"
    counted = math.log(count(POSITION & WEST_ACE)) - math.log(count(POSITION))
    assert kept.log_hard == pytest.approx(counted, abs=1e-12)
    assert abs(kept.log_evidence - truth.log_mean) < 5 * kept.log_evidence_error
    assert info.log_increment == pytest.approx(kept.log_evidence - state.log_evidence)
    # Soft evidence goes on afterwards, and swaps never give the ace back.
    kept, _ = update(kept, sharp, 5)
    assert (kept.layouts[:, 3] & np.uint64(SPADE_ACE)).all()
    assert p_value(tally(equally_weighted(kept, 6), LAYOUTS), exact((likes_points, sharp), WEST_ACE).W) > 1e-4


def test_too_few_survivors_begin_anew() -> None:
    # Soft evidence all but excludes what hard evidence then shows.
    pieces = (likes_points, sharp)
    rare = Constraints.free().length(3, 2, 4, 4)
    state = init(POSITION, SAMPLER, 20_000, 1)
    for likelihood in pieces:
        state, _ = update(state, likelihood, 2)
    assert state.weights.W[rare.allows(state.layouts)].sum() < 0.05
    anew, info = restrict(state, rare, 3)
    assert info.restarted
    assert len(anew) == len(state)
    assert rare.allows(anew.layouts).all()
    truth = exact(pieces, rare)
    assert p_value(tally(equally_weighted(anew, 4), LAYOUTS), truth.W) > 1e-4
    assert abs(anew.log_evidence - truth.log_mean) < 5 * anew.log_evidence_error + 1e-9


def test_hard_evidence_alone_is_exact() -> None:
    state, info = restrict(init(POSITION, SAMPLER, 100, 1), WEST_ACE, 2)
    assert state.log_evidence == pytest.approx(math.log(count(POSITION & WEST_ACE) / count(POSITION)), abs=1e-12)
    assert state.log_evidence_error == 0.0
    assert info.restarted
    assert WEST_ACE.allows(state.layouts).all()


def test_hard_evidence_that_all_particles_fulfil_changes_no_particle() -> None:
    def only_with_ace(layouts: Masks) -> NDArray[np.float64]:
        return np.where(layouts[:, 3] & np.uint64(SPADE_ACE), 0.0, -np.inf)

    state, _ = update(init(POSITION, SAMPLER, 3000, 1), only_with_ace, 2, threshold=0.9)
    kept, info = restrict(state, WEST_ACE, 3)
    assert kept.layouts is state.layouts
    assert not info.resampled
    assert info.log_increment == pytest.approx(0.0, abs=1e-12)


def test_evidence_that_cannot_hold_is_a_contradiction() -> None:
    state, _ = update(init(POSITION, SAMPLER, 200, 1), likes_points, 2)
    with pytest.raises(Contradiction):
        restrict(state, Constraints.free().hold(0, SPADE_ACE), 3)
    with pytest.raises(Contradiction, match=r"impossible under the model.*slip"):
        update(state, lambda layouts: np.full(len(layouts), -np.inf), 3)


def test_the_same_seed_gives_the_same_particles() -> None:
    def run(seed: int) -> State:
        rng = np.random.default_rng(seed)
        state, _ = update(init(POSITION, SAMPLER, 500, rng), sharp, rng)
        return restrict(state, WEST_ACE, rng)[0]

    np.testing.assert_array_equal(run(1).layouts, run(1).layouts)
    assert run(1).log_evidence == run(1).log_evidence
    assert (run(1).layouts != run(2).layouts).any()


def test_bad_settings_get_one_line() -> None:
    with pytest.raises(BayesBridgeError, match="1 particles"):
        init(POSITION, SAMPLER, 1, 1)
    with pytest.raises(BayesBridgeError, match="threshold"):
        update(init(POSITION, SAMPLER, 10, 1), likes_points, 1, threshold=1.0)
