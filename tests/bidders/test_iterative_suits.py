"""Algorithm 1 as a bidder of suits, and how every bidder refuses what nobody can have called."""

import numpy as np
import pytest
from hypothesis import given

from bayesbridge.bidders.iterative import IterativeBidder
from bayesbridge.calls import PASS, Call
from tests import strategies

NAMES = ["iterative", "suits", "style", "mixture"]


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
