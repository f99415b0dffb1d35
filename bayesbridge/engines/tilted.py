"""The tilted engine: weighted draws from a proposal that knows what the calls say.

A bidder that depends on levels alone (:class:`~bayesbridge.evidence.models.LevelModel`) is tilted by exact tables of
these levels; any other bidder, and any player model, by shape, honours and points fitted in rounds to what the model
says of pilot draws. Both are unbiased whatever the fit: draws are weighed by likelihood / proposal.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.draws import Draws
from bayesbridge.engines.level_proposal import LevelProposal
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.soft import SoftEvidence
from bayesbridge.engines.target import Target
from bayesbridge.engines.tilt import SEARCH, tilted
from bayesbridge.engines.tilt_split import HONOUR_POINTS
from bayesbridge.engines.tilt_sums import Ints
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.models import honour_values_of
from bayesbridge.layouts import Masks

type Floats = NDArray[np.float64]

AGAIN: Final = 2
"""Draws for each one asked for, at most; thinned by their weights, those that stay count nearly the same."""

CHEAP: Final = 8000
"""Up to so many draws, AGAIN is no limit: a fit that is little worth is better made up for by more draws."""

ENOUGH: Final = 0.1
"""Effective draws wanted, as a share of the draws asked for; until then more are drawn by levels."""

MORE: Final = 100_000
MOST: Final = 500_000
"""Draws by levels at a time, and in all."""


def tilted_draws(
    target: Target, draws: int, rng: np.random.Generator, why: str, start: Proposal | None = None
) -> Draws:
    """Run the engine; shapes and points say little of levels, so they are no way out where a caller has levels."""
    proposal = LevelProposal.of(target)
    if proposal is not None:
        return _by_levels(target, proposal, draws, rng, why)
    return _by_shapes(target, draws, rng, why, start)


def _by_levels(target: Target, proposal: LevelProposal, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """Draws by exact tables of the callers' levels, more of them where they are worth little."""
    parts: list[tuple[Masks, Floats, Floats]] = []
    while True:
        masks = proposal.tables.draw(draws if not parts else MORE, rng)
        likelihood = target.soft.of_layouts(masks)
        parts.append((masks, likelihood, likelihood - proposal.log_weights(masks)))
        masks, likelihood, log_weights = (np.concatenate(column) for column in zip(*parts, strict=True))
        worth = 0.0 if log_weights.max() == -np.inf else Weights(log_weights).ess
        if worth >= ENOUGH * draws or len(masks) >= max(draws, MOST):
            break
    if not worth:
        raise target.unexplained(len(masks))
    weights = Weights(log_weights)
    return Draws(
        target,
        "tilted",
        f"tilted: {why}; {len(masks)} draws by exact tables of levels are worth {weights.ess:.0f} independent ones",
        masks,
        importance=weights,
        likelihood=likelihood,
        log_soft=proposal.tables.log_mean + weights.log_mean,
        log_soft_error=weights.log_mean_error,
        ess=weights.ess,
    )


def honour_points(soft: SoftEvidence) -> Ints:
    """(16,) the points of honours that the tilts count: what all callers' models offer, or high-card points.

    Values are scaled up to ten in a suit, or as near to it as whole numbers go, like those of high-card points.
    """
    offered = {honour_values_of(term.call[0]) if term.call else None for term in soft.terms}
    values = offered.pop() if len(offered) == 1 else None
    if values is None:
        return HONOUR_POINTS
    by_rank = np.array(values[::-1]) * (10 // sum(values))
    return np.array([sum(by_rank[rank] for rank in range(4) if held >> rank & 1) for held in range(16)], dtype=np.int64)


def _by_shapes(target: Target, draws: int, rng: np.random.Generator, why: str, start: Proposal | None) -> Draws:
    """Draws by shapes, honours and points, fitted in rounds."""
    search = min(SEARCH, target.cost.most_layouts // 10)
    try:
        drawn = tilted(
            target.constraints,
            target.sampler,
            target.soft.of_seat,
            target.soft.seats,
            draws=draws,
            most=max(AGAIN * draws, min(CHEAP, 8 * draws)),
            rng=rng,
            search=search,
            start=start,
            worth=honour_points(target.soft),
        )
    except Contradiction as error:
        raise target.unexplained(int(error.data.get("draws", draws))) from None
    found = drawn.thinned(draws, rng)
    ess = found.ess
    warning = found.diagnosis if found.unexplained else ""
    return Draws(
        target,
        "tilted",
        f"tilted: {why}; {drawn.drawn} draws from a fitted proposal, thinned to {len(found.layouts)}, are worth "
        f"{ess:.0f} independent ones",
        found.layouts,
        importance=found.weights,
        proposed=drawn.weights,
        likelihood=found.log_likelihood,
        log_soft=found.log_soft,
        log_soft_error=found.log_soft_error,
        ess=ess,
        warning=warning,
        proposal=found.proposal,
    )
