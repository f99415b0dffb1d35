"""Fewer layouts of a posterior, for questions that take long for each of them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.random64 import Seed

EXACTLY: Final = "; every answer is exact"
"""What engines that walk all layouts say, and what is no longer so."""

type Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Kept:
    """Exact marginals of the whole posterior."""

    whole: Posterior

    def card_marginals(self) -> Floats:
        """(52, 4) P(seat holds card)."""
        return np.asarray(self.whole.card_probabilities().values[::-1])

    def length_distributions(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return np.asarray(self.whole.length_probabilities().values)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points)."""
        return np.asarray(self.whole.point_probabilities().values)


def thinned(posterior: Posterior, n: int, rng: Seed, why: str) -> Posterior:
    """``n`` layouts of a posterior, drawn by their weights, that count the same; ``why`` is added to its own.

    Marginals, the evidence and the entropy stay those of the whole posterior. Its effective draws E become
    1 / (1/n + 1/E), or n where it was exact.

    >>> from bayesbridge import Belief, Reveal
    >>> posterior = Belief("S", "AKQ2.KJ3.A54.Q32").given(Reveal("N", "J54.AQ2.KQ76.A54")).infer()
    >>> thinned(posterior, 300, 1, "300 drawn")
    <Posterior: enumerate, 300 of 10400600 layouts, ESS 300>
    """
    draws = posterior.draws
    fewer = replace(
        draws,
        why=f"{draws.why.removesuffix(EXACTLY)}; {why}",
        source=posterior.resample(n, rng).masks,
        exact=False,
        importance=None,
        proposed=draws.proposed or draws.importance,
        likelihood=None,
        tables=Kept(posterior) if posterior.exact and draws.tables is None else draws.tables,
        mean_log=draws.mean_log_likelihood,
        ess=float(n) if posterior.exact else 1.0 / (1.0 / n + 1.0 / posterior.ess),
        chains=1,
        batches=None,
    )
    thin = replace(posterior, draws=fewer)
    if fewer.tables is None:
        vars(thin)["marginals"] = posterior.marginals  # what all draws together say is better than what few say
    return thin
