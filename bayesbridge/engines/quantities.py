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
every target that can have this budget, what was paid is forgotten (ENOUGH).
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
    DELTA_PLACE,
    LEADING_GAP,
    LENGTH,
    T_PLACE,
    TERNARY,
    merge_table,
    outcome_table,
    row_table,
    simplified,
)
from bayesbridge.evidence.measures import HOLDINGS, POINTS, table
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


HOPELESS: Final = 99  # a gap that no budget covers
MOST_BUDGET: Final = 6  # of a target of 7 tricks without a gap
HIGHEST_TARGET: Final = 6  # 13 tricks, where 0 is the target of 7

NEEDED_AT_NO_TRUMP: Final = 9  # captures for 13 tricks, after the first in each suit
NEEDED_WITH_TRUMPS: Final = 13

# An entry of a walk: captures | gaps paid, four bits.
WALK_CAPTURE_BITS: Final = 4
WALK_PAID: Final = 15  # the bits of gaps paid

# A code:  … | step at budget 1, seven bits | step at budget 0 | total gap, four bits.
# A step:  gaps paid, at most 6 | captures, four bits, at most 12; or ENOUGH.
GAP_BITS: Final = 4
GAP: Final = 15  # the bits of the gap in a code
STEP_BITS: Final = 7
CAPTURE_BITS: Final = 4
CAPTURES: Final = 15  # the bits of captures in a step
ENOUGH: Final = 127  # the step after which captures suffice, whatever was paid
DEAD: Final = -1  # the code of suits after which no level of interest is possible

OUTCOMES_WITH_TRICKS: Final = 2
"""Outcome codes of Algorithm 2 from here on hold Δ, T and χ; 0 says that condition A
fails, 1 that B does.
"""


class SuitWalks(NamedTuple):
    """What Algorithm 1 does in each suit, by suit C D H S and by 13-bit field."""

    gap: NDArray[np.int8]
    """(4, 8192) how much the suit takes from the budget before the walk; HOPELESS where
    no target can be met.
    """
    first_captures: NDArray[np.int8]
    """(4, 8192) captures before the walk, beyond those that all hands have that meet a
    target.
    """
    steps: NDArray[np.uint8]  #: (4, 8192, 7) by budget: 16 · captures + gaps paid.
    needed: int  #: Captures counted here that a target of 13 tricks needs.


@cache
def suit_walks(strain: int) -> SuitWalks:
    """What Algorithm 1 captures and pays in each suit, in a strain C D H S NT = 0 … 4.

    Of a suit's c₁ cards the first captures if c₁ > δ, the leading gap (how many higher
    cards are missing), and δ is taken from the budget; then the walk goes on. In no
    trumps, as in the paper, every suit must have c₁ > δ, so that these captures need
    not be counted. With trumps only the trumps must; a side suit takes min(δ, c₁).
    """
    first_captures = LENGTH > LEADING_GAP
    gap_if_it_captures = np.where(first_captures, LEADING_GAP, np.int8(HOPELESS))
    if strain == NO_TRUMP:
        return SuitWalks(
            gap=np.tile(gap_if_it_captures, (4, 1)),
            first_captures=np.zeros((4, HOLDINGS), dtype=np.int8),
            steps=np.stack([walk_table()] * 4),
            needed=NEEDED_AT_NO_TRUMP,
        )
    side_steps, trump_steps = walks()
    gap = np.tile(np.minimum(LEADING_GAP, LENGTH), (4, 1))
    gap[strain] = gap_if_it_captures
    steps = np.stack([side_steps] * 4)
    steps[strain] = trump_steps
    return SuitWalks(
        gap=gap,
        first_captures=np.tile(first_captures.astype(np.int8), (4, 1)),
        steps=steps,
        needed=NEEDED_WITH_TRUMPS,
    )


