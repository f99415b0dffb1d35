"""Numbers of a hand that lie in a range: the length of a suit, high-card points."""

from __future__ import annotations

from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, ClassVar, Self, override

from bayesbridge.cards import Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import NotationError
from bayesbridge.evidence.piece import Piece

if TYPE_CHECKING:
    from bayesbridge.constraints import Constraints


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Length(Piece):
    """A seat was dealt from ``low`` to ``high`` cards of a suit.

    >>> Length("W", "S", 5)
    Length('W', 'S', 5, 13)
    >>> Length.of("W:S:5+").text
    'W:S:5+'
    """

    seat: Seat
    suit: Suit
    low: int
    high: int

    option: ClassVar[str] = "length"
    example: ClassVar[str] = "W:S:5-13"
    parts: ClassVar[str] = "seat, suit and length"
    help: ClassVar[str] = "a seat was dealt so many cards of a suit; also 5, 5+ (5 or more) and -3 (3 or fewer)"

    def __init__(self, seat: Seat | str, suit: Suit | str, low: int, high: int = 13) -> None:
        self._set(seat=Seat.of(seat), suit=Suit.of(suit))
        shortest, longest = _verified(f"{self.seat.name}'s length in {self.suit.name}", low, high, 13)
        self._set(low=shortest, high=longest)

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The length lies in the range."""
        return known.length(self.seat, self.suit, self.low, self.high)

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1], *_bounds(parts[2], 13))

    def _said(self) -> str:
        return f"{self.suit.name}:{_range_text(self.low, self.high, 13)}"

    def __str__(self) -> str:
        return f"{self.seat.name} has {_words(self.low, self.high)} cards in {self.suit.name}"

    def __repr__(self) -> str:
        return f"Length({self.seat.name!r}, {self.suit.name!r}, {self.low}, {self.high})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class HighCards(Piece):
    """A seat was dealt from ``low`` to ``high`` high-card points (A 4, K 3, Q 2, J 1).

    >>> str(HighCards("W", 12, 14)), HighCards("W", 12, 14).text
    ('W has 12 to 14 high-card points', 'W:12-14')
    """

    seat: Seat
    low: int
    high: int

    option: ClassVar[str] = "hcp"
    example: ClassVar[str] = "W:12-14"
    parts: ClassVar[str] = "seat and points"
    help: ClassVar[str] = "a seat was dealt so many high-card points; also 12, 12+ (12 or more) and -14 (14 or fewer)"

    def __init__(self, seat: Seat | str, low: int, high: int = 40) -> None:
        self._set(seat=Seat.of(seat))
        fewest, most = _verified(f"{self.seat.name}'s high-card points", low, high, 40)
        self._set(low=fewest, high=most)

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The points lie in the range."""
        return known.points(self.seat, self.low, self.high)

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], *_bounds(parts[1], 40))

    def _said(self) -> str:
        return _range_text(self.low, self.high, 40)

    def __str__(self) -> str:
        return f"{self.seat.name} has {_words(self.low, self.high)} high-card points"

    def __repr__(self) -> str:
        return f"HighCards({self.seat.name!r}, {self.low}, {self.high})"


def _verified(what: str, low: int, high: int, most: int) -> tuple[int, int]:
    try:
        first, last = index(low), index(high)
    except TypeError:
        raise NotationError(f"{what} from {low!r} to {high!r}: give whole numbers", low=low, high=high) from None
    if min(first, last) < 0 or max(first, last) > most:
        raise NotationError(f"{what} from {first} to {last}: it lies between 0 and {most}", low=first, high=last)
    if first > last:
        raise NotationError(
            f"{what} from {first} to {last}: the range is turned round, write {last} to {first}", low=first, high=last
        )
    return first, last


def _bounds(text: str, most: int) -> tuple[int, int]:
    """Lowest and highest of ``5-13``, ``5``, ``5+`` or ``-3``."""
    low, dash, high = (part.strip() for part in text.removesuffix("+").partition("-"))
    words = [word for word in (low, high) if word]
    if not words or not all(word.isascii() and word.isdigit() and len(word) < 3 for word in words):
        raise NotationError(f"{text!r} is no range: write 5-{most}, 5, 5+ or -5", text=text)
    if text.endswith("+") and dash:
        raise NotationError(f"{text!r} is no range: write {low}+ or {low}-{most}, not both", text=text)
    if dash and not high:
        raise NotationError(
            f"{text!r} is no range: write {low}+ for {low} or more, -{low} for {low} or fewer", text=text
        )
    return int(low or 0), most if text.endswith("+") else int(words[-1])


def _range_text(low: int, high: int, most: int) -> str:
    """The shortest text that :func:`_bounds` reads as this range."""
    if low == high:
        return str(low)
    return f"{low}+" if high == most else f"-{high}" if low == 0 else f"{low}-{high}"


def _words(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
