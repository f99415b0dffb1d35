"""Annealed particles against exact answers on positions small enough to walk, with a negative control."""

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from bayesbridge.cards import Hand
from bayesbridge.constraints import Constraints
from bayesbridge.engines.enumeration import Enumeration
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.smc import Population, SeatLikelihood, anneal
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.layouts import Masks, high_card_points, suit_lengths

DUMMY_OPEN = (
    Constraints.free()
    .hold(2, Hand.from_pbn("AKQ2.KJ3.A54.Q32").mask)
    .hold(0, Hand.from_pbn("J54.AQ2.KQ76.A76").mask)
    .length(1, 3, 2, 5)
    .hold(3, Hand.of("HT S9 D9").mask)
)


def sharp(seat: int, hands: NDArray[np.uint64]) -> NDArray[np.float64]:
    """East likes clubs, West likes points: strong enough for several degrees."""
    lengths, points = suit_lengths(hands), high_card_points(hands)
    return 2.5 * lengths[:, 0] if seat == 1 else 1.5 * points + 1.6 * lengths[:, 2]


def exact() -> tuple[Masks, Weights]:
    layouts = Enumeration.of(DUMMY_OPEN).stretch(0, 20_000_000)
    return layouts, Weights(sharp(1, layouts[:, 1]) + sharp(3, layouts[:, 3]))


@pytest.fixture(scope="module")
def truth() -> tuple[NDArray[np.float64], float]:
    layouts, weights = exact()
    held = (layouts[:, 3, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).astype(float)
    return weights.W @ held, weights.log_mean


def means(population: Population) -> NDArray[np.float64]:
    return (population.layouts[:, 3, None] >> np.arange(52, dtype=np.uint64) & np.uint64(1)).mean(axis=0)


def runs(likelihood: SeatLikelihood, seats: list[int], n: int = 24) -> list[Population]:
    sampler = Sampler.of(DUMMY_OPEN)
    return [anneal(likelihood, seats, DUMMY_OPEN, sampler, n=500, rng=seed) for seed in range(n)]


def smallest_p(found: list[Population], wanted: NDArray[np.float64]) -> float:
    """Student's t of every card, its error from the spread of the runs, corrected for their number."""
    estimates, particles = np.array([means(one) for one in found]), sum(len(one.layouts) for one in found)
    # Rare cards are no normal deviates: none is asked to be closer than a few independent draws.
    least = np.sqrt(wanted * (1 - wanted).clip(0) / particles) + 1 / particles
    error = np.maximum(estimates.std(axis=0, ddof=1) / np.sqrt(len(found)), least)
    t = np.abs(estimates.mean(axis=0) - wanted) / error
    return float(52 * 2 * stats.t.sf(t.max(), len(found) - 1))


def test_card_probabilities_agree_with_enumeration(truth: tuple[NDArray[np.float64], float]) -> None:
    found = runs(sharp, [1, 3])
    assert all(len(one.exponents) > 1 for one in found), "the evidence must be sharp, or the test shows nothing"
    assert smallest_p(found, truth[0]) > 1e-6


def test_a_wrong_target_is_caught(truth: tuple[NDArray[np.float64], float]) -> None:
    """Negative control: what East told is forgotten."""
    assert smallest_p(runs(sharp, [3]), truth[0]) < 1e-12


def test_the_evidence_is_estimated_within_its_error(truth: tuple[NDArray[np.float64], float]) -> None:
    for one in runs(sharp, [1, 3]):
        assert abs(one.log_soft - truth[1]) < 5.0 * one.log_soft_error


def test_hard_evidence_is_kept() -> None:
    for one in runs(sharp, [1, 3], n=2):
        assert DUMMY_OPEN.allows(one.layouts).all()


def test_same_seed_same_particles_and_fields() -> None:
    sampler = Sampler.of(DUMMY_OPEN)
    one, two = (anneal(sharp, [1, 3], DUMMY_OPEN, sampler, n=200, rng=3) for _ in range(2))
    assert (one.layouts == two.layouts).all()
    assert one.exponents[-1] == 1.0
    assert list(one.exponents) == sorted(one.exponents)
    assert 1.0 <= one.lineages <= 800.0
    assert np.allclose(one.log_likelihood, sharp(1, one.layouts[:, 1]) + sharp(3, one.layouts[:, 3]))


def test_weak_evidence_comes_at_once_and_impossible_evidence_is_refused() -> None:
    sampler = Sampler.of(DUMMY_OPEN)
    weak = anneal(lambda _, hands: 0.01 * high_card_points(hands), [3], DUMMY_OPEN, sampler, n=100, rng=1)
    assert weak.exponents == (1.0,)
    with pytest.raises(Contradiction, match="impossible"):
        anneal(lambda _, hands: np.full(len(hands), -np.inf), [3], DUMMY_OPEN, sampler, n=100, rng=1)
    with pytest.raises(BayesBridgeError, match="1 particles"):
        anneal(sharp, [3], DUMMY_OPEN, sampler, n=1, rng=1)
