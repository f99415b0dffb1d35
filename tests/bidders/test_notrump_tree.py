"""The tree of auctions against the rules of the game, auction by auction."""

import pytest

from bayesbridge import Auction, BayesBridgeError
from bayesbridge.bidders.auctions import legal_indices
from bayesbridge.bidders.notrump_tree import OVER, notrump_tree

pytestmark = pytest.mark.quick


def all_auctions(players, levels, calls=()):
    """Every auction that the rules allow, the unfinished ones too, by plain recursion."""
    yield calls
    bids = [call for call in calls if call]
    passes = len(calls)
    if bids:
        passes = len(calls) - 1 - max(i for i, call in enumerate(calls) if call)
    if passes == (players - 1 if bids else players):
        return
    for call in (0, *range(max(bids, default=0) + 1, levels + 1)):
        yield from all_auctions(players, levels, (*calls, call))


@pytest.mark.parametrize(("players", "levels"), [(2, 2), (3, 2), (3, 4), (4, 3)])
def test_it_has_every_auction_once(players, levels):
    tree = notrump_tree(players, levels)
    nodes = {tree.node_after(calls) for calls in all_auctions(players, levels)}
    assert nodes == set(range(len(tree.player)))
    assert (tree.players, tree.levels) == (players, levels)
    slots = []
    for start, calls in zip(tree.first_slot, tree.calls, strict=True):
        slots += range(start, start + calls)
    assert slots == list(range(tree.slots))


@pytest.mark.parametrize("calls", [(), (0, 0), (0, 2, 0), (1, 0, 3), (0, 1, 2, 7, 0)])
def test_whose_turn_it_is_and_what_is_legal_as_in_an_auction(calls):
    tree = notrump_tree()
    node = tree.node_after(calls)
    words = ["Pass" if call == 0 else f"{call}NT" for call in calls]
    auction = (
        Auction.of(" ".join([f"E:{words[0]}", *words[1:]]), dummy="N")
        if words
        else None
    )
    if auction is None:
        assert (tree.player[node], tree.calls[node]) == (0, 8)
        return
    order = ["E", "S", "W"]
    assert order[tree.player[node]] == auction.turn.name
    in_notrumps = [i for i in legal_indices(auction) if i == 0 or (i - 3) % 5 == 4]
    assert tree.calls[node] == len([i for i in in_notrumps if i == 0 or i > 2])
    last_bid = auction.last_bid
    assert tree.level[node] == (last_bid.level if last_bid else 0)


def test_where_an_auction_is_over():
    tree = notrump_tree()
    for calls, declarer, level in (
        ((0, 0, 0), OVER, 0),
        ((0, 1, 0, 0), 1, 1),
        ((1, 2, 0, 0), 1, 2),
        ((0, 0, 7, 0, 0), 2, 7),
    ):
        node = tree.node_after(calls)
        assert (tree.player[node], tree.calls[node]) == (OVER, 0)
        assert (tree.declarer[node], tree.level[node]) == (declarer, level)


@pytest.mark.parametrize("calls", [(1, 1), (2, 1), (8,), (1, 0, 0, 0), (-1,)])
def test_an_illegal_call_is_one_line(calls):
    with pytest.raises(BayesBridgeError, match="no legal call there") as caught:
        notrump_tree().node_after(calls)
    assert "\n" not in str(caught.value)
