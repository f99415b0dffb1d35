"""The conformance kit passes what keeps the contract and fails on each way to break it."""

import numpy as np
import pytest

from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators import registry
from bayesbridge.layouts import high_card_points
from bayesbridge.plugins import check_bidder


class PointCounter:
    """Opens 1NT from twelve points on and passes otherwise, but for a slip; keeps every promise."""

    slip = 0.02

    def __repr__(self):
        return type(self).__name__

    def log_likelihood(self, hands, auction, index):
        return np.log(self.chances(hands, auction, index))

    def chances(self, hands, auction, index):
        legal = type(auction)(auction.first, auction.calls[:index], auction.dummy).legal_calls()
        notrump = next((call for call in legal if str(call) == "1NT"), legal[0])
        bids = high_card_points(hands) >= 12
        meant = np.where(bids, notrump.index, 0) == auction.calls[index].index
        return self.slip / len(legal) + (1 - self.slip) * meant


@pytest.mark.parametrize("players", [3, 4])
def test_a_good_bidder_passes(players):
    check_bidder(PointCounter(), players=players)


class AddsUpToMore(PointCounter):
    def chances(self, hands, auction, index):
        return np.minimum(1.0, 1.5 * super().chances(hands, auction, index))


class LooksAhead(PointCounter):
    def log_likelihood(self, hands, auction, index):
        return super().log_likelihood(hands, auction, len(auction.calls) - 1)


class Random(PointCounter):
    generator = np.random.default_rng(1)

    def chances(self, hands, auction, index):
        return super().chances(hands, auction, index) * self.generator.uniform(0.9999, 1.0, len(hands)) ** 10


class Writes(PointCounter):
    def log_likelihood(self, hands, auction, index):
        found = super().log_likelihood(hands, auction, index)
        hands.sort()
        return found


class NotANumber(PointCounter):
    def chances(self, hands, auction, index):
        return np.where(hands == hands.max(initial=0), np.nan, super().chances(hands, auction, index))


class Raises(PointCounter):
    def chances(self, hands, auction, index):
        raise KeyError("7NT")


class SaysTwoThings(PointCounter):
    def probabilities(self, hands, auction):
        chances = np.zeros((len(hands), 38))
        chances[:, 0] = 1.0
        return chances


@pytest.mark.parametrize(
    ("broken", "says"),
    [
        (AddsUpToMore, "the chances of the 36 legal calls add up to 1.0"),
        (LooksAhead, "a later call changes the answer"),
        (Random, "the second run differs from the first"),
        (Writes, "it changed the hands it was given: copy before you write"),
        (NotANumber, "a log likelihood of nan"),
        (Raises, "KeyError on 60 hands: '7NT'"),
        (SaysTwoThings, "probabilities and log_likelihood say different things"),
    ],
)
def test_each_broken_promise_is_found(broken, says):
    with pytest.raises(PluginError, match=says) as caught:
        check_bidder(broken())
    assert f"bidder {broken.__name__}, auction 'S:" in str(caught.value)
    assert "\n" not in str(caught.value)


class BetterHalf(PointCounter):
    """Opens with the better half of the hands it is given, so that a hand alone always opens."""

    def chances(self, hands, auction, index):
        passes = np.argsort(np.argsort(hands)) < len(hands) // 2
        legal = type(auction)(auction.first, auction.calls[:index], auction.dummy).legal_calls()
        return np.where(passes, legal[0] == auction.calls[index], legal[-1] == auction.calls[index]) + 1e-300


def test_a_hand_stands_for_itself_in_any_order():
    with pytest.raises(PluginError, match="a batch differs from its hands one by one"):
        check_bidder(BetterHalf())


def test_what_is_no_bidder_and_no_game_is_said():
    with pytest.raises(PluginError, match="7 is no bidder model"):
        check_bidder(7)
    with pytest.raises(PluginError, match="is no bidder model"):
        check_bidder(PointCounter)
    with pytest.raises(BayesBridgeError, match="5 players: the game has 3 or 4"):
        check_bidder(PointCounter(), players=5)


def test_every_bidder_offered_conforms():
    for name, bidder in registry.load().bidders.items():
        check_bidder(bidder, players=4 if name == "learned" else 3, hands=20)


def test_experts_know_the_game_of_four_alone():
    check_bidder(LearnedBidder("All"), players=4, hands=10)
    with pytest.raises(PluginError, match="auction 'S:': BayesBridgeError on 10 hands"):
        check_bidder(LearnedBidder(), hands=10)
