"""The learned bidder on a tree of auctions: all auctions of a length read together, and
of each only its last call.

The reader of :mod:`~bayesbridge.bidders.networks` looks back at the calls before by
their keys and values. These are kept for every node of the tree, so that an auction
that is one call longer than another costs one token. The same numbers come out as from
:class:`~bayesbridge.bidders.learned.LearnedBidder`, but for rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auction_tree import NOBODY, AuctionTree
from bayesbridge.bidders.learned import OPENING, PLACES, STARTS, LearnedBidder
from bayesbridge.bidders.networks import layer_norm, linear, network, part
from bayesbridge.game.calls import CALLS
from bayesbridge.game.layouts import Floats, Hands, Singles
from bayesbridge.runtime.jit import one_thread

NOBODYS_BID: Final = 4  # owner of the last bid where nobody has bid
KEYS: Final = 0
VALUES: Final = 1
FIRST_ROOM: Final = 256  # nodes for which there is room at first


class TreeReader:
    """What the learned bidder makes of every auction of a tree."""

    def __init__(self, bidder: LearnedBidder, tree: AuctionTree) -> None:
        self.tree = tree
        self.slip = bidder.slip
        self.network = network("auction.npz", f"{bidder.size}_")
        self.parameters = self.network.parameters
        first = tree.first
        self.vulnerable = (
            first in bidder.vulnerable,
            first.next() in bidder.vulnerable,
        )
        self.styles = np.stack([side.numbers for side in bidder.style])
        self.layers = self._layers()
        self.heads, self.reach = self.layers[0]["distance"].shape
        self.width = self.parameters["reader_norm_weight"].shape[0]
        units = self.parameters["own_weight"].shape[0]
        self._read = np.zeros(FIRST_ROOM, np.bool_)
        #: (nodes, layers, 2, width) keys and values of the last call of every node.
        self._memory = np.zeros((FIRST_ROOM, len(self.layers), 2, self.width), "f4")
        #: (nodes, units) what the context scales and shifts a hand's vector by.
        self._scale = np.zeros((FIRST_ROOM, units), np.float32)
        self._shift = np.zeros((FIRST_ROOM, units), np.float32)
        #: (nodes, 38) what the auction alone says for every call, -inf if illegal.
        self._bias = np.zeros((FIRST_ROOM, len(CALLS)), np.float32)

    def vectors(self, hands: Hands) -> Singles:
        """(n, units) of n hands, (1, units) where all are the same."""
        with one_thread():
            return self.network.vectors(hands)[0]

    def probabilities(self, nodes: NDArray[np.intp], vectors: Singles) -> Floats:
        """(n, 38) P(call ∣ hand, auction) in n auctions of one length, each by a hand's
        vector (n, units); 0 if illegal.
        """
        self._read_all(np.unique(nodes))
        scores = self._scores(nodes, vectors).astype(np.float64)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        legal = np.isfinite(scores)
        slips = self.slip / legal.sum(axis=1, keepdims=True)
        return np.where(legal, (1.0 - self.slip) * shares + slips, 0.0)

    def _scores(self, nodes: NDArray[np.intp], vectors: Singles) -> Singles:
        """(n, 38) in auctions that are read; -inf if illegal."""
        hidden = vectors * self._scale[nodes]
        hidden += self._shift[nodes]
        np.maximum(hidden, 0.0, out=hidden)
        with one_thread():
            scores = hidden @ self.parameters["out_weight"].T
        return np.asarray(scores + self._bias[nodes], np.float32)

    def _layers(self) -> list[dict[str, Singles]]:
        layers: list[dict[str, Singles]] = []
        while layer := part(self.parameters, f"reader_layers_{len(layers)}_"):
            layers.append(layer)
        return layers

    def _read_all(self, nodes: NDArray[np.intp]) -> None:
        """Read these auctions of one length, and before them what they begin with."""
        self._make_room(len(self.tree.nodes))
        paths = np.stack([self.tree.path(node) for node in nodes.tolist()])
        for length in range(paths.shape[1]):
            begun = np.unique(paths[:, length])
            unread = begun[~self._read[begun]]
            if len(unread):
                with one_thread():
                    self._read_new(unread)

    def _make_room(self, nodes: int) -> None:
        room = len(self._read)
        if nodes <= room:
            return
        more = max(nodes - room, room)
        for name in ("_read", "_memory", "_scale", "_shift", "_bias"):
            array = getattr(self, name)
            empty = np.zeros((more, *array.shape[1:]), array.dtype)
            setattr(self, name, np.concatenate([array, empty]))

    def _read_new(self, nodes: NDArray[np.intp]) -> None:
        """Read auctions of one length whose beginnings are read."""
        numbers = nodes.tolist()
        p = self.parameters
        styles = self.styles[[self._side(node) for node in numbers]]
        tokens = np.array([self._token(node) for node in numbers], np.intp)
        x: Singles = p["reader_table_weight"][tokens + STARTS[:-1]].sum(axis=1)
        x += linear(p, "style", styles)
        paths = np.stack([self.tree.path(node) for node in numbers])
        for number, layer in enumerate(self.layers):
            x += self._look_back(number, layer_norm(layer, "norm_1", x), paths)
            up = linear(layer, "up", layer_norm(layer, "norm_2", x))
            x += linear(layer, "down", np.maximum(up, 0))
        known = np.concatenate([layer_norm(p, "reader_norm", x), styles], axis=1)
        self._scale[nodes] = linear(p, "scale", known)
        self._shift[nodes] = linear(p, "shift", known)
        bias = linear(p, "context_out", known) + p["out_bias"]
        legal = np.stack([self.tree.legal(node) for node in numbers])
        self._bias[nodes] = np.where(legal, bias, -np.inf)
        self._read[nodes] = True

    def _look_back(self, number: int, x: Singles, paths: NDArray[np.intp]) -> Singles:
        """(n, width) what the last calls of n ``paths`` find in the calls before."""
        layer = self.layers[number]
        n, length = paths.shape
        split = (n, length, self.heads, -1)
        joined = linear(layer, "ask", x).reshape(n, 3, self.width)
        self._memory[paths[:, -1], number] = joined[:, 1:]
        query = joined[:, 0].reshape(n, self.heads, 1, -1)
        keys = self._memory[paths, number, KEYS].reshape(split)
        values = self._memory[paths, number, VALUES].reshape(split)
        scores = query @ keys.transpose(0, 2, 3, 1)
        scores *= np.float32(query.shape[-1] ** -0.5)
        after = np.minimum(np.arange(length)[::-1], self.reach - 1)
        scores += layer["distance"][:, None, after]
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        mixed = scores @ values.transpose(0, 2, 1, 3)
        return linear(layer, "answer", mixed.reshape(n, self.width))

    def _side(self, node: int) -> int:
        """Of the seat in turn: 0 North and South, 1 East and West."""
        return (self.tree.first + self.tree.nodes[node].length) % 2

    def _token(self, node: int) -> Sequence[int]:
        """What the seat in turn sees, by the parts of ``STARTS``."""
        state = self.tree.nodes[node]
        previous = OPENING if state.call == NOBODY else state.call
        owner = NOBODYS_BID
        if state.bidder != NOBODY:
            owner = (state.bidder - state.length) % 4
        ours = self.vulnerable[state.length % 2]
        theirs = self.vulnerable[1 - state.length % 2]
        sides = 2 * ours + theirs
        place = min(state.length, PLACES - 1)
        return previous, state.last_bid - 2, state.doubled, owner, sides, place
