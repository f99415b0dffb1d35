"""Answers to 4NT: which calls are meant, and that they are judged by the bidder's own probabilities."""

import key_cards
import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.notation import Record

DEAL = bb.Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 T74.AQ876.632.76")  # of the test list


@pytest.mark.parametrize(
    ("auction", "places"),
    [
        ("N:1S Pass 3S Pass 4NT Pass 5H Pass 6S Pass Pass Pass", [6]),
        ("N:1S Pass 2NT Pass 4NT Pass 5H Pass Pass Pass", []),  # no trumps last
        ("N:1S Pass 3S Pass 4NT 5C Pass Pass 5H Pass Pass Pass", []),  # not at once
        ("N:1S 2H 4NT Pass 6S Pass Pass Pass", []),
    ],
)
def test_answers_after_a_suit(auction, places):
    assert [*key_cards.answers(bb.Auction.of(auction))] == places


def test_an_answer_is_judged_by_its_probability():
    auction = bb.Auction.of("N:1S Pass 3S Pass 4NT Pass 5D Pass 6S Pass Pass Pass")
    record = Record(hands=DEAL.hands, auction=auction)
    own, partner = (np.array([DEAL[seat].mask], np.uint64) for seat in (bb.Seat.S, bb.Seat.N))
    chances = bb.LearnedBidder("none").probabilities(own, bb.Auction(bb.Seat.N, auction.calls[:6]), partner)[0]
    (hidden, _, shown, four) = key_cards.rows(iter([record]))
    assert (hidden.reading, shown.reading, four.among) == ("hidden", "shown", "the four")
    assert shown.nats == pytest.approx(-np.log(chances[bb.Call.of("5D").index]), abs=1e-6)
    answers = [chances[bb.Call.of(f"5{suit}").index] for suit in "CDHS"]
    assert four.nats == pytest.approx(-np.log(answers[1] / sum(answers)), abs=1e-6)
    assert four.right == (max(answers) == answers[1])
    with pytest.raises(bb.BayesBridgeError, match="no table of a test deal"):
        key_cards.rows(iter([]))
