"""Joint distributions: how two or more numbers of a layout go together, exact wherever they can be counted.

Numbers that are found suit by suit (``engines.quantities``) are counted together like one: their classes multiply,
whatever ties the suits of the evidence together. So T with the condition, with the points of a seat or with the seat of
a card is exact under hard evidence, ranges of points and shapes included, and under calls that the engine ``exact``
counts. Everything else is added up over the layouts of the posterior: exact where these are all, with standard errors
where they are draws.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.capture.literal import CONDITIONS
from bayesbridge.cards import Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.engines.classes import Condition, Fields, Level, OfSuit, Points, Quantity, TotalGap, Tricks
from bayesbridge.engines.levels import LevelTables
from bayesbridge.errors import BayesBridgeError, TablesTooLarge
from bayesbridge.estimators.protocol import Question
from bayesbridge.layouts import Masks, high_card_points, suit_lengths

if TYPE_CHECKING:
    import xarray

type Floats = NDArray[np.float64]

KNOWN: Final = (
    "T, condition, Delta, Z and chi; c1[S], c2[S], c0[S], delta[S], M[S] and kappa[S] of a suit; points[N] and "
    "level[N] of a seat; length[N:S] of a seat and a suit; card[SQ], the seat that holds a card"
)


@dataclass(frozen=True, slots=True, eq=False)
class Feature:
    """A whole number of each layout."""

    name: str
    labels: tuple[Any, ...]
    """What the values 0, 1, … mean."""
    values: Callable[[Masks], NDArray[Any]]
    """(n, 4) layouts → (n,) values 0, 1, …"""
    quantity: Quantity | None = None
    """How it is counted suit by suit; ``None`` if it cannot be."""


def joint_distribution(
    posterior: Posterior, *names: str, pair: str | tuple[Seat | str, Seat | str] | None = None
) -> xarray.Dataset:
    """The distribution of several numbers together, an axis for each.

    Names: T, condition, Delta, Z and chi; c1[S], c2[S], c0[S], delta[S], M[S] and kappa[S] of a suit; points[N] and
    level[N] (Algorithm 1) of a seat; length[N:S] of a seat and a suit; card[SQ], the seat that holds a card. ``pair``
    are the two seats that play together, the observer and the dummy by default.

    Variables: ``probability``; ``error``, its standard error, 0 where exact (a cell that no draw reached has that of
    one draw); ``layouts``, exact counts, where the evidence is hard and counted. Attributes: ``exact``, ``method``.

    >>> from bayesbridge import Belief
    >>> joint = joint_distribution(Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1), "T", "card[HA]")
    >>> joint.attrs["exact"], int(joint["layouts"].sel({"T": 10, "card[HA]": "N"}))
    (1, 7244094053193200)
    >>> made = joint["probability"].sel(T=slice(9, None)).sum("T") / joint["probability"].sum("T")
    >>> round(made.sel({"card[HA]": "N"}).item(), 3), round(made.sel({"card[HA]": "E"}).item(), 3)
    (0.753, 0.693)
    """
    import xarray

    if not names:
        raise BayesBridgeError(f"no number named: give one or more of {KNOWN}")
    if twice := [name for name in names if names.count(name) > 1]:
        raise BayesBridgeError(f"{twice[0]!r} is given twice: give each number once", name=twice[0])
    question = Question.of(posterior.belief.pair if pair is None else pair)
    features = [feature_of(name, question) for name in names]
    counted = _counted(posterior, features)
    exact, method = posterior.exact or counted is not None, posterior.method if counted is None else "counting"
    if counted is not None:
        shares, layouts = counted
        errors = np.zeros_like(shares)
    else:
        (shares, errors), layouts = _summed(posterior, features), None
    # With names, and without what no layout has: numbers at either end, and words.
    coords: dict[str, list[Any]] = {}
    for axis, feature in enumerate(features):
        used = np.flatnonzero(shares.any(axis=tuple(other for other in range(shares.ndim) if other != axis)))
        kept = used if isinstance(feature.labels[0], str) else np.arange(used[0], used[-1] + 1)
        shares, errors = shares.take(kept, axis), errors.take(kept, axis)
        layouts = None if layouts is None else layouts.take(kept, axis)
        coords[feature.name] = [feature.labels[place] for place in kept]
    dims = list(coords)
    variables: dict[str, Any] = {"probability": (dims, shares), "error": (dims, errors)}
    if layouts is not None:
        variables["layouts"] = (dims, layouts)
    return xarray.Dataset(variables, coords=coords, attrs={"exact": int(exact), "method": method})


def feature_of(name: str, question: Question) -> Feature:
    """A number by its name; see :func:`joint_distribution`."""
    match = re.fullmatch(r"(\w+)(?:\[([^\]]*)\])?", name.strip())
    word, where = (match[1], match[2] or "") if match else (name, "")
    if not where and word in _OF_PAIR:
        return _of_pair(word, *question.pair)
    if where and word in ("c1", "c2", "c0", "delta", "M", "kappa"):
        return _of_pair_in_suit(word, *question.pair, Suit.of(where))
    if where and word in ("points", "level"):
        return _of_seat(word, Seat.of(where))
    if word == "length" and where.count(":") == 1:
        seat, suit = Seat.of(where.partition(":")[0]), Suit.of(where.partition(":")[2])
        return Feature(
            f"length[{seat.name}:{suit.name}]",
            tuple(range(14)),
            lambda masks: suit_lengths(masks[:, seat])[:, suit],
            OfSuit(suit, 14, lambda fields: np.bitwise_count(fields[:, seat])),
        )
    if where and word == "card":
        card = Card.of(where)
        return Feature(
            f"card[{card}]",
            tuple(seat.name for seat in Seat),
            lambda masks: (masks & np.uint64(card.mask)).astype(np.bool_).argmax(axis=1),
            OfSuit(card.suit, 4, lambda fields: (fields >> card.rank & 1).argmax(axis=1)),
        )
    raise BayesBridgeError(f"unknown number {name!r}: choose among {KNOWN}", name=name)


_OF_PAIR: Final[dict[str, tuple[int, int, Callable[[Seat, Seat], Quantity] | None]]] = {
    "T": (0, 14, Tricks),
    "condition": (0, 3, Condition),
    "Delta": (0, 53, TotalGap),
    "Z": (-46, 53, None),
    "chi": (0, 53, None),
}
"""Lowest value, how many there are, and how they are counted suit by suit."""


def _of_pair(name: str, first: Seat, second: Seat) -> Feature:
    lowest, size, quantity = _OF_PAIR[name]
    labels = CONDITIONS if name == "condition" else tuple(range(lowest, lowest + size))
    values = _captured(name, first, second)
    return Feature(name, labels, lambda masks: values(masks) - lowest, quantity and quantity(first, second))


def _of_pair_in_suit(name: str, first: Seat, second: Seat, suit: Suit) -> Feature:
    from bayesbridge.capture.tables import LEADING_GAP

    tables: dict[str, Callable[[Fields], NDArray[Any]]] = {
        "c1": lambda fields: np.bitwise_count(fields[:, first]),
        "c2": lambda fields: np.bitwise_count(fields[:, second]),
        "c0": lambda fields: 13 - np.bitwise_count(fields[:, first] | fields[:, second]),
        "M": lambda fields: np.maximum(np.bitwise_count(fields[:, first]), np.bitwise_count(fields[:, second])),
        "delta": lambda fields: LEADING_GAP[fields[:, first] | fields[:, second]],
    }
    values = _captured(name, first, second)
    quantity = OfSuit(suit, 14, tables[name]) if name in tables else None
    return Feature(f"{name}[{suit.name}]", tuple(range(14)), lambda masks: values(masks)[:, suit], quantity)


def _of_seat(word: str, seat: Seat) -> Feature:
    from bayesbridge.capture.kernels import bids

    name = f"{word}[{seat.name}]"
    if word == "points":
        return Feature(name, tuple(range(38)), lambda masks: high_card_points(masks[:, seat]), Points(seat))
    levels = tuple(range(8))
    return Feature(name, levels, lambda masks: bids(masks[:, seat].copy()).level, Level(seat, levels))


def _captured(name: str, first: Seat, second: Seat) -> Callable[[Masks], NDArray[Any]]:
    from bayesbridge.capture.kernels import captures

    return lambda masks: getattr(captures(masks[:, first].copy(), masks[:, second].copy()), name)


def _counted(posterior: Posterior, features: Sequence[Feature]) -> tuple[Floats, NDArray[np.int64] | None] | None:
    """Exact shares, and exact counts under hard evidence; ``None`` where they cannot be counted."""
    quantities = [feature.quantity for feature in features if feature.quantity is not None]
    target, tables = posterior.draws.target, posterior.draws.tables
    if len(quantities) < len(features) or (target.soft and not isinstance(tables, LevelTables)):
        return None
    try:
        if isinstance(tables, LevelTables):
            return tables.distribution(*quantities), None
        layouts = LevelTables.of(target.constraints, {}).counted(*quantities)
    except TablesTooLarge:
        return None
    return layouts / target.count, layouts


def _summed(posterior: Posterior, features: Sequence[Feature]) -> tuple[Floats, Floats]:
    """Shares over the layouts of the posterior, and their standard errors."""
    shape = tuple(len(feature.labels) for feature in features)
    total, squares = np.zeros(int(np.prod(shape))), np.zeros(int(np.prod(shape)))
    for masks, weights in posterior.blocks():
        cell = np.ravel_multi_index([np.asarray(one.values(masks), dtype=np.intp) for one in features], shape)
        total += np.bincount(cell, weights, len(total))
        squares += np.bincount(cell, weights**2, len(total))
    if posterior.exact:
        return total.reshape(shape), np.zeros(shape)
    # Σ W² (x − p)² over the draws, with x = 1 in the cell and 0 elsewhere; never less than equal weights would give.
    of_all, ess = float(squares.sum()), max(posterior.ess, 1.0)
    variance = squares * (1 - 2 * total) + of_all * total**2
    least = np.maximum(total, 1 / ess)
    variance = np.maximum(variance, least * (1 - np.minimum(least, 1.0)) / ess)
    return total.reshape(shape), np.sqrt(variance).reshape(shape)
