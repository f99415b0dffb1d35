"""A call that few hands explain: weights that are all equally small must not pass for knowledge."""

import numpy as np
import pytest

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.capture.kernels import bids
from bayesbridge.evidence import Called

BELIEF = Belief("S", "AKQ2.J93.A54.Q32").given(Called("W", "2NT"))


def explained(posterior: Posterior) -> float:
    """P(West's hand is worth just the two that he bid)."""
    total = 0.0
    for masks, weights in posterior.blocks():
        total += float(weights[bids(np.ascontiguousarray(masks[:, 3])).level == 2].sum())
    return total


@pytest.fixture(scope="module")
def truth() -> float:
    return explained(BELIEF.infer("weights", draws=2_000_000, rng=7))


@pytest.mark.parametrize("method", ["auto", "smc"])
def test_few_draws_still_find_the_hands_that_explain_it(method: str, truth: float) -> None:
    posterior = BELIEF.infer(method, draws=1000, rng=1)
    assert truth > 0.2
    assert len(posterior) == 1000
    assert explained(posterior) == pytest.approx(truth, abs=0.12)


def test_plain_weights_of_so_few_draws_miss_them(truth: float) -> None:
    """The trap itself: all that was drawn needs a slip, so all weights are equal and the effective size looks fine."""
    naive = BELIEF.infer("weights", draws=300, rng=1)
    assert explained(naive) < truth / 2
    assert naive.ess > 250
