"""Answers as plain objects for programs: what ``--json`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from xarray import Dataset

    from bayesbridge.belief.belief import Belief
    from bayesbridge.decisions.history import CallReading
    from bayesbridge.estimators.answer import Answer
    from bayesbridge.estimators.evaluate import Evaluation
    from bayesbridge.evidence.models import BidderModel


def evidence_document(belief: Belief) -> dict[str, Any]:
    return {
        "players": 4 if belief.dummy is None else 3,
        "observer": belief.observer.name,
        "hand": belief.hand.pbn,
        "evidence": [str(piece) for piece in belief.evidence],
        "auction": None if belief.auction is None else str(belief.auction),
        "assumed_passes": [seat.name for seat in belief.assumed_passes],
        "assumptions": list(belief.assumptions),
        **({"systems": list(belief.systems)} if belief.systems else {}),
        **styles_document(belief.bidder),
    }


def styles_document(bidder: BidderModel) -> dict[str, Any]:
    named = getattr(getattr(bidder, "base", bidder), "named", ())
    told = [
        {"side": side, "pair": style.pair, "tables": style.tables}
        for side, style in named
    ]
    return {"styles": told} if told else {}


def estimate_document(found: Evaluation, answer: Answer) -> dict[str, Any]:
    from bayesbridge.belief.posterior import CARDS, accuracy_document

    posterior = found.posterior
    # Ten million weights may add up to a hair more than one.
    cards, lengths, points = (
        table.clip(max=1.0)
        for table in (
            posterior.card_table,
            posterior.length_table,
            posterior.point_table,
        )
    )
    return {
        **accuracy_document(posterior, answer.method, answer.exact),
        "pair": [seat.name for seat in found.question.pair],
        "trump": None if found.question.trump is None else found.question.trump.name,
        **evidence_document(posterior.belief),
        "estimators": {name: answer.document(name) for name in answer.estimators},
        "failures": {name: str(failure) for name, failure in found.failures.items()},
        "card_probabilities": nested(cards, CARDS, "NESW"),
        "length_probabilities": nested(lengths, "NESW", "CDHS", range(14)),
        "point_probabilities": nested(points, "NESW", range(38)),
        "points_exact": posterior.counts_points,
    }


def models_document(found: Dataset) -> list[dict[str, Any]]:
    """The rows of :func:`bayesbridge.sensitivity`; null where a model has no answer."""
    rows = []
    for place, bidder in enumerate(found["bidder"].values.tolist()):
        row = found.isel(bidder=place)
        document: dict[str, Any] = {"bidder": bidder}
        for name, variable in row.data_vars.items():
            labels = [row[dim].values.tolist() for dim in variable.dims]
            document[str(name)] = plain_value(variable.values, labels)
        rows.append(document)
    return rows


def plain_value(values: NDArray[Any], labels: Sequence[Iterable[Any]]) -> Any:
    """An array as JSON has it: nested by its labels, a number or a text without any;
    ``None`` where it is not finite.
    """
    if values.dtype.kind != "U" and not np.isfinite(values).all():
        return None
    return nested(values, *labels) if labels else values.item()


def readings_document(read: Iterable[CallReading]) -> list[dict[str, Any]]:
    return [
        {
            "seat": one.seat.name,
            "call": str(one.call),
            "points": None if one.points is None else one.points._asdict(),
            "suit": None if one.suit is None else one.suit.name,
            "length": None if one.length is None else one.length._asdict(),
            "lengths": {
                suit.name: spread._asdict() for suit, spread in one.lengths.items()
            },
            "moved": [suit.name for suit in one.moved],
            "features": dict(one.features),
            "key_cards": list(one.key_cards),
        }
        for one in read
    ]


def named(contract: str) -> dict[str, str | None]:
    """A contract and its declarer apart.

    >>> named("3NT by S"), named("Pass")
    ({'name': '3NT', 'by': 'S'}, {'name': 'Pass', 'by': None})
    """
    name, _, declarer = contract.partition(" by ")
    return {"name": name, "by": declarer or None}


def nested(values: Any, names: Iterable[Any], *others: Iterable[Any]) -> dict[str, Any]:
    """An array as objects within objects, one level for each dimension, whose labels
    are given.
    """
    parts = zip(map(str, names), values, strict=True)
    if others:
        return {name: nested(part, *others) for name, part in parts}
    return {name: float(part) for name, part in parts}
