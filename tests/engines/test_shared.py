"""A style that partners share: the calls of both weighed together, by every engine alike."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.learned import AVERAGE, STYLE, LearnedBidder, PairStyle
from bayesbridge.layouts import high_card_points

AUCTION = bb.Auction.of("E:1C Pass 1D Pass 1NT Pass Pass Pass")
EVIDENCE = (
    AUCTION,
    bb.Reveal("N", "T9853.T42.87.986"),
    bb.Holds("E", "SK HQ H5 DA DJ D6 CQ C5"),
    bb.Holds("W", "S4 HJ H8 H3 DK D3 C7 C4"),
)


def belief(style: PairStyle | None = AVERAGE) -> bb.Belief:
    """South, who sees North's cards and sixteen of the others': 252 layouts are left."""
    return bb.Belief("S", "QJ72.976.T952.J2", dummy=None, bidder=LearnedBidder(style=style)).given(*EVIDENCE)


@pytest.fixture(scope="module")
def exact() -> bb.Posterior:
    return belief().infer("enumerate")


def test_the_likelihood_is_a_sum_over_styles_of_the_product_of_all_calls(exact):
    points, log_weights = AVERAGE.points()
    masks = exact.layouts.masks
    assert len(masks) == 252
    total = np.zeros(len(masks))
    for point, log_weight in zip(points, log_weights, strict=True):
        known = PairStyle("", point[:STYLE].astype(np.float64), 1e-12 * np.eye(STYLE))
        bidder = LearnedBidder(style={"EW": known})
        log = np.full(len(masks), log_weight)
        for index, (seat, _) in enumerate(AUCTION):
            if seat in (bb.Seat.E, bb.Seat.W):
                log += bidder.log_likelihood(np.ascontiguousarray(masks[:, seat]), AUCTION, index)
        total += np.exp(log)
    np.testing.assert_allclose(exact.weights, total / total.sum(), rtol=2e-4)


def test_partners_are_tied_by_it(exact):
    """A strong club and a weak answer go together: without a shared style the posterior is another."""
    plain = belief(None).infer("enumerate")
    assert np.abs(exact.weights - plain.weights).sum() > 0.02


@pytest.mark.parametrize("method", ["tilted", "smc"])
def test_samplers_find_the_exact_answer(exact, method):
    found = belief().infer(method, draws=3000, rng=5)
    values = [high_card_points(np.ascontiguousarray(one.layouts.masks[:, bb.Seat.E])) for one in (exact, found)]
    truth, mean = exact.weights @ values[0], found.weights @ values[1]
    spread = np.sqrt(exact.weights @ (values[0] - truth) ** 2)
    assert abs(mean - truth) < 4 * spread / np.sqrt(found.ess)


def test_own_calls_move_nothing():
    own = bb.Belief("E", "AKQ2.KJ3.A54.Q32", dummy=None).given(bb.Auction.of("E:1C"))
    assert own.effect(own.evidence[0]) == "none"
    assert not own.target.soft


def test_a_style_known_for_certain_is_its_mean():
    sure = PairStyle("A+B", np.linspace(-1, 1, STYLE), 1e-12 * np.eye(STYLE), 9)
    posterior = belief(sure).infer("enumerate")
    masks = posterior.layouts.masks
    bidder = LearnedBidder(style=sure)
    log = sum(
        bidder.log_likelihood(np.ascontiguousarray(masks[:, seat]), AUCTION, index)
        for index, (seat, _) in enumerate(AUCTION)
        if seat in (bb.Seat.E, bb.Seat.W)
    )
    weights = np.exp(log - log.max())
    np.testing.assert_allclose(posterior.weights, weights / weights.sum(), rtol=2e-4)
