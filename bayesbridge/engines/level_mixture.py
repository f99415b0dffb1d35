"""Exact answers under the calls of two seats whose common tables are too large: a mixture of smaller tables.

A layout in which the levels of the callers have the values i and j weighs v[i] w[j], where 0 is the value of a hand
that does not bid. Each factor is w[0] + (w[j] − w[0]), so the product is a sum of four parts: all layouts, those in
which the one or the other caller has a value other than 0, and those in which both have. The first part is plain
counting, the next two are the tables of one caller. The last part has few layouts, and tables of them alone leave out
every row and every class with which either hand does not bid.

P(calls), marginals and all else that is linear in counts are sums over the parts, some with a minus sign. A draw is a
pair of values, chosen by count · weight, and a layout with these values: if both are positive, straight from the last
part; else from a larger part, drawn again until the values are right, as most are.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import SEATS, Constraints
from bayesbridge.engines.callers import Caller
from bayesbridge.engines.class_tables import ClassTables
from bayesbridge.engines.level_tables import Floats, LevelTables, checked_weights, numbered, unexplained
from bayesbridge.engines.levels import Level
from bayesbridge.engines.quantities import Points, Tricks
from bayesbridge.engines.suit_classes import Quantity
from bayesbridge.errors import BayesBridgeError, Contradiction, TablesTooLarge
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, State, next64, seed_state

type Number = float | Fraction

MOST_TRIES: Final = 20
"""Layouts to be drawn for one that is kept, on average, beyond which tables are refused."""


@dataclass(frozen=True, eq=False)
class LevelMixture:
    """The layouts that fit hard evidence, counted by the levels of two callers."""

    callers: tuple[Caller, Caller]
    levels: tuple[Level, Level]
    factors: tuple[tuple[Number, ...], tuple[Number, ...]]
    """The weight of each value of either caller."""
    free: LevelTables
    """All layouts."""
    single: tuple[LevelTables, LevelTables]
    """All layouts by the value of one caller."""
    both: LevelTables
    """The layouts in which neither caller has the value 0, by both values less one; the first varies fastest."""

    @classmethod
    def of(cls, constraints: Constraints, callers: Sequence[Caller], patient: bool = False) -> Self:
        """Tables of two callers; raises as ``LevelTables.of`` does, and refuses restricted shapes.

        With ``patient`` they may take a minute.
        """
        known = constraints.normalised()
        if len(callers) != 2 or known.shaped:
            raise TablesTooLarge("tables of two callers, shapes not restricted, are all there are: use another method")
        one, two = callers
        weights = [checked_weights(caller.seat, caller.weights) for caller in callers]
        first, second = (
            Level.of(caller.seat, by_level, caller.walks.get(caller.seat))
            for caller, by_level in zip(callers, weights, strict=True)
        )
        factors = tuple(
            tuple(by_level[level.by_level.index(value)] for value in range(level.size))
            for level, by_level in zip((first, second), weights, strict=True)
        )
        # The largest tables come first: if they are refused, nothing was done in vain.
        joint = ClassTables.joint(numbered(known), first, second, patient)
        low_rest, high_rest = joint.rests()
        counts = tuple(map(int, (joint.low.ways[:, None] * low_rest).sum(0)))
        both = LevelTables(joint, low_rest, high_rest, (1,) * len(counts), counts, sum(counts))
        single = [LevelTables.of(known, {caller.seat: caller.weights}, caller.walks) for caller in callers]
        found = cls(
            (one, two),
            (first, second),
            (factors[0], factors[1]),
            LevelTables.of(known, {}),
            (single[0], single[1]),
            both,
        )
        if not found.mass:
            raise unexplained()
        if found.tries > MOST_TRIES:
            raise TablesTooLarge(
                f"{found.tries:.0f} layouts would be drawn for one that is kept and tables stop at {MOST_TRIES}: "
                "use another method",
                needed=math.ceil(found.tries),
            )
        return found

    @classmethod
    def if_affordable(cls, constraints: Constraints, callers: Sequence[Caller], patient: bool = False) -> Self | None:
        """The tables, or None if they would be too large; a ``Contradiction`` is raised as by :meth:`of`."""
        try:
            return cls.of(constraints, callers, patient)
        except Contradiction:
            raise
        except BayesBridgeError:
            return None

    @property
    def total(self) -> int:
        """The number of layouts that fit the hard evidence."""
        return self.free.total

    @cached_property
    def counts(self) -> tuple[tuple[int, ...], ...]:
        """How many layouts have each value of the first caller (row) and of the second one (column)."""
        (_, *ones), (_, *twos) = (tables.counts for tables in self.single)
        table = np.zeros((1 + len(ones), 1 + len(twos)), dtype=object)
        table[1:, 1:] = np.array(self.both.counts, dtype=object).reshape(len(twos), len(ones)).T
        table[1:, 0] = np.array(ones, dtype=object) - table[1:, 1:].sum(axis=1)
        table[0, 1:] = np.array(twos, dtype=object) - table[1:, 1:].sum(axis=0)
        table[0, 0] = self.total - int(table.sum())
        return tuple(tuple(map(int, row)) for row in table)

    @property
    def weights(self) -> tuple[tuple[Number, ...], ...]:
        """The weight of a layout of each pair of values."""
        return tuple(tuple(one * two for two in self.factors[1]) for one in self.factors[0])

    @cached_property
    def mass(self) -> Number:
        """The sum of all weights; a fraction if they are."""
        return sum(
            weight * count
            for weights, counts in zip(self.weights, self.counts, strict=True)
            for weight, count in zip(weights, counts, strict=True)
        )

    @property
    def mean(self) -> Number:
        """P(calls ∣ hard evidence); a fraction if all weights are."""
        return self.mass / self.total

    @property
    def log_mean(self) -> float:
        """log P(calls ∣ hard evidence)."""
        return math.log(self.mean)

    @cached_property
    def shares(self) -> Floats:
        """P(values ∣ calls), first caller × second caller."""
        return np.array(
            [
                [float(weight * count / self.mass) for weight, count in zip(weights, counts, strict=True)]
                for weights, counts in zip(self.weights, self.counts, strict=True)
            ]
        )

    @property
    def mean_log(self) -> float:
        """Posterior mean of log P(calls ∣ layout)."""
        parts = zip(self.shares.ravel(), np.array(self.weights, dtype=np.float64).ravel(), strict=True)
        return sum(float(share) * math.log(weight) for share, weight in parts if share)

    def _source(self, i: int, j: int) -> tuple[LevelTables, int]:
        """The tables with the layouts of two values, the smallest that there are, and their number there."""
        if i and j:
            return self.both, i - 1 + (len(self.counts) - 1) * (j - 1)
        return (self.single[0], i) if i else (self.single[1], j) if j else (self.free, 0)

    @cached_property
    def tries(self) -> float:
        """How many layouts are drawn for one that is kept."""
        found = 0.0
        for i, j in np.argwhere(self.shares).tolist():
            tables, value = self._source(i, j)
            found += float(self.shares[i, j]) * tables.counts[value] / self.counts[i][j]
        return found

    def draw(self, n: int, rng: Seed = None) -> Masks:
        """``n`` independent layouts given the hard evidence and the calls: (n, 4) masks, all of equal weight."""
        return self.draw_from(n, seed_state(rng))

    def draw_from(self, n: int, state: State) -> Masks:
        """The same from a state of the kernels' own generator, which is advanced."""
        limits = np.cumsum(self.shares)
        limits[np.flatnonzero(self.shares)[-1] :] = 1.0
        chosen = np.empty(n, dtype=np.int64)
        _choose(state, limits, chosen)
        out = np.empty((n, 4), dtype=np.uint64)
        for number in np.unique(chosen).tolist():
            places = np.flatnonzero(chosen == number)
            i, j = divmod(number, self.shares.shape[1])
            out[places] = self._layouts(i, j, len(places), state)
        return out

    def _layouts(self, i: int, j: int, n: int, state: State) -> Masks:
        """``n`` independent layouts in which the callers have the values ``i`` and ``j``."""
        tables, value = self._source(i, j)
        tables = tables.given(value)
        if i and j:
            return tables.draw_from(n, state)
        kept: list[Masks] = []
        while (missing := n - sum(map(len, kept))) > 0:
            found = tables.draw_from(missing, state)
            kept.append(found[self._has(0, i, found) & self._has(1, j, found)])
        return np.concatenate(kept)

    def _has(self, which: int, value: int, masks: Masks) -> NDArray[np.bool_]:
        """(n,) whether a caller has the value in (n, 4) layouts."""
        caller, level = self.callers[which], self.levels[which]
        has: NDArray[np.bool_] = np.array(level.by_level)[caller.levels(masks[:, caller.seat])] == value
        return has

    def card_marginals(self) -> Floats:
        """(52, 4) P(seat holds card)."""
        return self._sum(LevelTables.card_marginals)

    def length_distributions(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return self._sum(LevelTables.length_distributions)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points); refused if the tables would be too large."""
        return np.stack([self.distribution(Points(seat)) for seat in SEATS])

    def trick_distribution(self, first: int, second: int) -> Floats:
        """(14,) P(T) of Algorithm 2 for a pair of seats; T = 0 where a condition fails."""
        return self.distribution(Tricks(first, second))

    def distribution(self, quantity: Quantity) -> Floats:
        """(size,) probabilities of a quantity's values; refused if the tables would be too large."""
        return self._sum(lambda tables: tables.distribution(quantity))

    def _sum(self, answer: Callable[[LevelTables], Floats]) -> Floats:
        """An answer that is linear in counts, from those of the parts."""
        return np.asarray(sum(share * answer(tables) for share, tables in self._parts))

    @cached_property
    def _parts(self) -> list[tuple[float, LevelTables]]:
        """Tables with their shares, which add up to one and may be negative; the largest tables first."""
        (one, *ones), (two, *twos) = self.factors
        parts = [
            ((a - one) * (b - two), self._source(i, j)) for i, a in enumerate(ones, 1) for j, b in enumerate(twos, 1)
        ]
        parts += [((a - one) * two, self._source(i, 0)) for i, a in enumerate(ones, 1)]
        parts += [(one * (b - two), self._source(0, j)) for j, b in enumerate(twos, 1)]
        parts.append((one * two, self._source(0, 0)))
        shares = [
            (float(factor * tables.counts[value] / self.mass), tables.given(value)) for factor, (tables, value) in parts
        ]
        return [(share, tables) for share, tables in shares if share]


@njit
def _choose(state: State, limits: Floats, out: NDArray[np.int64]) -> None:
    """Numbers of limits (running sums of shares, the last one 1), each as often as its share says."""
    for i in range(len(out)):
        share = np.float64(next64(state) >> np.uint64(11)) * 2.0**-53
        place = 0
        while share >= limits[place]:
            place += 1
        out[i] = place
