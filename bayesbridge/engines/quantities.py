"""Quantities that are found suit by suit besides levels: points, what one suit tells, what a pair of seats captures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.capture.merge import merge_pair, outcome_table, simplified
from bayesbridge.capture.tables import LEADING_GAP, TERNARY, row_table
from bayesbridge.cards import HIGH_CARD_POINTS
from bayesbridge.engines.counting import MOST_POINTS
from bayesbridge.engines.suit_classes import Fields
from bayesbridge.engines.suit_rows import Ints
from bayesbridge.jit import njit
from bayesbridge.shapes import Shapes, shape_table

_POINTS: Final[Ints] = (np.arange(1 << 13)[:, None] >> np.arange(13) & 1) @ np.array(HIGH_CARD_POINTS)
"""(8192,) high-card points of a 13-bit field."""


@dataclass(frozen=True, slots=True)
class Points:
    """The high-card points of one seat, 0 … 37."""

    seat: int

    @property
    def size(self) -> int:
        """The number of values."""
        return MOST_POINTS + 1

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(r,) points of the seat in r rows of a suit."""
        points: Ints = _POINTS[fields[:, self.seat]]
        return points

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) sums."""
        return first[:, None] + second

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) sums; those past 37 belong to no hand of 13 cards."""
        sums: NDArray[np.uint8] = np.minimum(low[:, None] + high, MOST_POINTS).astype(np.uint8)
        return sums


@dataclass(frozen=True, slots=True)
class HasShape:
    """Whether one seat has a shape of a set: 1 if it has, 0 if not."""

    seat: int
    shapes: Shapes

    @property
    def size(self) -> int:
        """The number of values."""
        return 2

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(r,) lengths of the seat in r rows of a suit."""
        lengths: Ints = np.bitwise_count(fields[:, self.seat]).astype(np.int64)
        return lengths

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) both lengths in one number."""
        return 14 * first[:, None] + second

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) whether the four lengths are one of the shapes."""
        c, d, h = low[:, None] // 14, low[:, None] % 14, high // 14
        sums = c + d + h + high % 14
        fits: NDArray[np.uint8] = (shape_table(self.shapes)[c, d, h] & (sums == 13)).astype(np.uint8)
        return fits


@dataclass(frozen=True, slots=True)
class Tricks:
    """T of Algorithm 2 for the hands of two seats, 0 where a condition fails; a code is a summary of ``merge``."""

    first: int
    second: int

    @property
    def size(self) -> int:
        """The number of values."""
        return 14

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(r,) packed rows."""
        rows = row_table()[TERNARY[fields[:, self.first]] + 2 * TERNARY[fields[:, self.second]]]
        return simplified(rows.astype(np.int64))

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) merged summaries."""
        return _merged(first, second)

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) T of whole deals."""
        codes = outcome_table(low, high).astype(np.int64)
        return (codes % 512 // 32).astype(np.uint8)


@njit
def _merged(first: Ints, second: Ints) -> Ints:
    out = np.empty((len(first), len(second)), np.int64)
    for i in range(len(first)):
        for j in range(len(second)):
            out[i, j] = merge_pair(first[i], second[j])
    return out


@dataclass(frozen=True, slots=True, eq=False)
class OfSuit:
    """What one suit alone tells: ``table`` gives its value for (r, 4) fields of the suit."""

    suit: int
    size: int
    table: Callable[[Fields], NDArray[np.integer]]

    def codes(self, suit: int, fields: Fields) -> Ints:
        """(r,) values; the other suits have 0."""
        if suit != self.suit:
            return np.zeros(len(fields), dtype=np.int64)
        return self.table(fields).astype(np.int64)

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) sums."""
        return first[:, None] + second

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) sums."""
        return (low[:, None] + high).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class TotalGap:
    """Δ of Algorithm 2 for the hands of two seats, 0 … 52."""

    first: int
    second: int

    @property
    def size(self) -> int:
        """The number of values."""
        return 53

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(r,) leading gaps."""
        gaps: Ints = LEADING_GAP[fields[:, self.first] | fields[:, self.second]].astype(np.int64)
        return gaps

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) sums."""
        return first[:, None] + second

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) sums."""
        return (low[:, None] + high).astype(np.uint8)


@dataclass(frozen=True, slots=True)
class Condition:
    """How the conditions of Algorithm 2 come out for the hands of two seats: 0 A fails, 1 only B fails, 2 both hold."""

    first: int
    second: int

    @property
    def size(self) -> int:
        """The number of values."""
        return 3

    def codes(self, suit: int, fields: Fields) -> Ints:  # noqa: ARG002
        """(r,) leading gap, up to 7, and 8 where condition B fails."""
        ours, theirs = fields[:, self.first], fields[:, self.second]
        gap = LEADING_GAP[ours | theirs].astype(np.int64)
        fails = np.minimum(np.bitwise_count(ours), np.bitwise_count(theirs)) <= gap
        codes: Ints = np.minimum(gap, 7) | fails.astype(np.int64) << 3
        return codes

    def composed(self, first: Ints, second: Ints) -> Ints:
        """(n, m) the same of two suits."""
        left = first[:, None]
        codes: Ints = np.minimum((left & 7) + (second & 7), 7) | (left | second) & 8
        return codes

    def values(self, low: Ints, high: Ints) -> NDArray[np.uint8]:
        """(n, m) 0, 1 or 2."""
        code = self.composed(low, high)
        return np.where(code & 7 > 6, 0, np.where(code & 8, 1, 2)).astype(np.uint8)
