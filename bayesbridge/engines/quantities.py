"""Quantities of a layout that follow suit by suit, so that tables count them.

A *quantity* is additive over suits in a wide sense: each row of a suit
(:class:`~bayesbridge.engines.tables.SuitRows`) has a code, two neighbouring suits have
a code that follows from theirs, and the value of a layout follows from the codes of
both halves (clubs with diamonds, hearts with spades).

**Levels of Algorithm 1.** For a target of 7 + j tricks Algorithm 1 walks the suits in
the order C D H S with a budget of R = 6 − j − Δ. A suit maps the budget to a *step*
(captures, gaps paid), and what two suits do is the composition of their maps. A code
holds such a map: the total leading gap Δ and, for each budget R from 0 to 6 − Δ, the
step: captures after the first of each suit and the gaps paid. Target 7 + j is met if
3 + j captures come on top of the four free ones; with trumps the gaps, captures and
walks are others (:class:`SuitWalks`). Codes forget what cannot matter: a suit without
c₁ > δ, or a total gap that leaves no budget, is DEAD; and once the captures suffice for
every target that can have this budget, what was paid is forgotten (ENOUGH): targets
with budget R need at most 9 − Δ − R captures after the first ones.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, Final, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table
from bayesbridge.capture.playout import NO_TRUMP
from bayesbridge.capture.strains import walks
from bayesbridge.capture.tables import (
    CODES,
    LEADING_GAP,
    LENGTH,
    TERNARY,
    merge_table,
    outcome_table,
    row_table,
    simplified,
)
from bayesbridge.evidence.measures import POINTS, table
from bayesbridge.game.layouts import Ints
from bayesbridge.runtime.jit import njit

type Fields = NDArray[np.uint16]
"""(rows, 4) the cards of one suit, column = seat."""


class Quantity(ABC):
    """What can be found suit by suit, at its simplest a sum.

    Codes are int64, values 0 … ``size`` − 1. Tables are cached by it.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def size(self) -> int:
        """How many values there are."""

    @abstractmethod
    def codes(self, suit: int, fields: Fields) -> Ints:
        """(rows,) the code of each row of a suit."""

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) codes of two suits from (n,) of the first and (m,) of the next one."""
        return first[:, None] + second

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """(n, m) values of layouts.

        They have (n,) codes in clubs and diamonds and (m,) in hearts and spades.
        """
        return (low[:, None] + high).astype(np.uint8)


HOLDINGS: Final = 1 << 13  # sets of a suit's cards
HOPELESS: Final = 99  # a gap that no budget covers

# An entry of a walk has gaps paid in its lowest four bits, captures above.
WALK_CAPTURE_BITS: Final = 4
WALK_PAID: Final = 15  # the bits of gaps paid

DEAD: Final = -1  # the code of suits after which no level of interest is possible

# A code has the total gap in its lowest four bits, then a step of seven bits for each
# budget: captures in the lower four of them, at most 12, and gaps paid, at most 6.
GAP_BITS: Final = 4
GAP: Final = 15  # the bits of the gap in a code
STEP_BITS: Final = 7
CAPTURE_BITS: Final = 4
CAPTURES: Final = 15  # the bits of captures in a step
ENOUGH: Final = 127  # the step after which captures suffice, whatever was paid
MOST_BUDGET: Final = 6  # without a gap


class SuitWalks(NamedTuple):
    """What Algorithm 1 does in each suit, by suit C D H S and by 13-bit field."""

    gap: NDArray[np.int8]
    """How much the suit takes from the budget before the walk; HOPELESS where no target
    can be met.
    """
    first: NDArray[np.int8]
    """Captures before the walk, beyond those that all hands have that meet a target."""
    step: NDArray[np.uint8]  #: (4, 8192, 7) by budget: 16 · captures + gaps paid.
    needed: int  #: Captures counted here that a target of 13 tricks needs.


@cache
def suit_walks(strain: int) -> SuitWalks:
    """The walks in a strain, C D H S NT = 0 … 4.

    In no trumps, as in the paper, one capture in each suit, which must have c₁ > δ,
    comes before the walk. With trumps a side suit takes min(δ, c₁); trumps alone must
    have c₁ > δ, which gives one capture in any suit.
    """
    valid = LENGTH > LEADING_GAP
    gap_where_valid = np.where(valid, LEADING_GAP, np.int8(HOPELESS))
    if strain == NO_TRUMP:
        return SuitWalks(
            np.tile(gap_where_valid, (4, 1)),
            np.zeros((4, HOLDINGS), dtype=np.int8),
            np.stack([walk_table()] * 4),
            9,
        )
    side, trump = walks()
    gap = np.tile(np.minimum(LEADING_GAP, LENGTH), (4, 1))
    gap[strain] = gap_where_valid
    step = np.stack([side] * 4)
    step[strain] = trump
    return SuitWalks(gap, np.tile(valid.astype(np.int8), (4, 1)), step, 13)


class Scope(NamedTuple):
    """Which levels are told apart."""

    most: int  #: Total gaps up to it matter.
    targets: int  #: 7 … 6 + ``targets`` tricks matter.
    needed: int  #: A target of 7 + j tricks needs ``needed`` − 6 + j captures.


@dataclass(frozen=True, slots=True)
class Level(Quantity):
    """A function of the level of one seat's hand.

    ``by_level[n]`` is its value, 0 … ``size`` − 1, at level n = 0 … 7. Levels are
    distinguished only where the value changes.
    """

    seat: int
    by_level: tuple[int, ...]
    strain: int

    @classmethod
    def of(cls, seat: int, values: Sequence[object], strain: int) -> Self:
        """The function that tells levels of different ``values`` apart.

        ``values``: by level, 8 of them; they are numbered as they first occur.
        """
        distinct = list(dict.fromkeys(values))
        return cls(seat, tuple(map(distinct.index, values)), strain)

    @property
    def size(self) -> int:
        """How many values there are."""
        return 1 + max(self.by_level)

    def codes(self, suit: int, fields: Fields) -> Ints:
        """(rows,) what the cards of a suit do with a budget."""
        walk = suit_walks(self.strain)
        codes = _suit_codes(
            walk.gap[suit], walk.first[suit], walk.step[suit], self._scope
        )
        return codes[fields[:, self.seat]]

    def composed(self, first: Ints, second: Ints) -> Ints:
        """What two suits do with a budget, one after the other."""
        return _compose_all(first, second, self._scope)

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """The value of the level that both halves reach."""
        return _values(low, high, self._scope, np.array(self.by_level, dtype=np.uint8))

    @property
    def _scope(self) -> Scope:
        changes = [n for n in range(1, 8) if self.by_level[n] != self.by_level[n - 1]]
        return Scope(
            7 - min(changes, default=8),
            max(changes, default=0),
            suit_walks(self.strain).needed,
        )


# Kernels of levels. Δ is a total leading gap; of a step, captures and gaps paid.


@njit
def _step(code: np.int64, budget: int | np.int64) -> np.int64:
    """The step of a code at a budget."""
    return code >> (GAP_BITS + STEP_BITS * budget) & ENOUGH


@njit
def _packed(
    Delta: np.int64, budget: int, captures: np.int64, paid: np.int64, scope: Scope
) -> np.int64:
    """The step of so many captures and gaps paid.

    ENOUGH where these captures suffice for every target.
    """
    if captures >= scope.needed - Delta - budget:
        return np.int64(ENOUGH)
    if captures >= scope.needed - 7 + scope.targets:
        return np.int64(ENOUGH)
    return captures | paid << CAPTURE_BITS


@njit
def _suit_codes(
    gap: NDArray[np.int8],
    first: NDArray[np.int8],
    step: NDArray[np.uint8],
    scope: Scope,
) -> Ints:
    """(8192,) the codes of all sets of a suit's cards.

    ``gap``, ``first``: (8192,), ``step``: (8192, 7), see :class:`SuitWalks`.
    """
    codes = np.full(HOLDINGS, DEAD, np.int64)
    for field in range(HOLDINGS):
        Delta = np.int64(gap[field])
        if Delta > scope.most:
            continue
        code = Delta
        for budget in range(MOST_BUDGET + 1 - Delta):
            walk = np.int64(step[field, budget])
            captures = first[field] + (walk >> WALK_CAPTURE_BITS)
            packed = _packed(Delta, budget, captures, walk & WALK_PAID, scope)
            code |= packed << (GAP_BITS + STEP_BITS * budget)
        codes[field] = code
    return codes


@njit
def _composed_step(
    first: np.int64, second: np.int64, Delta: np.int64, budget: int, scope: Scope
) -> np.int64:
    """What two suits do with a budget: the second has what the first leaves of it.

    A step has the captures in its low bits and what was paid for them above;
    ``ENOUGH`` stands for all steps after which nothing more can change T.
    """
    first_step = _step(first, budget)
    if first_step == ENOUGH:
        return np.int64(ENOUGH)
    first_paid = first_step >> CAPTURE_BITS
    second_step = _step(second, budget - first_paid)
    if second_step == ENOUGH:
        return np.int64(ENOUGH)
    captures = (first_step & CAPTURES) + (second_step & CAPTURES)
    paid = first_paid + (second_step >> CAPTURE_BITS)
    return _packed(Delta, budget, captures, paid, scope)


@njit
def _compose_all(first: Ints, second: Ints, scope: Scope) -> Ints:
    """(n, m) codes of two suits from (n,) and (m,) codes of each."""
    codes = np.full((len(first), len(second)), DEAD, np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            Delta = (first[i] & GAP) + (second[j] & GAP)
            if first[i] < 0 or second[j] < 0 or Delta > scope.most:
                continue
            code = Delta
            for budget in range(MOST_BUDGET + 1 - Delta):
                step = _composed_step(first[i], second[j], Delta, budget, scope)
                code |= step << (GAP_BITS + STEP_BITS * budget)
            codes[i, j] = code
    return codes


@njit
def _meets(low: np.int64, high: np.int64, budget: int, needed: int) -> bool:
    """Whether both halves of a hand make so many captures with a budget."""
    step = _step(low, budget)
    if step == ENOUGH:
        return True
    next_step = _step(high, budget - (step >> CAPTURE_BITS))
    if next_step == ENOUGH:
        return True
    captures = (step & CAPTURES) + (next_step & CAPTURES)
    return bool(captures >= needed)


@njit
def _values(
    low: Ints, high: Ints, scope: Scope, by_level: NDArray[np.uint8]
) -> NDArray[np.integer]:
    """(n, m) values by level.

    The level is how many of the targets 7, 8, … are met before the first that is
    missed, none beyond 6 + ``targets``.
    """
    values = np.full((len(low), len(high)), by_level[0], np.uint8)
    for i in range(len(low)):
        for j in range(len(high)):
            Delta = (low[i] & GAP) + (high[j] & GAP)
            if low[i] < 0 or high[j] < 0 or Delta > scope.most:
                continue
            level = 0
            while level < scope.targets and level <= MOST_BUDGET - Delta:
                budget = MOST_BUDGET - Delta - level
                if not _meets(low[i], high[j], budget, scope.needed - 6 + level):
                    break
                level += 1
            values[i, j] = by_level[level]
    return values


@dataclass(frozen=True, slots=True)
class Points(Quantity):
    """The high-card points of one seat, 0 … 40; no hand of 13 cards has more than 37."""

    seat: int
    size: ClassVar[int] = 41

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(rows,) the points of the cards of a suit."""
        return table(POINTS)[fields[:, self.seat]]


