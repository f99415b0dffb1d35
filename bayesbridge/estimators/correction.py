"""A few solved layouts, weighted so that the network's predictions average over them as over all draws.

Of every draw a network predicts the tricks; m layouts of the posterior are solved. The layouts drawn to be solved are
never quite a mirror of the posterior: perhaps too many of them look easy to the network. So they get weights, as near
as possible to those they were drawn with, under which the network's predictions x have the mean x̄ that they have over
all draws::

    v_j ∝ w_j exp(λ · x_j)    with    Σ v_j x_j = x̄

(calibration weights by exponential tilting, or raking: Deville and Särndal, *Journal of the American Statistical
Association* 87, 1992). Any number that depends on the cards is then its mean under v over solved layouts alone. So a
probability lies in [0, 1], a distribution is non-negative and adds up to one, differences are differences, and what
held in every solved layout is reported as that, by construction; the network decides how the layouts are weighted and
nothing else. What it explains of a number is as exact as all draws, the rest e as the layouts solved::

    variance = var(a) / ESS + Σ v_j² e_j² · n / (n − 1 − k)         n = 1 / Σ v_j², k predictions fitted

Two stated errors hold in about 95 of a hundred cases down to a handful of layouts (the factor of Student's t), and at
the edge: what was never seen otherwise in n layouts has two errors of 3 / n (the rule of three).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]

PER_CONTROL: Final = 8
"""Solved layouts for each prediction that is fitted, and at least so many that carry its variance: with fewer, fitting
costs more than it explains."""

TURNS: Final = 50
"""Newton steps at most; ten are usual."""


@dataclass(frozen=True, slots=True, eq=False)
class SolvedSample:
    """Solved layouts with their weights.

    >>> rng = np.random.default_rng(1)
    >>> chance = rng.random(4000)  # the network's, for all draws; here it is right
    >>> made = (rng.random(200) < chance[:200]).astype(float)
    >>> sample = SolvedSample.of(np.full(200, 1 / 200), chance[:200, None], chance.mean()[None], 4000)
    >>> mean, error = sample.share(made)
    >>> bool(abs(mean - 0.5) < 4 * error), error < 0.5 / 200**0.5
    (True, True)
    >>> mean, error = SolvedSample.of(np.full(100, 0.01)).share(np.ones(100))
    >>> mean, round(error, 4)
    (1.0, 0.015)
    """

    weights: Floats
    """v: (m,), non-negative, adding up to one."""
    controls: Floats
    """(m, k) the predictions that were fitted, less their means under the weights."""
    ess: float
    """Effective sample size of all draws; infinite where they are all layouts, or the solved ones themselves."""
    size: float
    """n: effective number of solved layouts; infinite where these are all layouts, with their exact weights."""

    @classmethod
    def of(
        cls,
        weights: Floats,
        controls: Floats | None = None,
        targets: Floats | None = None,
        ess: float = np.inf,
        worth: float = np.inf,
    ) -> Self:
        """From the weights w (m,) they were drawn with, predictions (m, k), most important first, and their means
        ``targets`` (k,) over draws of effective size ``ess``. ``worth`` bounds the effective number of solved layouts
        where these are not independent.
        """
        w = np.asarray(weights, np.float64)
        if controls is None or targets is None:
            return cls(w, np.empty((len(w), 0)), ess, min(worth, 1.0 / float(w @ w)))
        away = controls - w @ controls
        fourth = w**2 @ away**4
        carried = np.divide((w @ away**2) ** 2, fourth, out=np.zeros_like(fourth), where=fourth > 0)
        fitted = np.flatnonzero(carried >= PER_CONTROL)[: len(w) // PER_CONTROL]
        x = (controls - targets)[:, fitted]
        v = _tilted(w, x) if len(fitted) else w
        return cls(v, x - v @ x, ess, min(worth, 1.0 / float(v @ v)))

    @classmethod
    def every(cls, weights: Floats) -> Self:
        """All layouts that fit, with their exact weights: what is said of them is exact."""
        return cls(weights, np.empty((len(weights), 0)), np.inf, np.inf)

    def share(self, values: Floats) -> tuple[float, float]:
        """Mean and standard error of what lies in [0, 1] in every layout, (m,): whether it is so, or how likely."""
        return self.mean(values, 0.0, 1.0, 1.0)

    def mean(self, values: Floats, low: float, high: float, step: float) -> tuple[float, float]:
        """Mean and standard error of numbers in [low, high], (m,); in a layout not seen they may differ by ``step``."""
        found = min(max(float(self.weights @ values), float(values.min())), float(values.max()))  # rounding alone
        if self.size == np.inf or low == high:
            return found, 0.0
        away = values - found
        spread = float(self.weights @ away**2)
        rest = away
        k = self.controls.shape[1]
        if k:
            weighted = self.weights[:, None] * self.controls
            gram = weighted.T @ self.controls
            ridge = np.diag(gram.diagonal() / len(values) + 1e-300)
            rest = away - self.controls @ np.linalg.solve(gram + ridge, weighted.T @ away)
        left = float(self.weights**2 @ rest**2) / float(self.weights @ self.weights)
        freedom = max(1.0, self.size - 1.0 - k)
        variance = spread / self.ess + left / self.size * (freedom + 1.0) / freedom * _students(freedom) ** 2
        unseen = 1.5 * step / self.size
        variance += unseen**2 * max(0.0, 1.0 - 4.0 * spread / step**2)
        # The truth is somewhere between low and high: two errors need not reach further.
        return found, min(float(np.sqrt(variance)), max(found - low, high - found) / 2.0)


def _students(freedom: float) -> float:
    """What two standard errors must be multiplied by to hold as often as with the normal distribution.

    The quantile of Student's t at Φ(2), over 2, by its expansion in one over the degrees of freedom.
    """
    return 1.0 + 1.25 / freedom + 1.53125 / freedom**2 + 1.4297 / freedom**3


def _tilted(w: Floats, x: Floats) -> Floats:
    """(m,) weights v ∝ w exp(λ · z) under which z, the predictions x less their targets in units of their spread, has
    mean − λ / m.

    The right side keeps λ finite where the targets lie outside all that was drawn; it vanishes with the number of
    layouts. λ is the minimum of a convex function, found by Newton's steps.
    """
    z = x / np.sqrt(w @ x**2)
    ridge = 1.0 / len(w)
    weights = w
    at = np.zeros(z.shape[1])
    value = 0.0
    for _ in range(TURNS):
        mean = weights @ z
        slope = mean + ridge * at
        if np.abs(slope).max() < 1e-10:
            break
        curve = (weights[:, None] * z).T @ z - np.outer(mean, mean) + ridge * np.eye(len(at))
        step = np.linalg.solve(curve, slope)
        for _ in range(TURNS):
            tried = at - step
            log = z @ tried
            top = float(log.max())
            raw = w * np.exp(log - top)
            found = top + float(np.log(raw.sum())) + 0.5 * ridge * float(tried @ tried)
            if found <= value + 1e-12:
                break
            step = step / 2.0
        at, value, weights = tried, found, raw / raw.sum()
    return np.asarray(weights)
