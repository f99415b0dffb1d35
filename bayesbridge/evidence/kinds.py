"""The kinds of evidence; a new kind is its class and a line in ``KINDS``."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import index
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from bayesbridge.errors import DealError, NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import SUIT_MASK, Card, Hand, Suit
from bayesbridge.game.deal import Seat
from bayesbridge.game.shapes import normal_text, read_shapes
from bayesbridge.game.tricks import Trick

if TYPE_CHECKING:
    from bayesbridge.evidence.constraints import Constraints
    from bayesbridge.evidence.expressions import Expression


class Piece(ABC):
    """One piece of evidence about one seat; its subclasses are frozen dataclasses.

    ``of(text)`` and ``text`` are a pair: what one writes the other reads, at the
    command line, in position files and in the lines of a report. ``str`` gives a
    sentence, ``repr`` Python that can be pasted.
    """

    __slots__ = ()

    seat: Seat

    option: ClassVar[str]
    """The name of the option at the command line and of the key in a position file."""
    example: ClassVar[str]
    """The text of an example; its colons say how many parts a text has."""
    help: ClassVar[str]
    """What the piece says, in words that follow the name of the option."""
    verb: ClassVar[str]
    """What stands between the seat and the text in a sentence, and for the kind in a
    list.
    """
    excludes: ClassVar[bool] = True
    """Whether it excludes layouts."""

    @classmethod
    def of(cls, text: str) -> Self:
        """Read a piece from its text, such as ``W:1NT``.

        The seat stands before the first colon.
        """
        colons = cls.example.count(":")
        parts = [part.strip() for part in text.split(":", colons)]
        if len(parts) <= colons or not all(parts):
            raise NotationError(
                f"{text!r} is no {cls.option}: write it such as {cls.example}",
                text=text,
            )
        return cls._read(*parts)

    @property
    def text(self) -> str:
        """What ``of`` reads."""
        return f"{self.seat.name}:{self._seatless_text()}"

    @abstractmethod
    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece.

        Parameters
        ----------
        constraints : Constraints
            What is certain without the piece.

        Returns
        -------
        Constraints
        """

    @classmethod
    def _read(cls, *parts: str) -> Self:
        """The piece of the parts of a text."""
        return cast(Self, cast(Any, cls)(*parts))

    def _seatless_text(self) -> str:
        """The text without the seat."""
        value = getattr(self, fields(cast(Any, self))[-1].name)
        return str(getattr(value, "name", value))

    def __str__(self) -> str:
        return f"{self.seat.name} {self.verb} {self._seatless_text().replace(',', ' ')}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.seat.name!r}, {self._seatless_text()!r})"

    def _set(self, **values: object) -> None:
        """Fill the fields of a frozen piece that is being made."""
        for name, value in values.items():
            object.__setattr__(self, name, value)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Reveal(Piece):
    """A whole hand is seen, such as dummy's.

    Parameters
    ----------
    seat : Seat or str
        Who shows the hand.
    hand : Hand or str
        Its 13 cards; text as ``AKQ2.KJ3.A54.Q32``.

    Raises
    ------
    DealError
        If it has not 13 cards.

    Examples
    --------
    >>> Reveal("n", "J54.AQ2.KQ32.A54")
    Reveal('N', 'J54.AQ2.KQ32.A54')
    """

    seat: Seat
    hand: Hand

    option = "reveal"
    example = "N:J54.AQ2.KQ32.A54"
    help = "a seat shows its 13 cards, as an open dummy does"
    verb = "shows"

    def __init__(self, seat: Seat | str, hand: Hand | str) -> None:
        self._set(seat=Seat.of(seat))
        self._set(hand=Hand.of(hand).verify_full(f"{self.seat.name}'s hand"))

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.hold(self.seat, self.hand.mask)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class _Cards(Piece):
    """Some cards of a seat."""

    seat: Seat
    cards: Hand

    def __init__(
        self, seat: Seat | str, cards: Hand | Card | str | Iterable[Card | str]
    ) -> None:
        self._set(seat=Seat.of(seat), cards=Hand.of(cards))
        if not len(self.cards):
            raise DealError(
                f"no card named in {cards!r}: name at least one, such as SA",
                cards=cards,
            )

    def _seatless_text(self) -> str:
        return ",".join(map(str, self.cards))


