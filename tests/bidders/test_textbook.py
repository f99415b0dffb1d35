"""The textbook bidder: the contract, its rules on hands of any book, and that its calls tell something."""

import numpy as np
import pytest

from bayesbridge.auction import Auction
from bayesbridge.belief.belief import Belief
from bayesbridge.bidders.textbook import TextbookBidder
from bayesbridge.calls import CALLS
from bayesbridge.cards import Hand
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence import Called
from bayesbridge.plugins import check_bidder


def test_it_keeps_the_contract():
    check_bidder(TextbookBidder(), players=4)
    check_bidder(TextbookBidder(), players=3)


@pytest.mark.parametrize(
    ("hand", "calls", "call"),
    [
        ("AQ5.KJ3.A954.Q73", "", "1NT"),
        ("AQ5.KJ3.AK54.KQ3", "", "2C"),
        ("AKQ.KJ3.AK54.T73", "", "2NT"),
        ("AQ52.KJ954.A3.73", "", "1H"),
        ("KQJ942.73.954.73", "", "2S"),
        ("3.KQJ9742.954.73", "", "3H"),
        ("Q52.J93.T954.J73", "", "Pass"),
        ("K52.J9.AQ954.J73", "1C", "1D"),
        ("Q52.J93.T954.J73", "1C", "Pass"),
        ("Q52.K9.954.Q9732", "1C Pass", "2C"),
        ("AQ5.KJ93.A954.73", "1D Pass 1H Pass", "1NT"),
    ],
)
def test_the_rules_of_any_book(hand, calls, call):
    chances = TextbookBidder().probabilities(
        np.array([Hand.of(hand).mask], np.uint64), Auction.four("N").after_all(calls)
    )
    assert str(CALLS[int(chances.argmax())]) == call


def test_a_call_tells_points_and_lengths():
    start = Belief("S", "AKQ2.KJ3.A54.Q32", dummy=None, bidder=TextbookBidder())
    posterior = start.given(Called("W", "1H")).infer(draws=4000, rng=1)
    length = posterior.length_probabilities().sel(seat="W", suit="H")
    points = posterior.point_probabilities().sel(seat="W")
    assert float(length.sel(length=slice(5, 13)).sum()) > 0.5  # 0.57, and 0.18 before the call; four errors are 0.05
    assert float((points * points.points).sum()) > 9.5  # 10.1, and 7.0 before


def test_a_slip_is_a_probability():
    with pytest.raises(BayesBridgeError, match=r"slip 1\.5: it is a probability"):
        TextbookBidder(slip=1.5)
