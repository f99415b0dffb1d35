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
from bayesbridge.cards import SUIT_MASK
from bayesbridge.products import matrix_product, one_thread

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
        self.suits = []
        with one_thread():
            for s in range(4):
                hidden = matrix_product(features, p["holdings_suit_in"][s]) + p["holdings_suit_in_bias"][s]
                table = matrix_product(np.maximum(hidden, 0), p["holdings_suit_out"][s])
                self.suits.append(table + matrix_product(features, p["holdings_suit_skip"][s]))
        self.suits[0] += p["holdings_hand_bias"]

    def vectors(self, hands: NDArray[np.uint64]) -> Floats:
        """(n, units) relu of the sum over the suits; a block of hands at a time is quickest."""
        total: Floats = np.zeros((len(hands), self.suits[0].shape[1]), dtype=np.float32)
        part = np.empty_like(total)
        for s, table in enumerate(self.suits):
            held = (hands >> np.uint64(13 * s) & np.uint64(SUIT_MASK)).astype(np.intp)
            total += np.take(table, held, axis=0, out=part, mode="clip")  # no holding is out of bounds
        return np.maximum(total, 0, out=total)


class HandLayer:
    """The parameters whose names begin with ``head_``, made ready."""

    def __init__(self, parameters: dict[str, Floats]) -> None:
        start = "head_"
        self.parameters = {name[len(start) :]: x for name, x in parameters.items() if name.startswith(start)}
        self.holdings = Holdings(self.parameters)

    def vectors(self, hands: NDArray[np.uint64]) -> Floats:
        """(n, units) the hands' share of the hidden layer; a block of hands at a time is quickest."""
        deeper = linear(self.parameters, "deepen", self.holdings.vectors(hands))
        np.maximum(deeper, 0, out=deeper)
        return linear(self.parameters, "hand_mix", deeper)

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
    mixed: Floats = vectors * context.scale
    mixed += context.shift
    np.maximum(mixed, 0, out=mixed)
    found: Floats = matrix_product(mixed, context.out)
    found += context.bias
    return found


def stored(name: str) -> dict[str, Floats]:
    """The fitted parameters of a file that ships with the package."""
    with (files("bayesbridge.bidders") / "data" / name).open("rb") as file, np.load(file) as found:
        return {key: found[key].astype(np.float32) for key in found.files if key != "facts"}
