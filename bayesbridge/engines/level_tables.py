"""Layouts counted by what the levels of the callers by Algorithm 1 make them weigh.

The likelihood of a layout is ∏ over callers w[seat][level of the seat]. Layouts of
equal likelihood are counted (:mod:`~bayesbridge.engines.quantity_tables`), so P(calls ∣
hard evidence) and the marginals are exact. A draw is a weight, chosen in proportion to
count · weight, and a uniform number among its layouts: nothing is rejected.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.playout import NO_TRUMP
from bayesbridge.engines.quantities import Level, Outcome, Points, Quantity
from bayesbridge.engines.quantity_tables import ClassTables
from bayesbridge.engines.tables import FieldTables, LayoutIndex, tally_fields
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.evidence.constraints import SEATS, Constraints
from bayesbridge.game.layouts import Floats, Ints, Masks
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import Seed, State, bounded, next64, seed_state

type LevelWeights = Sequence[float | Fraction] | Floats
"""P(all calls of a seat ∣ its level), level 0 … 7."""

LEVELS: Final = 8  # of Algorithm 1, 0 to 7
MOST_POINTS: Final = 37  # of a hand
MOST_VALUES_KEPT: Final = 64  # tallies by field are kept for so many: a megabyte each


@dataclass(frozen=True, eq=False)
class LevelTables(FieldTables):
    """The layouts that fit hard evidence, counted by their weight.

    Their weight follows from the levels of the callers.

    >>> south = Constraints.free().hold(0, (2**13 - 1) << 39).hold(2, 2**13 - 1)
    >>> tables = LevelTables.of(south, {0: [Fraction(1, 50)] * 7 + [1]})
    >>> tables.total, tables.mean
    (10400600, Fraction(1, 50))
    """

    tables: ClassTables
    weights: tuple[float | Fraction, ...]  #: The weight of a layout of each value.
    counts: tuple[int, ...]  #: How many layouts have each value.
    total: int
    kept: dict[Quantity | str, Any] = field(default_factory=dict)
    """Counts that do not depend on weights, once they were made: tables that differ in
    weights alone share them.
    """

    @classmethod
    def of(
        cls,
        constraints: Constraints,
        weights: Mapping[int, LevelWeights],
        strains: Mapping[int, int] = MappingProxyType({}),
    ) -> Self:
        """Tables for the callers' weights, by seat.

        ``strains``: of seats whose level is not that of no trumps. Raises
        ``Contradiction`` if no layout fits or all weigh 0, another ``BayesBridgeError``
        where too large.
        """
        levels = []
        distinct_weights = []  # of each caller: levels of the same weight are one value
        for seat, level_weights in weights.items():
            weight_of_level = checked_weights(seat, level_weights)
            levels.append(Level.of(seat, weight_of_level, strains.get(seat, NO_TRUMP)))
            distinct_weights.append(list(dict.fromkeys(weight_of_level)))
        tables, counts, kept = _counted(constraints.normalised(), tuple(levels))
        # A value of the tables is a value of every caller, its weight their product.
        by_value = _products(distinct_weights)
        is_possible = [
            count > 0 and weight > 0
            for count, weight in zip(counts, by_value, strict=True)
        ]
        if not any(is_possible):
            raise Contradiction(
                "no layout that fits the evidence explains the calls: "
                "take a call away, or let the bidder slip",
                evidence=(),
            )
        return cls(tables, by_value, counts, sum(counts), kept)

    @property
    def mean(self) -> float | Fraction:
        """P(calls ∣ hard evidence); a fraction if all weights are."""
        return sum(self._weighted_counts) / self.total

    @property
    def log_mean(self) -> float:
        """log P(calls ∣ hard evidence)."""
        return math.log(self.mean)

    @property
    def _weighted_counts(self) -> list[float | Fraction]:
        return [
            weight * count
            for weight, count in zip(self.weights, self.counts, strict=True)
        ]

    @property
    def shares(self) -> Floats:
        """P(value ∣ calls) by value; they sum to one."""
        weighted = self._weighted_counts
        total = sum(weighted)
        return np.array([float(value_weight / total) for value_weight in weighted])

    @property
    def mean_log(self) -> float:
        """Posterior mean of log P(calls ∣ layout)."""
        return sum(
            float(share) * math.log(weight)
            for share, weight in zip(self.shares, self.weights, strict=True)
            if share
        )

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent layouts given the hard evidence and the calls.

        They are (n, 4) masks, all of equal weight.
        """
        possible = np.flatnonzero(self.shares)
        limits = np.cumsum(self.shares[possible])
        limits[-1] = 1.0
        counts = np.array(self.counts, dtype=np.uint64)[possible]
        places = np.empty(n, dtype=np.int64)
        numbers = np.empty(n, dtype=np.int64)
        _choose(seed_state(rng), limits, counts, places, numbers)
        return self.tables.layouts(possible[places], numbers)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points)."""
        by_seat = np.stack([self.distribution(Points(seat)) for seat in SEATS])
        return by_seat[:, : MOST_POINTS + 1]

    def distribution(self, quantity: Quantity) -> Floats:
        """Probabilities of the values of a quantity."""
        counts = self.kept.get(quantity)
        if counts is None:
            quantities = [*self.tables.quantities, quantity]
            joint = ClassTables.of(self.tables.index, quantities).counts()
            counts = joint.reshape(quantity.size, -1).T
            if isinstance(quantity, Points | Outcome):
                self.kept[quantity] = counts
        return self._mixed(counts)

    def _mixed(self, counts: Ints) -> Floats:
        """Probabilities from (values, …) counts of layouts by value of the tables."""
        of_value = np.maximum(np.array(self.counts, dtype=np.float64), 1.0)
        by_value = counts.astype(np.float64).reshape(len(of_value), -1)
        mixed: Floats = (self.shares / of_value) @ by_value
        return mixed.reshape(counts.shape[1:])

    @cached_property
    def fields(self) -> list[Floats]:
        """For C D H S, (4, 8192): P(seat has this set of the suit's cards)."""
        tallies = self.kept.get("fields")
        if tallies is None:
            tallies = self._field_tallies()
            if len(self.counts) <= MOST_VALUES_KEPT:
                self.kept["fields"] = tallies
        return [self._mixed(counts) for counts in tallies]

    def _field_tallies(self) -> list[Ints]:
        """For C D H S, (values, 4, 8192) layouts by value, seat and set."""
        low = self.tables.low
        high = self.tables.high
        return [
            tally_fields(rows.fields, rows.row_start, certain, layouts)
            for rows, certain, layouts in zip(
                (low.first, low.second, high.first, high.second),
                self.tables.index.certain,
                self.tables.completions(),
                strict=True,
            )
        ]


def _products(
    caller_weights: Sequence[Sequence[float | Fraction]],
) -> tuple[float | Fraction, ...]:
    """The product of one weight of each caller, for all combinations of these.

    The weight of the first caller varies fastest, as the lowest digit of a value does.
    """
    combinations = product(*reversed(caller_weights))
    return tuple(math.prod(reversed(weights)) for weights in combinations)


@lru_cache(maxsize=4)
def _counted(
    constraints: Constraints, levels: tuple[Level, ...]
) -> tuple[ClassTables, tuple[int, ...], dict[Quantity | str, Any]]:
    """The fields of :class:`LevelTables` that do not depend on weights.

    Those of two slips are counted once.
    """
    tables = ClassTables.of(_index(constraints), levels)
    layouts = tables.low.ways[:, None] * tables.pair_completions[0]
    return tables, tuple(map(int, layouts.sum(0))), {}


_index = lru_cache(maxsize=1)(LayoutIndex.of)  # the last one is kept


def checked_weights(seat: int, weights: LevelWeights) -> list[float | Fraction]:
    """The weights as Python numbers; eight, finite and not negative."""
    values = [
        weight if isinstance(weight, Fraction | int) else float(weight)
        for weight in weights
    ]
    valid = [0 <= weight < math.inf for weight in values]
    if len(values) != LEVELS or not all(valid):
        raise BayesBridgeError(
            f"weights {values} of seat {seat}: give eight, finite and not negative, "
            "for the levels 0 to 7",
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
    """Draw (n,) values, and a uniform number below the count of each.

    ``limits``: (values,) running sums of the shares of values, the last one 1;
    ``counts``: (values,) layouts.
    """
    for i in range(len(values)):
        share = np.float64(next64(state) >> np.uint64(11)) * 2.0**-53
        value = 0
        while share >= limits[value]:
            value += 1
        values[i] = value
        numbers[i] = bounded(state, counts[value])
