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
from typing import Final, NamedTuple, Self

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

        Of the predictions those are fitted whose variance enough layouts carry.

        Parameters
        ----------
        weights : (m,) array of float
            Weights of the solved layouts as they were drawn, which add up to one.
        controls : (m, k) array of float, optional
            Predictions for them, most important first.
        targets : (k,) array of float, optional
            Means of the predictions over all draws.
        ess : float
            Effective sample size of all draws.

        Returns
        -------
        CalibratedSample
        """
        drawn_weights = np.asarray(weights, np.float64)
        if controls is None or targets is None:
            no_controls = np.empty((len(drawn_weights), 0))
            size = effective_size(drawn_weights)
            return cls(drawn_weights, no_controls, ess=ess, size=size)
        fitted = _columns_worth_fitting(drawn_weights, controls)
        from_targets = (controls - targets)[:, fitted]
        calibrated = drawn_weights
        if len(fitted):
            calibrated = _calibrated_weights(drawn_weights, from_targets)
        # Regressions on the controls have no constant, so these are kept less their means,
        # which the calibration brings close to the targets but not always onto them.
        centred = from_targets - calibrated @ from_targets
        return cls(calibrated, centred, ess=ess, size=effective_size(calibrated))

    @classmethod
    def every(cls, weights: Floats, ess: float = np.inf) -> Self:
        """A sample that is all draws, each of them solved.

        ``ess`` is their effective size. Where it is infinite they are all layouts that fit,
        with exact weights: then their means have no error.
        """
        no_controls = np.empty((len(weights), 0))
        size = ess
        if ess != np.inf:
            size = min(ess, effective_size(weights))
        return cls(weights, no_controls, ess=np.inf, size=size)

    def share(self, values: Floats) -> Estimate[float]:
        """Mean and standard error of (m,) values in [0, 1].

        A value says of a layout whether something is so, or how likely it is.
        """
        return self.mean(values, 0.0, 1.0, 1.0)

    def mean(
        self, values: Floats, low: float, high: float, step: float
    ) -> Estimate[float]:
        """Mean of (m,) numbers of the solved layouts, with its standard error.

        The numbers lie in [low, high]; in a layout not solved one may differ by ``step``
        from those seen. The variance of the mean has three parts: of the draws, since these
        are not all layouts; of solving only some draws, of which the predictions explain a
        part; and of what was never seen.
        """
        mean = float(self.weights @ values)
        # Rounding alone can put it outside.
        mean = min(max(mean, float(values.min())), float(values.max()))
        if self.size == np.inf or low == high:
            return Estimate(mean, 0.0)
        deviations = values - mean
        spread = float(self.weights @ deviations**2)
        variance_of_draws = spread / self.ess
        variance = (
            variance_of_draws
            + self._variance_of_solving(deviations)
            + self._variance_of_unseen(spread, step)
        )
        # The truth is somewhere between low and high: two errors need not reach further.
        widest_error = max(mean - low, high - mean) / 2.0
        return Estimate(mean, min(float(np.sqrt(variance)), widest_error))

    def _variance_of_solving(self, deviations: Floats) -> float:
        """Variance of the mean of (m,) deviations because only some draws were solved.

        That is the variance which the predictions leave unexplained, over n, the effective
        number of layouts. As in any regression, a degree of freedom is lost for the mean
        and for each prediction; with few left, two errors are widened to the quantile of
        Student's t.
        """
        residual = self._residual(deviations)
        squared_weights = self.weights**2
        unexplained = float(squared_weights @ residual**2) / float(
            self.weights @ self.weights
        )
        fitted: int = self.controls.shape[1]
        freedom = max(1.0, self.size - 1.0 - fitted)
        widening = _students_factor(freedom) ** 2
        return unexplained / self.size * (freedom + 1.0) / freedom * widening

    def _variance_of_unseen(self, spread: float, step: float) -> float:
        """Variance for values that none of n layouts showed, which differ by ``step``.

        The rule of three: what n layouts never showed has a share of at most 3 / n, taken
        for two standard errors. ``spread`` is the variance of what was seen. An even mixture
        of two values a step apart has step² / 4: the nearer to that, the more was seen, and
        the less is added.
        """
        error = RULE_OF_THREE * step / self.size
        return error**2 * max(0.0, 1.0 - 4.0 * spread / step**2)

    def _residual(self, deviations: Floats) -> Floats:
        """(m,) what a weighted regression on the controls leaves of the (m,) deviations.

        A small ridge on the diagonal of the normal equations keeps them regular.
        """
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
    """How much wider two errors are with few degrees of freedom than with many.

    The quantile of Student's t at Φ(2), over 2, by its expansion in one over the
    degrees of freedom.
    """
    return 1.0 + 1.25 / freedom + 1.53125 / freedom**2 + 1.4297 / freedom**3


def _columns_worth_fitting(
    weights: Floats, controls: Floats
) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Columns of the (m, k) predictions that the weights may be fitted to.

    Fitting one costs a degree of freedom, so that enough layouts must carry its
    variance: with contributions w d² of the layouts to it, they count as
    (Σ w d²)² / Σ (w d²)², as in any effective sample size. Nor are more columns fitted
    than there are layouts for; the first ones, which are the most important.
    """
    means = weights @ controls
    deviations = controls - means
    variances = weights @ deviations**2
    squared_contributions = weights**2 @ deviations**4
    varies = variances > ROUNDING * (means**2 + variances)
    carriers = np.divide(
        variances**2,
        squared_contributions,
        out=np.zeros_like(variances),
        where=varies,
    )
    columns = np.flatnonzero(carriers >= LAYOUTS_FOR_A_PREDICTION)
    most_columns = len(weights) // LAYOUTS_FOR_A_PREDICTION
    return columns[:most_columns]


