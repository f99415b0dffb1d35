"""Simulated auctions, and mixtures of models."""

import numpy as np
import pytest
from scipy import stats

from bayesbridge import Auction, BayesBridgeError, Hand, Seat, StyleBidder
from bayesbridge.bidders.auctions import MixtureBidder, sample_call, simulate_auction
from bayesbridge.bidders.iterative import IterativeBidder
from tests.deals import random_deal

HAND = "AKQ52.J3.A94.K83"


def test_calls_are_drawn_with_their_chances():
    auction = Auction.three("S")
    rng = np.random.default_rng(1)
    style = StyleBidder(slip=0.0)
    drawn = np.bincount(
        [sample_call(style, HAND, auction, rng).index for _ in range(2000)],
        minlength=38,
    )
    expected = style.probabilities(
        np.array([Hand.of(HAND).mask], dtype=np.uint64), auction
    )[0]
    often = expected > 0.005
    observed = [*drawn[often], drawn[~often].sum()]
    assert (
        stats.chisquare(
            observed, 2000 * np.array([*expected[often], expected[~often].sum()])
        ).pvalue
        > 1e-6
    )
    # A negative control: another temperature is told apart.
    hotter = StyleBidder(temperature=1.4, slip=0.0)
    wrong = hotter.probabilities(
        np.array([Hand.of(HAND).mask], dtype=np.uint64), auction
    )[0]
    assert (
        stats.chisquare(
            observed, 2000 * np.array([*wrong[often], wrong[~often].sum()])
        ).pvalue
        < 1e-9
    )


def test_whole_auctions_are_over_and_repeat_with_their_seed():
    for number in range(10):
        deal = random_deal(np.random.default_rng([2, number]))
        auction = simulate_auction(deal, StyleBidder(), first="W", rng=number)
        assert auction.is_over
        assert auction.bidders == (Seat.W, Seat.E, Seat.S)
        assert auction == simulate_auction(
            deal, dict.fromkeys(Seat, StyleBidder()), first="W", rng=number
        )
    assert (
        simulate_auction(deal, StyleBidder(), dummy=None, first="N", rng=1).dummy
        is None
    )


def test_an_auction_goes_on_from_every_call_of_it():
    """Bidders that leave nothing to chance end every beginning in the same way."""
    rng = np.random.default_rng(2)
    model = IterativeBidder(suits=True, slip=0.0)
    for _ in range(20):
        deal = random_deal(rng)
        complete = simulate_auction(deal, model, "E", "W")
        for calls in range(len(complete.calls) + 1):
            begun = Auction(complete.first, complete.calls[:calls], complete.dummy)
            assert simulate_auction(deal, model, auction=begun) == complete


def test_calls_that_were_made_stay_and_four_bid_on():
    begun = Auction.of("W:1H X 2H")
    deal = random_deal(np.random.default_rng(3))
    auction = simulate_auction(deal, StyleBidder(), auction=begun, rng=1)
    assert auction.calls[:3] == begun.calls
    assert auction.dummy is None
    assert auction.is_over


def test_a_mixture_sums_its_models_out_over_a_whole_auction(random_hands):
    models = StyleBidder(-1.0), StyleBidder(0.0, 1.0), StyleBidder(1.5, 0.0, 0.5)
    mixture = MixtureBidder(models)
    auction = Auction.of("S:1H 1NT Pass 2D Pass Pass", dummy="N")
    own_calls = (0, 3)
    hands = random_hands[:100]

    def total(model):
        return sum(model.log_likelihood(hands, auction, index) for index in own_calls)

    by_model = [total(model) for model in models]
    expected = np.log(np.mean(np.exp(by_model), axis=0))
    log_likelihood = sum(
        mixture.log_likelihood(hands, auction, index) for index in own_calls
    )
    np.testing.assert_allclose(log_likelihood, expected)
    # One call at a time, each model as likely as at first, is something else.
    apart = np.zeros(len(hands))
    for index in own_calls:
        logs = [model.log_likelihood(hands, auction, index) for model in models]
        apart += np.log(np.mean(np.exp(logs), axis=0))
    assert np.abs(apart - expected).max() > 0.01
    with pytest.raises(BayesBridgeError, match="no bidders"):
        MixtureBidder(())
