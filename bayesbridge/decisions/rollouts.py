"""Roll-outs: an auction finished on many layouts, every seat by its own hand alone.

All roll-outs are of one length at any time, so one seat is in turn in all of them, and
every distinct auction is read once for all layouts that met it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, Literal, Protocol

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auction_tree import AuctionTree
from bayesbridge.bidders.auctions import call_probabilities
from bayesbridge.bidders.learned import LearnedBidder
from bayesbridge.bidders.system_bidder import SystemBidder
from bayesbridge.bidders.tree_reader import TreeReader
from bayesbridge.evidence.models import BidderModel
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, Call, Contract
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Floats, Hands, Ints, Masks, Singles

type Way = Literal["likeliest", "sampled"]

WAYS: Final[tuple[Way, ...]] = ("likeliest", "sampled")
"""How a seat calls in a roll-out: what its bidder makes most often with the hand, or
each call as often as the bidder makes it.
"""


type Nodes = NDArray[np.intp]
"""Auctions, by the numbers of their nodes in the tree."""


class Caller(Protocol):
    """How one seat calls in the auctions of a tree."""

    def look_at(self, hands: Hands) -> None:
        """Take (n,) hands of the seat, which later questions are about."""

    def chances(self, nodes: Nodes, layouts: Ints) -> Floats:
        """Return (r, 38) P(call) in r auctions of one length.

        ``layouts`` (r,) are the numbers of the seat's hands, of those looked at.
        """


class LearnedCaller:
    """A seat that bids as experts: hands become vectors once."""

    def __init__(self, reader: TreeReader) -> None:
        self.reader = reader
        self.vectors: Singles = np.zeros((0, 0), np.float32)

    def look_at(self, hands: Hands) -> None:
        """Take (n,) hands of the seat."""
        vectors = self.reader.vectors(hands)
        self.vectors = np.broadcast_to(vectors, (len(hands), vectors.shape[1]))

    def chances(self, nodes: Nodes, layouts: Ints) -> Floats:
        """Return (r, 38) P(call), of all auctions together."""
        return self.reader.probabilities(nodes, self.vectors[layouts])


class ModelCaller:
    """A seat that bids as any model: asked once for each distinct auction."""

    def __init__(self, model: BidderModel, tree: AuctionTree) -> None:
        self.model = model
        self.tree = tree
        self.hands: Hands = np.zeros(0, np.uint64)

    def look_at(self, hands: Hands) -> None:
        """Take (n,) hands of the seat."""
        self.hands = hands

    def chances(self, nodes: Nodes, layouts: Ints) -> Floats:
        """Return (r, 38) P(call), of each distinct hand in each distinct auction."""
        chances = np.zeros((len(nodes), len(CALLS)))
        for node in np.unique(nodes).tolist():
            rows = np.flatnonzero(nodes == node)
            hands, hand_of_row = np.unique(
                self.hands[layouts[rows]], return_inverse=True
            )
            auction = self.tree.auction(node)
            chances_of_hand = call_probabilities(self.model, hands, auction)
            chances[rows] = chances_of_hand[hand_of_row]
        return chances


class SystemCaller:
    """A seat that follows a system.

    The model is asked where the system says something of the next call; elsewhere
    experts are read, all auctions together.
    """

    def __init__(
        self, model: SystemBidder, base: LearnedCaller, tree: AuctionTree
    ) -> None:
        self.model = model
        self.base = base
        self.tree = tree
        self.by_model = ModelCaller(model, tree)
        self._speaks: dict[int, bool] = {}

    def look_at(self, hands: Hands) -> None:
        """Take (n,) hands of the seat."""
        self.base.look_at(hands)
        self.by_model.look_at(hands)

    def chances(self, nodes: Nodes, layouts: Ints) -> Floats:
        """Return (r, 38) P(call), by the system where it speaks."""
        chances = self.base.chances(nodes, layouts)
        distinct_nodes, node_of_row = np.unique(nodes, return_inverse=True)
        speaks = [self._speaks_at(node) for node in distinct_nodes.tolist()]
        by_system = np.array(speaks)[node_of_row]
        if by_system.any():
            chances[by_system] = self.by_model.chances(
                nodes[by_system], layouts[by_system]
            )
        return chances

    def _speaks_at(self, node: int) -> bool:
        """Whether the system says something of the next call."""
        if node not in self._speaks:
            self._speaks[node] = self.model.speaks_at(self.tree.auction(node))
        return self._speaks[node]


class Rollouts:
    """An auction that is finished on layouts; what was read once is kept."""

    def __init__(
        self,
        auction: Auction,
        bidders: Mapping[Seat, BidderModel],
        way: Way = "likeliest",
    ) -> None:
        self.tree = AuctionTree(auction)
        self.way = way
        # Seats that bid as the same experts share a reader of the tree.
        self._readers: dict[LearnedBidder, TreeReader] = {}
        self._callers = {
            seat: self._caller(bidders[seat]) for seat in self.tree.bidders
        }
        # Of finished auctions, by node.
        self._contracts: dict[int, Contract | None] = {}

    def ends(
        self, layouts: Masks, calls: Sequence[Call], rng: np.random.Generator
    ) -> Nodes:
        """Return (n, calls) the finished auctions of (n, 4) layouts after each call.

        A row is a layout and a call; in each row the seat in turn calls by its own hand
        until the auction is over. All rows are of one length, so of one seat in turn.
        """
        for seat, caller in self._callers.items():
            # What a caller makes of the hands of its seat, once for all its turns.
            caller.look_at(np.ascontiguousarray(layouts[:, seat]))
        n = len(layouts)
        # The rows of the first layout, of the next, …: the auction of each, by its node.
        starts = [self.tree.child(self.tree.start, call.index) for call in calls]
        nodes = np.tile(np.array(starts, np.intp), n)
        layout_of_row = np.repeat(np.arange(n), len(calls))
        goes_on = [not self.tree.is_over(node) for node in starts]
        unfinished_rows = np.flatnonzero(np.tile(goes_on, n))
        while len(unfinished_rows):
            auctions = nodes[unfinished_rows]
            calls_made = self._next_calls(
                auctions, layout_of_row[unfinished_rows], n, rng
            )
            nodes[unfinished_rows], is_over = self._after(auctions, calls_made)
            unfinished_rows = unfinished_rows[~is_over]
        return nodes.reshape(n, len(calls))

    def _next_calls(
        self, nodes: Nodes, layouts: Ints, n: int, rng: np.random.Generator
    ) -> NDArray[np.intp]:
        """(r,) the next calls in r auctions of one length.

        ``layouts`` (r,) are the numbers of their layouts, from 0 to n - 1. The calls are
        the likeliest, or sampled by one uniform number for each layout, whatever was
        called before: so two calls are compared with the same luck.
        """
        seat = self.tree.turn(int(nodes[0]))
        chances = self._callers[seat].chances(nodes, layouts)
        if self.way == "likeliest":
            return chances.argmax(axis=1)
        numbers = rng.random(n)
        return picked_calls(chances, numbers[layouts])

    def contract(self, end: int) -> Contract | None:
        """Return the contract of a finished auction, ``None`` where all passed."""
        if end not in self._contracts:
            self._contracts[end] = self.tree.contract(end)
        return self._contracts[end]

    def _caller(self, model: BidderModel) -> Caller:
        """The quickest way to ask a model."""
        if isinstance(model, LearnedBidder):
            return self._expert(model)
        if isinstance(model, SystemBidder) and isinstance(model.base, LearnedBidder):
            return SystemCaller(model, self._expert(model.base), self.tree)
        return ModelCaller(model, self.tree)

    def _expert(self, model: LearnedBidder) -> LearnedCaller:
        """All seats that bid as the same experts share what was read."""
        if model not in self._readers:
            self._readers[model] = TreeReader(model, self.tree)
        return LearnedCaller(self._readers[model])

    def _after(
        self, nodes: Nodes, calls: NDArray[np.intp]
    ) -> tuple[Nodes, NDArray[np.bool_]]:
        """(r,) the auctions after the (r,) calls, and which of them are over."""
        distinct_steps, step_of_row = np.unique(
            nodes * len(CALLS) + calls, return_inverse=True
        )
        children = [
            self.tree.child(*divmod(step, len(CALLS)))
            for step in distinct_steps.tolist()
        ]
        is_over = [self.tree.is_over(child) for child in children]
        return np.array(children, np.intp)[step_of_row], np.array(is_over)[step_of_row]


def picked_calls(chances: Floats, numbers: Floats) -> NDArray[np.intp]:
    """Return (r,) the calls that (r,) uniform ``numbers`` pick by (r, 38) ``chances``."""
    cumulative = chances.cumsum(axis=1)
    thresholds = numbers * cumulative[:, -1]
    picked = (cumulative <= thresholds[:, None]).sum(axis=1)
    return np.minimum(picked, len(CALLS) - 1)
