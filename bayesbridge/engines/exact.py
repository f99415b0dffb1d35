"""The exact engine: calls that depend on a hand only through its bid by Algorithm 1 are counted, not sampled.

P(calls) comes out exactly, so do the marginals of cards, lengths and points; draws are independent and count the same.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.draws import Draws, Pending
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.soft import SoftEvidence
from bayesbridge.engines.target import Target
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.models import LevelModel
from bayesbridge.random64 import seed_state

NO_TRUMP_BIDS: Final = (0, *range(7, 38, 5))
"""Pass and 1NT … 7NT among the 38 bids: the bids of levels 0 … 7."""


def level_tables(target: Target) -> LevelTables | None:
    """Exact tables for the soft evidence, ``None`` where it does not depend on levels alone or they are too large."""
    weights = level_weights(target.soft)
    if weights is None:
        return None
    try:
        return LevelTables.if_affordable(target.constraints, weights)
    except Contradiction:
        raise target.unexplained() from None


def level_weights(soft: SoftEvidence) -> dict[int, NDArray[np.float64]] | None:
    """For each caller, (8,) P(all calls of the seat ∣ level of its hand); ``None`` where a term needs to know more."""
    weights: dict[int, NDArray[np.float64]] = {}
    for term in soft.terms:
        if term.call is None:
            return None
        model, auction, index = term.call
        if not isinstance(model, LevelModel) or model.suits:
            return None
        by_level = np.asarray(model.bid_likelihood(auction, index), dtype=np.float64)[list(NO_TRUMP_BIDS)]
        weights[term.seat] = weights.get(term.seat, 1.0) * by_level
    return weights


def exact_draws(target: Target, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """Run the engine; raises where it does not apply."""
    tables = level_tables(target)
    if tables is None:
        raise BayesBridgeError(
            "exact draws under calls need bidders by Algorithm 1 in no trumps, no cards weighed by a player model, and "
            'tables that are not too large: use method="auto"'
        )
    return from_tables(target, tables, draws, rng, why)


def from_tables(target: Target, tables: LevelTables, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """What the tables tell."""
    return Draws(
        target,
        "exact",
        f"exact: {why}, but the calls depend on levels alone and are counted; P(calls) and marginals exact, "
        f"{draws} independent exact draws",
        Pending(tables, draws, seed_state(rng)),
        log_soft=tables.log_mean,
        ess=float(draws),
        tables=tables,
        mean_log=tables.mean_log,
    )
