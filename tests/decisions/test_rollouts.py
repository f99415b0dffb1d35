"""Roll-outs are auctions bid call by call, each seat by its own hand."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.decisions.rollouts import Rollouts
from bayesbridge.game.calls import CALLS
from tests.deals import deal_masks


def plain_end(auction, layout, bidders):
    """The contract that ends an auction, with no tree and no batch."""
    while auction.turn is not None:
        seat = auction.turn
        hand = np.array([layout[seat]], np.uint64)
        chances = call_probabilities(bidders[seat], hand, auction)[0]
        auction = auction.after(CALLS[int(chances.argmax())])
    return auction.contract


EXPERTS = bb.LearnedBidder("EW")
MIXED = {
    bb.Seat.N: bb.SystemBidder("acol", EXPERTS),
    bb.Seat.E: bb.IterativeBidder(suits=True),
    bb.Seat.S: EXPERTS,
    bb.Seat.W: bb.LearnedBidder(),
}


@pytest.mark.parametrize("bidders", [dict.fromkeys(bb.Seat, EXPERTS), MIXED])
@pytest.mark.parametrize("begun", ["S:", "E:1H", "W:1NT Pass 2C Pass 2D X"])
def test_an_end_is_that_of_the_auction_bid_call_by_call(bidders, begun):
    auction = bb.Auction.four(begun[0]).after_all(begun[2:])
    layouts = deal_masks(12, 4)
    calls = auction.legal_calls()[:3]
    rollouts = Rollouts(auction, bidders)
    ends = rollouts.ends(layouts, calls, np.random.default_rng(1))
    for row, layout in enumerate(layouts):
        for column, call in enumerate(calls):
            expected = plain_end(auction.after(call), layout, bidders)
            assert rollouts.contract(ends[row, column]) == expected


def test_with_three_players_the_dummy_does_not_call():
    auction = bb.Auction.three("S")
    bidders = dict.fromkeys(auction.bidders, bb.IterativeBidder())
    layouts = deal_masks(30, 5)
    rollouts = Rollouts(auction, bidders)
    ends = rollouts.ends(layouts, [bb.Call.of("Pass")], np.random.default_rng(1))
    for row, layout in enumerate(layouts):
        expected = plain_end(auction.after("Pass"), layout, bidders)
        assert rollouts.contract(ends[row, 0]) == expected


def test_an_auction_that_the_call_ends_is_not_bid_on():
    auction = bb.Auction.of("W:1NT Pass Pass")
    bidders = dict.fromkeys(bb.Seat, EXPERTS)
    rollouts = Rollouts(auction, bidders)
    calls = [bb.Call.of("Pass"), bb.Call.of("X")]
    ends = rollouts.ends(deal_masks(9, 6), calls, np.random.default_rng(1))
    assert {str(rollouts.contract(end)) for end in ends[:, 0]} == {"1NT by W"}
    assert (ends[:, 1] != ends[0, 0]).all()


class OwnHandsOnly:
    """A bidder that notes the hands it is shown, and passes."""

    def __init__(self):
        self.hands = set()

    def log_likelihood(self, hands, auction, index):
        raise NotImplementedError

    def probabilities(self, hands, auction):
        self.hands |= {(auction.turn, int(hand)) for hand in hands}
        return np.tile(np.eye(38)[0], (len(hands), 1))


def test_a_seat_sees_its_own_hand_alone():
    layouts = deal_masks(20, 7)
    bidder = OwnHandsOnly()
    auction = bb.Auction.four("S")
    rollouts = Rollouts(auction, dict.fromkeys(bb.Seat, bidder))
    rollouts.ends(layouts, [bb.Call.of("1H")], np.random.default_rng(1))
    hands = set()
    for seat in (bb.Seat.W, bb.Seat.N, bb.Seat.E):
        hands |= {(seat, int(hand)) for hand in layouts[:, seat]}
    assert bidder.hands == hands


def test_sampled_calls_come_as_often_as_their_chances():
    auction = bb.Auction.of("S:1H Pass")
    layouts = np.repeat(deal_masks(1, 8), 4000, axis=0)
    bidders = dict.fromkeys(bb.Seat, EXPERTS)
    rollouts = Rollouts(auction, bidders, "sampled")
    call = bb.Call.of("2H")
    ends = rollouts.ends(layouts, [call], np.random.default_rng(1))[:, 0]
    after = auction.after(call)
    hand = layouts[:1, after.turn]
    chances = EXPERTS.probabilities(np.ascontiguousarray(hand), after)[0]
    made = [rollouts.tree.auction(end).calls[len(after.calls)].index for end in ends]
    shares = np.bincount(made, minlength=38) / len(made)
    errors = np.sqrt(chances * (1 - chances) / len(made))
    assert (np.abs(shares - chances) <= 5 * errors + 5 / len(made)).all()
    assert len(set(made)) > 1
