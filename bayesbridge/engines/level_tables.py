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
from typing import Any, Final, NamedTuple, Self

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
FLOAT_BITS: Final = (
    53  # of the significand: so many random bits make a number in [0, 1)
)
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
    marginal_counts: dict[Quantity | str, Any] = field(default_factory=dict)
    """A cache of counts that do not depend on weights: tables that differ in weights
    alone share it.
    """

    @classmethod
    def of(
        cls,
        constraints: Constraints,
        weights: Mapping[int, LevelWeights],
        strains: Mapping[int, int] = MappingProxyType({}),
    ) -> Self:
        """Count layouts by what the callers' calls make them weigh.

        ``weights``: by seat, the probability of its calls on each level, 0 to 7, that
        Algorithm 1 may find for its hand; ``strains``: of the seats whose level is not
        that of no trumps.

        The weight of a layout is the product over the callers. Levels of a seat with
        the same weight are not told apart: a layout's value, by which it is counted,
        is one number that says for every caller which of its distinct weights it has.

        Raises ``Contradiction`` if no layout fits or all weigh 0, another
        ``BayesBridgeError`` where tables would be too large.
        """
        levels = []
        distinct_weights = []
        for seat, level_weights in weights.items():
            weight_by_level = checked_weights(seat, level_weights)
            strain = strains.get(seat, NO_TRUMP)
            # A `Level` numbers the distinct weights by where they first occur, and
            # in this order they are listed here.
            levels.append(Level.of(seat, weight_by_level, strain))
            distinct_weights.append(list(dict.fromkeys(weight_by_level)))
        counted = _counted(constraints.normalised(), tuple(levels))
        weight_by_value = _products(distinct_weights)
        _verify_possible(counted.counts, weight_by_value)
        return cls(
            tables=counted.tables,
            weights=weight_by_value,
            counts=counted.counts,
            total=sum(counted.counts),
            marginal_counts=counted.marginal_counts,
        )

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
        """Posterior mean of log P(calls ∣ layout), the log likelihood of the calls."""
        return sum(
            float(share) * math.log(weight)
            for share, weight in zip(self.shares, self.weights, strict=True)
            if share
        )

    def draw(self, n: int, rng: Seed | State = None) -> Masks:
        """``n`` independent layouts given the hard evidence and the calls.

        They are (n, 4) masks, all of equal weight. First a value is drawn for each by
        its share (all layouts of a value have the same likelihood), then the number of
        the layout among those of this value.
        """
        possible_values = np.flatnonzero(self.shares)
        cumulative_shares = np.cumsum(self.shares[possible_values])
        cumulative_shares[-1] = 1.0  # exactly, so that every share drawn lies below
        counts = np.array(self.counts, dtype=np.uint64)[possible_values]
        places = np.empty(n, dtype=np.int64)
        numbers = np.empty(n, dtype=np.int64)
        _choose(seed_state(rng), cumulative_shares, counts, places, numbers)
        return self.tables.layouts(possible_values[places], numbers)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points)."""
        by_seat = np.stack([self.distribution(Points(seat)) for seat in SEATS])
        return by_seat[:, : MOST_POINTS + 1]

    def distribution(self, quantity: Quantity) -> Floats:
        """Probabilities of the values of a quantity."""
        counts = self.marginal_counts.get(quantity)
        if counts is None:
            quantities = [*self.tables.quantities, quantity]
            joint = ClassTables.of(self.tables.index, quantities).counts()
            counts = joint.reshape(quantity.size, -1).T
            if isinstance(quantity, Points | Outcome):
                self.marginal_counts[quantity] = counts
        return self._mixed(counts)

    def _mixed(self, counts: Ints) -> Floats:
        """Probabilities from (values, …) counts of layouts by value of the tables.

        Given its value, a layout is uniform: a mixture over values, by their shares.
        """
        layouts_of_value = np.maximum(np.array(self.counts, dtype=np.float64), 1.0)
        by_value = counts.astype(np.float64).reshape(len(layouts_of_value), -1)
        mixed: Floats = (self.shares / layouts_of_value) @ by_value
        return mixed.reshape(counts.shape[1:])

    @cached_property
    def fields(self) -> list[Floats]:
        """For C D H S, (4, 8192): P(seat has this set of the suit's cards)."""
        tallies = self.marginal_counts.get("fields")
        if tallies is None:
            tallies = self._field_tallies()
            if len(self.counts) <= MOST_VALUES_KEPT:
                self.marginal_counts["fields"] = tallies
        return [self._mixed(counts) for counts in tallies]

    def _field_tallies(self) -> list[Ints]:
        """For C D H S, (values, 4, 8192) layouts by value, seat and set of cards.

        A value says for every caller which of its weights a layout has. Counts are
        summed over the rows of a suit, the placements of its unknown cards: in how many
        layouts of each value one is contained, and which cards the seats have in it.
        """
        low = self.tables.low
        high = self.tables.high
        suits = (low.first, low.second, high.first, high.second)
        certain_cards = self.tables.index.certain
        layouts_with_row = self.tables.completions()
        return [
            tally_fields(rows.fields, rows.row_start, certain, layouts)
            for rows, certain, layouts in zip(
                suits, certain_cards, layouts_with_row, strict=True
            )
        ]


def _verify_possible(
    counts: Sequence[int], weights: Sequence[float | Fraction]
) -> None:
    """Raise ``Contradiction`` unless some layout that the evidence allows has weight.

    ``counts``, ``weights``: by value, what layouts are told apart by, how many there
    are and what each weighs.
    """
    values = zip(counts, weights, strict=True)
    if not any(count > 0 and weight > 0 for count, weight in values):
        raise Contradiction(
            "no layout that fits the evidence explains the calls: "
            "take a call away, or let the bidder slip",
            evidence=(),
        )


def _products(
    caller_weights: Sequence[Sequence[float | Fraction]],
) -> tuple[float | Fraction, ...]:
    """The product of one weight of each caller, for all combinations of these.

    The weight of the first caller varies fastest, as the lowest digit of a value does.
    """
    combinations = product(*reversed(caller_weights))
    return tuple(math.prod(reversed(weights)) for weights in combinations)


class CountedLevels(NamedTuple):
    """The fields of :class:`LevelTables` that do not depend on weights."""

    tables: ClassTables
    counts: tuple[int, ...]
    marginal_counts: dict[Quantity | str, Any]


# Tables for two probabilities of a slip differ in weights alone: they are counted once.
@lru_cache(maxsize=4)
def _counted(constraints: Constraints, levels: tuple[Level, ...]) -> CountedLevels:
    """Count the layouts by which levels, of those told apart, the callers have."""
    tables = ClassTables.of(_index(constraints), levels)
    # By group of cards in clubs and diamonds, and by value: how often each of the
    # group's pairs of rows is completed, times how many of these there are.
    low_completions, _ = tables.pair_completions
    layouts = tables.low.ways[:, np.newaxis] * low_completions
    counts = tuple(map(int, layouts.sum(axis=0)))
    return CountedLevels(tables=tables, counts=counts, marginal_counts={})


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
    cumulative_shares: Floats,
    counts: NDArray[np.uint64],
    drawn_values: Ints,
    drawn_numbers: Ints,
) -> None:
    """Draw values by their shares, and for each the number of one of its layouts.

    ``state``: of the random generator; ``cumulative_shares``: (values,), the last one
    1; ``counts``: (values,) how many layouts each value has. Fills (n,) values, as
    places in these arrays, and (n,) numbers, uniform below the count of the value.
    """
    for i in range(len(drawn_values)):
        uniform = (
            np.float64(next64(state) >> np.uint64(64 - FLOAT_BITS)) / 2.0**FLOAT_BITS
        )
        value = 0
        while uniform >= cumulative_shares[value]:
            value += 1
        drawn_values[i] = value
        drawn_numbers[i] = bounded(state, counts[value])