class Scope(NamedTuple):
    """Which levels are told apart."""

    most_gap: int  #: Total gaps up to it matter.
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
        suits = suit_walks(self.strain)
        codes = _suit_codes(
            suits.gap[suit], suits.first_captures[suit], suits.steps[suit], self._scope
        )
        return codes[fields[:, self.seat]]

    def composed(self, first: Ints, second: Ints) -> Ints:
        """What two suits do with a budget, one after the other."""
        return _compose_all(first, second, self._scope)

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """The value of the level that both halves reach."""
        by_level = np.array(self.by_level, dtype=np.uint8)
        return _level_values(low, high, self._scope, by_level)

    @property
    def _scope(self) -> Scope:
        """The levels at which the value changes, as bounds of gap and targets.

        Level n needs the target of 6 + n tricks, whose budget is 7 - n less the total
        gap: with a larger gap than that of the lowest change no change is reached.
        """
        changes = [
            level
            for level in range(1, 8)
            if self.by_level[level] != self.by_level[level - 1]
        ]
        return Scope(
            most_gap=7 - min(changes, default=8),
            targets=max(changes, default=0),
            needed=suit_walks(self.strain).needed,
        )


# Kernels of levels. A hand has a budget of gaps for a target of 7 + j tricks: what 6 - j
# leaves after the total leading gap Δ of its suits. A step is what a suit, or several in
# turn, do with a budget: captures and gaps paid.


@njit
def _step(code: np.int64, budget: int | np.int64) -> np.int64:
    """The step of a code at a budget."""
    return code >> (GAP_BITS + STEP_BITS * budget) & ENOUGH


@njit
def _step_field(step: np.int64, budget: int) -> np.int64:
    """The bits of a code that say that it has this step at a budget."""
    return step << (GAP_BITS + STEP_BITS * budget)


@njit
def _captures_needed(target: int | np.int64, scope: Scope) -> int | np.int64:
    """Captures that a target of 7 + ``target`` tricks needs, one for each trick more."""
    return scope.needed - (HIGHEST_TARGET - target)


@njit
def _packed_step(
    total_gap: np.int64, budget: int, captures: np.int64, paid: np.int64, scope: Scope
) -> np.int64:
    """Pack what a suit, or two, do with a budget of gaps into one number, a step.

    It has the captures in its lower four bits, the gaps ``paid`` for them above. It is
    ``ENOUGH``, whatever was paid, if these captures suffice for every target of
    interest that can have this budget. ``total_gap``: the leading gaps of these suits.
    """
    # A target of 7 + j tricks has the budget 6 - j - Δ, and Δ is at least this gap.
    highest_with_budget = MOST_BUDGET - budget - total_gap
    highest_target = min(highest_with_budget, np.int64(scope.targets - 1))
    if captures >= _captures_needed(highest_target, scope):
        return np.int64(ENOUGH)
    return captures | paid << CAPTURE_BITS


@njit
def _suit_codes(
    gap: NDArray[np.int8],
    first_captures: NDArray[np.int8],
    steps: NDArray[np.uint8],
    scope: Scope,
) -> Ints:
    """(8192,) the code of each set of a suit's cards: what it does with every budget.

    ``gap``: (8192,) what it takes from the budget before the walk;
    ``first_captures``: (8192,) its captures before the walk; ``steps``: (8192, 7) by
    budget, captures in the upper and gaps paid in the lower four bits.

    A code has the gap in its lowest four bits, above it a packed step of seven bits for
    each budget. It is ``DEAD`` where no target of interest leaves so large a gap.
    """
    codes = np.full(HOLDINGS, DEAD, np.int64)
    for field in range(HOLDINGS):
        total_gap = np.int64(gap[field])
        if total_gap > scope.most_gap:
            continue
        code = total_gap
        for budget in range(MOST_BUDGET + 1 - total_gap):
            walk = np.int64(steps[field, budget])
            captures = first_captures[field] + (walk >> WALK_CAPTURE_BITS)
            paid = walk & WALK_PAID
            step = _packed_step(total_gap, budget, captures, paid, scope)
            code |= _step_field(step, budget)
        codes[field] = code
    return codes


