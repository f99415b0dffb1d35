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
from bayesbridge.jit import njit, one_thread
from bayesbridge.layouts import Masks

type Floats = NDArray[np.float32]

MOST_TRICKS: Final = 13

PAIRS: Final = 6
"""Pairs of neighbouring ranks in a suit; the ace stays alone."""

BLOCK: Final = 256
"""Layouts worked on at a time: their vectors stay in the processor's cache."""

SHARPER: Final = 1.2
"""Factor of the logits: a small network that imitates a large one is too modest. Chosen on 2 500 deals set aside.

On the 5 389 deals to judge by, the likeliest number then has 79.1 % with trumps and 81.4 % without, on average, and is
right in 79.0 % and 81.3 %; without the factor it has 75.5 % and 78.1 %.
"""

ANY_ORDER: Final = {"reassoc", "contract", "nsz"}
"""Sums may be added up in any order, so that the processor adds several at once."""


class Room(NamedTuple):
    """Arrays that every block of a call uses again."""

    hidden: Floats
    x: Floats
    turned: Floats
    more: Floats
    joined: Floats

    @classmethod
    def of(cls, net: Weights) -> Room:
        """For blocks of ``BLOCK`` layouts."""
        columns, width = 4 * BLOCK, len(net.norm)
        rows = (width, width, width, 3 * width)
        return cls(np.empty((columns, 2 * width), np.float32), *(np.empty((n, columns), np.float32) for n in rows))


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
    chances = np.empty((len(table), MOST_TRICKS + 1), np.float32)
    room = Room.of(weights())
    # Every block has the same size, filled up with its first layout: a product of another size may round differently.
    with one_thread():
        for begin in range(0, len(table), BLOCK):
            part = table[begin : begin + BLOCK]
            whole = np.concatenate([part, np.repeat(part[:1], BLOCK - len(part), axis=0)])
            logits = _logits(whole, order, trump is None, weights(), room)
            chances[begin : begin + BLOCK] = _chances(logits)[: len(part)]
    return chances


def _chances(logits: Floats) -> Floats:
    """(n, 14) probabilities of (14, n) logits."""
    chances = np.exp(np.float32(SHARPER) * (logits - logits.max(axis=0)))
    return np.asarray((chances / chances.sum(axis=0)).T, np.float32)


def _logits(table: Masks, order: NDArray[np.int64], no_trump: bool, net: Weights, room: Room) -> Floats:
    """(14, n) of one block.

    Vectors are columns: those of the first suit of every layout, then of the second, and so on. So kernels work on
    several layouts at once.
    """
    hidden, x, turned, more, joined = room
    width, n = len(x), len(table)
    up = joined[: 2 * width]
    enter(table, order, no_trump, pair_rows(), net.role, hidden)
    x[:] = 0.0
    np.matmul(net.begin.T, hidden.T, more)
    add_and_norm(x, more, net.begin_bias, net.layers[0].before, turned)
    for layer, following in zip(net.layers, [*[one.before for one in net.layers[1:]], net.norm], strict=True):
        np.matmul(layer.joined.T, turned, joined)
        attend(joined, layer.joined_bias, net.heads, turned)
        np.matmul(layer.out.T, turned, more)
        add_and_norm(x, more, layer.out_bias, layer.between, turned)
        np.matmul(layer.up.T, turned, up)
        rectify(up, layer.up_bias)
        np.matmul(layer.down.T, up, more)
        add_and_norm(x, more, layer.down_bias, following, turned)
    tokens = turned.reshape(width, 4, n)
    mean = (tokens[:, 0] + tokens[:, 1] + tokens[:, 2] + tokens[:, 3]) * np.float32(0.25)
    gathered = net.gather.T @ np.concatenate([mean if no_trump else tokens[:, 0], mean])
    rectify(gathered, net.gather_bias)
    return np.asarray(net.leave.T @ gathered + net.leave_bias[:, None], np.float32)


