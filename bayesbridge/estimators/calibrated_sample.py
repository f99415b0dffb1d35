"""Solved layouts, weighted so that they agree with all layouts on what is predicted.

They get weights v, as near as possible to those w they were drawn with, under which
predictions x have the mean x̄ that they have over all draws::

    v_j ∝ w_j exp(λ · x_j)    with    Σ v_j x_j = x̄

(raking: Deville and Särndal, *Journal of the American Statistical Association* 87,
1992). Any number is then its mean under v over solved layouts alone. What the
predictions explain of it is as exact as all draws, the residual e as the layouts
solved::

    variance = var(a) / ESS + Σ v_j² e_j² · n / (n − 1 − k)

with n = 1 / Σ v_j² and k predictions fitted.

Two stated errors hold in about 95 of a hundred cases down to a handful of layouts (the
factor of Student's t), and at the edge: what was never seen otherwise in n layouts has
two errors of 3 / n (the rule of three).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np

from bayesbridge.engines.weights import Estimate
from bayesbridge.game.layouts import Floats, FrozenArrays

LAYOUTS_FOR_A_PREDICTION: Final = 8
"""Solved layouts for each prediction that is fitted, and how many must carry its
variance: with fewer, fitting costs more than it explains.
"""

ROUNDING: Final = 1e-12
"""Relative variance of what is the same in all layouts."""

RULE_OF_THREE: Final = 1.5
"""One standard error of what n layouts never showed, times n."""

MOST_STEPS: Final = 50
"""Newton's steps, and halvings of one, after which the search ends; ten are usual."""

NEVER_ZERO: Final = 1e-300
"""Keeps a matrix regular whose diagonal may be zero."""

SMALL_SLOPE: Final = 1e-10
"""Slope of the function to minimise below which its minimum is reached."""


@dataclass(frozen=True, slots=True, eq=False)
class CalibratedSample(FrozenArrays):
    """Solved layouts with their weights.

    >>> mean, error = CalibratedSample.of(np.full(100, 0.01)).share(np.ones(100))
    >>> mean, round(error, 4)
    (1.0, 0.015)
    """

    weights: Floats  #: v: (m,), non-negative, adding up to one.
    #: (m, k) the predictions that were fitted, less their means under the weights.
    controls: Floats
    ess: float
    """Effective sample size of all draws; infinite where they are all layouts, or the
    solved ones themselves.
    """
    size: float
    """n: effective number of solved layouts; infinite where these are all layouts, with
    their exact weights.
    """

    @classmethod
    def of(
        cls,
        weights: Floats,
        controls: Floats | None = None,
        targets: Floats | None = None,
        ess: float = np.inf,
    ) -> Self:
        """From the weights they were drawn with, and predictions whose means are known.

        Parameters
        ----------
        weights : (m,) array of float
            Weights w, which add up to one.
        controls : (m, k) array of float, optional
            Predictions, most important first.
        targets : (k,) array of float, optional
            Their means over all draws.
        ess : float
            Effective sample size of all draws.

        Returns
        -------
        CalibratedSample
        """
        w = np.asarray(weights, np.float64)
        if controls is None or targets is None:
            return cls(w, np.empty((len(w), 0)), ess, effective_size(w))
        fitted = _worth_fitting(w, controls)
        deviations = (controls - targets)[:, fitted]
        v = w
        if len(fitted):
            v = _tilted(w, deviations)
        return cls(v, deviations - v @ deviations, ess, effective_size(v))

    @classmethod
    def every(cls, weights: Floats, ess: float = np.inf) -> Self:
        """All draws, of this effective size.

        The size is infinite where they are all layouts that fit, whose means are exact.
        """
        size = ess
        if ess != np.inf:
            size = min(ess, effective_size(weights))
        return cls(weights, np.empty((len(weights), 0)), np.inf, size)

    def share(self, values: Floats) -> Estimate[float]:
        """Mean and standard error of (m,) values in [0, 1].

        A value says of a layout whether something is so, or how likely it is.
        """
        return self.mean(values, 0.0, 1.0, 1.0)

    def mean(
        self, values: Floats, low: float, high: float, step: float
    ) -> Estimate[float]:
        """Mean and standard error of (m,) numbers in [low, high].

        In a layout not seen they may differ by ``step``.
        """
        mean = float(self.weights @ values)
        # Rounding alone can put it outside.
        mean = min(max(mean, float(values.min())), float(values.max()))
        if self.size == np.inf or low == high:
            return Estimate(mean, 0.0)
        deviations = values - mean
        spread = float(self.weights @ deviations**2)
        squares = self.weights**2
        residual_squares = float(squares @ self._residual(deviations) ** 2)
        unexplained = residual_squares / float(self.weights @ self.weights)
        freedom = max(1.0, self.size - 1.0 - self.controls.shape[1])
        widening = _students_factor(freedom) ** 2
        of_draws = spread / self.ess
        of_solved = unexplained / self.size * (freedom + 1.0) / freedom * widening
        unseen = RULE_OF_THREE * step / self.size
        of_unseen = unseen**2 * max(0.0, 1.0 - 4.0 * spread / step**2)
        variance = of_draws + of_solved + of_unseen
        # The truth is somewhere between low and high: two errors need not reach further.
        widest = max(mean - low, high - mean) / 2.0
        return Estimate(mean, min(float(np.sqrt(variance)), widest))

    def _residual(self, deviations: Floats) -> Floats:
        """(m,) what the controls do not explain of numbers less their mean, (m,)."""
        if not self.controls.shape[1]:
            return deviations
        weighted = self.weights[:, None] * self.controls
        gram = weighted.T @ self.controls
        ridge = np.diag(gram.diagonal() / len(deviations) + NEVER_ZERO)
        slopes = np.linalg.solve(gram + ridge, weighted.T @ deviations)
        return np.asarray(deviations - self.controls @ slopes)


