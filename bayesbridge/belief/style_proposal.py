"""A proposal for importance sampling of styles: a fitted normal, mixed with the prior.

Styles are points z, (k,): the distance from the centres of their prior in spreads, for
the k of their four numbers that are not known. Under the prior z is standard normal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from scipy.special import ndtri
from scipy.stats import qmc

from bayesbridge.engines.weights import Estimate, Weights, standard_error, tempering
from bayesbridge.game.layouts import Floats

BATCHES: Final = 32
"""Sobol' nets that are scrambled independently: their spread gives standard errors."""

PRIOR_SHARE: Final = 0.1
"""Share of the prior in the mixture: no weight passes ten times the likelihood."""

INFLATION: Final = 1.15
"""Factor of fitted standard deviations: tails that are too wide cost little."""

LEAST_VARIANCE: Final = 1e-6
"""Added to every variance, so that none is 0."""

MOST_FITS: Final = 8
POINTS_OF_A_FIT: Final = 128

GOOD_SHARE: Final = 0.6
"""Effective share of the points at which a proposal is good enough."""

FAIR_SHARE: Final = 0.3
"""Effective share at which a fit ends that gained less than :data:`GAIN`."""

GAIN: Final = 1.1
TEMPERED_ESS: Final = 24.0
"""Effective sample size that weights keep in a fit, for which they are tempered."""

HALVINGS: Final = 12
LEAST_TAIL: Final = 1e-15
"""What a uniform number keeps away from 0 and 1, where the normal quantile ends."""


@dataclass(frozen=True, slots=True, eq=False)
class StyleProposal:
    """A mixture of a fitted normal distribution and the standard normal prior.

    ``mean`` (k,) and ``root`` (k, k), lower triangular, the Cholesky factor of the
    covariance, are those of the fitted part.
    """

    mean: Floats
    root: Floats

    @classmethod
    def prior(cls, dimensions: int) -> StyleProposal:
        """The prior itself, of points with ``dimensions`` numbers."""
        return cls(np.zeros(dimensions), np.eye(dimensions))

    @classmethod
    def around(cls, points: Floats, weights: Floats) -> StyleProposal:
        """Fitted to (n, k) points with (n,) weights that add up to one."""
        mean = weights @ points
        centred = points - mean
        covariance = (weights[:, None] * centred).T @ centred
        covariance = INFLATION**2 * covariance + LEAST_VARIANCE * np.eye(len(mean))
        return cls(mean, np.linalg.cholesky(covariance))

    @classmethod
    def fitted(
        cls,
        log_likelihood: Callable[[Floats], Floats],
        dimensions: int,
        rng: np.random.Generator,
    ) -> StyleProposal:
        """Fitted to a posterior ∝ standard normal · likelihood of (n, k) points.

        Each round draws from the proposal so far, weighs the points for the posterior,
        tempered so that enough of them count, and fits the next proposal to them. It
        ends once a good share of the points is effective, or a fair one that has all
        but stopped growing.
        """
        proposal = cls.prior(dimensions)
        best = proposal
        best_share = 0.0
        last_share = 0.0
        for _ in range(MOST_FITS):
            (points,) = proposal.draw(1, POINTS_OF_A_FIT, rng)
            log_weights = log_likelihood(points) + proposal.log_weight(points)
            effective_share = Weights(log_weights).ess / len(points)
            if effective_share > best_share:
                best = proposal
                best_share = effective_share
            is_good = effective_share >= GOOD_SHARE
            gains_little = effective_share < GAIN * last_share
            if is_good or (effective_share >= FAIR_SHARE and gains_little):
                break
            last_share = effective_share
            exponent = tempering(log_weights, TEMPERED_ESS, halvings=HALVINGS)
            proposal = cls.around(points, Weights(exponent * log_weights).W)
        return best

    def draw(self, batches: int, n: int, rng: np.random.Generator) -> Floats:
        """(batches, n, k) points, a Sobol' net in each batch; n is a power of two."""
        dimensions = len(self.mean) + 1  # the first chooses the part of the mixture
        nets = [qmc.Sobol(dimensions, rng=rng).random(n) for _ in range(batches)]
        uniform = np.stack(nets)
        normal = ndtri(uniform[..., 1:].clip(LEAST_TAIL, 1 - LEAST_TAIL))
        from_prior = uniform[..., :1] < PRIOR_SHARE
        fitted = self.mean + normal @ self.root.T
        return np.asarray(np.where(from_prior, normal, fitted))

    def points(self, n: int, rng: np.random.Generator) -> Floats:
        """(BATCHES, m, k) points, ``n`` of them or some more.

        Where no number of a style varies there is one point, (1, 1, 0).
        """
        if not len(self.mean):
            return np.zeros((1, 1, 0))
        doublings = max(0, int(np.ceil(np.log2(n / BATCHES))))
        return self.draw(BATCHES, 1 << doublings, rng)

    def log_weight(self, points: Floats) -> Floats:
        """(…) log of prior over density of (…, k) points."""
        log_prior = -0.5 * (points**2).sum(axis=-1)
        standardised = (points - self.mean) @ np.linalg.inv(self.root).T
        log_determinant = np.log(np.diag(self.root)).sum()
        log_fitted = -0.5 * (standardised**2).sum(axis=-1) - log_determinant
        log_density = np.logaddexp(
            log_fitted + np.log1p(-PRIOR_SHARE), log_prior + np.log(PRIOR_SHARE)
        )
        return np.asarray(log_prior - log_density)


def log_mean_exp(log_values: Floats) -> Estimate[float]:
    """The logarithm of the mean of exp over (B, n) points in batches, with its error."""
    highest = float(log_values.max())
    batch_means = np.exp(log_values - highest).mean(axis=1)
    mean = float(batch_means.mean())
    relative_error = float(standard_error(batch_means / mean - 1.0))
    return Estimate(highest + float(np.log(mean)), relative_error)
