"""Reliability: how often came true what was predicted with some probability?"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray


class Bin(NamedTuple):
    """Forecasts of about the same probability."""

    predicted: float
    """Mean probability."""
    observed: float
    """Share that came true."""
    cards: int
    """How many forecasts."""


def bin_of(predicted: ArrayLike, bins: int) -> NDArray[np.int64]:
    """The number of the bin of each probability, 0 … bins − 1; a rounding error below an edge is corrected.

    >>> bin_of([0.0, 0.3 - 1e-12, 0.5, 1.0], 10).tolist()
    [0, 3, 5, 9]
    """
    return np.clip((np.asarray(predicted) * bins + 1e-9).astype(np.int64), 0, bins - 1)


def curve(cards: ArrayLike, predicted: ArrayLike, observed: ArrayLike) -> tuple[Bin, ...]:
    """The bins that have forecasts, from sums over each bin: forecasts, their probabilities, those that came true."""
    sums: Any = zip(*(np.asarray(column).tolist() for column in (cards, predicted, observed)), strict=True)
    return tuple(Bin(p / n, k / n, int(n)) for n, p, k in sums if n)


def curve_of(predicted: NDArray[np.float64], observed: NDArray[np.float64], bins: int) -> tuple[Bin, ...]:
    """The same from single forecasts: the probability of each, and 1 if it came true, else 0."""
    place = bin_of(predicted, bins)
    return curve(*(np.bincount(place, weight, bins) for weight in (np.ones(len(place)), predicted, observed)))


def calibration_error(bins: tuple[Bin, ...]) -> float:
    """Mean gap between predicted and observed, bins weighed by their number of forecasts; 0 without any.

    >>> round(calibration_error((Bin(0.2, 0.3, 10), Bin(0.8, 0.8, 30))), 6)
    0.025
    """
    return sum(abs(one.predicted - one.observed) * one.cards for one in bins) / max(1, sum(one.cards for one in bins))
