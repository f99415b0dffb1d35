"""Joint questions that make no sense are refused in one line."""

import pytest

import bayesbridge as bb
from bayesbridge.bidders.fit import CallRecord, Prior
from bayesbridge.joint import infer_jointly
from tests.joint.test_infer import OPEN, RECORDS, SOME


def test_a_prior_centred_beyond_the_end_of_a_style_is_refused():
    with pytest.raises(bb.BayesBridgeError, match=r"^prior of log_temperature .*: give a centre from -2.3 to"):
        Prior(log_temperature=(-3.0, 1.0))


@pytest.mark.parametrize("bidder", [bb.IterativeBidder, bb.LearnedBidder])
def test_a_bidder_without_a_style_is_not_taken_for_one_with_a_style(bidder):
    belief = SOME.with_bidder(bidder())
    with pytest.raises(bb.BayesBridgeError, match=r"which has no style to learn: ask about belief.with_bidder\("):
        infer_jointly(belief, "W")


def test_a_question_that_makes_no_sense_is_refused_in_one_line():
    with pytest.raises(bb.BayesBridgeError, match=r"^S is the observer"):
        infer_jointly(SOME, "S")
    with pytest.raises(bb.BayesBridgeError, match=r"^W has not called: give the calls as evidence first$"):
        infer_jointly(OPEN, "W")
    with pytest.raises(bb.BayesBridgeError, match=r"^records of her, him: give those of W alone$"):
        infer_jointly(SOME, "W", [RECORDS[0], CallRecord("her", "KQ852.J3.A94.Q83", RECORDS[0].auction, 0)])
    with pytest.raises(bb.BayesBridgeError, match=r"^1 draws: give at least 4$"):
        infer_jointly(SOME, "W", draws=1)