def effective_size(weights: Floats) -> float:
    """How many equal weights have the same variance: 1 / Σ w²."""
    return 1.0 / float(weights @ weights)


def _students_factor(freedom: float) -> float:
    """The quantile of Student's t at Φ(2), over 2.

    By its expansion in one over the degrees of freedom.
    """
    return 1.0 + 1.25 / freedom + 1.53125 / freedom**2 + 1.4297 / freedom**3


def _worth_fitting(
    w: Floats, controls: Floats
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Columns of the (m, k) predictions whose variance enough layouts carry."""
    means = w @ controls
    deviations = controls - means
    spread = w @ deviations**2
    fourth = w**2 @ deviations**4
    differs = spread > ROUNDING * (means**2 + spread)
    carriers = np.divide(spread**2, fourth, out=np.zeros_like(fourth), where=differs)
    enough = np.flatnonzero(carriers >= LAYOUTS_FOR_A_PREDICTION)
    return enough[: len(w) // LAYOUTS_FOR_A_PREDICTION]


def _tilted(w: Floats, x: Floats) -> Floats:
    """(m,) weights v ∝ w exp(λ · z) that pull the predictions to their targets.

    z are the predictions x (m, k) less their targets in units of their spread. Under v
    they have the mean − λ / m, which keeps λ finite where the targets lie outside all
    that was drawn.

    λ is the minimum of a convex function, found by Newton's steps.
    """
    z = x / np.sqrt(w @ x**2)
    ridge = 1.0 / len(w)
    weights = w
    tilt = np.zeros(z.shape[1])
    value = 0.0
    for _ in range(MOST_STEPS):
        mean = weights @ z
        slope = mean + ridge * tilt
        if np.abs(slope).max() < SMALL_SLOPE:
            break
        moments = (weights[:, None] * z).T @ z
        curvature = moments - np.outer(mean, mean) + ridge * np.eye(len(tilt))
        step = np.linalg.solve(curvature, slope)
        tilt, value, weights = _descent(w, z, tilt, step, value)
    return np.asarray(weights)


def _descent(
    w: Floats, z: Floats, tilt: Floats, step: Floats, value: float
) -> tuple[Floats, float, Floats]:
    """The step, halved until the function does not rise: tilt, value and weights."""
    ridge = 1.0 / len(w)
    for _ in range(MOST_STEPS):
        next_tilt = tilt - step
        log_factors = z @ next_tilt
        highest = float(log_factors.max())
        unscaled = w * np.exp(log_factors - highest)
        total = unscaled.sum()
        penalty = 0.5 * ridge * float(next_tilt @ next_tilt)
        next_value = highest + float(np.log(total)) + penalty
        if next_value <= value + ROUNDING:
            break
        step = step / 2.0
    return next_tilt, next_value, unscaled / total
