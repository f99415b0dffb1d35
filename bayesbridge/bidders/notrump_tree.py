"""Every auction of the game in no trumps, as one tree.

Players bid in turn, levels rise, and the auction ends when all others have passed
after a bid, or when all have passed without one. A node is an auction so far. Three
players and seven levels make 6561 nodes where somebody calls and 3280 where the auction
is over.

Nodes are numbered breadth first: node 0 is the start, the nodes after one node's calls
stand side by side, and every node stands after the one that it comes from. So one pass
over the nodes upwards carries what comes from the start, and one downwards what comes
from the end.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError
from bayesbridge.game.layouts import read_only

HIGHEST_LEVEL: Final = 7
OVER: Final = -1
"""Where a node of the tree has nobody to call, or no declarer."""


class NotrumpAuction(NamedTuple):
    """One auction so far."""

    calls: tuple[int, ...]
    """0 for a pass, else the level bid."""
    level: int
    """Of the last bid, 0 before there is one."""
    declarer: int
    """Who made the last bid, ``OVER`` before there is one."""
    passes: int
    """Since the last bid."""

    def after(self, call: int, players: int) -> NotrumpAuction:
        """The auction with one more call, 0 for a pass, else a level."""
        calls = (*self.calls, call)
        if call == 0:
            return NotrumpAuction(calls, self.level, self.declarer, self.passes + 1)
        return NotrumpAuction(calls, call, len(self.calls) % players, 0)

    def is_over(self, players: int) -> bool:
        """Whether nobody may call any more."""
        passes_to_end = players - 1 if self.level else players
        return self.passes == passes_to_end


class NotrumpTree(NamedTuple):
    """All auctions of so many players up to a level; arrays over N nodes.

    The calls of a node have slots, numbered through all nodes that call: a strategy is
    an array (types, slots) of probabilities.
    """

    player: NDArray[np.int64]
    """(N,) who calls, ``OVER`` at the end"""
    level: NDArray[np.int64]
    """(N,) of the last bid, 0 before there is one"""
    declarer: NDArray[np.int64]
    """(N,) who made the last bid, ``OVER`` before there is one"""
    calls: NDArray[np.int64]
    """(N,) how many calls are legal: a pass, each higher level"""
    first_child: NDArray[np.int64]
    """(N,) the node after a pass; then come those after bids"""
    first_slot: NDArray[np.int64]
    """(N,) the slot of a pass; then come those of bids"""

    @property
    def slots(self) -> int:
        """How many probabilities a strategy of one type has."""
        return int(self.calls.sum())

    @property
    def players(self) -> int:
        """How many players bid."""
        return int(self.player.max()) + 1

    @property
    def levels(self) -> int:
        """The highest level that may be bid."""
        return int(self.level.max())

    def node_after(self, calls: tuple[int, ...]) -> int:
        """The number of the node after these calls, 0 for a pass, else levels.

        >>> tree = notrump_tree()
        >>> tree.node_after((0, 1, 0, 0)), tree.player[tree.node_after((0, 1))]
        (193, np.int64(2))
        """
        node = 0
        for call in calls:
            # The nodes after a pass and after each higher level stand side by side.
            step = call - self.level[node] if call else 0
            is_pass = call == 0
            is_higher = call > 0 and step > 0
            if not (is_pass or is_higher) or step >= self.calls[node]:
                raise BayesBridgeError(
                    f"auction {calls!r}: {call} is no legal call there: write 0 for a "
                    f"pass, or a level above the last one, up to {self.levels}",
                    calls=calls,
                )
            node = int(self.first_child[node] + step)
        return node


@lru_cache(maxsize=8)
def notrump_tree(players: int = 3, levels: int = HIGHEST_LEVEL) -> NotrumpTree:
    """The tree of all auctions of so many players up to a level.

    Its nodes are numbered breadth first. Each call at each node has a number too, its
    slot: the slots of a node stand side by side, from ``first_slot`` on.

    >>> tree = notrump_tree()
    >>> int((tree.calls > 0).sum()), int((tree.calls == 0).sum()), tree.slots
    (6561, 3280, 9840)
    """
    nodes = [NotrumpAuction((), 0, OVER, 0)]
    rows: list[tuple[int, int, int, int, int]] = []
    for node in nodes:  # it grows while it is read
        if node.is_over(players):
            rows.append((OVER, node.level, node.declarer, 0, OVER))
            continue
        bids = range(node.level + 1, levels + 1)
        legal_calls = (0, *bids)
        caller = len(node.calls) % players
        first_child = len(nodes)
        rows.append((caller, node.level, node.declarer, len(legal_calls), first_child))
        nodes.extend(node.after(call, players) for call in legal_calls)
    columns = np.array(rows, dtype=np.int64).T
    player, level, declarer, calls, first_children = map(_as_read_only, columns)
    slots_before = np.concatenate([[0], calls.cumsum()[:-1]])
    return NotrumpTree(
        player=player,
        level=level,
        declarer=declarer,
        calls=calls,
        first_child=first_children,
        first_slot=_as_read_only(slots_before),
    )


def _as_read_only(column: NDArray[np.int64]) -> NDArray[np.int64]:
    """The column as an array of its own that cannot be changed."""
    return read_only(np.ascontiguousarray(column))
