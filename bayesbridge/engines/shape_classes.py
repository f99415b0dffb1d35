"""Shapes seen from two suits at a time: what the minors must tell the majors about the shape of a hand.

Tables join clubs with diamonds and hearts with spades. A hand whose shape is restricted cannot be joined by its number
of minor cards alone: how many of them are clubs matters too. But two pairs of lengths (c, d) that leave the same pairs
(h, s) possible are interchangeable, so each side has few *classes*.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.shapes import Shapes, shape_table

type Ints = NDArray[np.int64]
type Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class ShapeClasses:
    """The classes of one hand: by its lengths in C D and in H S, and which of them fit together."""

    minors: Ints
    """(14, 14) class of the lengths of clubs and diamonds, -1 where no shape has them."""
    majors: Ints
    """(14, 14) the same of hearts and spades."""
    fit: Bools
    """(minor classes, major classes) whether the two make one of the shapes."""

    @classmethod
    def of(cls, shapes: Shapes) -> Self:
        """The classes of a set of shapes.

        >>> ShapeClasses.of(frozenset({(4, 3, 3, 3), (3, 4, 3, 3)})).fit.tolist()
        [[True]]
        """
        by_three = shape_table(shapes)
        together = np.zeros((14, 14, 14, 14), dtype=np.bool_)
        c, d, h = np.nonzero(by_three)
        together[c, d, h, 13 - c - d - h] = True
        flat = together.reshape(196, 196)
        minors, first = _classes(flat)
        majors, second = _classes(flat.T)
        return cls(minors.reshape(14, 14), majors.reshape(14, 14), flat[np.ix_(first, second)])


def _classes(rows: Bools) -> tuple[Ints, Ints]:
    """Equal rows get one number, empty ones -1; also a member of each class."""
    number = np.full(len(rows), -1, dtype=np.int64)
    some = np.flatnonzero(rows.any(1))
    _, member, number[some] = np.unique(rows[some], axis=0, return_index=True, return_inverse=True)
    return number, some[member]
