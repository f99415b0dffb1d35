"""What an observer has seen: frozen records, one for each kind of evidence.

*Hard* evidence says which layouts are possible: a hand laid open, a card played, a void, a suit length, high-card
points, cards held or not held. *Soft* evidence is a call: it makes layouts more or less likely, by a
:class:`BidderModel`. Every piece speaks of the original 13 cards of a seat. Seats, suits, cards and calls are taken
as text or as values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import index
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bayesbridge.auction import Auction, Call, Contract
from bayesbridge.cards import Card, Hand, Suit
from bayesbridge.deal import Seat
from bayesbridge.errors import DealError, NotationError
from bayesbridge.tricks import Trick


@runtime_checkable
class BidderModel(Protocol):
    """How a player calls: the likelihood that turns a call into evidence."""

    def log_likelihood(self, hands: NDArray[np.uint64], auction: Auction, index: int) -> NDArray[np.float64]:
        """log P(call number ``index`` of the auction ∣ hand, calls before it) for (n,) masks of the caller's hand."""
        ...


@runtime_checkable
class PlayerModel(Protocol):
    """How a player chooses cards: the likelihood that makes the choice of a card evidence, beyond what it shows."""

    def log_likelihood(
        self,
        hands: NDArray[np.uint64],
        contract: Contract,
        plays: Sequence[tuple[Seat, Card]],
        seat: Seat,
        auction: Auction | None = None,
    ) -> NDArray[np.float64]:
        """Σ log P(card ∣ hand, what was seen before it) over the cards of a seat, for (n,) masks of its 13 cards."""
        ...


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Reveal:
    """A whole hand is seen, such as dummy's.

    >>> Reveal("n", "J54.AQ2.KQ32.A54")
    Reveal('N', 'J54.AQ2.KQ32.A54')
    """

    seat: Seat
    hand: Hand

    def __init__(self, seat: Seat | str, hand: Hand | str) -> None:
        _set(self, seat=Seat.of(seat))
        _set(self, hand=Hand.of(hand).verify_full(f"{self.seat.name}'s hand"))

    def __str__(self) -> str:
        return f"{self.seat.name} shows {self.hand.pbn}"

    def __repr__(self) -> str:
        return f"Reveal({self.seat.name!r}, {self.hand.pbn!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Play:
    """A card is played; plays in order form tricks, and a seat that does not follow suit shows a void.

    >>> Play("w", "s5")
    Play('W', 'S5')
    """

    seat: Seat
    card: Card

    def __init__(self, seat: Seat | str, card: Card | str) -> None:
        _set(self, seat=Seat.of(seat), card=Card.of(card))

    def __str__(self) -> str:
        return f"{self.seat.name} plays {self.card}"

    def __repr__(self) -> str:
        return f"Play({self.seat.name!r}, {str(self.card)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Void:
    """A seat has no card of a suit, but for those it played before.

    >>> str(Void("E", "H"))
    'E is void in H'
    """

    seat: Seat
    suit: Suit

    def __init__(self, seat: Seat | str, suit: Suit | str) -> None:
        _set(self, seat=Seat.of(seat), suit=Suit.of(suit))

    def __str__(self) -> str:
        return f"{self.seat.name} is void in {self.suit.name}"

    def __repr__(self) -> str:
        return f"Void({self.seat.name!r}, {self.suit.name!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Length:
    """A seat was dealt from ``low`` to ``high`` cards of a suit.

    >>> Length("W", "S", 5)
    Length('W', 'S', 5, 13)
    """

    seat: Seat
    suit: Suit
    low: int
    high: int

    def __init__(self, seat: Seat | str, suit: Suit | str, low: int, high: int = 13) -> None:
        _set(self, seat=Seat.of(seat), suit=Suit.of(suit))
        shortest, longest = _range_within(f"{self.seat.name}'s length in {self.suit.name}", low, high, 13)
        _set(self, low=shortest, high=longest)

    def __str__(self) -> str:
        return f"{self.seat.name} has {_range(self.low, self.high)} cards in {self.suit.name}"

    def __repr__(self) -> str:
        return f"Length({self.seat.name!r}, {self.suit.name!r}, {self.low}, {self.high})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class HighCards:
    """A seat was dealt from ``low`` to ``high`` high-card points (A 4, K 3, Q 2, J 1).

    >>> str(HighCards("W", 12, 14))
    'W has 12 to 14 high-card points'
    """

    seat: Seat
    low: int
    high: int

    def __init__(self, seat: Seat | str, low: int, high: int = 40) -> None:
        _set(self, seat=Seat.of(seat))
        fewest, most = _range_within(f"{self.seat.name}'s high-card points", low, high, 40)
        _set(self, low=fewest, high=most)

    def __str__(self) -> str:
        return f"{self.seat.name} has {_range(self.low, self.high)} high-card points"

    def __repr__(self) -> str:
        return f"HighCards({self.seat.name!r}, {self.low}, {self.high})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Holds:
    """A seat was dealt these cards, among others.

    >>> Holds("E", "SA SK")
    Holds('E', 'SA SK')
    """

    seat: Seat
    cards: Hand

    def __init__(self, seat: Seat | str, cards: Hand | Card | str | Iterable[Card | str]) -> None:
        _set(self, seat=Seat.of(seat), cards=_some_cards(cards))
        if len(self.cards) > 13:
            raise DealError(
                f"{self.seat.name} holds {len(self.cards)} cards, {_names(self.cards)}: a hand has 13", cards=self.cards
            )

    def __str__(self) -> str:
        return f"{self.seat.name} holds {_names(self.cards)}"

    def __repr__(self) -> str:
        return f"Holds({self.seat.name!r}, {_names(self.cards)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Lacks:
    """A seat was dealt none of these cards.

    >>> Lacks("E", ["SA", "HK"])
    Lacks('E', 'SA HK')
    """

    seat: Seat
    cards: Hand

    def __init__(self, seat: Seat | str, cards: Hand | Card | str | Iterable[Card | str]) -> None:
        _set(self, seat=Seat.of(seat), cards=_some_cards(cards))

    def __str__(self) -> str:
        return f"{self.seat.name} lacks {_names(self.cards)}"

    def __repr__(self) -> str:
        return f"Lacks({self.seat.name!r}, {_names(self.cards)!r})"