@njit
def enter(table: Masks, order: NDArray[np.int64], no_trump: bool, pairs: Floats, role: Floats, hidden: Floats) -> None:
    """(4n, 2d) the first hidden layer, a row for each column of what follows."""
    n, width = len(table), role.shape[1]
    three = np.uint64(3)
    rows = np.empty(PAIRS + 1, np.int64)
    for place in range(4):
        part = 2 if no_trump else min(place, 1)
        shift = np.uint64(13 * order[place])
        for i in range(n):
            # Bits of the owner's number: declarer 0, left 1, dummy 2, right 3.
            low, high = (table[i, 1] | table[i, 3]) >> shift, (table[i, 2] | table[i, 3]) >> shift
            for k in range(PAIRS):
                rows[k] = 16 * k + np.int64(low & three) + 4 * np.int64(high & three)
                low, high = low >> np.uint64(2), high >> np.uint64(2)
            rows[PAIRS] = 16 * PAIRS + np.int64(low & np.uint64(1)) + 2 * np.int64(high & np.uint64(1))
            a, b, c, d, e, f, g = rows
            for j in range(width):
                lower = role[part, j] + pairs[a, j] + pairs[b, j] + pairs[c, j]
                value = lower + pairs[d, j] + pairs[e, j] + pairs[f, j] + pairs[g, j]
                hidden[place * n + i, j] = max(value, np.float32(0))


@njit(fastmath=ANY_ORDER)
def add_and_norm(x: Floats, more: Floats, bias: Floats, scale: Floats, out: Floats) -> None:
    """Adds ``more + bias`` to ``x``; ``out`` is that, each column over its root mean square, times ``scale``."""
    width, columns = x.shape
    factor = np.zeros(columns, np.float32)
    for j in range(width):
        for i in range(columns):
            value = x[j, i] + more[j, i] + bias[j]
            x[j, i] = value
            factor[i] += value * value
    for i in range(columns):
        factor[i] = np.float32(1) / np.sqrt(factor[i] / np.float32(width) + np.float32(1e-6))
    for j in range(width):
        for i in range(columns):
            out[j, i] = x[j, i] * factor[i] * scale[j]


@njit
def rectify(x: Floats, bias: Floats) -> None:
    """``x = max(x + bias, 0)``."""
    rows, columns = x.shape
    for j in range(rows):
        for i in range(columns):
            x[j, i] = max(x[j, i] + bias[j], np.float32(0))


@njit(fastmath=ANY_ORDER)
def attend(joined: Floats, bias: Floats, heads: int, out: Floats) -> None:
    """Each token of a deal becomes, head by head, a mean of the four values, weighed by how its query fits their keys.

    ``joined`` (3d, 4n) holds queries, keys and values one below the other. The bias of the keys adds the same to all
    that a query compares, so it is left out.
    """
    triple, columns = joined.shape
    width, n = triple // 3, columns // 4
    part = width // heads
    scale = np.float32(1) / np.sqrt(np.float32(part))
    fits = np.empty((4, n), np.float32)
    total = np.empty(n, np.float32)
    one, two, three, four = fits
    for begin in range(0, width, part):
        for first in range(0, columns, n):
            fits[:] = np.float32(0)
            for j in range(begin, begin + part):
                query, keys = joined[j, first : first + n], joined[width + j]
                second, third, fourth = keys[n:], keys[2 * n :], keys[3 * n :]
                for i in range(n):
                    asked = (query[i] + bias[j]) * scale
                    one[i] += asked * keys[i]
                    two[i] += asked * second[i]
                    three[i] += asked * third[i]
                    four[i] += asked * fourth[i]
            for i in range(n):
                highest = max(max(one[i], two[i]), max(three[i], four[i]))
                one[i] = np.exp(one[i] - highest)
                two[i] = np.exp(two[i] - highest)
                three[i] = np.exp(three[i] - highest)
                four[i] = np.exp(four[i] - highest)
                total[i] = np.float32(1) / (one[i] + two[i] + three[i] + four[i])
            for j in range(begin, begin + part):
                mixed, values = out[j, first : first + n], joined[2 * width + j]
                second, third, fourth = values[n:], values[2 * n :], values[3 * n :]
                for i in range(n):
                    lower = one[i] * values[i] + two[i] * second[i]
                    mixed[i] = (lower + three[i] * third[i] + four[i] * fourth[i]) * total[i] + bias[2 * width + j]


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


@cache
def pair_rows() -> Floats:
    """(100, 2d) rows of ``suit`` added up for two ranks: 16 k + owner bits of ranks 2 k and 2 k + 1; then the ace's.

    The owner's low bits of both ranks come first, then the high bits.
    """
    suit = weights().suit.reshape(13, 4, -1)
    bits = np.arange(16)
    first, second = (bits & 1) + (bits >> 1 & 2), (bits >> 1 & 1) + (bits >> 2 & 2)
    pairs = [suit[2 * k, first] + suit[2 * k + 1, second] for k in range(PAIRS)]
    return np.ascontiguousarray(np.concatenate([*pairs, suit[12]]))
