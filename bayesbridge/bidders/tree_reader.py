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
    NETWORK_FILE,
    STARTS,
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
"""Of a call in memory: what later calls look for, and what they find."""

FIRST_ROOM: Final = 256
"""Nodes for which there is room at first."""


class TreeReader:
    """What the learned bidder makes of every auction of a tree."""

    def __init__(self, bidder: LearnedBidder, tree: AuctionTree) -> None:
        self.tree = tree
        self.slip = bidder.slip
        self.network = network(NETWORK_FILE, f"{bidder.size}_")
        self.parameters = self.network.parameters
        self.vulnerable = (
            tree.first in bidder.vulnerable,
            tree.first.next() in bidder.vulnerable,
        )
        """The dealer's side, and the other one."""
        self.styles = np.stack([style.numbers for style in bidder.style])
        self.layers = reader_layers(self.parameters)
        self.heads, self.reach = self.layers[0]["distance"].shape
        self.width = self.parameters["reader_norm_weight"].shape[0]
        units = self.parameters["own_weight"].shape[0]
        self._is_read = np.zeros(FIRST_ROOM, np.bool_)
        self._memory = np.zeros((FIRST_ROOM, len(self.layers), 2, self.width), "f4")
        """(nodes, layers, 2, width) keys and values of the last call of every node."""
        self._scale = np.zeros((FIRST_ROOM, units), np.float32)
        self._shift = np.zeros((FIRST_ROOM, units), np.float32)
        """(nodes, units) what the context scales and shifts a hand's vector by."""
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
        scores = self._scores(nodes, vectors).astype(np.float64)
        shares = np.exp(scores - scores.max(axis=1, keepdims=True))
        shares /= shares.sum(axis=1, keepdims=True)
        legal = np.isfinite(scores)
        slip_each = self.slip / legal.sum(axis=1, keepdims=True)
        return np.where(legal, (1.0 - self.slip) * shares + slip_each, 0.0)

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
        paths = np.stack([self.tree.path(node) for node in nodes.tolist()])
        for length in range(paths.shape[1]):
            beginnings = np.unique(paths[:, length])
            unread = beginnings[~self._is_read[beginnings]]
            if len(unread):
                with one_thread():
                    self._read_last_calls(unread)

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
        """Read auctions of one length whose beginnings are read, and keep what they say."""
        p = self.parameters
        states = [self.tree.nodes[node] for node in nodes.tolist()]
        sides = [(self.tree.first + state.length) % 2 for state in states]
        styles = self.styles[sides]
        tokens = np.array(
            [token_parts(state, self.vulnerable) for state in states], np.intp
        )
        rows = p["reader_table_weight"][tokens + STARTS[:-1]]
        x: Singles = rows.sum(axis=1)
        x += linear(p, "style", styles)
        paths = np.stack([self.tree.path(node) for node in nodes.tolist()])
        for number, layer in enumerate(self.layers):
            x += self._attention(number, layer_norm(layer, "norm_1", x), paths)
            x += feed_forward(layer, layer_norm(layer, "norm_2", x))
        said_by_auction = layer_norm(p, "reader_norm", x)
        known = np.concatenate([said_by_auction, styles], axis=1)
        self._keep_context(nodes, known)

    def _keep_context(self, nodes: NDArray[np.intp], known: Singles) -> None:
        """Keep the contexts of nodes, from (n, width) what is known there."""
        p = self.parameters
        self._scale[nodes] = linear(p, "scale", known)
        self._shift[nodes] = linear(p, "shift", known)
        bias = linear(p, "context_out", known) + p["out_bias"]
        legal = np.stack([self.tree.legal(node) for node in nodes.tolist()])
        self._bias[nodes] = np.where(legal, bias, -np.inf)
        self._is_read[nodes] = True

    def _attention(self, number: int, x: Singles, paths: NDArray[np.intp]) -> Singles:
        """(n, width) what the last call of each of n paths finds in the calls before.

        ``x`` is (n, width), of the last calls; ``paths`` are (n, length) nodes, and
        ``number`` is that of the layer. Keys and values of the last calls are kept.
        """
        layer = self.layers[number]
        n, length = paths.shape
        joined = linear(layer, "ask", x).reshape(n, 3, self.width)
        self._memory[paths[:, -1], number] = joined[:, 1:]
        by_head = (n, length, self.heads, -1)
        query = joined[:, 0].reshape(n, self.heads, 1, -1)
        keys = self._memory[paths, number, KEYS].reshape(by_head)
        values = self._memory[paths, number, VALUES].reshape(by_head)
        head_width = query.shape[-1]
        scores = query @ keys.transpose(0, 2, 3, 1)
        scores *= np.float32(head_width**-0.5)
        distance = np.minimum(np.arange(length)[::-1], self.reach - 1)
        scores += layer["distance"][:, None, distance]
        softmax_in_place(scores)
        mixed = scores @ values.transpose(0, 2, 1, 3)
        return linear(layer, "answer", mixed.reshape(n, self.width))
