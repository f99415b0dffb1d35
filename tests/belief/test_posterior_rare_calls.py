"""A call that few hands explain: weights that are all equally small must not pass for knowledge."""

import math

import numpy as np
import pytest

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.bidders.iterative import IterativeBidder
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


def strong(slip: float) -> Belief:
    """South sees 19 points, and West bids 3NT: one layout in 58 000 explains it."""
    return Belief("S", "AKQ2.KJ3.A54.Q32", bidder=IterativeBidder(slip=slip)).given(Called("W", "3NT"))


EXPLAIN = 1.7179e-5
"""P(West's hand is worth three), counted by exact tables (tests/engines/test_levels.py)."""


@pytest.mark.parametrize("seed", [51, 52, 54])
def test_a_call_without_slips_is_counted_whatever_the_seed(seed: int) -> None:
    found = strong(0.0).infer(draws=500, rng=seed)
    assert found.log_soft == pytest.approx(math.log(EXPLAIN), abs=1e-4)
    assert found.log_evidence_error == 0.0
    layouts = EXPLAIN * found.count()
    assert layouts == pytest.approx(1.45e12, rel=0.01)
    assert found.entropy_bits == pytest.approx(math.log2(layouts), abs=1e-3)
    assert (bids(np.ascontiguousarray(found.layouts.masks[:, 3])).level == 3).all()


def test_a_call_that_was_meant_or_a_slip() -> None:
    """P(it was meant), two ways: by Bayes' rule from the count above, and by the layouts drawn."""
    slip = 1e-4
    belief = strong(slip)
    found = belief.infer(draws=4000, rng=1)
    meant = EXPLAIN * (1.0 - slip) / math.exp(found.log_soft)
    assert meant == pytest.approx(0.861, abs=5e-4)
    share = float((bids(np.ascontiguousarray(found.layouts.masks[:, 3])).level == 3).mean())
    assert abs(share - meant) < 5 * math.sqrt(meant * (1 - meant) / found.ess)
    assert found.entropy_bits < math.log2(found.count())
