"""Points in the space of styles, where their posterior is: importance sampling with quasi-random numbers.

Layouts summed out, the posterior of a style is a smooth density over at most four numbers ζ with a standard normal
prior. A normal distribution is fitted to it in rounds, with the likelihood to a power while few points carry the
weight. It is mixed with a tenth of the prior, so that no weight is larger than ten times the likelihood. The points
that count are drawn from this mixture in batches, each a Sobol' net with a random digital shift of its own: every batch
is unbiased and they are independent, so the spread between them tells the error; and each is more even than random
numbers (A. B. Owen, "Monte Carlo theory, methods and examples", chapter 17).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import qmc

from bayesbridge.engines.batches import standard_error
from bayesbridge.engines.weights import Weights

Floats = NDArray[np.float64]
type LogDensity = Callable[[Floats], Floats]
"""(n, dimensions) points → (n,) log likelihood of the style there."""

BATCHES: Final = 32

PILOT: Final = 128
"""Points of a round before the last."""

ROUNDS: Final = 8

GOOD: Final = 0.6
"""Effective share of a round's points that ends the fit."""

FEW: Final = 24.0
"""Effective points that a power of the likelihood must leave of a round."""

DEFENCE: Final = 0.1
"""Share of the prior in the mixture."""

WIDER: Final = 1.15
"""Factor on the fitted spreads: tails that are too wide cost little."""

_BITS: Final = 30


@dataclass(frozen=True, slots=True, eq=False)
class Cloud:
    """A mixture of a fitted normal distribution and the prior; ``mean`` (k,), ``root`` (k, k) lower triangular."""

    mean: Floats
    root: Floats

    @classmethod
    def prior(cls, dimensions: int) -> Cloud:
        """The prior itself."""
        return cls(np.zeros(dimensions), np.eye(dimensions))

    @classmethod
    def fitted(cls, points: Floats, weights: Floats) -> Cloud:
        """To (n, k) points with (n,) normalised weights; a little of the prior keeps every spread above nought."""
        mean = weights @ points
        centred = points - mean
        covariance = (weights[:, None] * centred).T @ centred
        covariance = WIDER**2 * covariance + 1e-6 * np.eye(len(mean))
        return cls(mean, np.linalg.cholesky(covariance))

    def draw(self, batches: int, n: int, rng: np.random.Generator) -> Floats:
        """(batches, n, k) points; n is a power of two."""
        k = len(self.mean)
        shift = rng.integers(0, 1 << _BITS, size=(batches, 1, k + 1))
        below = rng.random((batches, n, k + 1))
        uniform = ((_net(k + 1, n) ^ shift) + below) / (1 << _BITS)
        normal = ndtri(uniform[..., 1:].clip(1e-15, 1 - 1e-15))
        found: Floats = np.where(uniform[..., :1] < DEFENCE, normal, self.mean + normal @ self.root.T)
        return found

    def points(self, n: int, rng: np.random.Generator) -> Floats:
        """(BATCHES, m, k) points, ``n`` of them or some more; one where there is nothing to vary."""
        if not len(self.mean):
            return np.zeros((1, 1, 0))
        return self.draw(BATCHES, 1 << max(0, int(np.ceil(np.log2(n / BATCHES)))), rng)

    def log_density(self, points: Floats) -> Floats:
        """(…) log density of (…, k) points."""
        fitted = (points - self.mean) @ np.linalg.inv(self.root).T
        own = -0.5 * (fitted**2).sum(axis=-1) - np.log(np.diag(self.root)).sum()
        own += np.log1p(-DEFENCE)
        found: Floats = np.logaddexp(own, np.log(DEFENCE) + _log_prior(points)) - self._constant
        return found

    def log_weight(self, points: Floats) -> Floats:
        """(…) log of prior / density."""
        found: Floats = _log_prior(points) - self._constant - self.log_density(points)
        return found

    @property
    def _constant(self) -> float:
        return 0.5 * len(self.mean) * float(np.log(2 * np.pi))


def fit_cloud(log_likelihood: LogDensity, dimensions: int, rng: np.random.Generator) -> Cloud:
    """The mixture for a posterior ∝ standard normal · likelihood."""
    cloud = best = Cloud.prior(dimensions)
    best_share, before = 0.0, 0.0
    for _ in range(ROUNDS):
        points = cloud.draw(1, PILOT, rng)[0]
        log = log_likelihood(points) + cloud.log_weight(points)
        share = Weights(log).ess / PILOT
        if share > best_share:
            best, best_share = cloud, share
        if share >= GOOD or (share >= 0.3 and share < 1.1 * before):
            break
        before = share
        cloud = Cloud.fitted(points, Weights(_power(log) * log).W)
    return best


def log_mean(batches: Floats) -> tuple[float, float]:
    """The logarithm of the mean over (B,) batches, and one standard error of it."""
    mean = float(batches.mean())
    return float(np.log(mean)), float(standard_error(batches / mean - 1.0))


def _power(log: Floats) -> float:
    """The largest power ≤ 1 of the weights that leaves FEW effective points."""
    low, high = 0.0, 1.0
    if Weights(log).ess >= FEW:
        return high
    for _ in range(12):
        middle = (low + high) / 2
        low, high = (middle, high) if Weights(middle * log).ess >= FEW else (low, middle)
    return low


def _log_prior(points: Floats) -> Floats:
    found: Floats = -0.5 * (points**2).sum(axis=-1)
    return found


@lru_cache(maxsize=16)
def _net(dimensions: int, n: int) -> NDArray[np.int64]:
    """(n, dimensions) the first points of Sobol's sequence as whole numbers."""
    net: NDArray[np.int64] = (qmc.Sobol(dimensions, scramble=False, bits=_BITS).random(n) * (1 << _BITS)).astype(
        np.int64
    )
    net.setflags(write=False)
    return net
