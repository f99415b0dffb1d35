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


class Caller(Protocol):
    """How one seat calls in the auctions of a tree."""

    def look_at(self, hands: Hands) -> None:
        """Take (n,) hands of the seat for those that are asked about from now on."""

    def chances(self, nodes: NDArray[np.intp], places: Ints) -> Floats:
        """(r, 38) P(call) in r auctions of one length, with the hands at ``places``."""


class LearnedCaller:
    """A seat that bids as experts: hands become vectors once."""

    def __init__(self, reader: TreeReader) -> None:
        self.reader = reader
        self.vectors: Singles = np.zeros((0, 0), np.float32)

    def look_at(self, hands: Hands) -> None:
        vectors = self.reader.vectors(hands)
        self.vectors = np.broadcast_to(vectors, (len(hands), vectors.shape[1]))

    def chances(self, nodes: NDArray[np.intp], places: Ints) -> Floats:
        return self.reader.probabilities(nodes, self.vectors[places])


class ModelCaller:
    """A seat that bids as any model: asked once for each distinct auction."""

    def __init__(self, model: BidderModel, tree: AuctionTree) -> None:
        self.model = model
        self.tree = tree
        self.hands: Hands = np.zeros(0, np.uint64)

    def look_at(self, hands: Hands) -> None:
        self.hands = hands

    def chances(self, nodes: NDArray[np.intp], places: Ints) -> Floats:
        chances = np.zeros((len(nodes), len(CALLS)))
        for node in np.unique(nodes).tolist():
            rows = np.flatnonzero(nodes == node)
            hands, which = np.unique(self.hands[places[rows]], return_inverse=True)
            auction = self.tree.auction(node)
            chances[rows] = call_probabilities(self.model, hands, auction)[which]
        return chances


class SystemCaller:
    """A seat that follows a system: the model is asked where the system says something
    of the next call, and elsewhere experts are read all together.
    """

    def __init__(
        self, model: SystemBidder, base: LearnedCaller, tree: AuctionTree
    ) -> None:
        self.model = model
        self.base = base
        self.tree = tree
        self.asked = ModelCaller(model, tree)
        self._speaks: dict[int, bool] = {}

    def look_at(self, hands: Hands) -> None:
        self.base.look_at(hands)
        self.asked.look_at(hands)

    def chances(self, nodes: NDArray[np.intp], places: Ints) -> Floats:
        chances = self.base.chances(nodes, places)
        distinct, which = np.unique(nodes, return_inverse=True)
        spoken = np.array([self._speaks_at(node) for node in distinct.tolist()])[which]
        if spoken.any():
            chances[spoken] = self.asked.chances(nodes[spoken], places[spoken])
        return chances

    def _speaks_at(self, node: int) -> bool:
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
        self._readers: dict[LearnedBidder, TreeReader] = {}
        self._callers = {
            seat: self._caller(bidders[seat]) for seat in self.tree.bidders
        }
        self._contracts: dict[int, Contract | None] = {}

    def ends(
        self, layouts: Masks, calls: Sequence[Call], rng: np.random.Generator
    ) -> NDArray[np.intp]:
        """(n, calls) the finished auctions, nodes of the tree, of (n, 4) layouts after
        each of the calls.
        """
        for seat, caller in self._callers.items():
            caller.look_at(np.ascontiguousarray(layouts[:, seat]))
        tree = self.tree
        n = len(layouts)
        starts = [tree.child(tree.start, call.index) for call in calls]
        ends = np.tile(np.array(starts, np.intp), (n, 1)).reshape(-1)
        layout_of_row = np.repeat(np.arange(n), len(calls))
        going = ends[[not tree.is_over(node) for node in starts] * n]
        rows = np.flatnonzero([not tree.is_over(node) for node in starts] * n)
        while len(rows):
            numbers = rng.random(n) if self.way == "sampled" else None
            seat = tree.turn(int(going[0]))
            places = layout_of_row[rows]
            chances = self._callers[seat].chances(going, places)
            made = self._made(chances, None if numbers is None else numbers[places])
            ends[rows], over = self._after(going, made)
            rows = rows[~over]
            going = ends[rows]
        return ends.reshape(n, len(calls))

    def contract(self, end: int) -> Contract | None:
        """The contract of a finished auction, ``None`` where all passed."""
        if end not in self._contracts:
            self._contracts[end] = self.tree.contract(end)
        return self._contracts[end]

    def _caller(self, model: BidderModel) -> Caller:
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

    def _made(self, chances: Floats, numbers: Floats | None) -> NDArray[np.intp]:
        """(r,) the calls made: the likeliest, or those that (r,) uniform ``numbers``
        pick.
        """
        if numbers is None:
            return chances.argmax(axis=1)
        total = chances.cumsum(axis=1)
        picked = (total <= (numbers * total[:, -1])[:, None]).sum(axis=1)
        return np.minimum(picked, len(CALLS) - 1)

    def _after(
        self, nodes: NDArray[np.intp], made: NDArray[np.intp]
    ) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
        """(r,) the auctions after the calls, and which of them are over."""
        steps, which = np.unique(nodes * len(CALLS) + made, return_inverse=True)
        children = [
            self.tree.child(*divmod(step, len(CALLS))) for step in steps.tolist()
        ]
        over = [self.tree.is_over(child) for child in children]
        return np.array(children, np.intp)[which], np.array(over)[which]
