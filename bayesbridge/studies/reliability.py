"""Reliability: of all that was said to be so likely, how much was so?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Bin(NamedTuple):
    """Forecasts of about the same probability."""

    said: float
    """Mean probability."""
    so: float
    """Share that came true."""
    cards: int
    """How many forecasts."""


def bin_of(said: ArrayLike, bins: int) -> NDArray[np.int64]:
    """The number of the bin of each probability, 0 … bins − 1; what rounding took from an edge is given back.

    >>> bin_of([0.0, 0.3 - 1e-12, 0.5, 1.0], 10).tolist()
    [0, 3, 5, 9]
    """
    return np.clip((np.asarray(said) * bins + 1e-9).astype(np.int64), 0, bins - 1)


def curve(cards: ArrayLike, said: ArrayLike, so: ArrayLike) -> tuple[Bin, ...]:
    """The bins that have forecasts, from sums a bin: how many, of the probabilities, how many came true."""
    sums: Any = zip(np.asarray(cards).tolist(), np.asarray(said).tolist(), np.asarray(so).tolist(), strict=True)
    return tuple(Bin(p / n, k / n, int(n)) for n, p, k in sums if n)


def curve_of(said: NDArray[np.float64], so: NDArray[np.float64], bins: int) -> tuple[Bin, ...]:
    """The same from single forecasts: what was said of each, and whether it was so."""
    place = bin_of(said, bins)
    return curve(*(np.bincount(place, weight, bins) for weight in (np.ones(len(place)), said, so)))


def calibration_error(bins: tuple[Bin, ...]) -> float:
    """Mean gap between what was said and what was so, bins weighed by their forecasts; 0 without any.

    >>> round(calibration_error((Bin(0.2, 0.3, 10), Bin(0.8, 0.8, 30))), 6)
    0.025
    """
    return sum(abs(one.said - one.so) * one.cards for one in bins) / max(1, sum(one.cards for one in bins))
