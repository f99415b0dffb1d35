"""What is read token by token is what the learned bidder reads whole."""

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge.bidders.auction_tree import AuctionTree
from bayesbridge.bidders.learned import PairStyle
from bayesbridge.bidders.tree_reader import TreeReader
from tests.deals import deal_masks

NEAR = 5e-6  # single precision, summed in another order

MODELS = {
    "nobody vulnerable": bb.LearnedBidder(),
    "a style, one side vulnerable": bb.LearnedBidder(
        "EW", style={"NS": PairStyle.of_text("strong-club")}
    ),
    "many slips": bb.LearnedBidder("All", slip=0.3),
    "the guide": bb.LearnedBidder().guide,
}


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize(
    "calls", ["", "X", "Pass", "X XX Pass", "Pass Pass 3S Pass", "2S 3H 3S 4H X"]
)
def test_chances_are_those_of_the_bidder(name, calls):
    model = MODELS[name]
    begun = bb.Auction.of("E:1H")
    tree = AuctionTree(begun)
    auction = begun.after_all(calls)
    node = tree.start
    for call in auction.calls[len(begun.calls) :]:
        node = tree.child(node, call.index)
    hands = np.ascontiguousarray(deal_masks(40, 3)[:, auction.turn])
    reader = TreeReader(model, tree)
    vectors = reader.vectors(hands)
    chances = reader.probabilities(np.full(40, node), vectors)
    assert np.abs(chances - model.probabilities(hands, auction)).max() < NEAR


def test_auctions_of_a_length_are_read_together_and_kept():
    tree = AuctionTree(bb.Auction.four("N"))
    reader = TreeReader(bb.LearnedBidder(), tree)
    hands = np.ascontiguousarray(deal_masks(3, 5)[:, 1])
    vectors = reader.vectors(hands)
    nodes = np.array([tree.child(tree.start, call) for call in (0, 5, 7)])
    together = reader.probabilities(nodes, vectors)
    again = reader.probabilities(nodes, vectors)
    assert (together == again).all()
    for row, opening in enumerate(("Pass", "1H", "1NT")):
        auction = bb.Auction.four("N").after(opening)
        alone = bb.LearnedBidder().probabilities(hands[row : row + 1], auction)
        assert np.abs(together[row] - alone[0]).max() < NEAR
