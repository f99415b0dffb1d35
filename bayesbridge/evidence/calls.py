"""Calls of the auction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, override

from bayesbridge.calls import Call
from bayesbridge.deal import Seat
from bayesbridge.evidence.piece import Piece

if TYPE_CHECKING:
    from bayesbridge.constraints import Constraints


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Called(Piece):
    """A seat made a call; calls in order form the auction, and players left out between two calls have passed.

    >>> Called("W", "1n")
    Called('W', '1NT')
    """

    seat: Seat
    call: Call

    option: ClassVar[str] = "call"
    example: ClassVar[str] = "W:1NT"
    parts: ClassVar[str] = "seat and call"
    help: ClassVar[str] = "a seat bids or passes; give calls in order, seats left out between have passed"
    excludes: ClassVar[bool] = False
    weighs: ClassVar[bool] = True

    def __init__(self, seat: Seat | str, call: Call | str) -> None:
        self._set(seat=Seat.of(seat), call=Call.of(call))

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """A call excludes nothing."""
        return known

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1])

    def _said(self) -> str:
        return str(self.call)

    def __str__(self) -> str:
        return f"{self.seat.name} calls {self.call}"

    def __repr__(self) -> str:
        return f"Called({self.seat.name!r}, {str(self.call)!r})"
