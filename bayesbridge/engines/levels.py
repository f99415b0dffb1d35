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

PASS: Final = 0
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
    """The seats whose soft evidence is calls that depend on levels alone.

    The likelihood of a call by a :class:`LevelModel` depends on the bid that Algorithm 1
    gives the hand, one of 38; those of all calls of a seat are multiplied. Seats with
    any other soft evidence are left out.
    """
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
        _caller(seat, likelihood, uses_suits=uses_suits[seat])
        for seat, likelihood in by_bid.items()
        if seat not in other_seats
    )


def _caller(seat: int, likelihood: Floats, *, uses_suits: bool) -> LevelEvidence:
    """What the calls of a seat say about its level in one strain.

    ``likelihood``: (38,) P(all calls of the seat ∣ the bid that Algorithm 1 gives its
    hand), pass first. A bidder in no trumps alone bids its level, so the likelihood
    follows from the level exactly. Else it is bounded from above by the level in the
    strain of the likeliest bid.
    """
    if not uses_suits:
        no_trump_likelihood = likelihood[NO_TRUMP_BIDS]
        return LevelEvidence(seat, NO_TRUMP, no_trump_likelihood, exact=True)
    likeliest_bid = int(likelihood.argmax())
    level = 0
    strain = NO_TRUMP
    if likeliest_bid != PASS:
        level = 1 + (likeliest_bid - FIRST_BID) // STRAINS
        strain = (likeliest_bid - FIRST_BID) % STRAINS
    # A hand on another level of this strain makes some other bid: at most that likely.
    most_of_other_bids = np.delete(likelihood, likeliest_bid).max()
    weights = np.full(LEVELS, most_of_other_bids)
    weights[level] = likelihood[likeliest_bid]
    return LevelEvidence(seat, strain, weights, exact=False)


@dataclass(frozen=True, slots=True, eq=False)
class LevelProposal:
    """Exact tables for some callers."""

    tables: LevelTables
    callers: tuple[LevelEvidence, ...]

    @classmethod
    def of(cls, target: Target) -> LevelProposal | None:
        """The tables of all callers who bid, or ``None`` without such tables.

        Where those of all would be too large, of the one whose bid is rarest: whose
        calls have the least probability given the hard evidence, ``tables.mean``.
        """
        callers = callers_of(target.soft)
        # Who passed is likeliest on level 0.
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
        """(n,) log of the weight behind the tables, of (n, 4) layouts.

        It is the product of the callers' weights for the level that each has in its
        strain, 0 to 7.
        """
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

    A caller is exact if the likelihood of its calls follows from its level in no
    trumps. ``None`` where a seat has any other soft evidence, or there is a condition
    over hands, and also where tables would be too large.
    """
    callers = callers_of(target.soft)
    exact_seats = frozenset(caller.seat for caller in callers if caller.exact)
    if target.constraints.conditions or not exact_seats:
        return None
    if len(exact_seats) < len(target.soft.seats):
        return None
    return tables_of(target, exact_seats)


def exact_draws(
    target: Target,
    draws: int,
    rng: np.random.Generator,
    why: str,
    _: Proposal | None = None,
) -> Draws:
    """Run the engine ``levels``: exact draws; raises where it does not apply.

    ``why``: why the layouts are not walked over, the first clause of the reasons that
    the draws give. The last argument, a proposal to start from, is for other engines.
    """
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
    """Draws from exact tables, made when somebody looks at them.

    ``tables`` count the layouts by the levels of the callers, on which the calls
    depend; ``why``: why the layouts are not walked over, the first clause of the
    reasons. ``log_marginal`` is log P(calls), ``mean_log`` the posterior mean of the
    log likelihood.
    """
    reasons = (
        f"{why}, but the calls depend on levels alone and are counted",
        f"P(calls), cards and lengths exact, {draws} independent exact draws",
    )
    return Draws(
        target,
        "levels",
        reasons,
        LazyDraws(tables.draw, draws, seed_state(rng)),
        log_marginal=tables.log_mean,
        ess=float(draws),
        tables=tables,
        mean_log=tables.mean_log,
    )
