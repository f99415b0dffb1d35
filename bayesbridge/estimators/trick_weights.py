"""The weights of the network behind ``tricks``, read from the file that ships."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float32]

PAIRS: Final = 6
"""Pairs of neighbouring ranks in a suit; the ace stays alone."""


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
