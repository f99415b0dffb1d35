"""The engine ``levels``: calls that depend on levels alone are counted.

The levels are those of a hand by Algorithm 1. **Proposals.** Who bids nX has level n in
strain X, so a weight for that level, and the largest of all other weights for every
other level, bounds P(calls ∣ hand) from above. Where weights are bounds only, or the
tables of all callers would be too large, tables of some callers are a proposal: with w
the weight behind the tables and L the likelihood, a draw has the importance weight L /
w and log P(calls) = log mean w + log mean (L / w), where the first mean is exact.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np

from bayesbridge.capture.kernels import bids
from bayesbridge.capture.playout import NO_TRUMP
from bayesbridge.capture.strains import strain_levels
from bayesbridge.engines.draws import Draws, LazyDraws
from bayesbridge.engines.level_tables import LEVELS, LevelTables
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.target import SoftEvidence, Target
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.models import LevelModel
from bayesbridge.game.layouts import Floats, Masks
from bayesbridge.runtime.random64 import seed_state

BIDS: Final = 38  # pass and 1C … 7NT, in the order of models of levels
STRAINS: Final = 5  # C D H S NT
FIRST_BID: Final = 3  # 1C; before it stand pass, double and redouble
NO_TRUMP_BIDS: Final = [0, *range(7, BIDS, STRAINS)]  # pass and 1NT … 7NT


@dataclass(frozen=True, slots=True, eq=False)
class LevelEvidence:
    """A seat whose calls depend on levels in one strain, C D H S NT = 0 … 4."""

    seat: int
    strain: int
    weights: Floats
    """(8,) by level: P(all calls of the seat ∣ level) if ``exact``, else an upper bound
    of it.
    """
    exact: bool


def callers_of(soft: SoftEvidence) -> tuple[LevelEvidence, ...]:
    """The seats whose soft evidence is calls that depend on levels alone."""
    by_bid: dict[int, Floats] = {}
    uses_suits: dict[int, bool] = {}
    other_seats: set[int] = set()
    for term in soft.terms:
        call = term.call
        if call is None or not isinstance(call.model, LevelModel):
            other_seats |= set(term.seats)
            continue
        seat = term.seats[0]
        likelihood = call.model.bid_likelihood(call.auction, call.index)
        earlier = by_bid.get(seat, np.ones(BIDS))
        by_bid[seat] = earlier * np.asarray(likelihood, dtype=np.float64)
        uses_suits[seat] = uses_suits.get(seat, False) or call.model.suits
    return tuple(
        _caller(seat, likelihood, uses_suits[seat])
        for seat, likelihood in by_bid.items()
        if seat not in other_seats
    )


def _caller(seat: int, by_bid: Floats, uses_suits: bool) -> LevelEvidence:
    """``by_bid``: (38,) P(all calls of the seat ∣ the bid that Algorithm 1 gives)."""
    if not uses_suits:
        return LevelEvidence(seat, NO_TRUMP, by_bid[NO_TRUMP_BIDS], exact=True)
    best = int(by_bid.argmax())
    level = 0
    strain = NO_TRUMP
    if best:
        level = 1 + (best - FIRST_BID) // STRAINS
        strain = (best - FIRST_BID) % STRAINS
    weights = np.full(LEVELS, np.delete(by_bid, best).max())
    weights[level] = by_bid[best]
    return LevelEvidence(seat, strain, weights, exact=False)


@dataclass(frozen=True, slots=True, eq=False)
class LevelProposal:
    """Exact tables for some callers."""

    tables: LevelTables
    callers: tuple[LevelEvidence, ...]

    @classmethod
    def of(cls, target: Target) -> LevelProposal | None:
        """The tables of all callers who bid, or ``None`` without such tables.

        Where those of all would be too large, of the one whose bid is rarest.
        """
        callers = callers_of(target.soft)
        bidding = [caller for caller in callers if caller.weights.argmax() > 0]
        if len(bidding) > 1:
            seats = frozenset(caller.seat for caller in bidding)
            together = tables_of(target, seats)
            if together is not None:
                return cls(together, tuple(bidding))
        proposals = []
        for caller in bidding:
            tables = tables_of(target, frozenset([caller.seat]))
            if tables is not None:
                proposals.append(cls(tables, (caller,)))
        return min(proposals, key=lambda single: single.tables.mean, default=None)

    def log_weights(self, masks: Masks) -> Floats:
        """(n,) log of the weight behind the tables, of (n, 4) layouts."""
        total = np.zeros(len(masks))
        for caller in self.callers:
            hands = np.ascontiguousarray(masks[:, caller.seat])
            if caller.strain == NO_TRUMP:
                levels = bids(hands).level
            else:
                levels = strain_levels(hands)[:, caller.strain]
            with np.errstate(divide="ignore"):
                total += np.log(caller.weights)[levels]
        return total


# Two engines in a row use the tables of two callers, and then of each.
@lru_cache(maxsize=4)
def tables_of(target: Target, seats: frozenset[int]) -> LevelTables | None:
    """Exact tables of the levels of some callers; ``None`` if they would be too large."""
    callers = [caller for caller in callers_of(target.soft) if caller.seat in seats]
    weights = {caller.seat: caller.weights for caller in callers}
    strains = {caller.seat: caller.strain for caller in callers}
    try:
        return LevelTables.of(target.constraints, weights, strains)
    except Contradiction:
        raise target.unexplained() from None
    except BayesBridgeError:
        return None


def exact_tables(target: Target) -> LevelTables | None:
    """Exact tables for all soft evidence, if it depends on levels alone.

    Else ``None``, and also where tables would be too large.
    """
    callers = callers_of(target.soft)
    exact = frozenset(caller.seat for caller in callers if caller.exact)
    if target.constraints.conditions or not exact:
        return None
    if len(exact) < len(target.soft.seats):
        return None
    return tables_of(target, exact)


def exact_draws(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    """Run the engine; raises where it does not apply."""
    tables = exact_tables(target)
    if tables is None:
        raise BayesBridgeError(
            "exact draws under calls need bidders by Algorithm 1 in no trumps, "
            "no cards weighted by a player model, no condition, "
            'and tables that are not too large: use method="auto"'
        )
    return from_tables(target, tables, draws, rng, why)


def from_tables(
    target: Target, tables: LevelTables, draws: int, rng: np.random.Generator, why: str
) -> Draws:
    """Draws from exact tables, made when somebody looks at them."""
    return Draws(
        target,
        "levels",
        (
            f"{why}, but the calls depend on levels alone and are counted",
            f"P(calls), cards and lengths exact, {draws} independent exact draws",
        ),
        LazyDraws(tables.draw, draws, seed_state(rng)),
        log_marginal=tables.log_mean,
        ess=float(draws),
        tables=tables,
        mean_log=tables.mean_log,
    )
