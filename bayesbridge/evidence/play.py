"""Cards played, and suits that a seat has no more cards of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, Self, override

from bayesbridge.cards import SUIT_MASK, Card, Suit
from bayesbridge.deal import Seat
from bayesbridge.evidence.piece import Piece

if TYPE_CHECKING:
    from bayesbridge.constraints import Constraints


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Play(Piece):
    """A card is played; plays in order form tricks, and a seat that does not follow suit shows a void.

    Which card a player chose weighs layouts too, where the belief has a :class:`PlayerModel`.

    >>> Play("w", "s5")
    Play('W', 'S5')
    """

    seat: Seat
    card: Card

    option: ClassVar[str] = "play"
    example: ClassVar[str] = "E:HK"
    parts: ClassVar[str] = "seat and card"
    help: ClassVar[str] = "a seat plays a card; give all cards in the order of play, voids follow from them"
    weighs: ClassVar[bool] = True

    def __init__(self, seat: Seat | str, card: Card | str) -> None:
        self._set(seat=Seat.of(seat), card=Card.of(card))

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The seat held the card; that it could not follow suit is told by the trick."""
        return known.hold(self.seat, self.card.mask)

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1])

    def _said(self) -> str:
        return str(self.card)

    def __str__(self) -> str:
        return f"{self.seat.name} plays {self.card}"

    def __repr__(self) -> str:
        return f"Play({self.seat.name!r}, {str(self.card)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Void(Piece):
    """A seat has no card of a suit, but for those it played before.

    >>> str(Void("E", "H"))
    'E is void in H'
    """

    seat: Seat
    suit: Suit

    option: ClassVar[str] = "void"
    example: ClassVar[str] = "E:H"
    parts: ClassVar[str] = "seat and suit"
    help: ClassVar[str] = "a seat has no more cards of a suit than it has played before"

    def __init__(self, seat: Seat | str, suit: Suit | str) -> None:
        self._set(seat=Seat.of(seat), suit=Suit.of(suit))

    @override
    def constrain(self, known: Constraints, played: int) -> Constraints:
        """The seat holds no card of the suit that it had not played."""
        return known.lack(self.seat, SUIT_MASK << (13 * self.suit) & ~played)

    @classmethod
    def _read(cls, *parts: str) -> Self:
        return cls(parts[0], parts[1])

    def _said(self) -> str:
        return self.suit.name

    def __str__(self) -> str:
        return f"{self.seat.name} is void in {self.suit.name}"

    def __repr__(self) -> str:
        return f"Void({self.seat.name!r}, {self.suit.name!r})"
