"""Seats, numbered clockwise as the columns of layouts are, N E S W = 0 1 2 3; and
deals: four disjoint hands of 13.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from bayesbridge.display import markup
from bayesbridge.display.words import SEATS
from bayesbridge.errors import DealError, NotationError, did_you_mean
from bayesbridge.game.cards import DECK_MASK, Card, Hand, Suit


class Seat(IntEnum):
    """A place at the table, clockwise from North.

    >>> Seat.S.next(), Seat.S.partner
    (<Seat.W: 3>, <Seat.N: 0>)
    """

    N = 0
    E = 1
    S = 2
    W = 3

    @classmethod
    def of(cls, value: Seat | str) -> Seat:
        """Read a seat letter or name, or pass a seat through."""
        if isinstance(value, Seat):
            return value
        word = str(value).strip().upper()
        for seat in cls:
            if word in (seat.name, SEATS[seat.name].upper()):
                return seat
        hint = did_you_mean(str(value), SEATS.values())
        raise NotationError(
            f"unknown seat {value!r}: {hint}write N, E, S or W", text=value
        )

    def next(self, steps: int = 1) -> Seat:
        """The seat ``steps`` places clockwise."""
        return Seat((self + steps) % 4)

    @property
    def partner(self) -> Seat:
        """The seat opposite."""
        return self.next(2)


@dataclass(frozen=True, slots=True)
class Deal:
    """Four hands of 13 that share no card, in the order N E S W.

    >>> deal = Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -")
    >>> deal["W"], deal.holder("SA").name
    (Hand.from_pbn('T74.AQ876.632.76'), 'N')
    """

    hands: tuple[Hand, Hand, Hand, Hand]

    def __post_init__(self) -> None:
        verify_hands(dict(zip(Seat, self.hands, strict=True)))

    @classmethod
    def of(cls, value: Deal | str | Mapping[Seat | str, Hand | str]) -> Deal:
        """Read a deal from PBN text or from a mapping seat → hand; a fourth hand gets
        the cards that are left.
        """
        if isinstance(value, Deal):
            return value
        if isinstance(value, str):
            hands = pbn_hands(value)
        else:
            hands = {Seat.of(seat): Hand.of(hand) for seat, hand in value.items()}
        # Before the fourth hand is filled in: with a card in two of three hands it would get 14 and take the blame.
        used = verify_hands(hands)
        missing = [seat for seat in Seat if seat not in hands]
        if len(missing) > 1:
            names = " and ".join(seat.name for seat in missing)
            raise DealError(
                f"no cards for {names}: a deal needs at least three hands",
                missing=tuple(missing),
            )
        for seat in missing:
            hands[seat] = Hand(DECK_MASK & ~used)
        return cls((hands[Seat.N], hands[Seat.E], hands[Seat.S], hands[Seat.W]))

    @classmethod
    def from_pbn(cls, text: str) -> Deal:
        """Read ``N:hand hand hand hand``, clockwise from the seat named first; ``-``
        for one hand left out.
        """
        return cls.of(text)

    @property
    def pbn(self) -> str:
        """The deal in PBN, from North."""
        return "N:" + " ".join(hand.pbn for hand in self.hands)

    def holder(self, card: Card | str) -> Seat:
        """The seat that was dealt a card."""
        wanted = Card.of(card)
        return next(seat for seat in Seat if wanted in self.hands[seat])

    def __getitem__(self, seat: Seat | str) -> Hand:
        return self.hands[Seat.of(seat)]

    def __iter__(self) -> Iterator[Hand]:
        return iter(self.hands)

    def __str__(self) -> str:
        return self.pbn

    def __repr__(self) -> str:
        return f"Deal.from_pbn({self.pbn!r})"

    def _repr_html_(self) -> str:
        masks = [hand.mask for hand in self.hands]
        return markup.piece(around_table(masks, masks))


def around_table(
    must: Sequence[int],
    may: Sequence[int],
    roles: Mapping[str, str] | None = None,
    middle: str = "",
    lengths: Sequence[Sequence[float]] | None = None,
    points: Sequence[float] | None = None,
) -> str:
    """HTML of the hands around a compass: masks of what each seat must and may hold,
    and what is to be expected.
    """
    shown = {}
    for seat in Seat:
        sure, possible = Hand(must[seat]), Hand(may[seat])
        hidden = 13 - len(sure)
        more = {}
        for suit in Suit:
            if hidden and possible.field(suit) & ~sure.field(suit):
                more[suit.name] = (
                    "…" if lengths is None else f"… ≈ {lengths[seat][suit]:.1f}"
                )
        foot = f"{sure.points} points"
        if hidden:
            foot = f"{'' if points is None else f'≈ {points[seat]:.1f} points, '}{hidden} hidden"
        role = (roles or {}).get(seat.name)
        head = f"{SEATS[seat.name]}{f', {role}' if role else ''}"
        shown[seat.name] = markup.hand(sure.pbn, head, foot, more)
    return markup.compass(shown, middle)


def verify_hands(hands: Mapping[Seat, Hand], *, full: bool = True) -> int:
    """The mask of all cards in the hands, which must be disjoint and as a rule
    ``full``.
    """
    used = 0
    for seat, hand in hands.items():
        if full:
            hand.verify_full(f"{seat.name}'s hand")
        if used & hand.mask:
            card = next(iter(Hand(used & hand.mask)))
            other = next(s for s in hands if card in hands[s])
            raise DealError(
                f"{card} lies in both {other.name} and {seat.name}: a card has one place",
                card=card,
            )
        used |= hand.mask
    return used


def pbn_hands(text: str) -> dict[Seat, Hand]:
    """The hands of a PBN deal, without those that are not known (``-``)."""
    first, colon, rest = text.strip().partition(":")
    fields = rest.split()
    if not colon or len(fields) != 4:
        raise NotationError(
            f"deal {text!r} has {len(fields)} hands: write N:hand hand hand hand, '-' for an unknown one",
            text=text,
        )
    start = Seat.of(first)
    return {
        start.next(i): Hand.from_pbn(field)
        for i, field in enumerate(fields)
        if field != "-"
    }
