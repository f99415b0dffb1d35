"""The shape of a hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, override

from bayesbridge.deal import Seat
from bayesbridge.evidence.piece import Piece
from bayesbridge.shapes import normal_text, read_shapes

if TYPE_CHECKING:
    from bayesbridge.constraints import Constraints


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Shape(Piece):
    """A seat was dealt a hand of a shape: ``balanced``, ``5-4-2-2`` in any order, ``any 5-5``, ``S5+ H4-5``.

    The module ``bayesbridge.shapes`` says what each text means.

    >>> Shape("S", "s5+ h4-5")
    Shape('S', 'S5+ H4-5')
    >>> str(Shape("W", "balanced"))
    'W has the shape balanced'
    """

    seat: Seat
    shape: str

    option: ClassVar[str] = "shape"
    example: ClassVar[str] = "W:balanced"
    parts: ClassVar[str] = "seat and shape"
    help: ClassVar[str] = "a seat was dealt a shape: balanced, 5-4-2-2 (any order), 'any 5-5', 'S5+ H4-5'"

    def __init__(self, seat: Seat | str, shape: str) -> None:
        self._set(seat=Seat.of(seat))
        read_shapes(str(shape))
        self._set(shape=normal_text(str(shape)))

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The suit lengths are those of the shape."""
        return known.shape(self.seat, read_shapes(self.shape))

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1])

    def _said(self) -> str:
        return self.shape

    def __str__(self) -> str:
        return f"{self.seat.name} has the shape {self.shape}"

    def __repr__(self) -> str:
        return f"Shape({self.seat.name!r}, {self.shape!r})"
