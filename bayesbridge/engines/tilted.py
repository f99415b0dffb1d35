"""The tilted engine: weighted draws from a proposal that knows what the calls say.

A bidder that depends on levels alone (:class:`~bayesbridge.evidence.models.LevelModel`) is tilted by exact tables of
these levels; any other bidder, and any player model, by shape, honours and points fitted in rounds to what the model
says of pilot draws. Both are unbiased whatever the fit: draws are weighed by likelihood / proposal.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

import numpy as np

from bayesbridge.engines.draws import Draws
from bayesbridge.engines.level_proposal import LevelProposal
from bayesbridge.engines.target import Target
from bayesbridge.engines.tilt import SEARCH, tilted
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import Contradiction

PLENTY: Final = 0.2
"""Effective share of draws by levels that is enough; below it a proposal of shapes and points is tried too."""


def tilted_draws(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """Run the engine: the better of the two proposals."""
    by_levels = _by_levels(target, draws, rng, why)
    if by_levels is not None and by_levels.ess >= PLENTY * draws:
        return by_levels
    by_shapes = _by_shapes(target, draws, rng, why)
    return by_shapes if by_levels is None or by_shapes.ess > by_levels.ess else by_levels


def _by_levels(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws | None:
    """Draws by exact tables of the callers' levels; ``None`` where no caller depends on levels alone."""
    proposal = LevelProposal.of(target)
    if proposal is None:
        return None
    masks = proposal.tables.draw(draws, rng)
    likelihood = target.soft.of_layouts(masks)
    if likelihood.max() == -np.inf:
        return None
    weights = Weights(likelihood - proposal.log_weights(masks))
    return Draws(
        target,
        "tilted",
        f"tilted: {why}; {draws} draws by exact tables of levels are worth {weights.ess:.0f} independent ones",
        masks,
        importance=weights,
        likelihood=likelihood,
        log_soft=proposal.tables.log_mean + weights.log_mean,
        log_soft_error=weights.log_mean_error,
        ess=weights.ess,
    )


def _by_shapes(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """Draws by shapes, honours and points, fitted in rounds."""
    search = min(SEARCH, target.cost.most_layouts // 10)
    try:
        with _matrix_threads().limit(limits=1):  # batches are small: more threads would wait for each other
            found = tilted(
                target.constraints,
                target.sampler,
                target.soft.of_seat,
                target.soft.seats,
                draws=draws,
                rng=rng,
                search=search,
            )
    except Contradiction as error:
        raise target.unexplained(int(error.data.get("draws", draws))) from None
    warning = found.diagnosis if found.unexplained else ""
    return Draws(
        target,
        "tilted",
        f"tilted: {why}; {draws} draws from a fitted proposal are worth {found.ess:.0f} independent ones",
        found.layouts,
        importance=found.weights,
        likelihood=found.log_likelihood,
        log_soft=found.log_soft,
        log_soft_error=found.log_soft_error,
        ess=found.ess,
        warning=warning,
    )


@cache
def _matrix_threads() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
