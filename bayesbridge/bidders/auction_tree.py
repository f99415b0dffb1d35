"""Many auctions that begin alike, as a tree.

Every auction stands there once, with what the rules allow next.

The trees of roll-outs have hundreds of nodes, so a node holds a few small integers and
no :class:`~bayesbridge.game.auction.Auction`; one is made where it is asked for.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, DOUBLE, PASS, REDOUBLE, Contract
from bayesbridge.game.deal import Seat
from bayesbridge.game.layouts import Bools

NO_BID: Final = 2
"""Stands for the last bid while nobody has bid; bids are 3 … 37."""

NOBODY: Final = -1
ROOT: Final = 0
"""The number of the empty auction in a tree."""


@dataclass(frozen=True, slots=True)
class Node:
    """An auction: the call that led to it, and what the next caller must know."""

    parent: int
    call: int
    """Index of the last call, ``NOBODY`` before the first."""
    length: int
    """Calls made so far."""
    last_bid: int = NO_BID
    bidder: int = NOBODY
    """Place in the auction of the last bid."""
    doubled: int = 0
    """0, 1 doubled, 2 redoubled."""
    passes: int = 0
    """Passes since the last other call."""

    def after(self, call: int, parent: int) -> Node:
        """The auction with one more call, where this one is node ``parent``."""
        longer = replace(self, parent=parent, call=call, length=self.length + 1)
        if call == PASS.index:
            return replace(longer, passes=self.passes + 1)
        if call in (DOUBLE.index, REDOUBLE.index):
            return replace(longer, doubled=self.doubled + 1, passes=0)
        return replace(longer, last_bid=call, bidder=self.length, doubled=0, passes=0)

    def is_over(self, players: int) -> bool:
        """Whether nobody may call any more."""
        passes_to_end = players if self.bidder == NOBODY else players - 1
        return self.passes == passes_to_end

    def legal(self, players: int) -> Bools:
        """(38,) which calls may follow, while the auction is not over."""
        allowed = np.zeros(len(CALLS), np.bool_)
        allowed[PASS.index] = True
        allowed[self.last_bid + 1 :] = True
        if self.bidder != NOBODY and players == len(Seat):
            own_side = (self.length - self.bidder) % 2 == 0
            allowed[DOUBLE.index] = self.doubled == 0 and not own_side
            allowed[REDOUBLE.index] = self.doubled == 1 and own_side
        return allowed


EMPTY_AUCTION: Final = Node(NOBODY, NOBODY, 0)


class AuctionTree:
    """Auctions that begin as ``auction`` does, numbered as they are met.

    Node ``start`` is that auction itself.
    """

    def __init__(self, auction: Auction) -> None:
        self.first = auction.first
        self.dummy = auction.dummy
        self.bidders = auction.bidders
        self.nodes = [EMPTY_AUCTION]
        self.paths = [np.zeros(1, np.intp)]
        self._children: dict[tuple[int, int], int] = {}
        self.start = ROOT
        for call in auction.calls:
            self.start = self.child(self.start, call.index)

    def child(self, node: int, call: int) -> int:
        """The number of the auction with one more call, which must be legal."""
        number = self._children.get((node, call))
        if number is not None:
            return number
        number = len(self.nodes)
        self.nodes.append(self.nodes[node].after(call, node))
        self.paths.append(np.append(self.paths[node], number))
        self._children[node, call] = number
        return number

    def is_over(self, node: int) -> bool:
        """Whether nobody may call any more."""
        return self.nodes[node].is_over(len(self.bidders))

    def turn(self, node: int) -> Seat:
        """Whose call comes next, where the auction is not over."""
        return self.bidders[self.nodes[node].length % len(self.bidders)]

    def legal(self, node: int) -> Bools:
        """(38,) which calls may come next."""
        return self.nodes[node].legal(len(self.bidders))

    def path(self, node: int) -> NDArray[np.intp]:
        """(length + 1,) the nodes from the empty auction to this one."""
        return self.paths[node]

    def auction(self, node: int) -> Auction:
        """The calls of a node."""
        calls = [CALLS[self.nodes[step].call] for step in self.path(node)[1:]]
        return Auction(self.first, tuple(calls), self.dummy)

    def contract(self, node: int) -> Contract | None:
        """The contract of an auction that is over, ``None`` where all passed."""
        return self.auction(node).contract
