"""Deals under calls: each way against exact counts or against another way, and what a plan says of it."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

import bayesbridge as bb
from bayesbridge.dealing.plan import CUT, DealPlan, call_draws, first
from bayesbridge.expressions import parse_expression
from tests.dealing.plain_conditions import holds

AUCTION = bb.Auction.of("N:2NT Pass 3NT")


def opens(points):
    return 1 / (1 + np.exp(-1.5 * (points - 23.0)))


def raises(points):
    return 0.8 / (1 + np.exp(-1.0 * (points - 7.0)))


class Points:
    """Opens 2NT and raises by points alone, so that exact counts by points tell the posterior; always passes."""

    def log_likelihood(self, hands, auction, index):
        if str(auction.calls[index]) == "Pass":
            return np.zeros(len(hands))
        points = bb.plugins.high_card_points(hands).astype(float)
        return np.log(opens(points) if index == 0 else raises(points))


def posterior(condition):
    """P(points of North, points of South), exact, and P(calls): counts times likelihoods."""
    counts = DealPlan.of(condition=condition).frequency("hcp(north)", "hcp(south)")
    weights = {(n, s): float(share) * opens(n) * raises(s) for (n, s), share in counts.items()}
    total = sum(weights.values())
    return {pair: weight / total for pair, weight in weights.items()}, total


def agreement(shares, points):
    """p of a χ² test of drawn points of North and South against exact shares; rare pairs are put together."""
    n = len(points)
    drawn = {}
    for north, south in points[:, [0, 2]].tolist():
        drawn[north, south] = drawn.get((north, south), 0) + 1
    common = [pair for pair, share in shares.items() if n * share >= 8]
    seen = [drawn.get(pair, 0) for pair in common]
    wanted = [n * shares[pair] for pair in common]
    seen.append(n - sum(seen))
    wanted.append(n - sum(wanted))
    return chisquare(seen, wanted).pvalue


CONDITIONS = {
    "none": "1",
    "one hand": "spades(north) >= 5",
    "two hands": "hcp(north) + hcp(south) >= 30",
}


@pytest.mark.parametrize("name", CONDITIONS)
def test_tilted_deals_follow_the_exact_posterior(name):
    condition = CONDITIONS[name]
    plan = DealPlan.of(condition=condition).plan
    calls = call_draws(plan, AUCTION, Points(), "tilted")
    found = DealPlan(plan, (), calls).search(1500, 3)
    masks = first(found, 1500)
    shares, chance = posterior(condition)
    assert abs(calls.chance - chance) <= 5 * calls.error
    assert agreement(shares, bb.plugins.high_card_points(masks)) > 1e-6
    assert all(holds(parse_expression(condition), deal) for deal in masks[:200].tolist())
    assert found.rate > min(5 * chance, 0.1)
    assert found.cut <= 10 * CUT


def test_deals_that_are_not_kept_by_their_weight_would_be_noticed():
    plan = DealPlan.of().plan
    calls = call_draws(plan, AUCTION, Points(), "tilted")
    masks, _ = calls.propose(1500, np.random.default_rng(3))
    assert agreement(posterior("1")[0], bb.plugins.high_card_points(masks)) < 1e-6


def test_a_plan_takes_the_plain_way_unless_the_auction_is_rare():
    common = DealPlan.of(bb.Auction.of("N:Pass"), bidder=Points())
    assert common.calls.way == "rejection"
    assert common.calls.chance == pytest.approx(1.0)
    rare = DealPlan.of(AUCTION, bidder=Points())
    assert rare.calls.way == "tilted"
    assert not rare.exact
    assert rare.count is None
    lines = rare.lines()
    assert "Calls N:2NT Pass 3NT: independent deals, drawn where the calls point and kept by their weight" in lines
    assert lines[-1].startswith("  within about 0.")
    assert rare.calls.cut <= 3 * CUT
    assert rare.calls.document()["way"] == "tilted"
    named = call_draws(rare.plan, AUCTION, Points(), "rejection")
    assert abs(named.chance - rare.calls.chance) <= 5 * math.hypot(named.error, rare.calls.error)


def test_the_same_seed_gives_the_same_deals_under_calls():
    plan = DealPlan.of(AUCTION, bidder=Points())
    assert np.array_equal(plan.deals(20, rng=3).masks, plan.deals(60, rng=3).masks[:20])
    assert not np.array_equal(plan.deals(20, rng=3).masks, plan.deals(20, rng=4).masks)


def test_an_auction_that_no_deal_explains_is_drawn_by_rejection():
    class Never:
        def log_likelihood(self, hands, auction, index):
            return np.full(len(hands), -np.inf)

    assert call_draws(DealPlan.of().plan, AUCTION, Never(), "tilted").way == "rejection"
    hopeless = DealPlan.of(AUCTION, bidder=Never())
    assert hopeless.calls.way == "rejection"
    assert len(hopeless.lines()) == 2
    with pytest.raises(bb.BayesBridgeError, match="0 of 1 deals were found in 1000 draws"):
        hopeless.deals(1, rng=1, most=1000)
