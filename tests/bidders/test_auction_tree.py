"""Auctions as a tree: the rules are those of :class:`Auction`, node by node."""

import numpy as np
import pytest

from bayesbridge.bidders.auction_tree import AuctionTree
from bayesbridge.game.auction import Auction


def walk(auction, steps, rng):
    """A tree and its node beside the auction, after random legal calls."""
    tree = AuctionTree(auction)
    node = tree.start
    for _ in range(steps):
        if auction.is_over:
            break
        call = rng.choice(auction.legal_calls()[:6])
        node = tree.child(node, call.index)
        auction = auction.after(call)
        yield tree, node, auction


@pytest.mark.parametrize("begun", ["N:", "E:1H X", "S:1NT Pass 2NT X XX"])
@pytest.mark.parametrize("seed", range(20))
def test_a_node_is_its_auction(begun, seed):
    auction = Auction.four(begun[0]).after_all(begun[2:])
    for tree, node, expected in walk(auction, 30, np.random.default_rng(seed)):
        assert tree.auction(node) == expected
        assert tree.is_over(node) == expected.is_over
        if expected.is_over:
            assert tree.contract(node) == expected.contract
        else:
            legal = [call.index for call in expected.legal_calls()]
            assert np.flatnonzero(tree.legal(node)).tolist() == legal
            assert tree.turn(node) == expected.turn


@pytest.mark.parametrize("seed", range(10))
def test_with_three_players_nobody_doubles(seed):
    auction = Auction.three("W")
    for tree, node, expected in walk(auction, 12, np.random.default_rng(seed)):
        assert tree.is_over(node) == expected.is_over
        if not expected.is_over:
            legal = [call.index for call in expected.legal_calls()]
            assert np.flatnonzero(tree.legal(node)).tolist() == legal
            assert tree.turn(node) == expected.turn


def test_the_same_calls_are_the_same_node():
    tree = AuctionTree(Auction.of("E:1H"))
    node = tree.child(tree.start, 0)
    assert tree.child(tree.start, 0) == node
    assert tree.path(node).tolist() == [0, 1, 2]
