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

    ``values`` and their ``chances`` are (n,), in any order. Of equally short intervals
    the likeliest.

    >>> shortest_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (9.0, 10.0)
    """
    places, which = np.unique(np.asarray(values, dtype=np.float64), return_inverse=True)
    mass = np.bincount(which, chances)
    mass_before = np.concatenate([[0.0], np.cumsum(mass)])
    mass_up_to = mass_before[1:]
    # For each beginning the first end that is far enough; too late ones have none.
    ends = np.searchsorted(mass_up_to, mass_before[:-1] + probability - ROUNDING)
    begins = np.flatnonzero(ends < len(places))
    ends = ends[begins]
    lengths = places[ends] - places[begins]
    minus_mass_inside = mass_before[begins] - mass_before[ends + 1]
    best = np.lexsort((minus_mass_inside, lengths))[0]
    return float(places[begins[best]]), float(places[ends[best]])


def equal_tailed_interval(
    values: NDArray[Any], chances: Floats, probability: float
) -> tuple[float, float]:
    """The interval between two quantiles that leave out equally much, at most.

    ``values`` and their ``chances`` are (n,), in any order.

    >>> equal_tailed_interval(np.array([0, 8, 9, 10]), np.array([0.2, 0.1, 0.4, 0.3]), 0.7)
    (0.0, 10.0)
    """
    order = np.argsort(values, kind="stable")
    mass_up_to = np.cumsum(chances[order])
    tail = (1.0 - probability) / 2
    # What is left out below may be as much as the tail, but not more; so above.
    begin = int(np.searchsorted(mass_up_to, tail + ROUNDING, side="right"))
    end = int(np.searchsorted(mass_up_to, 1.0 - tail - ROUNDING))
    end = min(end, len(order) - 1)
    return float(values[order[begin]]), float(values[order[end]])


INTERVALS: Final[
    Mapping[str, Callable[[NDArray[Any], Floats, float], tuple[float, float]]]
] = {
    "eti": equal_tailed_interval,
    "hdi": shortest_interval,
}
