"""Which suit 4NT asks about, and which calls show controls."""

import pytest

import bayesbridge as bb
from bayesbridge.bidders.slam_calls import asked_trump, controlled_suit
from bayesbridge.game.calls import Call

START = bb.Auction.four("N")
BIDDERS = {
    "experts": bb.LearnedBidder(),
    "sayc": bb.SystemBidder("sayc"),
    "openings only": bb.SystemBidder("strong-notrump"),
}


@pytest.mark.parametrize("bidder", BIDDERS)
@pytest.mark.parametrize(
    ("calls", "suit"),
    [
        ("1S P 4C P 4NT P", "S"),  # a splinter
        ("1S P 2NT P 3C P 4C P 4D P 4NT P", "S"),  # the strong raise, and controls
        ("1S P 3S P 4C P 4D P 4NT X", "S"),
        ("1H P 2C P 2H P 4NT P", "H"),
        ("3H 4NT P", None),  # over a preempt, nothing agreed
        ("3H X P 4C P 4NT P", "C"),
        ("1NT P 4NT P", None),
        ("1S P 3S P 4NT 5C", None),
    ],
)
def test_key_cards_are_those_of_the_agreed_suit(bidder, calls, suit):
    trump = asked_trump(BIDDERS[bidder], START.after_all(calls))
    assert trump == (None if suit is None else bb.Suit.of(suit))


@pytest.mark.parametrize(
    ("calls", "call", "suit"),
    [
        ("1S P 3S P", "4C", "C"),
        ("1S P 3S P 4C P", "4D", "D"),
        ("1S P 3S P", "4S", None),
        ("1S P", "4C", None),  # a splinter
        ("1S P 2S P", "3C", None),  # a game try
        ("1S P 3S P 4NT P", "5D", None),
        ("1S P 2NT P", "3C", None),  # shortness
    ],
)
def test_control_bids_are_told_from_other_suits(calls, call, suit):
    before = START.after_all(calls)
    controlled = controlled_suit(BIDDERS["sayc"], before, Call.of(call))
    assert controlled == (None if suit is None else bb.Suit.of(suit))
