"""The engine ``levels``: calls that depend on a hand only through its levels by
Algorithm 1 are counted, not sampled.

The likelihood of a layout is then ∏ over callers w[seat][level of the seat]. Layouts of
equal likelihood are counted (:mod:`~bayesbridge.engines.quantity_tables`), so P(calls ∣
hard evidence) and the marginals are exact. A draw is a weight, chosen in proportion to
count · weight, and a uniform number among its layouts: nothing is rejected.

**Proposals.** Who bids nX has level n in strain X, so a weight for that level, and the
largest of all other weights for every other level, bounds P(calls ∣ hand) from above.
Where weights are bounds only, or the tables of all callers would be too large, tables
of some callers are a proposal: with w the weight behind the tables and L the
likelihood, a draw has the importance weight L / w and log P(calls) = log mean w + log
mean (L / w), where the first mean is exact.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import bids
from bayesbridge.capture.playout import NO_TRUMP
from bayesbridge.capture.strains import strain_levels
from bayesbridge.engines.draws import Draws, LazyDraws
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.quantity_tables import (
    ClassTables,
    Level,
    Outcome,
    Points,
    Quantity,
)
from bayesbridge.engines.tables import FieldTables, LayoutIndex, tally_fields
from bayesbridge.engines.target import SoftEvidence, Target
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.constraints import SEATS, Constraints
from bayesbridge.evidence.models import LevelModel
from bayesbridge.game.layouts import Floats, Ints, Masks
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import Seed, State, bounded, next64, seed_state


@dataclass(frozen=True, slots=True, eq=False)
class LevelEvidence:
    """A seat whose calls depend on levels in one strain, C D H S NT = 0 … 4."""

    seat: int
    strain: int
    #: (8,) by level: P(all calls of the seat ∣ level) if ``exact``, else an upper bound
    #: of it.
    weights: Floats
    exact: bool


def callers_of(soft: SoftEvidence) -> tuple[LevelEvidence, ...]:
    """The seats whose soft evidence is calls that depend on levels alone."""
    by_bid: dict[int, Floats] = {}
    suits: dict[int, bool] = {}
    other: set[int] = set()
    for term in soft.terms:
        call, seat = term.call, term.seats[0]
        if call is None or not isinstance(model := call.model, LevelModel):
            other |= set(term.seats)
            continue
        found = np.asarray(
            model.bid_likelihood(call.auction, call.index), dtype=np.float64
        )
        by_bid[seat] = by_bid.get(seat, np.ones(38)) * found
        suits[seat] = suits.get(seat, False) or model.suits
    return tuple(
        _caller(seat, weights, suits[seat])
        for seat, weights in by_bid.items()
        if seat not in other
    )


def _caller(seat: int, by_bid: Floats, suits: bool) -> LevelEvidence:
    if not suits:
        no_trumps = by_bid[[0, *range(7, 38, 5)]]  # pass and 1NT … 7NT of the 38 bids
        return LevelEvidence(seat, NO_TRUMP, no_trumps, exact=True)
    best = int(by_bid.argmax())
    level, strain = ((best + 2) // 5, (best + 2) % 5) if best else (0, NO_TRUMP)
    weights = np.full(8, np.delete(by_bid, best).max())
    weights[level] = by_bid[best]
    return LevelEvidence(seat, strain, weights, exact=False)


type Weights = Sequence[float | Fraction] | Floats
"""P(all calls of a seat ∣ its level), level 0 … 7."""


@dataclass(frozen=True, eq=False)
class LevelTables(FieldTables):
    """The layouts that fit hard evidence, counted by what the levels of the callers
    make them weigh.

    >>> south = Constraints.free().hold(0, (2**13 - 1) << 39).hold(2, 2**13 - 1)
    >>> tables = LevelTables.of(south, {0: [Fraction(1, 50)] * 7 + [1]})
    >>> tables.total, tables.mean
    (10400600, Fraction(1, 50))
    """

    tables: ClassTables
    weights: tuple[
        float | Fraction, ...
    ]  #: The weight of a layout of each value, and how many layouts have it.
    counts: tuple[int, ...]
    total: int
    kept: dict[Quantity | str, Any] = field(default_factory=dict)
    """Counts that do not depend on weights, once they were made: tables that differ in
    weights alone share them.
    """

    @classmethod
    def of(
        cls,
        constraints: Constraints,
        weights: Mapping[int, Weights],
        strains: Mapping[int, int] = MappingProxyType({}),
    ) -> Self:
        """Tables for the callers' weights, by seat; ``strains``: of seats whose level
        is not that of no trumps.

        Raises ``Contradiction`` if no layout fits or all weigh 0, another
        ``BayesBridgeError`` where too large.
        """
        checked = {
            seat: checked_weights(seat, by_level) for seat, by_level in weights.items()
        }
        levels = tuple(
            Level.of(seat, by_level, strains.get(seat, NO_TRUMP))
            for seat, by_level in checked.items()
        )
        tables, counts, kept = _counted(constraints.normalised(), levels)
        factors = [
            [checked[one.seat][one.by_level.index(value)] for value in range(one.size)]
            for one in levels
        ]
        # The value of the first caller is the lowest digit, so it varies fastest.
        by_value = tuple(
            math.prod(reversed(chosen)) for chosen in product(*reversed(factors))
        )
        if not any(
            count and weight for count, weight in zip(counts, by_value, strict=True)
        ):
            what = "no layout that fits the evidence explains the calls"
            raise Contradiction(
                f"{what}: take a call away, or let the bidder slip", evidence=()
            )
        return cls(tables, by_value, counts, sum(counts), kept)

    @property
    def mean(self) -> float | Fraction:
        """P(calls ∣ hard evidence); a fraction if all weights are."""
        return (
            sum(
                (
                    weight * count
                    for weight, count in zip(self.weights, self.counts, strict=True)
                )
            )
            / self.total
        )

    @property
    def log_mean(self) -> float:
        return math.log(self.mean)

    @property
    def shares(self) -> Floats:
        """P(value ∣ calls) by value; they sum to one."""
        parts = [
            weight * count
            for weight, count in zip(self.weights, self.counts, strict=True)
        ]
        return np.array([float(part / sum(parts)) for part in parts])

    @property
    def mean_log(self) -> float:
        """Posterior mean of log P(calls ∣ layout)."""
        parts = zip(self.shares, self.weights, strict=True)
        return sum(float(share) * math.log(weight) for share, weight in parts if share)

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent layouts given the hard evidence and the calls: (n, 4)
        masks, all of equal weight.
        """
        kept = np.flatnonzero(self.shares)
        limits = np.cumsum(self.shares[kept])
        limits[-1] = 1.0
        values, numbers = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        _choose(
            seed_state(rng),
            limits,
            np.array(self.counts, dtype=np.uint64)[kept],
            values,
            numbers,
        )
        return self.tables.layouts(kept[values], numbers)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points)."""
        return np.stack([self.distribution(Points(seat)) for seat in SEATS])[:, :38]

    def distribution(self, quantity: Quantity) -> Floats:
        """Probabilities of the values of a quantity."""
        counts = self.kept.get(quantity)
        if (
            counts is None
        ):  # (values, size) layouts by value of the tables and by the quantity
            more = ClassTables.of(
                self.tables.unranking, [*self.tables.quantities, quantity]
            )
            counts = more.counts().reshape(quantity.size, -1).T
            if isinstance(quantity, Points | Outcome):
                self.kept[quantity] = counts
        return self._mixed(counts)

    def _mixed(self, counts: Ints) -> Floats:
        """Probabilities from (values, …) counts of layouts."""
        shares = self.shares / np.maximum(np.array(self.counts, dtype=np.float64), 1.0)
        mixed: Floats = shares @ counts.astype(np.float64).reshape(len(shares), -1)
        return mixed.reshape(counts.shape[1:])

    @cached_property
    def fields(self) -> list[Floats]:
        """For C D H S, (4, 8192): P(seat has this set of the suit's cards)."""
        tallies = self.kept.get("fields")
        if tallies is None:
            suits = [
                rows
                for pair in (self.tables.low, self.tables.high)
                for rows in (pair.first, pair.second)
            ]
            own = zip(
                suits,
                self.tables.unranking.certain,
                self.tables.completions(),
                strict=True,
            )
            tallies = [
                tally_fields(rows.fields, rows.row_start, certain, ways)
                for rows, certain, ways in own
            ]
            if len(self.counts) <= 64:  # a megabyte for each value
                self.kept["fields"] = tallies
        return [self._mixed(counts) for counts in tallies]


@lru_cache(maxsize=4)
def _counted(
    known: Constraints, levels: tuple[Level, ...]
) -> tuple[ClassTables, tuple[int, ...], dict[Quantity | str, Any]]:
    """The fields of :class:`LevelTables` that do not depend on weights: those of two
    slips are counted once.
    """
    tables = ClassTables.of(_numbered(known), levels)
    return (
        tables,
        tuple(map(int, (tables.low.ways[:, None] * tables.rests[0]).sum(0))),
        {},
    )


_numbered = lru_cache(maxsize=1)(LayoutIndex.of)


def checked_weights(seat: int, weights: Weights) -> list[float | Fraction]:
    values = [
        weight if isinstance(weight, Fraction | int) else float(weight)
        for weight in weights
    ]
    if len(values) != 8 or not all(0 <= weight < math.inf for weight in values):
        raise BayesBridgeError(
            f"weights {values} of seat {seat}: give eight, finite and not negative, for the levels 0 to 7",
            seat=seat,
        )
    return values


@njit
def _choose(
    state: State,
    limits: Floats,
    counts: NDArray[np.uint64],
    values: Ints,
    numbers: Ints,
) -> None:
    """Draw values by running sums of shares, the last one 1, and a uniform number below
    the count of each.
    """
    for i in range(len(values)):
        share = np.float64(next64(state) >> np.uint64(11)) * 2.0**-53
        value = 0
        while share >= limits[value]:
            value += 1
        values[i], numbers[i] = value, bounded(state, counts[value])


@dataclass(frozen=True, slots=True, eq=False)
class LevelProposal:
    """Exact tables for some callers."""

    tables: LevelTables
    callers: tuple[LevelEvidence, ...]

    @classmethod
    def of(cls, target: Target) -> LevelProposal | None:
        """The tables of as many callers who bid as are affordable, else of the one
        whose bid is rarest; or ``None``.
        """
        bidding = [
            caller for caller in callers_of(target.soft) if caller.weights.argmax() > 0
        ]
        seats = frozenset(caller.seat for caller in bidding)
        if len(bidding) > 1 and (all_of_them := tables_of(target, seats)) is not None:
            return cls(all_of_them, tuple(bidding))
        single = [
            (caller, tables_of(target, frozenset([caller.seat]))) for caller in bidding
        ]
        found = [
            cls(tables, (caller,)) for caller, tables in single if tables is not None
        ]
        return min(found, key=lambda one: one.tables.mean, default=None)

    def log_weights(self, masks: Masks) -> Floats:
        total = np.zeros(len(masks))
        for caller in self.callers:
            hands = np.ascontiguousarray(masks[:, caller.seat])
            no_trump = caller.strain == NO_TRUMP
            levels = (
                bids(hands).level
                if no_trump
                else strain_levels(hands)[:, caller.strain]
            )
            with np.errstate(divide="ignore"):
                total += np.log(caller.weights)[levels]
        return total


@lru_cache(
    maxsize=4
)  # two engines in a row use the tables of two callers, and then of each
def tables_of(target: Target, seats: frozenset[int]) -> LevelTables | None:
    """Exact tables of the levels of some callers; ``None`` if they would be too large."""
    callers = [caller for caller in callers_of(target.soft) if caller.seat in seats]
    strains = {caller.seat: caller.strain for caller in callers}
    try:
        return LevelTables.of(
            target.constraints,
            {caller.seat: caller.weights for caller in callers},
            strains,
        )
    except Contradiction:
        raise target.unexplained() from None
    except BayesBridgeError:
        return None


def exact_tables(target: Target) -> LevelTables | None:
    """Exact tables for all soft evidence, ``None`` where it does not depend on levels
    alone or they are too large.
    """
    exact = frozenset(caller.seat for caller in callers_of(target.soft) if caller.exact)
    if (
        target.constraints.conditions
        or not exact
        or len(exact) < len(target.soft.seats)
    ):
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
            "exact draws under calls need bidders by Algorithm 1 in no trumps, no cards weighted by a player model, no "
            'condition, and tables that are not too large: use method="auto"'
        )
    return from_tables(target, tables, draws, rng, why)


def from_tables(
    target: Target, tables: LevelTables, draws: int, rng: np.random.Generator, why: str
) -> Draws:
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
