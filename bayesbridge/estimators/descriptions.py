"""Estimators and bidder models as plain data, and their declarations made again from it.

What comes from an isolated process is read here with care: a text is a text, a number a number, whatever was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import numpy as np

from bayesbridge.estimators.isolation import clipped
from bayesbridge.estimators.protocol import Estimator, ExactEstimator, Output, TrickCount, seconds_of
from bayesbridge.evidence import BidderModel, Cost
from bayesbridge.evidence.models import QUICK, LevelModel, cost_of, honour_values_of

MOST_MOVES: Final = 1000
"""Steps of a particle that a model may ask for: more would keep the engine busy without end."""


class DescribedEstimator(NamedTuple):
    """What an estimator declares."""

    name: str
    doc: str
    outputs: tuple[Output, ...]
    exact: bool
    """Whether it can count distributions."""
    seconds: float
    """What a layout takes on one core."""


class DescribedBidder(NamedTuple):
    """What a bidder model says of itself."""

    name: str
    doc: str
    text: str
    """Its ``repr``."""
    cost: Cost
    level: bool | None
    """``suits`` of a model whose calls depend on the bid by Algorithm 1 alone, else ``None``."""
    probabilities: bool
    """Whether it tells the chances of all calls at once."""
    honours: tuple[int, int, int, int] | None
    """What an ace, king, queen and jack count, if it has a count of its own."""


def sentence(offer: object) -> str:
    """The first sentence of what an object says of itself."""
    return " ".join((type(offer).__doc__ or "").split("\n\n")[0].split())


def doc_of(offer: Estimator | BidderModel) -> str:
    """What an offer is in a sentence: one that is isolated has been described."""
    described = getattr(offer, "described", None)
    return described.doc if isinstance(described, DescribedEstimator | DescribedBidder) else sentence(offer)


def describe_estimator(estimator: Estimator) -> dict[str, Any]:
    """For JSON."""
    outputs = [
        {
            "name": output.name,
            "doc": str(output.doc),
            "dims": list(output.dims),
            "dtype": np.dtype(output.dtype).str,
            "coords": {dim: [_label(label) for label in output.labels(dim)] for dim in output.dims},
            "tricks": None
            if output.tricks is None
            else [output.tricks.fails_at, output.tricks.failing, output.tricks.holding, output.tricks.at_table],
            "support": None if output.support is None else [output.support.start, output.support.stop],
        }
        for output in estimator.outputs
    ]
    return {
        "name": estimator.name,
        "doc": sentence(estimator),
        "outputs": outputs,
        "exact": isinstance(estimator, ExactEstimator),
        "seconds": seconds_of(estimator),
    }


def describe_bidder(name: str, bidder: BidderModel) -> dict[str, Any]:
    """For JSON."""
    cost = cost_of(bidder)
    return {
        "name": name,
        "doc": sentence(bidder),
        "text": repr(bidder),
        "cost": [cost.most_layouts, cost.moves],
        "level": bool(bidder.suits) if isinstance(bidder, LevelModel) else None,
        "honours": honour_values_of(bidder),
        "probabilities": getattr(bidder, "probabilities", None) is not None,
    }


def read_estimator(found: Any) -> DescribedEstimator:
    """From JSON; whatever is wrong raises one of the usual errors of conversion."""
    outputs = tuple(_output(one) for one in found["outputs"])
    seconds = float(found["seconds"])
    return DescribedEstimator(_text(found["name"]), _said(found["doc"]), outputs, found["exact"] is True, seconds)


def read_bidder(found: Any) -> DescribedBidder:
    """From JSON; whatever is wrong raises one of the usual errors of conversion."""
    most, moves = map(int, found["cost"])
    level = None if found["level"] is None else bool(found["level"])
    return DescribedBidder(
        _text(found["name"]),
        _said(found["doc"]),
        _said(found["text"]),
        Cost(min(max(most, 1), QUICK.most_layouts), min(max(moves, 1), MOST_MOVES)),
        level,
        found["probabilities"] is True,
        None if found["honours"] is None else _honours(*found["honours"]),
    )


def _output(found: Mapping[str, Any]) -> Output:
    tricks = None
    if found["tricks"] is not None:
        fails_at, failing, holding, at_table = found["tricks"]
        least = None if fails_at is None else int(fails_at)
        tricks = TrickCount(least, _said(failing), _said(holding), at_table is True)
    support = None if found["support"] is None else range(*map(int, found["support"]))
    coords = {_text(dim): tuple(_plain(label) for label in labels) for dim, labels in found["coords"].items()}
    dims = tuple(_text(dim) for dim in found["dims"])
    return Output(_text(found["name"]), _said(found["doc"]), dims, _text(found["dtype"]), coords, support, tricks)


def _honours(ace: int, king: int, queen: int, jack: int) -> tuple[int, int, int, int]:
    values = (int(ace), int(king), int(queen), int(jack))
    if min(values) < 0 or not 1 <= sum(values) <= 10:
        raise ValueError("no values of honours")
    return values


def _label(label: Any) -> Any:
    value = label.item() if isinstance(label, np.generic) else label
    return value if isinstance(value, str | int | float) else str(value)


def _plain(label: Any) -> Any:
    if not isinstance(label, str | int | float):
        raise TypeError("a label is a text or a number")
    return label


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return value


def _said(value: Any) -> str:
    return clipped(_text(value))
