"""The bidder that bids as an equilibrium.

Its table, its chances, and what it makes of a posterior.
"""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auctions import legal_indices
from bayesbridge.bidders.equilibrium import (
    TABLE,
    EquilibriumTable,
    equilibrium_table,
    features,
    notrump_index,
)
from bayesbridge.plugins import check_bidder
from tests.deals import deal_masks

AUCTIONS = ("W:1NT", "W:Pass 1NT", "W:Pass Pass 2NT", "W:1NT 2NT Pass", "W:1H Pass")


def hands(number=300, seed=3):
    return deal_masks(number, seed)[:, 0].copy()


@pytest.mark.parametrize("scheme", ["new", "old"])
def test_it_keeps_the_rules_of_bidder_models(scheme):
    check_bidder(bb.EquilibriumBidder(scheme=scheme))


@pytest.mark.parametrize("text", AUCTIONS)
def test_chances_add_up_to_one_and_are_those_of_calls(text):
    auction = bb.Auction.of(text, dummy="N")
    bidder = bb.EquilibriumBidder()
    before = bb.Auction(auction.first, auction.calls[:-1], auction.dummy)
    chances = bidder.probabilities(hands(), before)
    assert chances.sum(axis=1) == pytest.approx(1.0)
    legal = list(legal_indices(before))
    assert (np.delete(chances, legal, axis=1) == 0).all()
    assert (chances[:, legal] > 0).all()
    index = len(auction.calls) - 1
    log_likelihood = bidder.log_likelihood(hands(), auction, index)
    column = auction.calls[-1].index
    assert np.exp(log_likelihood) == pytest.approx(chances[:, column])


def test_after_a_suit_bid_a_call_says_nothing():
    auction = bb.Auction.of("W:1H 1NT", dummy="N")
    log_likelihood = bb.EquilibriumBidder().log_likelihood(hands(), auction, 1)
    assert np.ptp(log_likelihood) == 0.0


def test_stronger_hands_bid():
    table = equilibrium_table("new")
    types = table.types.of(hands(4000))
    assert set(types.tolist()) == set(range(table.types.number))
    bids = 1.0 - table.strategies[0][:, 0]
    assert bids[-1] > 0.9 > 0.1 > bids[0]


def test_features_are_counts():
    hand = np.array([bb.Hand.of("AKQ2.KJ3.A54.Q32").mask], dtype=np.uint64)
    (row,) = features(hand)
    assert row[12] == 2  # aces
    assert row[:13].sum() == 13
    assert row[13 + 3] == 3  # suits of three cards
    assert row[13:].sum() == 4


def test_a_bid_moves_the_posterior_otherwise_than_algorithm_1():
    belief = bb.Belief("S", "J54.Q72.9876.865")
    shown = {}
    for name, bidder in (
        ("iterative", bb.IterativeBidder()),
        ("equilibrium", bb.EquilibriumBidder()),
    ):
        after_bid = bb.Belief("S", belief.hand, bidder=bidder).given(
            bb.Auction.of("W:1NT", dummy="N")
        )
        posterior = after_bid.infer(draws=2000, rng=1)
        points = posterior.card_probabilities().sel(seat="W", card="SA").item()
        shown[name] = points
    # Algorithm 1 bids with one hand of thirty, the equilibrium with more than half.
    assert shown["iterative"] > shown["equilibrium"] + 0.1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: bb.EquilibriumBidder(slip=2), "slip 2"),
        (lambda: bb.EquilibriumBidder(scheme="mine"), "unknown scoring scheme 'mine'"),
    ],
)
def test_wrong_input_is_one_line(make, words):
    with pytest.raises(bb.BayesBridgeError, match=words) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_table_of_another_version_is_refused(tmp_path):
    arrays = dict(np.load(TABLE))
    path = tmp_path / "table.npz"
    np.savez(path, **{**arrays, "version": np.array(0)})
    with pytest.raises(bb.BayesBridgeError, match="has version 0, this package reads"):
        EquilibriumTable.read(path, "new")


def test_the_index_of_a_call_in_notrumps():
    assert [notrump_index(level) for level in (1, 7)] == [
        bb.Call.of("1NT").index,
        bb.Call.of("7NT").index,
    ]
