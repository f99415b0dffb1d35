"""Intervals that hold a share of a distribution, by ArviZ's names for them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.layouts import Floats

ROUNDING: Final = 1e-12  # must not ask for one value more than the mass itself does


def shortest_interval(
    values: NDArray[Any], chances: Floats, probability: float
) -> tuple[float, float]:
    """The shortest [a, b] from value to value that holds the probability.

    Of equally short ones the likeliest.

    >>> shortest_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (9.0, 10.0)
    """
    places, which = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    mass = np.bincount(which, chances)
    before = np.concatenate([[0.0], np.cumsum(mass)])
    last = np.searchsorted(before[1:], before[:-1] + probability - ROUNDING)
    first = np.flatnonzero(last < len(places))
    last = last[first]
    length = places[last] - places[first]
    missing = before[first] - before[last + 1]
    best = np.lexsort((missing, length))[0]
    return float(places[first[best]]), float(places[last[best]])


def equal_tailed_interval(
    values: NDArray[Any], chances: Floats, probability: float
) -> tuple[float, float]:
    """The interval between two quantiles that leave out equally much, at most.

    >>> equal_tailed_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (0.0, 10.0)
    """
    order = np.argsort(values, kind="stable")
    below = np.cumsum(chances[order])
    tail = (1.0 - probability) / 2
    first = int(np.searchsorted(below, tail + ROUNDING, side="right"))
    last = int(np.searchsorted(below, 1.0 - tail - ROUNDING))
    last = min(last, len(order) - 1)
    return float(values[order[first]]), float(values[order[last]])


INTERVALS: Final[
    Mapping[str, Callable[[NDArray[Any], Floats, float], tuple[float, float]]]
] = {
    "eti": equal_tailed_interval,
    "hdi": shortest_interval,
}
