"""The network behind the estimator ``tricks``: P(double-dummy tricks ∣ all four hands), without a solver.

The four suits are four tokens; each begins as a sum over its 13 cards of a vector that depends on the rank and on who
holds it (declarer, left, dummy or right), plus one for its role (trumps, a side suit, a suit at no trumps). Three times
the tokens look at each other (attention) and are then worked on alone; trumps and the mean of the tokens, or the mean
alone at no trumps, give the distribution::

    x = B·relu(Σ_cards suit[rank, owner] + role)
    x = x + attention(norm(x));  x = x + down·relu(up·norm(x))          three times
    P(tricks) = softmax(1.2·leave·relu(gather·[trumps, mean]))

Nothing tells one side suit from another, so renaming suits changes no digit that matters. ``scripts/fit_tricks.py``
makes the weights; docs/estimators.md tells how good they are.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import Suit
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.products import matrix_product, one_thread

type Floats = NDArray[np.float32]

MOST_TRICKS: Final = 13

BLOCK: Final = 128
"""Layouts worked on at a time: their vectors stay in the processor's cache."""

SHARPER: Final = 1.2
"""Factor of the logits: a small network that imitates a large one is too modest. Chosen on 2 500 deals set aside.

On the 5 389 deals to judge by, the likeliest number then has 79.1 % with trumps and 81.4 % without, on average, and is
right in 79.0 % and 81.3 %; without the factor it has 75.5 % and 78.1 %.
"""

ANY_ORDER: Final = {"reassoc", "contract", "nsz"}
"""Sums may be added up in any order, so that the processor adds several at once."""


class Layer(NamedTuple):
    """Weights of one layer; products are ``x @ weight``."""

    before: Floats
    joined: Floats
    joined_bias: Floats
    out: Floats
    out_bias: Floats
    between: Floats
    up: Floats
    up_bias: Floats
    down: Floats
    down_bias: Floats


class Weights(NamedTuple):
    """The whole network: width d, hidden width 2d."""

    suit: Floats
    """(52, 2d), row 4 · rank + owner."""
    role: Floats
    """(3, 2d) trumps, side suit, suit at no trumps, each with the bias of the first product."""
    begin: Floats
    begin_bias: Floats
    layers: tuple[Layer, ...]
    norm: Floats
    gather: Floats
    gather_bias: Floats
    leave: Floats
    leave_bias: Floats
    heads: int
    about: dict[str, Any]
    """Where the weights come from: hash of the data, settings, and how they were judged before they were sharpened."""


@cache
def weights() -> Weights:
    """The weights that ship, read once."""
    path = files("bayesbridge.estimators").joinpath("data/tricks.npz")
    with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:
        arrays = {name: stored[name] for name in stored.files}
    about = json.loads(str(arrays.pop("about")))

    def vector(name: str) -> Floats:
        return np.asarray(arrays[name], np.float32)

    def product(name: str) -> Floats:
        return np.ascontiguousarray(vector(f"{name}.weight").T)

    count = sum(name.startswith("up.") and name.endswith(".weight") for name in arrays)
    layers = tuple(
        Layer(
            vector(f"before.{k}.weight"),
            product(f"joined.{k}"),
            vector(f"joined.{k}.bias"),
            product(f"out.{k}"),
            vector(f"out.{k}.bias"),
            vector(f"between.{k}.weight"),
            product(f"up.{k}"),
            vector(f"up.{k}.bias"),
            product(f"down.{k}"),
            vector(f"down.{k}.bias"),
        )
        for k in range(count)
    )
    return Weights(
        product("suit"),
        vector("role.weight") + vector("suit.bias"),
        product("begin"),
        vector("begin.bias"),
        layers,
        vector("norm.weight"),
        product("gather"),
        vector("gather.bias"),
        product("leave"),
        vector("leave.bias"),
        int(about["heads"]),
        about,
    )


def trick_probabilities(table: Masks, trump: Suit | None) -> Floats:
    """(n, 14) P(declarer's side takes 0 … 13 tricks) of (n, 4) hands: declarer, left, dummy, right.

    >>> from bayesbridge.cards import Hand
    >>> spades = Hand.of("AKQJT98765432...").mask
    >>> others = [Hand.of(text).mask for text in (".AKQJT98765432..", "..AKQJT98765432.", "...AKQJT98765432")]
    >>> chances = trick_probabilities(np.array([[spades, *others]], np.uint64), Suit.S)
    >>> int(chances.argmax())
    13
    """
    order = np.array([3, 2, 1, 0] if trump is None else [trump, *(s for s in (3, 2, 1, 0) if s != trump)], np.int64)
    logits = np.empty((len(table), MOST_TRICKS + 1), np.float32)
    # Every block has the same size, filled up with its first layout: a product of another size may round differently.
    with one_thread():
        for begin in range(0, len(table), BLOCK):
            part = np.arange(begin, begin + BLOCK)
            part[part >= len(table)] = begin
            own = min(BLOCK, len(table) - begin)
            logits[begin : begin + own] = _logits(table[part], order, trump is None, weights())[:own]
    logits -= logits.max(axis=1, keepdims=True)
    chances = np.exp(SHARPER * logits)
    return np.asarray(chances / chances.sum(axis=1, keepdims=True), np.float32)


