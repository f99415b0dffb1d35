"""Enumeration weighs by Bayes' rule."""

import math

import numpy as np
import pytest

from bayesbridge import Hand, Seat
from tests.engines.test_agreement import QUESTIONS, asked


@pytest.mark.parametrize("name", QUESTIONS)
def test_enumeration_weighs_by_bayes_rule(name):
    """Weights of single layouts are products of likelihoods, normalised over all."""
    belief = asked(name)
    exact = belief.infer("enumerate")
    auction = belief.auction
    assert auction is not None
    masks = exact.layouts.masks
    likelihood = np.ones(len(masks))
    for index, (seat, _) in enumerate(auction):
        if seat != belief.observer:
            likelihood *= np.exp(
                belief.bidder.log_likelihood(masks[:, seat].copy(), auction, index)
            )
    np.testing.assert_allclose(exact.weights, likelihood / likelihood.sum(), rtol=1e-9)
    assert exact.log_marginal == pytest.approx(math.log(likelihood.mean()), abs=1e-9)
    W = exact.weights[exact.weights > 0]
    assert exact.entropy_bits == pytest.approx(float(-(W * np.log2(W)).sum()), abs=1e-6)
    ace = exact.card_probabilities().sel(card="DQ").values
    direct = [
        exact.weights[(masks[:, seat] & np.uint64(Hand.of("DQ").mask)) != 0].sum()
        for seat in Seat
    ]
    np.testing.assert_allclose(ace, direct, atol=1e-12)
