"""Annealed particles against exact answers on positions small enough to walk, with a negative control."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray

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


def runs(likelihood: SeatLikelihood, seats: list[int], n: int = 8) -> list[Population]:
    sampler = Sampler.of(DUMMY_OPEN)
    return [anneal(likelihood, seats, DUMMY_OPEN, sampler, n=1000, rng=seed) for seed in range(n)]


def worst_z(found: list[Population], wanted: NDArray[np.float64]) -> float:
    estimates = np.array([means(one) for one in found])
    error = estimates.std(axis=0, ddof=1) / math.sqrt(len(found))
    unsure = error > 0
    assert np.allclose(estimates.mean(axis=0)[~unsure], wanted[~unsure], atol=2e-3)
    return float(np.abs((estimates.mean(axis=0) - wanted)[unsure] / np.maximum(error[unsure], 2e-3)).max())


def test_card_probabilities_agree_with_enumeration(truth: tuple[NDArray[np.float64], float]) -> None:
    found = runs(sharp, [1, 3])
    assert all(len(one.exponents) > 1 for one in found), "the evidence must be sharp, or the test shows nothing"
    assert worst_z(found, truth[0]) < 5.0


def test_a_wrong_target_is_caught(truth: tuple[NDArray[np.float64], float]) -> None:
    """Negative control: what East told is forgotten."""
    assert worst_z(runs(sharp, [3]), truth[0]) > 8.0


def test_the_evidence_is_estimated_within_its_error(truth: tuple[NDArray[np.float64], float]) -> None:
    for one in runs(sharp, [1, 3]):
        assert abs(one.log_soft - truth[1]) < 4.0 * one.log_evidence_error


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
