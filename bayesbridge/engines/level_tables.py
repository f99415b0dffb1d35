"""Exact answers under calls that depend on the levels of hands alone: counts, independent draws and marginals.

If P(calls of a seat ∣ hand) is a function of the level that Algorithm 1 gives the hand, as for the paper's bidder, then
a layout weighs ∏ over callers w[seat][level of the seat]. Layouts with equal weight are counted as integers (see
``class_tables``), so P(calls ∣ hard evidence) = Σ counts · weight / layouts is exact, and rational if the weights are.
A draw is a weight, chosen in proportion to count · weight, and a uniform number among its layouts: nothing is weighed
afterwards and nothing is rejected. A pass is no special case.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from itertools import product
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import SEATS, SUITS, Constraints
from bayesbridge.engines.class_pairs import ClassRows
from bayesbridge.engines.class_tables import ClassTables
from bayesbridge.engines.levels import Level, SuitWalks
from bayesbridge.engines.quantities import HasShape, Points, Tricks
from bayesbridge.engines.suit_classes import Quantity
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.engines.unranking import Unranking
from bayesbridge.errors import BayesBridgeError, Contradiction
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, State, bounded, next64, seed_state

type Floats = NDArray[np.float64]
type Weights = Sequence[float | Fraction] | Floats
"""(8,) P(all calls of a seat ∣ its level), level 0 … 7."""

_FIELDS: Final = np.arange(1 << 13)
_HOLDS_RANK: Final = (_FIELDS[:, None] >> np.arange(13) & 1).astype(np.float64)
_HAS_LENGTH: Final = (np.bitwise_count(_FIELDS)[:, None] == np.arange(14)).astype(np.float64)


MOST_KEPT: Final = 64
"""Values up to which the counts of sets of cards are kept: a megabyte for each value."""


@dataclass(frozen=True, eq=False)
class LevelTables:
    """The layouts that fit hard evidence, counted by what the levels of the callers make them weigh.

    >>> south = Constraints.free().hold(0, SUIT_MASK << 39).hold(2, SUIT_MASK)
    >>> tables = LevelTables.of(south, {0: [Fraction(1, 50)] * 7 + [1]})
    >>> tables.total, tables.mean
    (10400600, Fraction(1, 50))
    """

    tables: ClassTables
    low_rest: Ints
    high_rest: Ints
    """See ``ClassTables.rests``."""
    weights: tuple[float | Fraction, ...]
    """The weight of a layout of each value."""
    counts: tuple[int, ...]
    """How many layouts have each value."""
    total: int
    """The number of layouts that fit the hard evidence."""
    levels: tuple[Level, ...] = ()
    """What the tables tell apart of each caller."""
    kept: dict[Quantity | str, Any] = field(default_factory=dict)
    """Counts that do not depend on weights, once they were made: tables that differ in weights alone share them."""

    @classmethod
    def of(
        cls,
        constraints: Constraints,
        weights: Mapping[int, Weights],
        walks: Mapping[int, SuitWalks] = MappingProxyType({}),
    ) -> Self:
        """Tables for the callers' weights, by seat; ``walks``: of seats whose level is not that of no trumps.

        Raises ``Contradiction`` if no layout fits the hard evidence or all that do weigh 0, which is a proof that the
        calls are impossible; and another ``BayesBridgeError`` if the tables would be too large.
        """
        levels, factors = [], []
        for seat, by_level in weights.items():
            checked = checked_weights(seat, by_level)
            level = Level.of(seat, checked, walks.get(seat))
            levels.append(level)
            factors.append([checked[level.by_level.index(value)] for value in range(level.size)])
        # Shapes are found suit by suit like levels: a hand of another shape weighs nothing.
        known = constraints.normalised()
        shapes = [HasShape(seat, known.shapes[seat] or frozenset()) for seat in known.shaped]
        unranking = numbered(replace(known, shapes=(None, None, None, None)))
        tables = ClassTables.of(unranking, [*levels, *shapes])
        low_rest, high_rest = tables.rests()
        counts = tuple(map(int, (tables.low.ways[:, None] * low_rest).sum(0)))
        by_value = _by_value(factors, len(shapes), counts)
        fitting = slice(len(counts) - len(counts) // 2 ** len(shapes), None)  # the shapes are the highest digits
        return cls(tables, low_rest, high_rest, by_value, counts, sum(counts[fitting]), tuple(levels))

    def reweighted(self, weights: Mapping[int, Weights]) -> Self | None:
        """The same counts under other weights of the same callers, as those of another slip: nothing is counted again.

        ``None`` where the new weights tell levels apart that these tables do not. Raises as :meth:`of` does.
        """
        if tuple(weights) != tuple(level.seat for level in self.levels):
            return None
        factors = []
        for level in self.levels:
            checked = checked_weights(level.seat, weights[level.seat])
            factors.append([checked[level.by_level.index(value)] for value in range(level.size)])
            if any(checked[n] != factors[-1][value] for n, value in enumerate(level.by_level)):
                return None
        shapes = len(self.tables.classes) - len(self.levels)
        return replace(self, weights=_by_value(factors, shapes, self.counts))

    @classmethod
    def if_affordable(
        cls,
        constraints: Constraints,
        weights: Mapping[int, Weights],
        walks: Mapping[int, SuitWalks] = MappingProxyType({}),
    ) -> Self | None:
        """The tables, or None if they would be too large; a ``Contradiction`` is raised as by :meth:`of`."""
        for seat, by_level in weights.items():
            checked_weights(seat, by_level)
        try:
            return cls.of(constraints, weights, walks)
        except Contradiction:
            raise
        except BayesBridgeError:
            return None

    def given(self, value: int) -> Self:
        """The layouts of one value alone, all of equal weight."""
        return replace(self, weights=tuple(int(value == other) for other in range(len(self.counts))))

    @property
    def mean(self) -> float | Fraction:
        """P(calls ∣ hard evidence); a fraction if all weights are."""
        return sum((weight * count for weight, count in zip(self.weights, self.counts, strict=True))) / self.total

    @property
    def log_mean(self) -> float:
        """log P(calls ∣ hard evidence)."""
        return math.log(self.mean)

    @property
    def shares(self) -> Floats:
        """P(value ∣ calls) by value; they sum to one."""
        parts = [weight * count for weight, count in zip(self.weights, self.counts, strict=True)]
        return np.array([float(part / sum(parts)) for part in parts])

    @property
    def mean_log(self) -> float:
        """Posterior mean of log P(calls ∣ layout)."""
        parts = zip(self.shares, self.weights, strict=True)
        return sum(float(share) * math.log(weight) for share, weight in parts if share)

    def draw(self, n: int, rng: Seed = None) -> Masks:
        """``n`` independent layouts given the hard evidence and the calls: (n, 4) masks, all of equal weight."""
        return self.draw_from(n, seed_state(rng))

    def draw_from(self, n: int, state: State) -> Masks:
        """The same from a state of the kernels' own generator, which is advanced."""
        kept = np.flatnonzero(self.shares)
        limits = np.cumsum(self.shares[kept])
        limits[-1] = 1.0
        values, numbers = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
        _random_numbers(state, limits, kept, np.array(self.counts, dtype=np.uint64), values, numbers)
        return self.tables.layouts(self.low_rest, values, numbers)

    def card_marginals(self) -> Floats:
        """(52, 4) P(seat holds card)."""
        return np.concatenate([(fields @ _HOLDS_RANK).T for fields in self._fields])

    def length_distributions(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return np.stack([fields @ _HAS_LENGTH for fields in self._fields], axis=1)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points)."""
        return np.stack([self.distribution(Points(seat)) for seat in SEATS])

    def trick_distribution(self, first: int, second: int) -> Floats:
        """(14,) P(T) of Algorithm 2 for a pair of seats; T = 0 where a condition fails."""
        return self.distribution(Tricks(first, second))

    def distribution(self, *quantities: Quantity) -> Floats:
        """(size, …) probabilities of the values of one quantity, or of several together: an axis for each."""
        return self._mixed(self._extended_counts(quantities))

    def counted(self, *quantities: Quantity) -> Ints:
        """(size, …) how many layouts have each value, or values of several; where no caller weighs them."""
        weights = np.array([int(weight) for weight in self.weights], dtype=np.int64)
        return np.tensordot(weights, self._extended_counts(quantities), axes=1)

    def _extended_counts(self, quantities: tuple[Quantity, ...]) -> Ints:
        """(values, size, …) layouts by value of the tables and by quantities."""
        if len(quantities) == 1 and quantities[0] in self.kept:
            kept: Ints = self.kept[quantities[0]]
            return kept
        counts = self.tables.extended(*quantities).counts()
        # The first value is the lowest digit: the axes come in reverse order.
        found = counts.reshape(*(one.size for one in reversed(quantities)), -1).T
        if len(quantities) == 1 and isinstance(quantities[0], Points | Tricks):
            self.kept[quantities[0]] = found
        return found

    def _mixed(self, counts: Ints) -> Floats:
        """Probabilities from (values, …) counts of layouts."""
        shares = self.shares / np.maximum(np.array(self.counts, dtype=np.float64), 1.0)
        mixed: Floats = shares @ counts.astype(np.float64).reshape(len(shares), -1)
        return mixed.reshape(counts.shape[1:])

    @cached_property
    def _fields(self) -> list[Floats]:
        """For C D H S, (4, 8192): P(seat has this set of the suit's cards)."""
        if "fields" in self.kept:
            return [self._mixed(counts) for counts in self.kept["fields"]]
        known = self.tables.unranking.keys.known
        completions = self.tables.completions(self.low_rest, self.high_rest)
        tallies = []
        for suit, rows, ways in zip(SUITS, self.tables.suits, completions, strict=True):
            certain = np.array([known.must[seat] >> (13 * suit) & SUIT_MASK for seat in SEATS], dtype=np.uint16)
            tallies.append(_tally_fields(rows, certain, ways))
        if len(self.counts) <= MOST_KEPT:
            self.kept["fields"] = tallies
        return [self._mixed(counts) for counts in tallies]


def _by_value(
    factors: Sequence[Sequence[float | Fraction]], shapes: int, counts: Sequence[int]
) -> tuple[float | Fraction, ...]:
    """The weight of each value: of the callers' ``factors``, and 0 for hands of another shape."""
    digits = [*factors, *[[0, 1]] * shapes]
    # The value of the first caller is the lowest digit, so it varies fastest.
    by_value = tuple(math.prod(reversed(chosen)) for chosen in product(*reversed(digits)))
    if not any(count and weight for count, weight in zip(counts, by_value, strict=True)):
        raise unexplained()
    return by_value


@lru_cache(maxsize=1)
def numbered(known: Constraints) -> Unranking:
    """The tables of normalised constraints without shapes."""
    return Unranking.of(known)


def unexplained() -> Contradiction:
    """The error for calls that no layout explains."""
    return Contradiction(
        "no layout that fits the evidence explains the calls: take a call away, or let the bidder slip", evidence=()
    )


def checked_weights(seat: int, weights: Weights) -> list[float | Fraction]:
    """Weights as Python numbers."""
    values = [weight if isinstance(weight, Fraction | int) else float(weight) for weight in weights]
    if len(values) != 8 or not all(0 <= weight < math.inf for weight in values):
        raise BayesBridgeError(
            f"weights {values} of seat {seat}: give eight, finite and not negative, for the levels 0 to 7", seat=seat
        )
    return values


@njit
def _random_numbers(
    state: State, limits: Floats, kept: Ints, counts: NDArray[np.uint64], values: Ints, numbers: Ints
) -> None:
    """Values by their shares, up to ``limits`` (running sums), and a uniform number among the layouts of each."""
    for i in range(len(values)):
        share = np.float64(next64(state) >> np.uint64(11)) * 2.0**-53
        place = 0
        while share >= limits[place]:
            place += 1
        values[i] = kept[place]
        numbers[i] = bounded(state, counts[kept[place]])


@njit
def _tally_fields(rows: ClassRows, certain: NDArray[np.uint16], ways: Ints) -> Ints:
    """(values, 4, 8192) the number of layouts that give each seat each set of a suit's cards; ``ways``: by entry."""
    fields, row_start = rows.fields, rows.row_start
    out = np.zeros((ways.shape[1], 4, 8192), np.int64)
    for entry in range(len(ways)):
        for row in range(row_start[entry], row_start[entry + 1]):
            for seat in range(4):
                for value in range(ways.shape[1]):
                    out[value, seat, fields[row, seat] | certain[seat]] += ways[entry, value]
    return out
