"""Chains: what estimators say of layouts, as draws that count the same.

ArviZ knows no weights, so layouts that differ in weight are resampled. Those that an
engine drew are resampled systematically and in their order: copies of a layout follow
each other, and ArviZ's effective sample size counts them about once. Where a few
layouts have most of the weight it is up to three times too large; ``Result.summary``
says what the draws are worth. The layouts of an exact posterior are no draws and stand
in the order of their numbers: so they are shuffled.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.weights import Weights
from bayesbridge.game.layouts import Floats, FrozenArrays, Ints
from bayesbridge.runtime.random64 import Seed, generator

if TYPE_CHECKING:
    from bayesbridge.estimators.evaluate import Evaluation

CHAINS: Final = 4
FEWEST_RESAMPLED: Final = 4_000  # resampling then adds at most 1/63 of the spread
MOST_OF_EXACT: Final = 20_000  # draws of an exact posterior; its figures need none


@dataclass(frozen=True, slots=True, eq=False)
class Chains(FrozenArrays):
    """Which of the layouts kept stands at each place of the chains."""

    layout: Ints  #: (chains, draws) indices.
    resampled: bool  #: Whether these are not just the layouts kept, in their order.

    @classmethod
    def of(cls, evaluation: Evaluation, rng: Seed) -> Self:
        """Four chains of an evaluation's layouts, as ArviZ takes draws.

        Draws that weigh the same are cut into four as they are, if four divides their
        number. Others are resampled by their weights. All layouts that fit, which stand in
        the order of their numbers, are resampled and shuffled.
        """
        kept = evaluation.kept
        random = generator(rng)
        log_weights = evaluation.log_weights
        if evaluation.walked:
            draws = min(max(kept, FEWEST_RESAMPLED), MOST_OF_EXACT)
            return cls._resampled(log_weights, kept, draws, random, shuffled=True)
        if log_weights is not None:
            draws = max(kept, FEWEST_RESAMPLED)
            return cls._resampled(log_weights, kept, draws, random, shuffled=False)
        if kept % CHAINS:
            return cls._resampled(None, kept, kept, random, shuffled=False)
        return cls(np.arange(kept).reshape(CHAINS, -1), resampled=False)

    @classmethod
    def _resampled(
        cls,
        log_weights: Floats | None,
        kept: int,
        draws: int,
        random: np.random.Generator,
        shuffled: bool,
    ) -> Self:
        """At least ``draws`` of the layouts kept, by their weights (``None``: equal)."""
        weights = Weights(np.zeros(kept) if log_weights is None else log_weights)
        length = -(-draws // CHAINS)
        layout = weights.resample(CHAINS * length, random)
        if shuffled:
            layout = random.permutation(layout)
        return cls(layout.reshape(CHAINS, length), resampled=True)

    def take(self, values: NDArray[Any]) -> NDArray[Any]:
        """(chains, draws, …) of (n, …) values of the layouts kept."""
        return values[self.layout]

    def error(self, sd: Floats) -> Floats:
        """What resampling costs at most.

        One standard error of the means of draws with these spreads.
        """
        return sd / sqrt(self.layout.size) if self.resampled else np.zeros_like(sd)
