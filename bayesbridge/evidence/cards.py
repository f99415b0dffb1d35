"""Cards that a seat shows, holds or does not hold."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, override

from bayesbridge.cards import Card, Hand
from bayesbridge.deal import Seat
from bayesbridge.errors import DealError
from bayesbridge.evidence.piece import Piece

if TYPE_CHECKING:
    from bayesbridge.constraints import Constraints


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Reveal(Piece):
    """A whole hand is seen, such as dummy's.

    >>> Reveal("n", "J54.AQ2.KQ32.A54")
    Reveal('N', 'J54.AQ2.KQ32.A54')
    """

    seat: Seat
    hand: Hand

    option: ClassVar[str] = "reveal"
    example: ClassVar[str] = "N:J54.AQ2.KQ32.A54"
    parts: ClassVar[str] = "seat and hand"
    help: ClassVar[str] = "a seat shows its 13 cards, as an open dummy does"

    def __init__(self, seat: Seat | str, hand: Hand | str) -> None:
        self._set(seat=Seat.of(seat))
        self._set(hand=Hand.of(hand).verify_full(f"{self.seat.name}'s hand"))

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The seat holds these cards."""
        return known.hold(self.seat, self.hand.mask)

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1])

    def _said(self) -> str:
        return self.hand.pbn

    def __str__(self) -> str:
        return f"{self.seat.name} shows {self.hand.pbn}"

    def __repr__(self) -> str:
        return f"Reveal({self.seat.name!r}, {self.hand.pbn!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _Some(Piece):
    """Some cards of a seat."""

    seat: Seat
    cards: Hand

    parts: ClassVar[str] = "seat and cards"
    verb: ClassVar[str]

    def __init__(self, seat: Seat | str, cards: Hand | Card | str | Iterable[Card | str]) -> None:
        self._set(seat=Seat.of(seat), cards=Hand.of(cards))
        if not len(self.cards):
            raise DealError(f"no card named in {cards!r}: name at least one, such as SA", cards=cards)

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1])

    def _said(self) -> str:
        return ",".join(map(str, self.cards))

    def __str__(self) -> str:
        return f"{self.seat.name} {self.verb} {' '.join(map(str, self.cards))}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.seat.name!r}, {' '.join(map(str, self.cards))!r})"


class Holds(_Some):
    """A seat was dealt these cards, among others.

    >>> Holds("E", "SA SK")
    Holds('E', 'SA SK')
    """

    __slots__ = ()

    option: ClassVar[str] = "holds"
    example: ClassVar[str] = "E:SA,SK"
    help: ClassVar[str] = "a seat was dealt a card, or several: E:SA,HK"
    verb: ClassVar[str] = "holds"

    def __init__(self, seat: Seat | str, cards: Hand | Card | str | Iterable[Card | str]) -> None:
        super().__init__(seat, cards)
        if len(self.cards) > 13:
            names = " ".join(map(str, self.cards))
            raise DealError(f"{self.seat.name} holds {len(self.cards)} cards, {names}: a hand has 13", cards=self.cards)

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The seat holds these cards."""
        return known.hold(self.seat, self.cards.mask)


class Lacks(_Some):
    """A seat was dealt none of these cards.

    >>> Lacks("E", ["SA", "HK"])
    Lacks('E', 'SA HK')
    """

    __slots__ = ()

    option: ClassVar[str] = "lacks"
    example: ClassVar[str] = "E:SA,SK"
    help: ClassVar[str] = "a seat was dealt none of these cards"
    verb: ClassVar[str] = "lacks"

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The seat does not hold these cards."""
        return known.lack(self.seat, self.cards.mask)
