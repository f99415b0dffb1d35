"""Algorithm 1 as a bidder of suits, and how every bidder refuses what nobody can have called."""

import numpy as np
import pytest
from hypothesis import given

from bayesbridge.auction import Auction
from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.bidders.style import StyleBidder
from bayesbridge.bidders.turn import MixtureBidder
from bayesbridge.calls import PASS, Call
from bayesbridge.cards import Hand
from bayesbridge.errors import BayesBridgeError, IllegalCall
from tests import strategies

NAMES = ["iterative", "suits", "style", "mixture"]
MODELS = [IterativeBidder(), IterativeBidder(suits=True), StyleBidder(), MixtureBidder((StyleBidder(), StyleBidder(1)))]


@given(strategies.hands, strategies.auctions(3))
def test_he_bids_the_highest_of_his_bids_if_it_is_legal(hand, auction):
    if auction.is_over:
        return
    masks = np.array([hand.mask], dtype=np.uint64)
    best = Call(int(IterativeBidder(suits=True).highest_bids(masks)[0]))
    meant = best if auction.can(best) else PASS
    sharp = IterativeBidder(slip=0.0, suits=True).probabilities(masks, auction)[0]
    assert np.flatnonzero(sharp).tolist() == [meant.index]
    legal = len(auction.legal_calls())
    loose = IterativeBidder(slip=0.2, suits=True)
    found = loose.log_likelihood(masks, auction.after(meant), len(auction.calls))
    assert found[0] == pytest.approx(np.log(0.8 + 0.2 / legal))


def test_a_pass_is_evidence():
    strong, weak = (Hand.from_pbn(text).mask for text in ("AKQ52.J3.A94.K83", "98752.J3.T94.983"))
    masks = np.array([strong, weak], dtype=np.uint64)
    for model in MODELS[1:]:
        passed = model.log_likelihood(masks, Auction.of("S:Pass", dummy="N"), 0)
        assert passed[1] - passed[0] > 2.0


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_chances_of_the_legal_calls_add_up_to_one(model, random_hands):
    for text in ("S:", "S:Pass Pass", "S:1H 1NT Pass", "S:1C 2S 3NT Pass", "S:7NT"):
        auction = Auction.of(text, dummy="N")
        chances = model.probabilities(random_hands[:50], auction)
        np.testing.assert_allclose(chances.sum(axis=1), 1.0)
        assert set(np.flatnonzero(chances.sum(axis=0))) == {call.index for call in auction.legal_calls()}
        for call in auction.legal_calls()[:6]:
            found = model.log_likelihood(random_hands[:50], auction.after(call), len(auction.calls))
            np.testing.assert_allclose(found, np.log(chances[:, call.index]))


@pytest.mark.parametrize("model", MODELS, ids=NAMES)
def test_what_nobody_can_have_called_is_refused_in_one_line(model, random_hands):
    auction = Auction.of("S:1NT Pass Pass", dummy="N")
    with pytest.raises(IllegalCall, match=r"^call number 3 of 'S:1NT Pass Pass': its calls are numbered 0 to 2$"):
        model.log_likelihood(random_hands, auction, 3)
    with pytest.raises(IllegalCall, match="numbered 0 to 2"):
        model.log_likelihood(random_hands, auction, -1)
    with pytest.raises(IllegalCall, match=r"^the auction 'S:1NT Pass Pass' is over: nobody calls any more$"):
        model.probabilities(random_hands, auction)
    with pytest.raises(IllegalCall, match=r"^illegal call '1H' by W after 'S:1NT': it does not outrank 1NT"):
        auction.of("S:1NT 1H", dummy="N")


@pytest.mark.parametrize("slip", [-0.1, 1.1, float("nan")])
def test_a_slip_is_a_probability(slip):
    with pytest.raises(BayesBridgeError, match="slip"):
        IterativeBidder(slip)
    with pytest.raises(BayesBridgeError, match="slip"):
        StyleBidder(slip=slip)
