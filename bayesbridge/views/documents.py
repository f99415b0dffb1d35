"""Answers as plain objects for programs: what ``--json`` prints."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from xarray import Dataset

    from bayesbridge.belief.belief import Belief
    from bayesbridge.decisions.history import CallReading, Spread
    from bayesbridge.estimators.answer import Answer
    from bayesbridge.estimators.evaluate import Evaluation
    from bayesbridge.evidence.models import BidderModel


def evidence_document(belief: Belief) -> dict[str, Any]:
    """What was seen, and how the others are taken to bid."""
    document = {
        "players": 4 if belief.dummy is None else 3,
        "observer": belief.observer.name,
        "hand": belief.hand.pbn,
        "evidence": [str(piece) for piece in belief.evidence],
        "auction": text_or_none(belief.auction),
        "assumed_passes": [seat.name for seat in belief.assumed_passes],
        "assumptions": list(belief.assumptions),
    }
    if belief.systems:
        document["systems"] = list(belief.systems)
    return document | styles_document(belief.bidder)


def styles_document(bidder: BidderModel) -> dict[str, Any]:
    """The styles of pairs that a bidder has by name; empty where it has none."""
    base = getattr(bidder, "base", bidder)
    styles = [
        {"side": side, "pair": style.pair, "tables": style.tables}
        for side, style in getattr(base, "named", ())
    ]
    if not styles:
        return {}
    return {"styles": styles}


def estimate_document(evaluation: Evaluation, answer: Answer) -> dict[str, Any]:
    """What ``bayesbridge estimate --json`` prints."""
    from bayesbridge.belief.posterior import CARDS, accuracy_document

    posterior = evaluation.posterior
    question = evaluation.question
    # Ten million weights may add up to a hair more than one.
    cards = posterior.card_table.clip(max=1.0)
    lengths = posterior.length_table.clip(max=1.0)
    points = posterior.point_table.clip(max=1.0)
    return {
        **accuracy_document(posterior, answer.method, answer.exact),
        "pair": [seat.name for seat in question.pair],
        "trump": name_or_none(question.trump),
        **evidence_document(posterior.belief),
        "estimators": {name: answer.document(name) for name in answer.estimators},
        "failures": {
            name: str(failure) for name, failure in evaluation.failures.items()
        },
        "card_probabilities": nested(cards, CARDS, "NESW"),
        "length_probabilities": nested(lengths, "NESW", "CDHS", range(14)),
        "point_probabilities": nested(points, "NESW", range(38)),
        "points_exact": posterior.counts_points,
    }


def models_document(answers: Dataset) -> list[dict[str, Any]]:
    """The rows of :func:`bayesbridge.sensitivity`; null where a model has no answer."""
    rows = []
    for place, bidder in enumerate(answers["bidder"].values.tolist()):
        answer = answers.isel(bidder=place)
        row: dict[str, Any] = {"bidder": bidder}
        for name, variable in answer.data_vars.items():
            labels = [answer[dim].values.tolist() for dim in variable.dims]
            row[str(name)] = plain_value(variable.values, labels)
        rows.append(row)
    return rows


def plain_value(values: NDArray[Any], labels: Sequence[Iterable[Any]]) -> Any:
    """An array as JSON has it, nested by the labels of its dimensions.

    A number or a text where there are no labels; ``None`` where it is not finite.
    """
    is_text = values.dtype.kind == "U"
    if not is_text and not np.isfinite(values).all():
        return None
    if labels:
        return nested(values, *labels)
    return values.item()


def readings_document(readings: Iterable[CallReading]) -> list[dict[str, Any]]:
    """How each call was read, an object for each; null where it is too rare to read."""
    return [_reading_document(reading) for reading in readings]


def _reading_document(reading: CallReading) -> dict[str, Any]:
    """How one call was read, by the names of the reading's parts.

    ``moved`` are the suits in the order of how much the call changed their lengths.
    """
    lengths = {suit.name: spread._asdict() for suit, spread in reading.lengths.items()}
    return {
        "seat": reading.seat.name,
        "call": str(reading.call),
        "points": _spread_document(reading.points),
        "suit": name_or_none(reading.suit),
        "length": _spread_document(reading.length),
        "lengths": lengths,
        "moved": [suit.name for suit in reading.moved],
        "features": dict(reading.features),
        "key_cards": list(reading.key_cards),
    }


def _spread_document(spread: Spread | None) -> dict[str, Any] | None:
    """A spread by the names of its fields."""
    if spread is None:
        return None
    return spread._asdict()


def name_or_none(member: Enum | None) -> str | None:
    """The name of a seat, a suit or a strain, where there is one."""
    if member is None:
        return None
    return member.name


def text_or_none(value: object) -> str | None:
    """A call, an auction or a contract as it is written, where there is one."""
    if value is None:
        return None
    return str(value)


def named(contract: str) -> dict[str, str | None]:
    """A contract and its declarer apart.

    >>> named("3NT by S"), named("Pass")
    ({'name': '3NT', 'by': 'S'}, {'name': 'Pass', 'by': None})
    """
    name, _, declarer = contract.partition(" by ")
    return {"name": name, "by": declarer or None}


def nested(
    values: Any, labels: Iterable[Any], *inner_labels: Iterable[Any]
) -> dict[str, Any]:
    """An array as objects within objects, one level for each dimension.

    ``labels`` are those of its first dimension, ``inner_labels`` those of the others.
    """
    document: dict[str, Any] = {}
    for label, value in zip(labels, values, strict=True):
        if inner_labels:
            document[str(label)] = nested(value, *inner_labels)
        else:
            document[str(label)] = float(value)
    return document
