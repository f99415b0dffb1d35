"""The learned bidder on a tree of auctions.

All auctions of a length are read together, and of each only its last call.

The reader of :mod:`~bayesbridge.bidders.networks` looks back at the calls before by
their keys and values. These are kept for every node of the tree, so that an auction
that is one call longer than another costs one token. The same numbers come out as from
:class:`~bayesbridge.bidders.learned.LearnedBidder`, but for rounding.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.auction_tree import AuctionTree
from bayesbridge.bidders.learned import (
    FIRST_ROWS,
    NETWORK_FILE,
    LearnedBidder,
    token_parts,
)
from bayesbridge.bidders.networks import (
    feed_forward,
    layer_norm,
    linear,
    network,
    reader_layers,
    softmax_in_place,
)
from bayesbridge.game.calls import CALLS
from bayesbridge.game.layouts import Floats, Hands, Singles
from bayesbridge.runtime.jit import one_thread

KEYS: Final = 0
VALUES: Final = 1
"""Of a call in memory: what later calls compare their queries with, and what they take
from it.
"""

FIRST_ROOM: Final = 256
"""Nodes for which arrays have room at first; they are lengthened when they are full."""


class TreeReader:
    """What the learned bidder makes of every auction of a tree."""

    def __init__(self, bidder: LearnedBidder, tree: AuctionTree) -> None:
        """Prepare to read the auctions of a tree, none of which is read yet.

        What was read is kept in arrays by the number of the tree's node. They have room
        for some nodes, and grow with the tree.
        """
        self.tree = tree
        self.slip = bidder.slip
        dealer = tree.first
        self.vulnerable = (
            dealer in bidder.vulnerable,
            dealer.next() in bidder.vulnerable,
        )
        """The dealer's side, and the other one."""
        self.styles = np.stack([style.numbers for style in bidder.style])
        """(2, 17) how North and South bid, and East and West."""

        self.network = network(NETWORK_FILE, f"{bidder.size}_")
        self.parameters = self.network.parameters
        self.layers = reader_layers(self.parameters)
        self.heads, self.reach = self.layers[0]["distance"].shape
        self.width = self.parameters["reader_norm_weight"].shape[0]

        units = self.parameters["own_weight"].shape[0]
        keys_and_values = (len(self.layers), 2, self.width)
        self._is_read = np.zeros(FIRST_ROOM, np.bool_)
        """(nodes,) of which nodes the arrays below hold anything."""
        self._memory = np.zeros((FIRST_ROOM, *keys_and_values), np.float32)
        """(nodes, layers, 2, width) what later calls find of a node's last call."""
        self._scale = np.zeros((FIRST_ROOM, units), np.float32)
        """(nodes, units) by what a hand's vector is multiplied there."""
        self._shift = np.zeros((FIRST_ROOM, units), np.float32)
        """(nodes, units) what is then added."""
        self._bias = np.zeros((FIRST_ROOM, len(CALLS)), np.float32)
        """(nodes, 38) what the auction alone says for every call, -inf if illegal."""

    def vectors(self, hands: Hands) -> Singles:
        """(n, units) of n hands, (1, units) where all are the same."""
        with one_thread():
            return self.network.vectors(hands)[0]

    def probabilities(self, nodes: NDArray[np.intp], vectors: Singles) -> Floats:
        """(n, 38) P(call ∣ hand, auction) in n auctions of one length; 0 if illegal.

        ``vectors`` are (n, units), of the hand in each of the auctions.
        """
        self._read_all(np.unique(nodes))
        scores = self._scores(nodes, vectors)
        legal = np.isfinite(scores)
        chances = scores.astype(np.float64)
        softmax_in_place(chances)
        slip_each = self.slip / legal.sum(axis=1, keepdims=True)
        return np.where(legal, (1.0 - self.slip) * chances + slip_each, 0.0)

    def _scores(self, nodes: NDArray[np.intp], vectors: Singles) -> Singles:
        """(n, 38) in auctions that are read; -inf if illegal."""
        hidden = vectors * self._scale[nodes]
        hidden += self._shift[nodes]
        np.maximum(hidden, 0.0, out=hidden)
        with one_thread():
            scores = hidden @ self.parameters["out_weight"].T
        return np.asarray(scores + self._bias[nodes], np.float32)

    def _read_all(self, nodes: NDArray[np.intp]) -> None:
        """Read these auctions of one length, and before them what they begin with."""
        self._make_room(len(self.tree.nodes))
        # The columns of the paths are auctions of the same length, short ones first.
        for nodes_of_length in self._paths(nodes).T:
            beginnings = np.unique(nodes_of_length)
            unread = beginnings[~self._is_read[beginnings]]
            if len(unread):
                with one_thread():
                    self._read_last_calls(unread)

    def _paths(self, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
        """(n, length + 1) the nodes from the empty auction to each of n of one length."""
        return np.stack([self.tree.path(node) for node in nodes.tolist()])

    def _make_room(self, nodes: int) -> None:
        """Lengthen the arrays, at least to twice their length, if nodes need it."""
        room = len(self._is_read)
        if nodes <= room:
            return
        extra_room = max(nodes - room, room)
        for name in ("_is_read", "_memory", "_scale", "_shift", "_bias"):
            array = getattr(self, name)
            empty = np.zeros((extra_room, *array.shape[1:]), array.dtype)
            setattr(self, name, np.concatenate([array, empty]))

    def _read_last_calls(self, nodes: NDArray[np.intp]) -> None:
        """Read n auctions of one length, given as nodes of the tree.

        All that they begin with is read already, so each costs one token: that of its
        last call. It runs through the layers of a transformer, in which it looks back
        at the calls before it. What the next caller knows is kept by node.
        """
        parameters = self.parameters
        states = [self.tree.nodes[node] for node in nodes.tolist()]
        paths = self._paths(nodes)
        side_in_turn = [(self.tree.first + state.length) % 2 for state in states]
        styles = self.styles[side_in_turn]
        # A token has six parts, numbered from 0; their rows follow the first row of
        # each part in the table.
        parts = [token_parts(state, self.vulnerable) for state in states]
        rows = np.array(parts, np.intp) + FIRST_ROWS
        x: Singles = parameters["reader_table_weight"][rows].sum(axis=1)
        x += linear(parameters, "style", styles)
        for number, layer in enumerate(self.layers):
            x += self._attention(number, layer_norm(layer, "norm_1", x), paths)
            x += feed_forward(layer, layer_norm(layer, "norm_2", x))
        readings = layer_norm(parameters, "reader_norm", x)
        features = np.concatenate([readings, styles], axis=1)
        self._keep_contexts(nodes, features)

    def _keep_contexts(self, nodes: NDArray[np.intp], features: Singles) -> None:
        """Keep what hands join at n nodes.

        ``features`` are (n, width) what is known there without a hand: what was read,
        and the style of the side in turn.
        """
        parameters = self.parameters
        self._scale[nodes] = linear(parameters, "scale", features)
        self._shift[nodes] = linear(parameters, "shift", features)
        bias = linear(parameters, "context_out", features) + parameters["out_bias"]
        legal = np.stack([self.tree.legal(node) for node in nodes.tolist()])
        self._bias[nodes] = np.where(legal, bias, -np.inf)
        self._is_read[nodes] = True

    def _attention(self, number: int, x: Singles, paths: NDArray[np.intp]) -> Singles:
        """(n, width) what the last calls of n auctions take from the calls before.

        ``x`` is (n, width), of the last calls, in the layer of this number. ``paths``
        are (n, length), the nodes from the empty auction to each. Keys and values of
        the calls before are in memory; those of the last calls are put there first.
        """
        layer = self.layers[number]
        n, length = paths.shape
        head_width = self.width // self.heads
        query_key_value = linear(layer, "ask", x).reshape(n, 3, self.width)
        last_calls = paths[:, -1]
        self._memory[last_calls, number] = query_key_value[:, 1:]
        query = query_key_value[:, 0].reshape(n, self.heads, 1, head_width)
        by_head = (n, length, self.heads, head_width)
        keys = self._memory[paths, number, KEYS].reshape(by_head)
        values = self._memory[paths, number, VALUES].reshape(by_head)
        # (n, heads, 1, length): one query, every call of the auction
        scores = query @ keys.transpose(0, 2, 3, 1)
        scores *= np.float32(head_width**-0.5)
        places_back = np.minimum(np.arange(length)[::-1], self.reach - 1)
        scores += layer["distance"][:, None, places_back]
        softmax_in_place(scores)
        mixed_values = scores @ values.transpose(0, 2, 1, 3)
        return linear(layer, "answer", mixed_values.reshape(n, self.width))
