"""Draws by the levels of some callers, counted exactly, and weighed by what is left of the evidence.

Where the tables of all callers would be too large, or bound P(calls ∣ hand) only from above, those of some callers
still put the draws where the calls point. With w(layout) the weight behind the tables and L the likelihood, a draw
counts L / w and log P(calls) = log mean w + log mean (L / w), where the first mean is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache, reduce
from operator import or_

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.callers import Caller, callers_of
from bayesbridge.engines.level_mixture import LevelMixture
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.levels import SuitWalks
from bayesbridge.engines.target import Target
from bayesbridge.errors import Contradiction
from bayesbridge.layouts import Masks

type Floats = NDArray[np.float64]
type CallTables = LevelTables | LevelMixture


@dataclass(frozen=True, slots=True, eq=False)
class LevelProposal:
    """Exact tables for some callers."""

    tables: CallTables
    callers: tuple[Caller, ...]

    @classmethod
    def of(cls, target: Target) -> LevelProposal | None:
        """The tables of as many callers who bid as are affordable, else of the one whose bid is rarest; or ``None``."""
        bidding = [caller for caller in callers_of(target.soft) if not caller.passes]
        seats = frozenset(caller.seat for caller in bidding)
        if len(bidding) > 1 and (all_of_them := tables_of(target, seats)) is not None:
            return cls(all_of_them, tuple(bidding))
        single = [(caller, tables_of(target, frozenset([caller.seat]))) for caller in bidding]
        found = [cls(tables, (caller,)) for caller, tables in single if tables is not None]
        return min(found, key=lambda one: one.tables.mean, default=None)

    def log_weights(self, masks: Masks) -> Floats:
        """(n,) log w of (n, 4) layouts."""
        total = np.zeros(len(masks))
        for caller in self.callers:
            total += caller.log_weights(masks[:, caller.seat])
        return total


@lru_cache(maxsize=2)  # whether tables are too large is asked by two engines in a row
def tables_of(target: Target, seats: frozenset[int], patient: bool = False) -> CallTables | None:
    """Exact tables of the levels of some callers, a mixture if need be; ``None`` if they would be too large.

    With ``patient`` those of two callers may take a minute.
    """
    callers = [caller for caller in callers_of(target.soft) if caller.seat in seats]
    nothing: dict[int, SuitWalks] = {}
    walks = reduce(or_, (caller.walks for caller in callers), nothing)
    weights = {caller.seat: caller.weights for caller in callers}
    try:
        tables = LevelTables.if_affordable(target.constraints, weights, walks)
        return tables or LevelMixture.if_affordable(target.constraints, callers, patient)
    except Contradiction:
        raise target.unexplained() from None
