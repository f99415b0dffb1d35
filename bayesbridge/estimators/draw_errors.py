"""Monte Carlo errors of what is estimated from the layouts that were kept.

The standard error of every mean, plain or conditional, comes from one formula. A mean m
= E[q x] / E[q] over draws changes by u = q (x - m) / E[q] for a little more weight on a
draw (its influence); the error is that of the mean of u. Importance weights W give (Σ
W² u²)½, other draws the spread of u over the square root of their effective sample
size. Where an event is rare, or never happens, the square of one more draw with the
opposite outcome is added, and with importance weights, for any number, of one more like
the draw farthest from the mean. No error is stated where all draws agree on a number
that is no event, nor of a mean given that the conditions hold with few draws. Weights
that are averages over a bidding style add the error of these averages
(:mod:`~bayesbridge.engines.weights`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import hypot, nan, sqrt
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.weights import Batches, Weights, standard_error
from bayesbridge.estimators.intervals import INTERVALS
from bayesbridge.game.layouts import Floats, read_only

NEVER_CHANGES: Final = 1e-9  # a spread below this is the rounding of a weight
FEWEST_DRAWS: Final = 10.0  # with fewer a mean under a condition has no error


class MonteCarloError(NamedTuple):
    """Monte Carlo standard error of a mean, and its effective sample size.

    ``nan`` where they mean nothing.
    """

    mcse: float = nan
    ess: float = nan


NOT_STATED: Final = MonteCarloError()
"""Where draws do not tell how far a mean may be off."""

EXACT: Final = MonteCarloError(mcse=0.0)
"""Of a mean that no draw is behind."""


@dataclass(frozen=True, slots=True, eq=False)
class EstimatedNumber:
    """One number: its distribution, and the draws behind it unless it is exact."""

    label: str
    values: NDArray[Any]
    chances: Floats
    exact: bool
    draws: NDArray[Any]  #: (n,) values.
    #: (n,) the draws that count; ``None`` for all.
    given: NDArray[np.bool_] | None = None
    event: bool = False  #: Whether it is 0 or 1, so that an interval says nothing.
    moments: Sequence[float] = ()
    """Mean and standard deviation where the posterior has more layouts than draws were
    kept; else they follow from these.
    """

    @property
    def mean(self) -> float:
        """Mean of the distribution."""
        if self.moments:
            return self.moments[0]
        return float(self.chances @ self.values)

    @property
    def sd(self) -> float:
        """Standard deviation of the distribution.

        0 for a number that never changes, whatever the rounding of its weight.
        """
        if self.moments:
            _mean, spread = self.moments
        else:
            spread = sqrt(float(self.chances @ ((self.values - self.mean) ** 2)))
        if spread > NEVER_CHANGES:
            return spread
        return 0.0

    def interval(self, kind: str, probability: float) -> tuple[float, float]:
        """Both ends, ``nan`` for an event."""
        if self.event:
            return nan, nan
        return INTERVALS[kind](self.values, self.chances, probability)


@dataclass(frozen=True, eq=False)
class KeptDraws:
    """The layouts behind an answer: what each is worth, for standard errors."""

    layouts: int
    log_weights: Floats | None  #: (n,), ``None`` where they count the same.
    ess: float
    exact: bool  #: Whether they are all that fit, with their exact weights.
    batches: Batches | None  #: How weights vary that are estimates themselves.

    @cached_property
    def weights(self) -> Floats:
        """(n,) adding up to one."""
        if self.log_weights is None:
            return read_only(np.full(self.layouts, 1.0 / self.layouts))
        return Weights(self.log_weights).W

    @property
    def weighted(self) -> bool:
        """Whether they are independent draws with importance weights."""
        return not (self.log_weights is None or self.exact or self.batches)

    def error(self, quantity: EstimatedNumber) -> MonteCarloError:
        """How far the mean of a quantity may be off, since it is taken over draws.

        The mean may be a conditional one, over the draws that ``given`` picks. Its standard
        error is that of the mean of the draws' influences: how much the mean moves for a
        little more weight on a draw. Draws that agree would so state no error: where an
        event (0 or 1) is rare or never happened, or few draws bear the weight, what one
        more draw of the opposite kind would change is added in quadrature.
        """
        if quantity.exact:
            return EXACT
        is_given = np.ones(self.weights.shape)
        if quantity.given is not None:
            is_given = quantity.given.astype(np.float64)
            if self._effective(is_given) < FEWEST_DRAWS:
                return NOT_STATED
        share_given = float((self.weights * is_given).sum())
        if not share_given:
            return NOT_STATED
        deviations = quantity.draws - quantity.mean
        influence = is_given * deviations / share_given
        error = self._error_of_mean(influence)
        if quantity.event:
            opposite = max(quantity.mean, 1.0 - quantity.mean)
            error = hypot(error, opposite / self._effective(is_given))
        elif self.weighted:
            farthest = share_given * float(np.abs(influence).max())
            error = hypot(error, farthest / self._effective(is_given))
        if not error:
            return NOT_STATED
        effective_draws = (
            float(round((quantity.sd / error) ** 2)) if quantity.sd else nan
        )
        return MonteCarloError(mcse=float(f"{error:.2g}"), ess=effective_draws)

    def _effective(self, is_given: Floats) -> float:
        """How many equal draws those picked, (n,) of 0 or 1, are worth together.

        With importance weights (Σ w)² / Σ w² of those picked, else their share of the
        effective sample size of all.
        """
        weights = self.weights * is_given
        total = float(weights.sum())
        if not self.weighted:
            return self.ess * total
        squares = float((weights**2).sum())
        if not squares:
            return 0.0
        return total**2 / squares

    def _error_of_mean(self, influence: Floats) -> float:
        """Standard error of the weighted mean of (n,) influences.

        An influence is how much an estimate moves for a little more weight on a draw; their
        mean is 0. For draws without importance weights the error is their spread over the
        square root of the effective sample size; else it is (Σ W² u²)½, with what the kind
        of weights adds.
        """
        if influence.min() == influence.max():
            return 0.0
        variance = float((self.weights * influence**2).sum())
        weighted_variance = float((self.weights**2 * influence**2).sum())
        # Rare events may have been met at light draws only: no better than if all draws
        # counted the same.
        weighted_variance = max(weighted_variance, variance / influence.size)
        if self.batches is not None:
            return self._error_with_batches(self.batches, influence, weighted_variance)
        if self.weighted:
            # An engine that knows its weights to deceive states a smaller ESS than they have.
            kish_size = 1.0 / float((self.weights**2).sum())
            overstated = max(1.0, kish_size / self.ess)
            return sqrt(overstated * weighted_variance)
        return sqrt(variance / self.ess)

    def _error_with_batches(
        self, batches: Batches, influence: Floats, weighted_variance: float
    ) -> float:
        """The error where weights are averages over batches of bidding styles.

        Each batch alone would have given another mean: their spread is the error of the
        averages. That of the draws comes on top where layouts were drawn at all, not
        walked.
        """
        error_of_averages = standard_error(batches.moved(influence, self.weights))
        return sqrt(error_of_averages**2 + weighted_variance * batches.drawn)
