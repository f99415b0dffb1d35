"""The exact engine: calls that depend on a hand only through its bid by Algorithm 1 are counted, not sampled.

P(calls) comes out exactly, so do the marginals of cards, lengths and points; draws are independent and count the same.
"""

from __future__ import annotations

import numpy as np

from bayesbridge.engines.callers import callers_of
from bayesbridge.engines.draws import Draws, Pending
from bayesbridge.engines.level_proposal import CallTables, tables_of
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.target import Target
from bayesbridge.errors import BayesBridgeError
from bayesbridge.random64 import seed_state


def exact_tables(target: Target, patient: bool = False) -> CallTables | None:
    """Exact tables for all soft evidence, ``None`` where it does not depend on levels alone or they are too large.

    With ``patient`` those of two callers may take a minute.
    """
    callers = callers_of(target.soft)
    if not callers or not all(caller.exact for caller in callers) or len(callers) < len(target.soft.seats):
        return None
    return tables_of(target, frozenset(caller.seat for caller in callers), patient)


def exact_draws(target: Target, draws: int, rng: np.random.Generator, why: str, _: Proposal | None = None) -> Draws:
    """Run the engine; raises where it does not apply. It was asked for by name, so it may take longer than ``auto``."""
    tables = exact_tables(target, patient=True)
    if tables is None:
        raise BayesBridgeError(
            "exact draws under calls need bidders by Algorithm 1 in no trumps, no cards weighed by a player model, and "
            'tables that are not too large: use method="auto"'
        )
    return from_tables(target, tables, draws, rng, why)


def from_tables(target: Target, tables: CallTables, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """What the tables tell."""
    return Draws(
        target,
        "exact",
        f"exact: {why}, but the calls depend on levels alone and are counted; P(calls), cards and lengths exact, "
        f"{draws} independent exact draws",
        Pending(tables, draws, seed_state(rng)),
        log_soft=tables.log_mean,
        ess=float(draws),
        tables=tables,
        mean_log=tables.mean_log,
    )
