"""A call that few hands explain: weights that are all equally small must not pass for knowledge."""

import math

import numpy as np
import pytest

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.capture.kernels import bids
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import TooFewDraws
from bayesbridge.evidence import Called

BELIEF = Belief("S", "AKQ2.J93.A54.Q32").given(Called("W", "2NT"))


def explained(posterior: Posterior) -> float:
    """P(West's hand is worth just the two that he bid)."""
    total = 0.0
    for masks, weights in posterior.blocks():
        total += float(weights[bids(np.ascontiguousarray(masks[:, 3])).level == 2].sum())
    return total


@pytest.fixture(scope="module")
def truth() -> tuple[float, float]:
    """P(explained), and how many independent draws it is worth."""
    posterior = BELIEF.infer("weights", draws=2_000_000, rng=7)
    return explained(posterior), posterior.ess


@pytest.mark.parametrize("method", ["auto", "smc"])
def test_few_draws_still_find_the_hands_that_explain_it(method: str, truth: tuple[float, float]) -> None:
    posterior = BELIEF.infer(method, draws=1000, rng=1)
    p, ess = truth
    assert p > 0.4
    assert len(posterior) == 1000
    assert posterior.ess > 100
    assert abs(explained(posterior) - p) < 5 * math.sqrt(p * (1 - p) * (1 / posterior.ess + 1 / ess))


def test_plain_weights_of_so_few_draws_miss_them_and_refuse() -> None:
    """The trap itself: all that was drawn needs a slip, so all weights are equal and the effective size looks fine."""
    masks = BELIEF.target.sampler.draw(300, 1)
    assert Weights(BELIEF.target.soft.of_layouts(masks)).ess == pytest.approx(300)
    for seed in range(30):
        with pytest.raises(TooFewDraws, match=r'300 uniform draws .* use method="auto"'):
            BELIEF.infer("weights", draws=300, rng=seed)
