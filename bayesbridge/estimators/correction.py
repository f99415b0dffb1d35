"""A cheap prediction on every draw, corrected by dear answers on a few: unbiased whatever the prediction.

Of every draw a network predicts the distribution f of the number of tricks; m layouts, drawn anew from the posterior,
are solved. Then, for any function a of the tricks (a contract made, exactly nine, the number itself),

    estimate = mean of E_f[a] over all draws + mean of (a(solved) − E_f[a]) over the m

has the mean of a(solved) over the posterior as its expectation, and its error counts both sources::

    variance = var(a) / ESS + var(a − E_f[a]) / m

The first term vanishes where the draws are all layouts with their exact weights. The better f predicts, the fewer
answers are needed: if it explains three quarters of the variance, a quarter of them. (A control variate; under the name
of prediction-powered inference: Angelopoulos and others, Science 382, 2023.)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

type Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Corrected:
    """Tricks over a posterior: predicted on all draws, solved on some.

    >>> rng = np.random.default_rng(1)
    >>> guesses = np.tile([0.3, 0.7], (400, 1))
    >>> found = Corrected(np.array([0.3, 0.7]), guesses, (rng.random(400) < 0.6).astype(int), 20_000)
    >>> share, error = found.at_least(1)
    >>> bool(abs(share - 0.6) < 4 * error), round(error, 3)
    (True, 0.025)
    """

    predicted: Floats
    """(k,) mean distribution over all draws of 0 … k − 1 tricks."""
    guesses: Floats
    """(m, k) distributions predicted for the layouts that were solved."""
    solved: NDArray[np.int64]
    """(m,) their tricks."""
    ess: float
    """What the draws are worth, infinite where they are all layouts."""

    def of(self, worth: Floats) -> tuple[float, float]:
        """Mean and standard error of ``worth[tricks]``."""
        guessed = self.guesses @ worth
        left = worth[self.solved] - guessed
        mean = float((self.predicted * worth).sum() + left.mean())
        shares = np.clip(self.pmf, 0.0, None)
        shares /= shares.sum()
        spread = max(0.0, float((shares * worth**2).sum() - (shares * worth).sum() ** 2))
        # A few answers may miss what is rare: the prediction's own doubt is the least that is stated.
        doubt = float((self.guesses @ (worth**2) - guessed**2).mean())
        residual = max(float(left.var(ddof=1)), doubt)
        return mean, float(np.sqrt(spread / self.ess + residual / len(self.solved)))

    @property
    def pmf(self) -> Floats:
        """(k,) estimated distribution; unbiased, so that a rare number may come out just below zero."""
        met = np.bincount(self.solved, minlength=len(self.predicted)) / len(self.solved)
        return np.asarray(self.predicted + met - self.guesses.mean(axis=0), np.float64)

    @property
    def mean(self) -> tuple[float, float]:
        """Expected tricks and standard error."""
        return self.of(np.arange(len(self.predicted), dtype=np.float64))

    def at_least(self, tricks: int) -> tuple[float, float]:
        """P(at least so many tricks) and its standard error."""
        return self.of((np.arange(len(self.predicted)) >= tricks).astype(np.float64))

    def exactly(self, tricks: int) -> tuple[float, float]:
        """P(exactly so many tricks) and its standard error."""
        return self.of((np.arange(len(self.predicted)) == tricks).astype(np.float64))

    def saved(self, tricks: int) -> float:
        """How many times more solved layouts the same error of :meth:`at_least` would take without the prediction."""
        worth = (np.arange(len(self.predicted)) >= tricks).astype(np.float64)
        left = (worth[self.solved] - self.guesses @ worth).var(ddof=1)
        return float(worth[self.solved].var(ddof=1) / left) if left else float("inf")
