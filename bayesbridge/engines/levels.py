"""The level that Algorithm 1 gives a hand, found suit by suit.

For a target of k = 7 + j tricks Algorithm 1 walks the suits in the order C D H S with a budget of R = 6 − j − Δ. Inside
a suit it pays gaps until one is too large, so a suit maps the budget to (captures, gaps paid); what two suits do is the
composition of their maps, and composition is associative. A *code* holds such a map for one suit or for several in a
row: their total leading gap Δ and, for each budget R from 0 to 6 − Δ, captures after the first of each suit and the
gaps paid. Target 7 + j is met if 3 + j captures come on top of the four free ones. With trumps the same holds with
other gaps, captures and walks; :class:`SuitWalks` says which.

Codes forget what cannot matter, so that few of them are left:

* a suit without c₁ > δ, or a total gap that leaves no budget for the lowest target of interest, is DEAD;
* once the captures suffice for every target that can have this budget, what was paid is forgotten (ENOUGH). The targets
  with budget R need at most 9 − Δ − R captures after the first ones, and no more than the highest target of interest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table
from bayesbridge.capture.strains import walks
from bayesbridge.capture.tables import LEADING_GAP, LENGTH
from bayesbridge.engines.suit_classes import Fields
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.jit import njit

DEAD: Final = -1
"""The code of suits after which no level of interest is possible."""

ENOUGH: Final = 127
"""Seven bits of a code: the captures suffice. Else they are captures + 16 · gaps paid, at most 12 + 16 · 6."""

HOPELESS: Final = 99
"""A gap that no budget covers."""


@dataclass(frozen=True, slots=True, eq=False)
class SuitWalks:
    """What Algorithm 1 does in each suit, by suit C D H S and by 13-bit field."""

    gap: NDArray[np.int8]
    """(4, 8192) how much the suit takes from the budget before the walk; HOPELESS where no target can be met."""
    first: NDArray[np.int8]
    """(4, 8192) captures before the walk, beyond those that all hands have that meet a target."""
    step: NDArray[np.uint8]
    """(4, 8192, 7) by budget: 16 · captures + gaps paid."""
    needed: int
    """Captures counted here that a target of 13 tricks needs."""

    @classmethod
    def no_trumps(cls) -> Self:
        """As in the paper: one capture in each suit, which must have c₁ > δ, comes before the walk."""
        gap = np.where(LENGTH > LEADING_GAP, LEADING_GAP, np.int8(HOPELESS))
        return cls(np.tile(gap, (4, 1)), np.zeros((4, 1 << 13), dtype=np.int8), np.stack([walk_table()] * 4), 9)

    @classmethod
    def trumps(cls, strain: int) -> Self:
        """With trumps ``strain``.

        A side suit takes min(δ, c₁); c₁ > δ is asked of trumps alone, and gives one capture in any suit.
        """
        side, trump = walks()
        valid = LENGTH > LEADING_GAP
        gap = np.tile(np.minimum(LEADING_GAP, LENGTH), (4, 1))
        gap[strain] = np.where(valid, LEADING_GAP, np.int8(HOPELESS))
        step = np.stack([trump if suit == strain else side for suit in range(4)])
        return cls(gap, np.tile(valid.astype(np.int8), (4, 1)), step, 13)


@cache
def no_trump_walks() -> SuitWalks:
    """:meth:`SuitWalks.no_trumps`, made once."""
    return SuitWalks.no_trumps()


@dataclass(frozen=True, slots=True)
class Level:
    """A function of the level of one seat's hand: ``by_level[n]`` is its value, 0 … ``size`` − 1, at level n = 0 … 7.

    Levels are told apart only where the value changes.
    """

    seat: int
    by_level: tuple[int, ...]
    walks: SuitWalks = field(default_factory=no_trump_walks)

    @classmethod
    def of(cls, seat: int, values: Sequence[object], walks: SuitWalks | None = None) -> Self:
        """Levels that have equal ``values`` (8 of them) are one value; values are numbered as they first occur."""
        distinct = list(dict.fromkeys(values))
        return cls(seat, tuple(map(distinct.index, values)), walks or no_trump_walks())

    @property
    def size(self) -> int:
        """The number of values."""
        return 1 + max(self.by_level)

    @property
    def lowest(self) -> int:
        """The lowest level whose value differs from that of a pass; 8 if none does."""
        return next((n for n in range(1, 8) if self.by_level[n] != self.by_level[0]), 8)

    @property
    def highest(self) -> int:
        """The highest level whose value differs from that of the level below; 0 if none does."""
        return next((n for n in range(7, 0, -1) if self.by_level[n] != self.by_level[n - 1]), 0)

    def codes(self, suit: int, fields: Fields) -> Ints:
        """(r,) codes of r rows of a suit, from the (r, 4) fields of the seats."""
        codes, walks = np.full(1 << 13, DEAD, dtype=np.int64), self.walks
        _suit_codes(walks.gap[suit], walks.first[suit], walks.step[suit], *self._scope, codes)
        return codes[fields[:, self.seat]]

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) codes of suits with ``first`` (n,) followed by suits with ``second`` (m,)."""
        return _compose_all(first, second, *self._scope)

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) values of hands with codes ``low`` (n,) in clubs and diamonds and ``high`` (m,) in the majors."""
        return _values(low, high, *self._scope, np.array(self.by_level, dtype=np.uint8))

    @property
    def _scope(self) -> tuple[int, int, int]:
        return 7 - self.lowest, self.highest, self.walks.needed


def leading_gaps(codes: Ints) -> Ints:
    """(n,) the total leading gap Δ of (n,) codes, −1 of DEAD ones."""
    return np.where(codes < 0, np.int64(-1), codes & 15)


# In the kernels ``most`` is the largest total gap of interest, ``targets`` how many targets are of interest (7 …
# 6 + targets), and a target of 7 + j tricks needs ``needed`` − 6 + j captures.


@njit
def _packed(Delta: np.int64, budget: int, captured: np.int64, paid: np.int64, targets: int, needed: int) -> np.int64:
    """Seven bits for one budget."""
    if captured >= needed - Delta - budget or captured >= needed - 7 + targets:
        return np.int64(ENOUGH)
    return captured | paid << 4


@njit
def _suit_codes(
    gap: NDArray[np.int8],
    first: NDArray[np.int8],
    step: NDArray[np.uint8],
    most: int,
    targets: int,
    needed: int,
    out: Ints,
) -> None:
    """Codes of all fields of one suit; DEAD ones are left as they are."""
    for held in range(1 << 13):
        delta = np.int64(gap[held])
        if delta <= most:
            code = delta
            for budget in range(7 - delta):
                made = np.int64(step[held, budget])
                captured = first[held] + (made >> 4)
                code |= _packed(delta, budget, captured, made & 15, targets, needed) << (4 + 7 * budget)
            out[held] = code


@njit
def _compose_all(first: Ints, second: Ints, most: int, targets: int, needed: int) -> Ints:
    out = np.full((len(first), len(second)), DEAD, np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            left, right = first[i], second[j]
            Delta = (left & 15) + (right & 15)
            if left < 0 or right < 0 or Delta > most:
                continue
            code = Delta
            for budget in range(7 - Delta):
                step = left >> (4 + 7 * budget) & ENOUGH
                after = right >> (4 + 7 * (budget - (step >> 4))) & ENOUGH if step != ENOUGH else ENOUGH
                if after != ENOUGH:
                    captured, paid = (step & 15) + (after & 15), (step >> 4) + (after >> 4)
                    after = _packed(Delta, budget, captured, paid, targets, needed)
                code |= after << (4 + 7 * budget)
            out[i, j] = code
    return out


@njit
def _values(
    low: Ints, high: Ints, most: int, targets: int, needed: int, by_level: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    """(n, m) values by level: the targets 7, 8, … met before the first that is missed, none beyond 6 + ``targets``."""
    out = np.full((len(low), len(high)), by_level[0], np.uint8)
    for i in range(len(low)):
        left = low[i]
        for j in range(len(high)):
            right = high[j]
            Delta = (left & 15) + (right & 15)
            if left < 0 or right < 0 or Delta > most:
                continue
            level = 0
            while level < targets and level <= 6 - Delta:
                budget = 6 - Delta - level
                step = left >> (4 + 7 * budget) & ENOUGH
                if step != ENOUGH:
                    after = right >> (4 + 7 * (budget - (step >> 4))) & ENOUGH
                    if after != ENOUGH and (step & 15) + (after & 15) < needed - 6 + level:
                        break
                level += 1
            out[i, j] = by_level[level]
    return out
