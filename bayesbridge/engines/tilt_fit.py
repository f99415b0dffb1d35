"""Tilts fitted to log likelihoods of hands.

The logarithm of a tilt is linear in features: lengths as separate values and as
parabolas; honours, and honours times length; points. Given hands with log likelihoods y
and importance weights ω, the coefficients β maximise ``Σ ω (exp(y) f - exp(f)) /
exp(y)`` with f = feature · β, less a penalty Σ λ β². In this Poisson regression exp(f)
approaches the *mean* likelihood of the hands that share their features, which minimises
the variance of the weights. The penalty is less for parabolas, so that lengths not
drawn follow the trend of their neighbours.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.proposal import COUNT, Tilt
from bayesbridge.engines.splits import HONOUR_POINTS, HONOUR_SHIFT
from bayesbridge.game.cards import SUIT_MASK
from bayesbridge.game.layouts import Floats, Hands, Ints

_LENGTHS: Final = 9  # lengths 0 … 7, and 8 or more
_SUIT_FEATURES: Final = _LENGTHS + 10  # features of a suit
_MOST_POINTS: Final = 24  # points 0 … 23, and 24 or more
_POINTS_BEGIN: Final = 1 + 4 * _SUIT_FEATURES  # where the features of points begin
FEATURES: Final = _POINTS_BEGIN + _MOST_POINTS + 3  # with a parabola of the points

# λ of lengths, of their parabola, of honours, of honours times length.
_BY_SUIT: Final = np.repeat([20.0, 0.6, 6.0, 15.0], [_LENGTHS, 2, 4, 4])
PENALTY: Final = np.concatenate(
    [[1e-6], np.tile(_BY_SUIT, 4), np.repeat([15.0, 0.6], [_MOST_POINTS + 1, 2])]
)
"""(features,) λ, for weights ω that sum to some hundreds."""

NEWTON_STEPS: Final = 3  # of a fit
EVEN_SHARE: Final = 0.3  # of weights that are the same for all hands, in a first fit
# How far a fit lies above the values, in logs, as a Newton step counts it: with more its
# steps would be too long.
MOST_EXCESS: Final = 8.0
LEAST_EXCESS: Final = -1.0
LOWEST_TILT: Final = -25.0  # below the largest: exp cannot underflow


def fit_tilt(hands: Hands, values: Floats, weights: Floats, before: Tilt) -> Tilt:
    """The tilt of one seat fitted to log likelihoods of its hands.

    A tilt is a function of lengths, honours and points whose logarithm f is linear in
    features of the hand; it proposes hands. exp(f) shall be near to the likelihood
    exp(y) in the sense of Poisson regression: the loss of a hand is ω (exp(f − y) − f).
    Newton's method minimises it: each step is a least-squares fit of a response f +
    (exp(y − f) − 1), with weights ω exp(f − y).

    ``hands``: (n,) masks; ``values``: (n,) y, finite; ``weights``: (n,) importance
    weights ω; ``before``: the tilt so far, near to which the fit lies if it was fitted.
    """
    features = _features(hands)
    if before.coefficients is None:
        # Newton needs a start: least squares, in which hands of low likelihood, whose
        # weights vanish, count too.
        centre = np.zeros(FEATURES)
        even_weights = (1.0 - EVEN_SHARE) * weights + EVEN_SHARE * weights.mean()
        coefficients = _penalised_fit(features, even_weights, values, centre)
    else:
        centre = before.coefficients
        coefficients = centre
    for _ in range(NEWTON_STEPS):
        predicted = features @ coefficients  # f
        # A tilt has no scale: shifted so that the weighted mean of exp(f − y) is 1.
        largest = float((predicted - values).max())
        ratios = np.exp(predicted - values - largest)
        mean_ratio = (weights @ ratios) / weights.sum()
        predicted -= largest + float(np.log(mean_ratio))
        excess = np.clip(predicted - values, LEAST_EXCESS, MOST_EXCESS)  # f − y
        response = predicted + np.expm1(-excess)
        newton_weights = weights * np.exp(excess)
        coefficients = _penalised_fit(features, newton_weights, response, centre)
    return _tilt_of(coefficients)


def _tilt_of(coefficients: Floats) -> Tilt:
    """The tables of a tilt."""
    length, honours = np.indices((14, 16))
    suit_features = _suit_features(length, honours).reshape(-1, _SUIT_FEATURES)
    by_suit = coefficients[1:_POINTS_BEGIN].reshape(4, _SUIT_FEATURES) @ suit_features.T
    points = _point_features(np.arange(41)) @ coefficients[_POINTS_BEGIN:]
    holding = _bounded_below(by_suit.reshape(4, 14, 16))
    return Tilt(holding, _bounded_below(points), coefficients)


def _bounded_below(table: Floats) -> Floats:
    """Logarithms relative to the largest, at least LOWEST_TILT."""
    return np.maximum(table - table.max(), LOWEST_TILT)


def _penalised_fit(
    features: Floats, weights: Floats, response: Floats, centre: Floats
) -> Floats:
    """(features,) the coefficients β of a penalised weighted least-squares fit.

    They minimise Σ weights (response − features · β)² + Σ λ (β − centre)².
    ``features``: (n, features); ``weights``, ``response``: (n,).
    """
    scaled = np.sqrt(weights)[:, None] * features
    matrix = scaled.T @ scaled
    matrix[np.diag_indices(FEATURES)] += PENALTY
    vector = features.T @ (weights * response) + PENALTY * centre
    return np.asarray(np.linalg.solve(matrix, vector))


def _features(hands: Hands) -> Floats:
    """(n, features) of (n,) hands: a constant, those of each suit, and of the points."""
    shifted = hands[:, None] >> np.arange(0, 52, 13, dtype=np.uint64)
    fields = shifted.astype(np.int64) & SUIT_MASK
    honours = fields >> HONOUR_SHIFT
    constant = np.ones((len(hands), 1))
    suits = _suit_features(COUNT[fields], honours).reshape(len(hands), -1)
    points = _point_features(HONOUR_POINTS[honours].sum(axis=1))
    return np.hstack([constant, suits, points])


def _suit_features(length: Ints, honours: Ints) -> Floats:
    """(…, 19) features of suits by length and honours.

    Length, the same as a parabola; which of J Q K A, and times length.
    """
    x = (length[..., None] - 3.25) / 2.0  # about standardised
    held = honours[..., None] >> np.arange(4) & 1
    one_hot = _one_hot(length, _LENGTHS)
    return np.concatenate([one_hot, x, x * x, held, held * x], axis=-1)


def _point_features(points: Ints) -> Floats:
    """(…, 27) of points: their number, and the same as a parabola."""
    x = (points[..., None] - 10.0) / 5.0  # about standardised
    return np.concatenate([_one_hot(points, _MOST_POINTS + 1), x, x * x], axis=-1)


def _one_hot(values: Ints, size: int) -> NDArray[np.bool_]:
    """(…, size) which value it is; the last stands for all larger ones."""
    return np.asarray(np.minimum(values, size - 1)[..., None] == np.arange(size))