def _logits(table: Masks, order: NDArray[np.int64], no_trump: bool, net: Weights) -> Floats:
    """(n, 14) of one block."""
    hidden = np.empty((4 * len(table), net.role.shape[1]), np.float32)
    enter(table, order, no_trump, net.suit, net.role, hidden)
    x = np.asarray(matrix_product(hidden, net.begin), np.float32)
    turned = np.empty_like(x)
    add_and_norm(x, np.zeros_like(x), net.begin_bias, net.layers[0].before, turned)
    for layer, following in zip(net.layers, [*[one.before for one in net.layers[1:]], net.norm], strict=True):
        joined = matrix_product(turned, layer.joined)
        attend(joined, layer.joined_bias, net.heads, turned)
        add_and_norm(x, matrix_product(turned, layer.out), layer.out_bias, layer.between, turned)
        up = matrix_product(turned, layer.up)
        rectify(up, layer.up_bias)
        add_and_norm(x, matrix_product(up, layer.down), layer.down_bias, following, turned)
    tokens = turned.reshape(len(table), 4, -1)
    mean = tokens.mean(axis=1)
    gathered = matrix_product(np.concatenate([mean if no_trump else tokens[:, 0], mean], axis=1), net.gather)
    rectify(gathered, net.gather_bias)
    return np.asarray(matrix_product(gathered, net.leave) + net.leave_bias, np.float32)


@njit
def enter(table: Masks, order: NDArray[np.int64], no_trump: bool, suit: Floats, role: Floats, hidden: Floats) -> None:
    """(4n, 2d) the first hidden layer of every suit."""
    width = suit.shape[1]
    for i in range(len(table)):
        for place in range(4):
            row = hidden[4 * i + place]
            part = 2 if no_trump else min(place, 1)
            for j in range(width):
                row[j] = role[part, j]
            for rank in range(13):
                bit = np.uint64(13 * order[place] + rank)
                owner = 0
                while not table[i, owner] >> bit & np.uint64(1):
                    owner += 1
                for j in range(width):
                    row[j] += suit[4 * rank + owner, j]
            for j in range(width):
                row[j] = max(row[j], np.float32(0))


@njit(fastmath=ANY_ORDER)
def add_and_norm(x: Floats, more: Floats, bias: Floats, scale: Floats, out: Floats) -> None:
    """Adds ``more + bias`` to ``x``; ``out`` is the sum, each row divided by its root mean square, times ``scale``."""
    rows, width = x.shape
    for i in range(rows):
        square = np.float32(0)
        for j in range(width):
            value = x[i, j] + more[i, j] + bias[j]
            x[i, j] = value
            square += value * value
        factor = np.float32(1) / np.sqrt(square / np.float32(width) + np.float32(1e-6))
        for j in range(width):
            out[i, j] = x[i, j] * factor * scale[j]


@njit
def rectify(x: Floats, bias: Floats) -> None:
    """``x = max(x + bias, 0)``."""
    rows, width = x.shape
    for i in range(rows):
        for j in range(width):
            x[i, j] = max(x[i, j] + bias[j], np.float32(0))


@njit(fastmath=ANY_ORDER)
def attend(joined: Floats, bias: Floats, heads: int, out: Floats) -> None:
    """Each token of a deal becomes, head by head, a mean of the four values, weighed by how its query fits their keys.

    ``joined`` (4n, 3d) holds queries, keys and values side by side.
    """
    rows, triple = joined.shape
    width = triple // 3
    part = width // heads
    scale = np.float32(1) / np.sqrt(np.float32(part))
    for i in range(rows):
        for j in range(triple):
            joined[i, j] += bias[j]
    fits = np.empty(4, np.float32)
    for first in range(0, rows, 4):
        for head in range(heads):
            begin = head * part
            for i in range(first, first + 4):
                highest = np.float32(-np.inf)
                for k in range(4):
                    fit = np.float32(0)
                    for j in range(begin, begin + part):
                        fit += joined[i, j] * joined[first + k, width + j]
                    fits[k] = fit * scale
                    highest = max(highest, fits[k])
                total = np.float32(0)
                for k in range(4):
                    fits[k] = np.exp(fits[k] - highest)
                    total += fits[k]
                for j in range(begin, begin + part):
                    mixed = np.float32(0)
                    for k in range(4):
                        mixed += fits[k] * joined[first + k, 2 * width + j]
                    out[i, j] = mixed / total
