"""What a hand adds to a context: the part of the learned models that is asked about thousands of candidate hands.

A hand is a sum over its four suits of vectors looked up by the 13 bits of the holding: the small networks that made
them are worked out for all 8192 holdings once. Two short products later it meets the context in one hidden layer, whose
units the context scales and shifts::

    v = relu(relu(Σ_s suit_s[holding in s])·W + w)·A      hand: once for each hand, whatever the context
    scores = relu(v ∘ scale(c) + shift(c))·C + c·D + b    c: what the reader says, once, whatever the hand
"""

from __future__ import annotations

from importlib.resources import files
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.encoding import suit_features
from bayesbridge.bidders.sequence import linear
from bayesbridge.jit import njit, one_thread

type Floats = NDArray[np.float32]

BLOCK: Final = 512
"""Hands worked on at a time: their vectors stay in the processor's cache."""


class Context(NamedTuple):
    """What is known before one choice.

    scale:   (units,) what it makes of each unit of the hidden layer
    shift:   (units,) and adds to it
    choices: (k,) what may be chosen, rising
    out:     (units, k) from the hidden layer to them
    bias:    (k,) what the context alone says for them
    """

    scale: Floats
    shift: Floats
    choices: NDArray[np.intp]
    out: Floats
    bias: Floats


class Holdings:
    """The parameters whose names begin with ``holdings_``, made ready: the suits as tables of vectors by holding."""

    def __init__(self, p: dict[str, Floats]) -> None:
        features = suit_features()
        tables = []
        with one_thread():
            for s in range(4):
                hidden = features @ p["holdings_suit_in"][s] + p["holdings_suit_in_bias"][s]
                table = np.maximum(hidden, 0) @ p["holdings_suit_out"][s]
                tables.append(table + features @ p["holdings_suit_skip"][s])
        tables[0] += p["holdings_hand_bias"]
        self.suits: Floats = np.stack(tables)

    def vectors(self, hands: NDArray[np.uint64]) -> Floats:
        """(n, units) relu of the sum over the suits; a block of hands at a time is quickest."""
        total = np.empty((len(hands), self.suits.shape[2]), dtype=np.float32)
        _add_holdings(np.array(hands), self.suits, total)
        return total


class HandLayer:
    """The parameters whose names begin with ``head_``, made ready."""

    def __init__(self, parameters: dict[str, Floats]) -> None:
        start = "head_"
        self.parameters = {name[len(start) :]: x for name, x in parameters.items() if name.startswith(start)}
        self.holdings = Holdings(self.parameters)
        self._unscaled = np.ones_like(self.parameters["deepen_bias"])

    def vectors(self, hands: NDArray[np.uint64]) -> Floats:
        """(n, units) the hands' share of the hidden layer; a block of hands at a time is quickest."""
        p = self.parameters
        deeper = self.holdings.vectors(hands) @ p["deepen_weight"].T
        return linear(p, "hand_mix", _layer(deeper, self._unscaled, p["deepen_bias"]))

    def contexts(self, known: Floats, choices: list[NDArray[np.intp]]) -> tuple[Context, ...]:
        """(n, width) what the reader says before each of n choices, and what may be chosen."""
        p = self.parameters
        scales, shifts = linear(p, "scale", known), linear(p, "shift", known)
        biases = linear(p, "context_out", known) + p["out_bias"]
        out = p["out_weight"].T
        return tuple(
            Context(scale, shift, allowed, np.ascontiguousarray(out[:, allowed]), bias[allowed])
            for scale, shift, bias, allowed in zip(scales, shifts, biases, choices, strict=True)
        )


def scores(context: Context, vectors: Floats) -> Floats:
    """(n, k) the score of every choice for n hands."""
    found: Floats = _layer(vectors, context.scale, context.shift) @ context.out
    found += context.bias
    return found


def _layer(values: Floats, scale: Floats, shift: Floats) -> Floats:
    """(n, units) relu of values that are scaled and shifted."""
    found = np.empty(values.shape, dtype=np.float32)
    _fill_layer(np.ascontiguousarray(values), scale, shift, found)
    return found


@njit
def _add_holdings(hands: NDArray[np.uint64], suits: Floats, out: Floats) -> None:
    """The relu of the sum of four rows, for each hand."""
    for i in range(len(hands)):
        hand = np.int64(hands[i])
        clubs, diamonds, hearts, spades = hand & 0x1FFF, (hand >> 13) & 0x1FFF, (hand >> 26) & 0x1FFF, hand >> 39
        for j in range(out.shape[1]):
            total = suits[0, clubs, j] + suits[1, diamonds, j] + suits[2, hearts, j] + suits[3, spades, j]
            out[i, j] = max(total, np.float32(0.0))


@njit
def _fill_layer(values: Floats, scale: Floats, shift: Floats, out: Floats) -> None:
    """One pass over the units of all hands, which is what takes the time."""
    for i in range(len(values)):
        for j in range(len(scale)):
            out[i, j] = max(values[i, j] * scale[j] + shift[j], np.float32(0.0))


def stored(name: str) -> dict[str, Floats]:
    """The fitted parameters of a file that ships with the package."""
    with (files("bayesbridge.bidders") / "data" / name).open("rb") as file, np.load(file) as found:
        return {key: found[key].astype(np.float32) for key in found.files if key != "facts"}