def _calibrated_weights(drawn_weights: Floats, from_targets: Floats) -> Floats:
    """(m,) weights v ∝ w exp(λ · z) under which the predictions have their targets.

    ``drawn_weights`` (m,) are w; z are the (m, k) predictions less their targets, here
    in units of their spread. λ is the minimum of the convex function
    log Σ w exp(λ · z) + |λ|² / 2m, found by Newton's steps from λ = 0, where the
    function is 0. Its slope is the mean of z under v, plus λ / m: the second part (a
    ridge) keeps λ finite where the targets lie outside all that was drawn, and is small
    beside the errors of m layouts.
    """
    z = from_targets / np.sqrt(drawn_weights @ from_targets**2)
    ridge = 1.0 / len(drawn_weights)
    no_tilt = np.zeros(z.shape[1])
    point = SearchPoint(tilt=no_tilt, value=0.0, weights=drawn_weights)
    for _ in range(MOST_STEPS):
        mean = point.weights @ z
        slope = mean + ridge * point.tilt
        if np.abs(slope).max() < SMALL_SLOPE:
            break
        second_moments = (point.weights[:, None] * z).T @ z
        covariance = second_moments - np.outer(mean, mean)
        curvature = covariance + ridge * np.eye(len(slope))
        newton_step = np.linalg.solve(curvature, slope)
        point = _descend(drawn_weights, z, point, newton_step)
    return np.asarray(point.weights)


class SearchPoint(NamedTuple):
    """A point of the search for λ, and what it gives."""

    tilt: Floats  #: (k,) λ.
    value: float  #: The function to minimise.
    weights: Floats  #: (m,) ∝ w exp(λ · z), adding up to one.


def _search_point(drawn_weights: Floats, z: Floats, tilt: Floats) -> SearchPoint:
    """The weights under a tilt λ (k,), and log Σ w exp(λ · z) + |λ|² / 2m."""
    log_factors = z @ tilt
    highest = float(log_factors.max())  # taken out, so that nothing overflows
    unscaled = drawn_weights * np.exp(log_factors - highest)
    total = unscaled.sum()
    ridge = 1.0 / len(drawn_weights)
    penalty = 0.5 * ridge * float(tilt @ tilt)
    value = highest + float(np.log(total)) + penalty
    return SearchPoint(tilt, value, weights=unscaled / total)


def _descend(
    drawn_weights: Floats, z: Floats, start: SearchPoint, step: Floats
) -> SearchPoint:
    """The point a step down from another, the step halved until nothing rises.

    ``z`` (m, k) are the standardised predictions less their targets.
    """
    for _ in range(MOST_STEPS):
        end = _search_point(drawn_weights, z, start.tilt - step)
        if end.value <= start.value + ROUNDING:
            break
        step = step / 2.0
    return end
