"""A small transformer in NumPy: it reads what everybody at the table knows, call by call or card by card.

Every token is the sum of a few rows of one table. A layer lets each token look back at those before it, by what they
say and by how far back they lie, and then works on each token alone; both are added to what went in::

    x ← x + answer(Σ over the past of softmax(q·k / √d + distance) v)       with q, k, v = ask(norm(x))
    x ← x + down(relu(up(norm(x))))

A token never sees a later one, so a longer sequence gives the same for its beginning.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float32]

EPSILON: Final = np.float32(1e-5)
"""Added to the variance before it divides."""


class Reader:
    """The parameters whose names begin with ``reader_``, made ready."""

    def __init__(self, parameters: dict[str, Floats]) -> None:
        self.table = parameters["reader_table_weight"]
        self.norm = parameters["reader_norm_weight"], parameters["reader_norm_bias"]
        self.layers: list[dict[str, Floats]] = []
        while f"reader_layers_{len(self.layers)}_distance" in parameters:
            start = f"reader_layers_{len(self.layers)}_"
            self.layers.append({name[len(start) :]: p for name, p in parameters.items() if name.startswith(start)})

    def read(self, tokens: NDArray[np.intp], extra: Floats | None = None) -> Floats:
        """(n, k) rows of the table, added up, and (n, width) to add to them → (n, width) what each token knows."""
        x: Floats = self.table[tokens].sum(axis=1)
        if extra is not None:
            x += extra
        place = np.arange(len(x))
        after = place[:, None] - place
        for layer in self.layers:
            x += _look_back(layer, _normal(x, layer["norm_1_weight"], layer["norm_1_bias"]), after)
            hidden = linear(layer, "up", _normal(x, layer["norm_2_weight"], layer["norm_2_bias"]))
            x += linear(layer, "down", np.maximum(hidden, 0))
        return _normal(x, *self.norm)


def linear(parameters: dict[str, Floats], name: str, x: Floats) -> Floats:
    """x times the matrix of a layer (kept as outputs × inputs), and its bias if there is one."""
    product: Floats = x @ parameters[f"{name}_weight"].T
    bias = parameters.get(f"{name}_bias")
    return product if bias is None else product + bias


def _look_back(layer: dict[str, Floats], x: Floats, after: NDArray[np.intp]) -> Floats:
    n, width = x.shape
    heads, reach = layer["distance"].shape
    q, k, v = linear(layer, "ask", x).reshape(n, 3, heads, width // heads).transpose(1, 2, 0, 3)
    scores: Floats = (q @ k.transpose(0, 2, 1)) * np.float32((width // heads) ** -0.5)
    scores += layer["distance"][:, np.clip(after, 0, reach - 1)]
    scores[:, after < 0] = -np.inf
    scores -= scores.max(axis=2, keepdims=True)
    np.exp(scores, out=scores)
    scores /= scores.sum(axis=2, keepdims=True)
    seen = (scores @ v).transpose(1, 0, 2).reshape(n, width)
    return linear(layer, "answer", seen)


def _normal(x: Floats, weight: Floats, bias: Floats) -> Floats:
    """Each row with mean 0 and variance 1, then scaled and moved."""
    centred = x - x.mean(axis=1, keepdims=True)
    spread: Floats = np.sqrt((centred * centred).mean(axis=1, keepdims=True) + EPSILON)
    normal: Floats = centred / spread * weight + bias
    return normal
