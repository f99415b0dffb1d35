"""The exact engine: calls that depend on a hand only through its levels by Algorithm 1 are counted, not sampled.

If P(calls of a seat ∣ hand) is a function of the level that Algorithm 1 gives the hand, as for the paper's bidder, then
the likelihood of a layout is ∏ over callers w[seat][level of the seat]. Layouts of equal likelihood are counted as
integers (:mod:`~bayesbridge.engines.classes`), so P(calls ∣ hard evidence) = Σ counts · weight / layouts is exact, and
rational if the weights are; so are the marginals of cards, lengths and points. A draw is a weight, chosen in proportion
to count · weight, and a uniform number among its layouts: draws are independent and unweighted, and nothing is
rejected. A pass is no special case.

**Two callers** whose common tables are too large are a mixture of smaller tables. A layout in which the levels of the
callers have the values i and j weighs v[i] w[j], where 0 is the value of a hand that does not bid. Each factor is w[0]
+ (w[j] − w[0]), so the product is a sum of four parts: all layouts, those in which the one or the other caller has a
value other than 0, and those in which both have. The first part is plain counting, the next two are the tables of one
caller. The last part has few layouts, and its tables leave out every row and every class with which either hand does
not bid. P(calls), marginals and all else that is linear in counts are sums over the parts, some with a minus sign. A
draw is a pair of values, chosen by count · weight, and a layout with these values: if both are positive, directly from
the last part; else from a larger part by rejection, which keeps most.

**Proposals.** A bidder who bids suits makes the highest of five bids: who bids nX has level n in strain X, so a weight
for that level, and the largest of all other weights for every other level, bounds P(calls ∣ hand) from above. Where
weights are bounds only, or the tables of all callers would be too large, tables of some callers are a proposal: with
w(layout) the weight behind the tables and L the likelihood, a draw has the importance weight L / w and log P(calls) =
log mean w + log mean (L / w), where the first mean is exact.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, lru_cache, reduce
from itertools import product
from operator import or_
from types import MappingProxyType
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import bids
from bayesbridge.capture.strains import strain_levels
from bayesbridge.cards import SUIT_MASK
from bayesbridge.constraints import SEATS, SUITS, Constraints
from bayesbridge.engines.classes import ClassRows, ClassTables, HasShape, Level, Points, Quantity, SuitWalks, Tricks
from bayesbridge.engines.draws import HAS_LENGTH, HOLDS_RANK, Draws, Pending
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.tables import Ints, Unranking
from bayesbridge.engines.target import SoftEvidence, Target
from bayesbridge.errors import BayesBridgeError, Contradiction, TablesTooLarge
from bayesbridge.evidence.models import LevelModel
from bayesbridge.jit import njit
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed, State, bounded, next64, seed_state

type Floats = NDArray[np.float64]

NO_TRUMP: Final = 4


@dataclass(frozen=True, slots=True, eq=False)
class Caller:
    """A seat whose calls depend on levels alone."""

    seat: int
    strain: int
    """Whose level is meant: C D H S NT = 0 … 4."""
    weights: Floats
    """(8,) by level: P(all calls of the seat ∣ level), or an upper bound of it."""
    exact: bool
    """Whether the weights are P(calls ∣ level) itself."""

    @property
    def passes(self) -> bool:
        """Whether the calls are best explained by a hand that does not bid."""
        return int(self.weights.argmax()) == 0

    @property
    def walks(self) -> dict[int, SuitWalks]:
        """What the tables must know of the strain."""
        return {} if self.strain == NO_TRUMP else {self.seat: SuitWalks.trumps(self.strain)}

    def levels(self, hands: NDArray[np.uint64]) -> NDArray[np.int8]:
        """(n,) levels of (n,) hands of the seat."""
        if self.strain == NO_TRUMP:
            return bids(np.ascontiguousarray(hands)).level
        return strain_levels(hands)[:, self.strain]

    def log_weights(self, hands: NDArray[np.uint64]) -> Floats:
        """(n,) log weight of (n,) hands of the seat."""
        with np.errstate(divide="ignore"):
            found: Floats = np.log(self.weights)[self.levels(hands)]
        return found


def callers_of(soft: SoftEvidence) -> tuple[Caller, ...]:
    """The seats whose soft evidence is calls that depend on levels alone."""
    by_bid: dict[int, Floats] = {}
    suits: dict[int, bool] = {}
    other: set[int] = set()
    for term in soft.terms:
        if term.call is None or not isinstance(model := term.call[0], LevelModel):
            other.add(term.seat)
            continue
        found = np.asarray(model.bid_likelihood(term.call[1], term.call[2]), dtype=np.float64)
        by_bid[term.seat] = by_bid.get(term.seat, np.ones(38)) * found
        suits[term.seat] = suits.get(term.seat, False) or model.suits
    return tuple(_caller(seat, weights, suits[seat]) for seat, weights in by_bid.items() if seat not in other)


def _caller(seat: int, by_bid: Floats, suits: bool) -> Caller:
    if not suits:
        return Caller(seat, NO_TRUMP, by_bid[[0, *range(7, 38, 5)]], exact=True)  # pass and 1NT … 7NT of the 38 bids
    best = int(by_bid.argmax())
    level, strain = ((best + 2) // 5, (best + 2) % 5) if best else (0, NO_TRUMP)
    weights = np.full(8, np.delete(by_bid, best).max())
    weights[level] = by_bid[best]
    return Caller(seat, strain, weights, exact=False)


type Weights = Sequence[float | Fraction] | Floats
"""(8,) P(all calls of a seat ∣ its level), level 0 … 7."""


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
    """The level of each caller, by the values that the tables distinguish."""
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

        ``None`` where the new weights distinguish levels that these tables do not. Raises as :meth:`of` does.
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
        values, numbers = _choose(state, n, limits, np.array(self.counts, dtype=np.uint64)[kept])
        return self.tables.layouts(self.low_rest, kept[values], numbers)

    def card_marginals(self) -> Floats:
        """(52, 4) P(seat holds card)."""
        return np.concatenate([(fields @ HOLDS_RANK).T for fields in self._fields])

    def length_distributions(self) -> Floats:
        """(4, 4, 14) P(seat has so many cards of a suit)."""
        return np.stack([fields @ HAS_LENGTH for fields in self._fields], axis=1)

    def point_distributions(self) -> Floats:
        """(4, 38) P(seat has so many high-card points)."""
        return np.stack([self.distribution(Points(seat)) for seat in SEATS])

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
        if len(self.counts) <= 64:  # a megabyte for each value
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
def _choose(state: State, n: int, limits: Floats, counts: NDArray[np.uint64]) -> tuple[Ints, Ints]:
    """``n`` places drawn by running sums of shares, the last one 1; with counts also a uniform number below each."""
    places, numbers = np.empty(n, np.int64), np.zeros(n, np.int64)
    for i in range(n):
        share = np.float64(next64(state) >> np.uint64(11)) * 2.0**-53
        place = 0
        while share >= limits[place]:
            place += 1
        places[i] = place
        if len(counts):
            numbers[i] = bounded(state, counts[place])
    return places, numbers


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
        chosen, _ = _choose(state, n, limits, np.zeros(0, dtype=np.uint64))
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


@lru_cache(maxsize=4)  # two engines in a row use the tables of two callers, and then of each
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


def exact_tables(target: Target, patient: bool = False) -> CallTables | None:
    """Exact tables for all soft evidence, ``None`` where it does not depend on levels alone or they are too large.

    With ``patient`` those of two callers may take a minute.
    """
    callers = callers_of(target.soft)
    if not callers or not all(caller.exact for caller in callers) or len(callers) < len(target.soft.seats):
        return None
    return tables_of(target, frozenset(caller.seat for caller in callers), patient)


def exact_draws(target: Target, draws: int, rng: np.random.Generator, why: str, _: Proposal | None = None) -> Draws:
    """Run the engine; raises where it does not apply. Requested by name, it may take longer than under ``auto``."""
    tables = exact_tables(target, patient=True)
    if tables is None:
        raise BayesBridgeError(
            "exact draws under calls need bidders by Algorithm 1 in no trumps, no cards weighed by a player model, and "
            'tables that are not too large: use method="auto"'
        )
    return from_tables(target, tables, draws, rng, why)


def from_tables(target: Target, tables: CallTables, draws: int, rng: np.random.Generator, why: str) -> Draws:
    """Draws and exact marginals of the tables."""
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
