"""What the styles say of the rows of layouts: in batches, so that the error of every answer can be told.

Given styles θ_d with weights w_d for the prior and the records, a layout of row r has the likelihood Σ w_d P_r(θ_d),
its style summed out, and P(calls) = Σ w_d m(θ_d). Draws from the posterior itself, as NUTS gives them, have w_d =
1 / m(θ_d) up to a constant, which they do not tell: points around them do.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.batches import standard_error, stretches_of
from bayesbridge.joint.chances import SeatChances
from bayesbridge.joint.marginal import Rows
from bayesbridge.joint.points import Cloud, fit_cloud, log_mean
from bayesbridge.joint.question import StyleQuestion

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Weighed:
    """The rows weighed by styles.

    table:    (B, k) by batch, likelihood of each row relative to P(calls): the mean over layouts of the mean over
              batches is 1
    by_style: (4, k) mean of each parameter of the style for a layout of the row
    styles:   (B, n, 4)
    weights:  (B, n) posterior weight of each style, adding up to one
    """

    table: Floats
    by_style: Floats
    styles: Floats
    weights: Floats

    @property
    def style_means(self) -> Floats:
        """(4,) posterior mean of each parameter."""
        found: Floats = self.weights.ravel() @ self.styles.reshape(-1, 4)
        return found

    @property
    def style_errors(self) -> Floats:
        """(4,) standard errors of the means, as far as they come from the styles."""
        moved = (self.weights[..., None] * (self.styles - self.style_means)).sum(axis=1)
        return standard_error(len(self.weights) * moved)

    @property
    def ess(self) -> float:
        """Kish's effective number of styles."""
        return 1.0 / float((self.weights**2).sum())


@dataclass(frozen=True, slots=True, eq=False)
class Evidence:
    """log P(calls ∣ hard evidence, records), one standard error, and the points behind them.

    styles:  (d, 4)
    weights: (d,) for the prior and the records, adding up to about one
    """

    log: float
    error: float
    styles: Floats
    weights: Floats


@dataclass(frozen=True, slots=True, eq=False)
class Weighing:
    """A question with its rows."""

    question: StyleQuestion
    rows: Rows
    chances: SeatChances

    @classmethod
    def of(cls, question: StyleQuestion, rows: Rows) -> Weighing:
        """Work out all that does not depend on the style."""
        return cls(question, rows, SeatChances.of(rows.cell, question.asked))

    def fitted(self, rng: np.random.Generator) -> Cloud:
        """A mixture that covers the posterior of the style."""
        space = self.question.space

        def log_likelihood(points: Floats) -> Floats:
            styles = space.styles(points)
            return self.question.log_records(styles) + self._log_marginal(styles)

        return fit_cloud(log_likelihood, len(space), rng)

    def by_points(self, cloud: Cloud, n: int, rng: np.random.Generator) -> tuple[Weighed, Evidence]:
        """With at least ``n`` points of a mixture."""
        space = self.question.space
        points = cloud.points(n, rng)
        batches, each, _ = points.shape
        styles = space.styles(points)
        log = cloud.log_weight(points) + self.question.log_records(styles.reshape(-1, 4)).reshape(batches, each)
        scale = log.max()
        prior = np.exp(log - scale)
        weighed, marginal = self._weigh(styles, prior)
        above = (prior * marginal).mean(axis=1)
        below, error_below = self.question.log_of_records(batches * each, rng)
        log_above, error = log_mean(above)
        found = log_above + scale + self._most - below
        own = np.exp(log - below).ravel() / log.size
        return weighed, Evidence(found, float(np.hypot(error, error_below)), styles.reshape(-1, 4), own)

    def by_chains(self, styles: Floats, ess: float) -> Weighed:
        """With (chains, draws, 4) draws from the posterior that are worth ``ess`` independent ones."""
        chains, draws, _ = styles.shape
        stretches = stretches_of(chains, ess)
        each = draws // stretches
        used = styles[:, draws - stretches * each :].reshape(chains * stretches, each, 4)
        return self._weigh(used, None)[0]

    @property
    def _most(self) -> float:
        return float(self.rows.log.max())

    def _log_marginal(self, styles: Floats) -> Floats:
        """(d,) log m of (d, 4) styles."""
        found, rows = np.empty(len(styles)), np.exp(self.rows.log - self._most)
        for part in self.chances.stretches(len(styles)):
            found[part] = self.chances.of_styles(styles[part]) @ rows
        with np.errstate(divide="ignore"):
            return np.log(found) + self._most

    def _weigh(self, styles: Floats, prior: Floats | None) -> tuple[Weighed, Floats]:
        """Of (B, n, 4) styles with (B, n) weights for prior and records; ``None`` for draws from the posterior.

        Besides, (B, n) m(θ) over the weight of the heaviest row.
        """
        batches, n, _ = styles.shape
        rows = np.exp(self.rows.log - self._most)
        table, by_style = np.zeros((batches, len(rows))), np.zeros((4, len(rows)))
        marginal, weights = np.empty((batches, n)), np.empty((batches, n))
        for batch in range(batches):
            for part in self.chances.stretches(n):
                chances = self.chances.of_styles(styles[batch, part])
                m = marginal[batch, part] = chances @ rows
                w = 1.0 / m if prior is None else prior[batch, part]
                weights[batch, part] = w * m
                table[batch] += w @ chances
                by_style += (w[:, None] * styles[batch, part]).T @ chances
        total = weights.sum()
        by_style /= np.maximum(table.sum(axis=0), np.finfo(float).tiny)
        return Weighed(table * batches / total, by_style, styles, weights / total), marginal
