"""Statements of a bidding system: the hands that a call shows, in the words of ``--hcp`` and ``--shape``.

A statement is written in parts with commas between them, and a hand fits it if it fits every part:

==================  ===================================================================================
``15-17 points``    high-card points, also ``12 points``, ``16+ points`` and ``-10 points`` (10 or fewer)
``balanced``        a shape, as the module :mod:`bayesbridge.shapes` says it: also ``H5+``, ``any 5-5``
``always``          every hand that fits makes the call; without it the call shows the hand, but such a
                    hand may make another call too
==================  ===================================================================================
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from itertools import combinations
from typing import Final, Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.evidence.piece import Piece
from bayesbridge.evidence.ranges import HighCards
from bayesbridge.evidence.shape import Shape
from bayesbridge.layouts import high_card_points, suit_lengths
from bayesbridge.shapes import ALL, Shape4, Shapes, shape_table

ALWAYS: Final = "always"
SEAT: Final = Seat.N
"""Pieces of evidence need a seat; a statement speaks of whoever calls."""

_POINTS: Final = re.compile(r"(?P<range>.*?)\s*points?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Statement:
    """The hands that a call shows.

    >>> Statement.of("15-17 POINTS,balanced, always").text
    '15-17 points, balanced, always'
    """

    text: str
    low: int
    high: int
    """High-card points, both ends included."""
    shapes: Shapes
    always: bool
    """Whether every hand that fits makes the call."""

    @property
    def hands(self) -> str:
        """The text without ``always``."""
        return self.text.removesuffix(ALWAYS).removesuffix(", ") or "any hand"

    @classmethod
    def of(cls, text: str) -> Self:
        """Read the text; a statement that no hand of 13 cards fits is an error."""
        parts = [part.strip() for part in text.split(",")]
        always = any(part.lower() == ALWAYS for part in parts)
        pieces = [_piece(part, text) for part in parts if part.lower() != ALWAYS]
        known = Constraints.free()
        for piece in pieces:
            known = piece.constrain(known, 0)
        low, high = known.points_low[SEAT], known.points_high[SEAT]
        shapes = ALL if (said := known.shapes[SEAT]) is None else said
        if not any(_points_of(shape) & _between(low, high) for shape in shapes):
            raise NotationError(f"no hand of 13 cards fits {text!r}: write points and a shape that go together")
        return cls(", ".join([*map(_said, pieces), *[ALWAYS] * always]), low, high, shapes, always)

    def fits(self, hands: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """(n,) which of (n,) masks fit."""
        points, lengths = high_card_points(hands), suit_lengths(hands)
        found: NDArray[np.bool_] = (points >= self.low) & (points <= self.high)
        found &= _table(self.shapes)[lengths[:, 0], lengths[:, 1], lengths[:, 2]]
        return found


def _piece(part: str, text: str) -> Piece:
    try:
        if points := _POINTS.fullmatch(part):
            return HighCards.of(f"{SEAT.name}:{points['range']}")
        return Shape(SEAT, part)
    except NotationError:
        raise NotationError(
            f"{text!r}: {part!r} is neither points, such as 15-17 points or 16+ points, nor a shape, such as balanced "
            f"or S5+ H4-5, nor {ALWAYS!r}",
            text=text,
        ) from None


def _said(piece: Piece) -> str:
    said = piece.text.removeprefix(f"{SEAT.name}:")
    return f"{said} points" if isinstance(piece, HighCards) else said


@lru_cache(maxsize=256)
def _table(shapes: Shapes) -> NDArray[np.bool_]:
    return shape_table(shapes)


def _between(low: int, high: int) -> int:
    """The set of these numbers of points, a bit for each."""
    return ((1 << high + 1) - 1) >> low << low


@lru_cache(maxsize=1024)
def _points_of(shape: Shape4) -> int:
    """The numbers of points that hands of a shape can have, a bit for each."""
    found = {0}
    for length in shape:
        found = {sofar + more for sofar in found for more in _points_of_suit(length)}
    return sum(1 << points for points in found)


@lru_cache(maxsize=14)
def _points_of_suit(length: int) -> frozenset[int]:
    """The points of so many cards of one suit: some of its four honours, and the others among nine lower cards."""
    fewest, most = max(length - 9, 0), min(length, 4)
    return frozenset(sum(honours) for n in range(fewest, most + 1) for honours in combinations((4, 3, 2, 1), n))