@njit
def _composed_step(
    first: np.int64, second: np.int64, total_gap: np.int64, budget: int, scope: Scope
) -> np.int64:
    """What two suits do with a budget: the second has what the first leaves of it.

    ``first``, ``second``: the codes of the suits, which have a step for each budget: the
    captures in its lower bits, the gaps paid for them above, or ``ENOUGH`` if no target
    of interest needs more captures. ``total_gap``: the leading gaps of both suits.
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
    return _packed_step(total_gap, budget, captures, paid, scope)


@njit
def _compose_all(first: Ints, second: Ints, scope: Scope) -> Ints:
    """(n, m) codes of two suits together from (n,) and (m,) codes of each.

    The code of a suit, or of two, says what they do with a budget: the gap that they
    take from it first, and for each budget (what a target of Algorithm 1 leaves for
    gaps) a step, the captures and the gaps paid for them. It is ``DEAD``, a negative
    number, where a suit is or the gaps of both are larger than those of interest.
    """
    codes = np.full((len(first), len(second)), DEAD, np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            total_gap = (first[i] & GAP) + (second[j] & GAP)
            is_dead = first[i] == DEAD or second[j] == DEAD
            if is_dead or total_gap > scope.most_gap:
                continue
            code = total_gap
            for budget in range(MOST_BUDGET + 1 - total_gap):
                step = _composed_step(first[i], second[j], total_gap, budget, scope)
                code |= _step_field(step, budget)
            codes[i, j] = code
    return codes


@njit
def _meets(low: np.int64, high: np.int64, budget: int, needed: int | np.int64) -> bool:
    """Whether both halves of a hand make so many captures with a budget.

    ``low``, ``high``: the codes of clubs with diamonds and of hearts with spades.
    """
    step = _step(low, budget)
    if step == ENOUGH:
        return True
    next_step = _step(high, budget - (step >> CAPTURE_BITS))
    if next_step == ENOUGH:
        return True
    captures = (step & CAPTURES) + (next_step & CAPTURES)
    return bool(captures >= needed)


@njit
def _level_values(
    low: Ints, high: Ints, scope: Scope, by_level: NDArray[np.uint8]
) -> NDArray[np.integer]:
    """(n, m) the values of the levels that (n,) low and (m,) high halves of hands reach.

    ``low``, ``high``: codes of two suits each, which say what these do with a budget of
    gaps. A hand is on level n if it meets the first n of the targets 7, 8, … tricks and
    not the next; only the first ``scope.targets`` are tried, as no value changes beyond
    them. ``by_level``: (8,) the value of each level.
    """
    values = np.full((len(low), len(high)), by_level[0], np.uint8)
    for i in range(len(low)):
        for j in range(len(high)):
            total_gap = (low[i] & GAP) + (high[j] & GAP)
            is_dead = low[i] == DEAD or high[j] == DEAD
            if is_dead or total_gap > scope.most_gap:
                continue
            level = 0
            targets_with_budget = MOST_BUDGET - total_gap + 1
            while level < min(scope.targets, targets_with_budget):
                budget = MOST_BUDGET - total_gap - level
                needed = _captures_needed(level, scope)
                if not _meets(low[i], high[j], budget, needed):
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
        codes = outcome_table(low, high)
        return (codes % DELTA_PLACE // T_PLACE).astype(np.uint8)


class CaptureConditions(Outcome):
    """Which conditions of Algorithm 2 hold: 0 not A, 1 only A, 2 both."""

    size: ClassVar[int] = 3

    def values(self, low: Ints, high: Ints) -> NDArray[np.integer]:
        """How many conditions hold, A first."""
        codes = outcome_table(low, high)
        return np.asarray(np.minimum(codes, OUTCOMES_WITH_TRICKS), np.uint8)


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
