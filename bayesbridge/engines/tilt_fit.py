"""Fitting a tilt: a regression of log likelihoods on what a split can weigh.

The tilt of a seat should follow the likelihood of its hand, up to a factor. Its logarithm is a linear function of
features: lengths by class of points, as separate values and as parabolas, honours and honours times length, points,
and pairs of lengths. Given hands with log likelihoods y and importance weights ω, the coefficients β maximise::

    Σ ω (exp(y) f - exp(f)) / exp(y),    f = feature · β,    less a penalty Σ λ β²

which is Poisson regression: exp(f) approaches the *mean* likelihood of the hands that share their features, as the
tilt that loses least must. One weighted least-squares fit to y starts it and Newton steps follow. The penalty shrinks
towards no tilt at all, less for parabolas than for separate values, so that lengths never met continue their
neighbours' trend.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bayesbridge.engines.tilt_split import CLASS, CLASSES, COUNT, HONOUR_POINTS, Tilt
from bayesbridge.engines.tilt_sums import Floats, Hands, Ints
from bayesbridge.jit import njit

_LENGTHS: Final = 9
"""Lengths 0 … 7, and 8 or more."""
_CURVES: Final = _LENGTHS + 2
_HONOURS: Final = _CURVES + 2 * CLASSES
_SUIT: Final = _HONOURS + 8
"""Features of a suit: its length, and the same as a parabola; a parabola by class of points from _CURVES on; from
_HONOURS on which of J Q K A it holds, and the same times length."""
_MOST_POINTS: Final = 24
_POINTS: Final = 1 + 4 * _SUIT
FEATURES: Final = _POINTS + _MOST_POINTS + 3
ACTIVE: Final = 64
"""More features than one hand has."""

NEWTON: Final = 3
"""Newton steps after the first fit."""

STEEPEST: Final = 1.0
"""How far f may lie below y before a hand pulls no harder: beyond it a Newton step would go too far."""

HIGHEST: Final = 8.0
"""How far f may lie above y before a hand pulls no harder."""

DEPTH: Final = 25.0
"""Values of one table of a tilt lie within so much of the largest: nothing becomes impossible, or overflows."""


def _penalties() -> Floats:
    suit = np.repeat([20.0, 0.6, 6.0, 6.0, 15.0], [_LENGTHS, 2, 2 * CLASSES, 4, 4])
    return np.concatenate([[1e-6], suit, suit, suit, suit, np.repeat([15.0, 0.6], [_MOST_POINTS + 1, 2])])


PENALTY: Final = _penalties()
"""(features,) λ, for weights ω that sum to some hundreds."""

OWN_PENALTY: Final = np.concatenate([PENALTY[:_POINTS], np.full(FEATURES - _POINTS, 0.6)])
"""The same where the model says itself which points count: each value of them may stand alone."""


def fit_tilt(hands: Hands, values: Floats, weights: Floats, before: Tilt) -> Tilt:
    """The tilt of one seat for (n,) hands with log likelihoods ``values``, all finite, and importance weights.

    It stays as near to the tilt before as the hands let it. Without one, a fit of the values themselves comes first,
    with weights that do not vanish where the likelihood is low.
    """
    hands = np.ascontiguousarray(hands)
    centre = np.zeros(FEATURES) if before.coefficients is None else before.coefficients
    coefficients = centre
    if before.coefficients is None:
        coefficients = _solve(hands, 0.7 * weights + 0.3 * weights.mean(), values, centre, before.worth)
    for _ in range(NEWTON):
        predicted = predict(hands, coefficients, before.worth)
        predicted -= _log_mean_exp(predicted - values, weights)
        pull = np.clip(predicted - values, -STEEPEST, HIGHEST)
        coefficients = _solve(hands, weights * np.exp(pull), predicted + np.expm1(-pull), centre, before.worth)
    return tilt_of(coefficients, before.worth)


def _log_mean_exp(values: Floats, weights: Floats) -> float:
    top = float(values.max())
    return top + float(np.log((weights @ np.exp(values - top)) / weights.sum()))


def _solve(hands: Hands, weights: Floats, response: Floats, centre: Floats, worth: Ints) -> Floats:
    """Ridge regression that shrinks towards a centre."""
    penalty = PENALTY if np.array_equal(worth, HONOUR_POINTS) else OWN_PENALTY
    matrix, right = np.zeros((FEATURES, FEATURES)), np.zeros(FEATURES)
    _normal_equations(hands, weights, response, CLASS, COUNT, worth, matrix, right)
    matrix[np.diag_indices(FEATURES)] += penalty
    right += penalty * centre
    _cholesky_solve(matrix, right)
    return right


def predict(hands: Hands, coefficients: Floats, worth: Ints = HONOUR_POINTS) -> Floats:
    """(n,) what coefficients say of (n,) hands, features · β."""
    found = np.empty(len(hands))
    _fill_predictions(hands, coefficients, CLASS, COUNT, worth, found)
    return found


def tilt_of(coefficients: Floats, worth: Ints = HONOUR_POINTS) -> Tilt:
    """The tables that give every hand what the coefficients say of it, but for a constant and for the depth."""
    length = np.arange(14)
    x = (length - 3.25) / 2.0
    suits = coefficients[1:_POINTS].reshape(4, _SUIT)
    common = suits[:, np.minimum(length, _LENGTHS - 1)]
    common = common + suits[:, _LENGTHS, None] * x + suits[:, _LENGTHS + 1, None] * x**2
    curves = suits[:, _CURVES:_HONOURS].reshape(4, CLASSES, 2)
    lengths = common[:, None] + curves[:, :, 0, None] * x + curves[:, :, 1, None] * x**2
    bits = (np.arange(16)[:, None] >> np.arange(4) & 1).astype(np.float64)
    holding = (suits[:, -8:-4] @ bits.T)[:, None] + (suits[:, -4:] @ bits.T)[:, None] * x[:, None]
    pair = np.stack([lengths[2 * k, :, :, None] + lengths[2 * k + 1, :, None, :] for k in range(2)], axis=1)
    points = np.arange(41)
    scaled = (points - 10.0) / 5.0
    by_points = coefficients[_POINTS + np.minimum(points, _MOST_POINTS)]
    by_points = by_points + coefficients[-2] * scaled + coefficients[-1] * scaled**2
    return Tilt(_bounded(holding), _bounded(pair), _bounded(by_points), coefficients, worth)


def _bounded(table: Floats) -> Floats:
    found: Floats = np.maximum(table - table.max(), -DEPTH)
    return found


@njit
def _features(hand: np.int64, classes: Ints, counts: Ints, worth: Ints, at: Ints, value: Floats) -> int:
    """Write the features of a hand that are not zero, as rising places and values; returns how many."""
    total = 0
    for suit in range(4):
        total += worth[(hand >> (13 * suit + 9)) & 15]
    b = classes[total]
    at[0], value[0] = 0, 1.0
    n = 1
    for suit in range(4):
        field = (hand >> (13 * suit)) & 0x1FFF
        length = counts[field]
        x = (length - 3.25) / 2.0
        start = 1 + suit * _SUIT
        at[n], value[n] = start + min(length, _LENGTHS - 1), 1.0
        at[n + 1], value[n + 1] = start + _LENGTHS, x
        at[n + 2], value[n + 2] = start + _LENGTHS + 1, x * x
        at[n + 3], value[n + 3] = start + _CURVES + 2 * b, x
        at[n + 4], value[n + 4] = start + _CURVES + 2 * b + 1, x * x
        n += 5
        for rank in range(4):
            if (field >> (9 + rank)) & 1:
                at[n], value[n] = start + _HONOURS + rank, 1.0
                n += 1
        for rank in range(4):
            if (field >> (9 + rank)) & 1:
                at[n], value[n] = start + _HONOURS + 4 + rank, x
                n += 1
    scaled = (total - 10.0) / 5.0
    at[n], value[n] = _POINTS + min(total, _MOST_POINTS), 1.0
    at[n + 1], value[n + 1] = FEATURES - 2, scaled
    at[n + 2], value[n + 2] = FEATURES - 1, scaled * scaled
    n += 3
    return n


@njit
def _normal_equations(
    hands: Hands,
    weights: Floats,
    response: Floats,
    classes: Ints,
    counts: Ints,
    worth: Ints,
    matrix: Floats,
    right: Floats,
) -> None:
    """Add Σ ω x xᵀ, lower triangle, and Σ ω y x."""
    at, value = np.empty(ACTIVE, np.int64), np.empty(ACTIVE)
    for i in range(len(hands)):
        n = _features(np.int64(hands[i]), classes, counts, worth, at, value)
        for j in range(n):
            share = weights[i] * value[j]
            right[at[j]] += share * response[i]
            row = at[j]
            for k in range(j + 1):
                matrix[row, at[k]] += share * value[k]


@njit
def _cholesky_solve(matrix: Floats, right: Floats) -> None:
    """Solve a positive definite system in place; only the lower triangle is read.

    A library would use threads, which cost more than they bring where others use the processor too.
    """
    n = len(right)
    column = np.empty(n)
    for j in range(n):
        root = np.sqrt(matrix[j, j])
        for i in range(j, n):
            matrix[i, j] /= root
            column[i] = matrix[i, j]
        for i in range(j + 1, n):
            share = column[i]
            if share != 0.0:
                for k in range(j + 1, i + 1):
                    matrix[i, k] -= share * column[k]
    for i in range(n):
        for k in range(i):
            right[i] -= matrix[i, k] * right[k]
        right[i] /= matrix[i, i]
    for i in range(n - 1, -1, -1):
        right[i] /= matrix[i, i]
        for k in range(i):
            right[k] -= matrix[i, k] * right[i]


@njit
def _fill_predictions(
    hands: Hands, coefficients: Floats, classes: Ints, counts: Ints, worth: Ints, out: Floats
) -> None:
    at, value = np.empty(ACTIVE, np.int64), np.empty(ACTIVE)
    for i in range(len(hands)):
        n = _features(np.int64(hands[i]), classes, counts, worth, at, value)
        out[i] = 0.0
        for j in range(n):
            out[i] += coefficients[at[j]] * value[j]