@dataclass(frozen=True, slots=True)
class Outcome(Quantity):
    """The outcome code of Algorithm 2 for the hands of two seats.

    Codes are summaries (see ``capture.tables``).
    """

    first: int
    second: int
    size: ClassVar[int] = CODES

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(rows,) the summary of what both hands hold in a suit."""
        holdings = TERNARY[fields[:, self.first]] + 2 * TERNARY[fields[:, self.second]]
        return simplified(row_table()[holdings].astype(np.int64))

    def composed(self, first: Ints, second: Ints) -> Ints:
        """The summary of two suits."""
        return merge_table(first, second)

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """The outcome codes."""
        return outcome_table(low, high)


class CaptureTricks(Outcome):
    """T of Algorithm 2, 0 where a condition fails."""

    size: ClassVar[int] = 14

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """T of each layout."""
        return (outcome_table(low, high) % 512 // 32).astype(np.uint8)


class CaptureConditions(Outcome):
    """Which conditions of Algorithm 2 hold: 0 not A, 1 only A, 2 both."""

    size: ClassVar[int] = 3

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """How many conditions hold, A first."""
        return np.asarray(np.minimum(outcome_table(low, high), 2), np.uint8)


@dataclass(frozen=True, slots=True)
class TotalGap(Quantity):
    """Δ of Algorithm 2 for the hands of two seats, 0 … 52."""

    first: int
    second: int
    size: ClassVar[int] = 53

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(rows,) the gap of the cards that both hands hold in a suit."""
        of_pair = fields[:, self.first] | fields[:, self.second]
        return np.asarray(LEADING_GAP[of_pair].astype(np.int64))
