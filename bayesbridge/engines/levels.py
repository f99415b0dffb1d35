"""The level that Algorithm 1 gives a hand, found suit by suit.

For a target of k = 7 + j tricks Algorithm 1 walks the suits in the order C D H S with a budget of R = 6 − j − Δ. Inside
a suit it pays gaps until one is too large, so a suit maps the budget to (captures, gaps paid); what two suits do is the
composition of their maps, and composition is associative. A *code* holds such a map for one suit or for several in a
row: their total leading gap Δ and, for each budget R from 0 to 6 − Δ, captures after the first of each suit and the
gaps paid. Target 7 + j is met if 3 + j captures come on top of the four free ones.

Codes forget what cannot matter, so that few of them are left:

* a suit without c₁ > δ, or a total gap that leaves no budget for the lowest target of interest, is DEAD;
* once the captures suffice for every target that can have this budget, what was paid is forgotten (ENOUGH). The targets
  with budget R need at most 9 − Δ − R captures, and no more than the highest target of interest does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.kernels import walk_table
from bayesbridge.capture.tables import LEADING_GAP, LENGTH
from bayesbridge.engines.suit_classes import Fields
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.jit import njit

DEAD: Final = -1
"""The code of suits after which no level of interest is possible."""

ENOUGH: Final = 127
"""Seven bits of a code: the captures suffice. Else they are captures + 16 · gaps paid, at most 8 + 16 · 6."""


@dataclass(frozen=True, slots=True)
class Level:
    """A function of the level of one seat's hand: ``by_level[n]`` is its value, 0 … ``size`` − 1, at level n = 0 … 7.

    Levels are told apart only where the value changes.
    """

    seat: int
    by_level: tuple[int, ...]

    @classmethod
    def of(cls, seat: int, values: Sequence[object]) -> Self:
        """Levels that have equal ``values`` (8 of them) are one value; values are numbered as they first occur."""
        distinct = list(dict.fromkeys(values))
        return cls(seat, tuple(map(distinct.index, values)))

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

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(r,) codes of r rows of a suit, from the (r, 4) fields of the seats."""
        return self._by_field()[fields[:, self.seat]]

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) codes of suits with ``first`` (n,) followed by suits with ``second`` (m,)."""
        return _compose_all(first, second, 7 - self.lowest, self.highest)

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) values of hands with codes ``low`` (n,) in clubs and diamonds and ``high`` (m,) in the majors."""
        return _values(low, high, 7 - self.lowest, self.highest, np.array(self.by_level, dtype=np.uint8))

    def _by_field(self) -> Ints:
        out = np.full(1 << 13, DEAD, dtype=np.int64)
        _suit_codes(walk_table(), LENGTH, LEADING_GAP, 7 - self.lowest, self.highest, out)
        return out


# In the kernels ``most`` is the largest total gap of interest and ``targets`` how many targets are: 7 … 6 + targets.


@njit
def _packed(Delta: np.int64, budget: int, captured: np.int64, paid: np.int64, targets: int) -> np.int64:
    """Seven bits for one budget."""
    if captured >= 9 - Delta - budget or captured >= 2 + targets:
        return np.int64(ENOUGH)
    return captured | paid << 4


@njit
def _suit_codes(
    walk: NDArray[np.uint8], length: NDArray[np.int8], leading: NDArray[np.int8], most: int, targets: int, out: Ints
) -> None:
    """Codes of all fields of one suit; DEAD ones are left as they are."""
    for field in range(1 << 13):
        delta = np.int64(leading[field])
        if length[field] > delta and delta <= most:
            code = delta
            for budget in range(7 - delta):
                step = np.int64(walk[field, budget])
                code |= _packed(delta, budget, step >> 4, step & 15, targets) << (4 + 7 * budget)
            out[field] = code


@njit
def _compose_all(first: Ints, second: Ints, most: int, targets: int) -> Ints:
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
                    after = _packed(Delta, budget, captured, paid, targets)
                code |= after << (4 + 7 * budget)
            out[i, j] = code
    return out


@njit
def _values(low: Ints, high: Ints, most: int, targets: int, by_level: NDArray[np.uint8]) -> NDArray[np.uint8]:
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
                    if after != ENOUGH and (step & 15) + (after & 15) < 3 + level:
                        break
                level += 1
            out[i, j] = by_level[level]
    return out
