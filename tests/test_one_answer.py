"""Three ways to ask the same thing agree.

They are a belief, deals on demand, and draws weighted by the bidder's probabilities.
"""

from itertools import chain

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.layouts import high_card_points, suit_lengths
from tests.deals import random_deal

SEATS = bb.Seat.W, bb.Seat.N, bb.Seat.E


def numbers(masks):
    """(n, 6) what is compared: points and the longest suit of the three hidden hands."""
    points_and_longest = [
        (high_card_points(masks[:, seat]), suit_lengths(masks[:, seat]).max(axis=1))
        for seat in SEATS
    ]
    columns = list(chain.from_iterable(points_and_longest))
    return np.stack(columns, axis=1).astype(float)


def average(values, weights=None):
    """Mean and standard error of columns, of weighted draws too."""
    weights = (
        np.full(len(values), 1 / len(values))
        if weights is None
        else weights / weights.sum()
    )
    mean = weights @ values
    return mean, np.sqrt(np.square(weights) @ np.square(values - mean))


def apart(average_and_error, other_average_and_error):
    """By how many standard errors two answers differ."""
    (a, error) = average_and_error
    (b, other_error) = other_average_and_error
    return (a - b) / np.hypot(error, other_error)


def agree(average_and_error, other_average_and_error):
    return (np.abs(apart(average_and_error, other_average_and_error)) <= 4).all()


def three_answers(seed, draws=800):
    """Averages by a belief, by deals on demand, by weighted draws; the last's ESS."""
    rng = np.random.default_rng(seed)
    deal = random_deal(rng)
    bidder = bb.LearnedBidder(Vulnerability.NS)
    full_auction = simulate_auction(
        deal, bidder, bb.Seat(seed % 4), dummy=None, rng=rng
    )
    auction = bb.Auction(full_auction.first, full_auction.calls[: 1 + seed % 3])
    south = deal.hands[bb.Seat.S]

    belief = bb.Belief(bb.Seat.S, south, dummy=None, bidder=bidder).given(auction)
    posterior = belief.infer(draws=draws, rng=seed)
    believed = average(numbers(posterior.layouts.masks), posterior.weights)

    dealt = average(
        numbers(
            bb.deals(
                draws // 2, auction, given={"S": south}, bidder=bidder, rng=seed
            ).masks
        )
    )

    any_deals = bb.deals(5 * draws, given={"S": south}, rng=seed).masks
    weights = likelihood_weights(any_deals, auction, bidder)
    return (
        believed,
        dealt,
        average(numbers(any_deals), weights),
        weights.sum() ** 2 / (weights**2).sum(),
    )


def likelihood_weights(masks, auction, bidder):
    """(n,) probabilities of the calls for each deal, relative to the largest."""
    log_likelihood = np.zeros(len(masks))
    for place, call in enumerate(auction.calls):
        seat = auction.first.next(place)
        chances = bidder.probabilities(
            masks[:, seat],
            bb.Auction(auction.first, auction.calls[:place]),
            partners=masks[:, seat.partner],
        )
        log_likelihood += np.log(chances[:, call.index])
    return np.exp(log_likelihood - log_likelihood.max())


@pytest.mark.parametrize("seed", [1, 2])
def test_a_belief_and_deals_have_the_distribution_that_the_bidder_gives(seed):
    believed, dealt, weighted, ess = three_answers(seed)
    assert ess > 100
    assert agree(believed, dealt)
    assert agree(believed, weighted)
    assert agree(dealt, weighted)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* of the draws are kept")
def test_the_same_at_many_positions_and_no_side_prevails():
    """Nor does one way give a seat more points than the other, on average."""
    differences = []
    for seed in range(1, 101):
        believed, dealt, weighted, ess = three_answers(seed)
        assert agree(believed, dealt), seed
        # With fewer effective draws the errors are themselves in doubt.
        assert agree(believed, weighted) or ess < 100, seed
        differences.append(apart(believed, dealt)[0])
    assert abs(np.mean(differences)) <= 4 / np.sqrt(len(differences))


def test_answers_that_forget_a_call_would_not_agree():
    south = {"S": "QJ4.KJ3.9542.J32"}
    auctions = (bb.Auction.of("W:1C p p"), bb.Auction(bb.Seat.W))
    averages = [
        average(numbers(bb.deals(300, auction, given=south, rng=1).masks))
        for auction in auctions
    ]
    assert not agree(*averages)