class Holds(_Cards):
    """A seat was dealt these cards, among others.

    Parameters
    ----------
    seat : Seat or str
        Who was dealt them.
    cards : Hand, Card, str or iterable of these
        One card at least, such as ``"SA SK"``.

    Raises
    ------
    DealError
        If no card is named.

    Examples
    --------
    >>> Holds("E", "SA SK")
    Holds('E', 'SA,SK')
    """

    __slots__ = ()

    option = "holds"
    example = "E:SA,SK"
    help = "a seat was dealt a card, or several: E:SA,HK"
    verb = "holds"

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.hold(self.seat, self.cards.mask)


class Lacks(_Cards):
    """A seat was dealt none of these cards.

    Parameters
    ----------
    seat : Seat or str
        Who was not dealt them.
    cards : Hand, Card, str or iterable of these
        One card at least, such as ``"SA SK"``.

    Raises
    ------
    DealError
        If no card is named.

    Examples
    --------
    >>> Lacks("E", ["SA", "HK"])
    Lacks('E', 'SA,HK')
    """

    __slots__ = ()

    option = "lacks"
    example = "E:SA,SK"
    help = "a seat was dealt none of these cards"
    verb = "lacks"

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.lack(self.seat, self.cards.mask)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Play(Piece):
    """A card is played.

    Plays in order form tricks, and a seat that does not follow suit shows a void.

    Which card a player chose weighs layouts too, where the belief has a
    :class:`PlayerModel`.

    Parameters
    ----------
    seat : Seat or str
        Who plays it.
    card : Card or str
        Such as ``"S5"``.

    Examples
    --------
    >>> Play("w", "s5")
    Play('W', 'S5')
    """

    seat: Seat
    card: Card

    option = "play"
    example = "E:HK"
    help = "a seat plays a card; give all cards in the order of play, voids follow from them"
    verb = "plays"

    def __init__(self, seat: Seat | str, card: Card | str) -> None:
        self._set(seat=Seat.of(seat), card=Card.of(card))

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.hold(self.seat, self.card.mask)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Void(Piece):
    """A seat has no card of a suit, but for those it played before.

    Parameters
    ----------
    seat : Seat or str
        Who shows out.
    suit : Suit or str
        The suit that it has no more of.

    Examples
    --------
    >>> str(Void("E", "H"))
    'E is void in H'
    """

    seat: Seat
    suit: Suit

    option = "void"
    example = "E:H"
    help = "a seat has no more cards of a suit than it has played before"
    verb = "is void in"

    def __init__(self, seat: Seat | str, suit: Suit | str) -> None:
        self._set(seat=Seat.of(seat), suit=Suit.of(suit))

    def constrain(self, constraints: Constraints, played: int = 0) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece.

        ``played`` are the cards that its seat had played before (a mask).
        """
        return constraints.lack(self.seat, SUIT_MASK << (13 * self.suit) & ~played)


_RANGE: Final = re.compile(r"(\d{0,2})\s*([-+]?)\s*(\d{0,2})", re.ASCII)


class _Range(Piece):
    """Something of a seat lies from ``low`` to ``high``."""

    __slots__ = ()

    low: int
    high: int

    most: ClassVar[int]
    unit: ClassVar[str]
    """What stands after the range in a sentence."""

    def _set_range(self, quantity: str, low: int, high: int) -> None:
        try:
            ends = (index(low), index(high))
        except TypeError:
            ends = (-1, -1)  # no whole numbers: refused below like those out of range
        if not 0 <= ends[0] <= ends[1] <= self.most:
            raise NotationError(
                f"{quantity} from {low!r} to {high!r}: give whole numbers between 0 "
                f"and {self.most}, the lower first",
                low=low,
                high=high,
            )
        self._set(low=ends[0], high=ends[1])

    @classmethod
    def _read(cls, *parts: str) -> Self:
        """The last part is a range: ``5-13``, ``5``, ``5+`` or ``-3``."""
        *parts_before, text = parts
        low, high = cls._ends(text)
        return cast(Self, cast(Any, cls)(*parts_before, low, high))

    @classmethod
    def _ends(cls, text: str) -> tuple[int, int]:
        """Both ends of the range that a text names."""
        match = _RANGE.fullmatch(text)
        low, sign, high = match.groups() if match else ("", "", "")
        if sign == "-" and high:
            return int(low or 0), int(high)
        if low and sign == "+" and not high:
            return int(low), cls.most
        if low and not sign and not high:
            return int(low), int(low)
        raise NotationError(
            f"{text!r} is no range: write 5-{cls.most}, 5, 5+ (5 or more) "
            "or -5 (5 or fewer)",
            text=text,
        )

    def _seatless_text(self) -> str:
        if self.low == self.high:
            return str(self.low)
        if self.high == self.most:
            return f"{self.low}+"
        if self.low == 0:
            return f"-{self.high}"
        return f"{self.low}-{self.high}"

    def __str__(self) -> str:
        seat, *suit = self.text.split(":")[:-1]
        amount = f"{self.low} to {self.high}"
        if self.low == self.high:
            amount = str(self.low)
        return " ".join([seat, "has", amount, self.unit, *suit])

    def __repr__(self) -> str:
        names = map(repr, self.text.split(":")[:-1])
        arguments = ", ".join([*names, str(self.low), str(self.high)])
        return f"{type(self).__name__}({arguments})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Length(_Range):
    """A seat was dealt from ``low`` to ``high`` cards of a suit.

    Parameters
    ----------
    seat : Seat or str
        Whose length it is.
    suit : Suit or str
        The suit.
    low, high : int
        Fewest and most cards, both included, from 0 to 13.

    Raises
    ------
    NotationError
        If these are no range.

    Examples
    --------
    >>> Length("W", "S", 5)
    Length('W', 'S', 5, 13)
    >>> Length.of("W:S:5+").text
    'W:S:5+'
    """

    seat: Seat
    suit: Suit
    low: int
    high: int

    most = 13
    unit = "cards in"
    option = "length"
    example = "W:S:5-13"
    help = "a seat was dealt so many cards of a suit; also 5, 5+ (5 or more) and -3 (3 or fewer)"
    verb = "has a length in"

    def __init__(
        self, seat: Seat | str, suit: Suit | str, low: int, high: int = 13
    ) -> None:
        self._set(seat=Seat.of(seat), suit=Suit.of(suit))
        self._set_range(f"{self.seat.name}'s length in {self.suit.name}", low, high)

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.length(self.seat, self.suit, self.low, self.high)

    def _seatless_text(self) -> str:
        return f"{self.suit.name}:{_Range._seatless_text(self)}"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class HighCards(_Range):
    """A seat was dealt from ``low`` to ``high`` high-card points (A 4, K 3, Q 2, J 1).

    Parameters
    ----------
    seat : Seat or str
        Whose points they are.
    low, high : int
        Fewest and most points, both included, from 0 to 40.

    Raises
    ------
    NotationError
        If these are no range.

    Examples
    --------
    >>> str(HighCards("W", 12, 14)), HighCards("W", 12, 14).text
    ('W has 12 to 14 high-card points', 'W:12-14')
    """

    seat: Seat
    low: int
    high: int

    most = 40
    unit = "high-card points"
    option = "hcp"
    example = "W:12-14"
    help = (
        "a seat was dealt so many high-card points; also 12, 12+ (12 or more) and -14 "
        "(14 or fewer)"
    )
    verb = "has points"

    def __init__(self, seat: Seat | str, low: int, high: int = 40) -> None:
        self._set(seat=Seat.of(seat))
        self._set_range(f"{self.seat.name}'s high-card points", low, high)

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.points(self.seat, self.low, self.high)


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Shape(Piece):
    """A seat was dealt a hand of a shape.

    A shape is ``balanced``, ``5-4-2-2`` in any order, ``any 5-5`` or ``S5+ H4-5``.

    Parameters
    ----------
    seat : Seat or str
        Whose shape it is.
    shape : str
        As above; several with ``or`` between them mean any one of them.

    Raises
    ------
    NotationError
        If no hand has the shape.

    Examples
    --------
    >>> Shape("S", "s5+ h4-5")
    Shape('S', 'S5+ H4-5')
    >>> str(Shape("W", "balanced"))
    'W has the shape balanced'
    """

    seat: Seat
    shape: str

    option = "shape"
    example = "W:balanced"
    help = (
        "a seat was dealt a shape: balanced, 5-4-2-2 (any order), 'any 5-5', 'S5+ H4-5'"
    )
    verb = "has the shape"

    def __init__(self, seat: Seat | str, shape: str) -> None:
        read_shapes(str(shape))
        self._set(seat=Seat.of(seat), shape=normal_text(str(shape)))

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.shape(self.seat, read_shapes(self.shape))


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Called(Piece):
    """A seat made a call.

    Calls in order form the auction, and players left out between two calls have passed.

    Parameters
    ----------
    seat : Seat or str
        Who calls.
    call : Call or str
        Such as ``"1NT"``, ``"pass"`` or ``"X"``.

    Examples
    --------
    >>> Called("W", "1n")
    Called('W', '1NT')
    """

    seat: Seat
    call: Call

    option = "call"
    example = "W:1NT"
    help = (
        "a seat bids or passes; give calls in order, seats left out between have passed"
    )
    verb = "calls"
    excludes = False

    def __init__(self, seat: Seat | str, call: Call | str) -> None:
        self._set(seat=Seat.of(seat), call=Call.of(call))

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Condition(Piece):
    """A condition of the dealer language over any hands is true.

    Parameters
    ----------
    condition : str
        An expression that is not 0 in the deals that fit.

    Raises
    ------
    NotationError
        If it cannot be read, looks at no hand, or needs tricks or random numbers.

    Examples
    --------
    >>> Condition("hcp(north) + hcp(south) >= 25").text
    'hcp(north) + hcp(south) >= 25'
    """

    seat: Seat
    condition: str

    option = "where"
    example = "aces(north) >= 2"
    help = "a condition of the dealer language over any hands, as 'hcp(north) + hcp(south) >= 25'"
    verb = "a condition"

    def __init__(self, condition: str) -> None:
        from bayesbridge.evidence.expressions import opaque, seats_of

        self._set(condition=" ".join(str(condition).split()))
        if opaque(self.expression):
            raise NotationError(
                f"{self}: tricks and random numbers are no evidence: leave them out",
                text=condition,
            )
        seats = seats_of(self.expression)
        if not seats:
            raise NotationError(
                f"{self} looks at no hand: write it such as {self.example}",
                text=condition,
            )
        # Every piece has a seat; of several any would do.
        self._set(seat=Seat(min(seats)))

    @property
    def text(self) -> str:
        """What ``of`` reads."""
        return self.condition

    @property
    def expression(self) -> Expression:
        """The condition as a tree."""
        from bayesbridge.evidence.parser import parse_expression

        return parse_expression(self.condition)

    def constrain(self, constraints: Constraints) -> Constraints:
        """The constraints, narrowed to the layouts that fit the piece."""
        return constraints.where(self.expression)

    def __str__(self) -> str:
        return self.condition

    def __repr__(self) -> str:
        return f"Condition({self.condition!r})"


KINDS: Final[dict[str, type[Piece]]] = {
    kind.option: kind
    for kind in (
        Reveal,
        Play,
        Void,
        Length,
        Shape,
        HighCards,
        Holds,
        Lacks,
        Condition,
        Called,
    )
}
"""Every kind by the name of its option, in the order of the help text."""


def pieces(*evidence: Piece | Trick | Auction) -> tuple[Piece, ...]:
    """Single pieces in order; a trick becomes its plays, an auction its calls.

    >>> pieces(Trick.of("W:S5 SK"), Auction.of("S:1NT Pass", dummy="N"))
    (Play('W', 'S5'), Play('N', 'SK'), Called('S', '1NT'), Called('W', 'Pass'))
    """
    single: list[Piece] = []
    for piece in evidence:
        if isinstance(piece, Trick):
            single += [Play(seat, card) for seat, card in piece]
        elif isinstance(piece, Auction):
            single += [Called(seat, call) for seat, call in piece]
        elif isinstance(piece, Piece):
            single.append(piece)
        else:
            names = ", ".join(kind.__name__ for kind in KINDS.values())
            raise NotationError(
                f"{piece!r} is no evidence: give {names}, a Trick or an Auction",
                text=piece,
            )
    return tuple(single)
