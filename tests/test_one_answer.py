"""What is asked in two ways agrees: a belief, deals on demand, and draws weighted by
the bidder's own probabilities.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auctions import simulate_auction
from bayesbridge.game.calls import Vulnerability
from bayesbridge.game.layouts import high_card_points, suit_lengths

SEATS = bb.Seat.W, bb.Seat.N, bb.Seat.E


def numbers(masks):
    """(n, 6) what is compared: points and the longest suit of the three hidden hands."""
    found = [
        (high_card_points(masks[:, seat]), suit_lengths(masks[:, seat]).max(axis=1))
        for seat in SEATS
    ]
    return np.stack([one for pair in found for one in pair], axis=1).astype(float)


def average(values, weights=None):
    """Mean and standard error of columns, of weighted draws too."""
    weights = (
        np.full(len(values), 1 / len(values))
        if weights is None
        else weights / weights.sum()
    )
    mean = weights @ values
    return mean, np.sqrt(np.square(weights) @ np.square(values - mean))


def apart(one, other):
    """By how many standard errors two answers differ."""
    (a, error), (b, other_error) = one, other
    return (a - b) / np.hypot(error, other_error)


def agree(one, other):
    return (np.abs(apart(one, other)) <= 4).all()


def three_answers(seed, draws=800):
    rng = np.random.default_rng(seed)
    cards = rng.permutation(52).reshape(4, 13)
    deal = bb.Deal(
        tuple(bb.Hand(sum(1 << int(card) for card in hand)) for hand in cards)
    )
    bidder = bb.LearnedBidder(Vulnerability.NS)
    whole = simulate_auction(deal, bidder, bb.Seat(seed % 4), dummy=None, rng=rng)
    auction = bb.Auction(whole.first, whole.calls[: 1 + seed % 3])
    south = deal.hands[bb.Seat.S]

    belief = bb.Belief(bb.Seat.S, south, dummy=None, bidder=bidder).given(auction)
    posterior = belief.infer(draws=draws, rng=seed)
    asked = average(numbers(posterior.layouts.masks), posterior.weights)

    dealt = average(
        numbers(
            bb.deals(
                draws // 2, auction, given={"S": south}, bidder=bidder, rng=seed
            ).masks
        )
    )

    plain = bb.deals(5 * draws, given={"S": south}, rng=seed).masks
    log = np.zeros(len(plain))
    for place in range(len(auction.calls)):
        seat = auction.first.next(place)
        hands, partners = plain[:, seat], plain[:, seat.partner]
        shown = bidder.probabilities(
            hands, bb.Auction(auction.first, auction.calls[:place]), partners=partners
        )
        log += np.log(shown[:, auction.calls[place].index])
    weights = np.exp(log - log.max())
    return (
        asked,
        dealt,
        average(numbers(plain), weights),
        weights.sum() ** 2 / (weights**2).sum(),
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_a_belief_and_deals_have_the_distribution_that_the_bidder_gives(seed):
    asked, dealt, weighted, ess = three_answers(seed)
    assert ess > 100
    assert agree(asked, dealt)
    assert agree(asked, weighted)
    assert agree(dealt, weighted)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.* of the draws are kept")
def test_the_same_at_many_positions_and_no_side_prevails():
    """Nor does one way give a seat more points than the other, on average."""
    found = []
    for seed in range(1, 101):
        asked, dealt, weighted, ess = three_answers(seed)
        assert agree(asked, dealt), seed
        assert agree(asked, weighted) or ess < 100, (
            seed
        )  # errors of fewer are themselves in doubt
        found.append(apart(asked, dealt)[0])
    assert abs(np.mean(found)) <= 4 / np.sqrt(len(found))


def test_answers_that_forget_a_call_would_not_agree():
    given, auctions = (
        {"S": "QJ4.KJ3.9542.J32"},
        (bb.Auction.of("W:1C p p"), bb.Auction(bb.Seat.W)),
    )
    asked = [
        average(numbers(bb.deals(300, one, given=given, rng=1).masks))
        for one in auctions
    ]
    assert not agree(*asked)
