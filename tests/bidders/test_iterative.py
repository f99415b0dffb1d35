"""The paper's bidder in no trumps.

P(call ∣ hand) from the literal Algorithm 1, hand by hand.
"""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bayesbridge import Auction, Call, Hand, IterativeBidder, Strain
from bayesbridge.capture import literal
from tests.strategies import auctions, hands

STRONG = [
    Hand.from_pbn(text)
    for text in ("AKQ2.AKJ.AK4.A32", "AKQJ.AKQ.AKQ.AKQ", "AKQ.AKQJ.AK3.A32")
]
levels = hands | st.sampled_from(STRONG)


def chance(hand, auction, index, slip):
    """P(call) read off the model's description.

    Algorithm 1 is as the paper writes it.
    """
    before = Auction(auction.first, auction.calls[:index], auction.dummy)
    level = literal.bid(hand).level
    intended = Call.of("Pass")
    if level and before.can(Call.bid(level, Strain.NT)):
        intended = Call.bid(level, Strain.NT)
    legal = [call for call in map(Call, range(38)) if before.can(call)]
    return slip / len(legal) + (1 - slip) * (auction.calls[index] == intended)


@given(
    st.lists(levels, min_size=1, max_size=4),
    auctions(),
    st.sampled_from([0.0, 0.02, 0.5, 1.0]),
)
def test_every_call_of_any_auction(held, auction, slip):
    masks = np.array([hand.mask for hand in held], dtype=np.uint64)
    for index in range(len(auction.calls)):
        logs = IterativeBidder(slip).log_likelihood(masks, auction, index)
        truth = [chance(hand, auction, index, slip) for hand in held]
        np.testing.assert_allclose(np.exp(logs), truth, rtol=1e-12)


@given(hands, auctions(3))
def test_with_suits_he_bids_the_highest_of_his_bids_if_it_is_legal(hand, auction):
    if auction.is_over:
        return
    masks = np.array([hand.mask], dtype=np.uint64)
    best = Call(int(IterativeBidder(suits=True).highest_bids(masks)[0]))
    meant = best if auction.can(best) else Call.of("Pass")
    sharp = IterativeBidder(slip=0.0, suits=True).probabilities(masks, auction)[0]
    assert np.flatnonzero(sharp).tolist() == [meant.index]