@dataclass(frozen=True, slots=True, init=False, repr=False)
class Called:
    """A seat made a call; calls in order form the auction, and players left out between two calls have passed.

    >>> Called("W", "1n")
    Called('W', '1NT')
    """

    seat: Seat
    call: Call

    def __init__(self, seat: Seat | str, call: Call | str) -> None:
        _set(self, seat=Seat.of(seat), call=Call.of(call))

    def __str__(self) -> str:
        return f"{self.seat.name} calls {self.call}"

    def __repr__(self) -> str:
        return f"Called({self.seat.name!r}, {str(self.call)!r})"


type Evidence = Reveal | Play | Void | Length | HighCards | Holds | Lacks | Called
"""One piece of evidence."""


def pieces(*given: Evidence | Trick | Auction) -> tuple[Evidence, ...]:
    """Single pieces in order; a trick becomes its plays, an auction its calls.

    >>> pieces(Trick.of("W:S5 SK"), Auction.of("S:1NT Pass", dummy="N"))
    (Play('W', 'S5'), Play('N', 'SK'), Called('S', '1NT'), Called('W', 'Pass'))
    """
    single: list[Evidence] = []
    for piece in given:
        if isinstance(piece, Trick):
            single += [Play(seat, card) for seat, card in piece]
        elif isinstance(piece, Auction):
            single += [Called(seat, call) for seat, call in piece]
        elif isinstance(piece, Reveal | Play | Void | Length | HighCards | Holds | Lacks | Called):
            single.append(piece)
        else:
            raise NotationError(
                f"{piece!r} is no evidence: give Reveal, Play, Void, Length, HighCards, Holds, Lacks, Called, "
                "a Trick or an Auction",
                text=piece,
            )
    return tuple(single)


def _set(piece: Evidence, **values: object) -> None:
    for name, value in values.items():
        object.__setattr__(piece, name, value)


def _range_within(what: str, low: int, high: int, most: int) -> tuple[int, int]:
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


def _some_cards(cards: Hand | Card | str | Iterable[Card | str]) -> Hand:
    found = Hand.of(cards)
    if not len(found):
        raise DealError(f"no card named in {cards!r}: name at least one, such as SA", cards=cards)
    return found


def _names(cards: Hand) -> str:
    return " ".join(map(str, cards))


def _range(low: int, high: int) -> str:
    return str(low) if low == high else f"{low} to {high}"
