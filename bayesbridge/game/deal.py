"""Seats, and deals: four disjoint hands of 13.

Seats are numbered clockwise as the columns of layouts are, N E S W = 0 1 2 3.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum

from bayesbridge.display import markup
from bayesbridge.display.words import SEATS
from bayesbridge.errors import DealError, NotationError, did_you_mean
from bayesbridge.game.cards import DECK_MASK, HAND_CARDS, Card, Hand, Suit


class Seat(IntEnum):
    """A place at the table, clockwise from North.

    Examples
    --------
    >>> Seat.S.next(), Seat.S.partner
    (<Seat.W: 3>, <Seat.N: 0>)
    """

    N = 0
    E = 1
    S = 2
    W = 3

    @classmethod
    def of(cls, value: Seat | str) -> Seat:
        """Read a seat letter or name, or pass a seat through.

        Parameters
        ----------
        value : Seat or str
            ``N``, ``north``, or a seat, which is returned as it is.

        Returns
        -------
        Seat

        Raises
        ------
        NotationError
            If the text is no seat.
        """
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
        """The seat ``steps`` places clockwise.

        Parameters
        ----------
        steps : int, default 1
            How many places; negative ones go counterclockwise.

        Returns
        -------
        Seat
        """
        return Seat((self + steps) % len(Seat))

    @property
    def partner(self) -> Seat:
        """The seat opposite."""
        return self.next(2)


@dataclass(frozen=True, slots=True)
class Deal:
    """Four hands of 13 that share no card.

    Parameters
    ----------
    hands : tuple of four Hand
        In the order N E S W.

    Raises
    ------
    DealError
        If a hand has not 13 cards, or a card lies in two hands.

    Examples
    --------
    >>> deal = Deal.of("N:AKQ2.KJ3.A54.Q32 J3.T92.KQJ9.KT98 9865.54.T87.AJ54 -")
    >>> deal["W"], deal.holder("SA").name
    (Hand.from_pbn('T74.AQ876.632.76'), 'N')
    """

    hands: tuple[Hand, Hand, Hand, Hand]

    def __post_init__(self) -> None:
        verify_hands(dict(zip(Seat, self.hands, strict=True)))

    @classmethod
    def of(cls, value: Deal | str | Mapping[Seat | str, Hand | str]) -> Deal:
        """Read a deal from PBN text or from a mapping seat → hand.

        A fourth hand gets the cards that are left.

        Parameters
        ----------
        value : Deal, str or mapping of Seat or str to Hand or str
            Three hands are enough.

        Returns
        -------
        Deal

        Raises
        ------
        NotationError
            If a text cannot be read.
        DealError
            If a card is dealt twice, or a hand has not 13 cards.
        """
        if isinstance(value, Deal):
            return value
        if isinstance(value, str):
            hands = pbn_hands(value)
        else:
            hands = {Seat.of(seat): Hand.of(hand) for seat, hand in value.items()}
        # Before the fourth hand is filled in: with a card in two of three hands it
        # would get 14 and take the blame.
        dealt = verify_hands(hands)
        missing = [seat for seat in Seat if seat not in hands]
        if len(missing) > 1:
            names = " and ".join(seat.name for seat in missing)
            raise DealError(
                f"no cards for {names}: a deal needs at least three hands",
                missing=tuple(missing),
            )
        for seat in missing:
            hands[seat] = Hand(DECK_MASK & ~dealt)
        return cls((hands[Seat.N], hands[Seat.E], hands[Seat.S], hands[Seat.W]))

    @classmethod
    def from_pbn(cls, text: str) -> Deal:
        """Read ``N:hand hand hand hand``, clockwise from the seat named first.

        ``-`` stands for one hand left out.

        Parameters
        ----------
        text : str
            The hands with blanks between them.

        Returns
        -------
        Deal

        Raises
        ------
        NotationError
            If it cannot be read.
        DealError
            If a card is dealt twice, or a hand has not 13 cards.
        """
        return cls.of(text)

    @property
    def pbn(self) -> str:
        """The deal in PBN, from North."""
        return "N:" + " ".join(hand.pbn for hand in self.hands)

    def holder(self, card: Card | str) -> Seat:
        """The seat that was dealt a card.

        Parameters
        ----------
        card : Card or str
            The card.

        Returns
        -------
        Seat
        """
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
    """HTML of the hands around a compass: what each seat must and may hold.

    Parameters
    ----------
    must, may : sequence of four int
        Masks of the cards that each seat, N E S W, holds certainly and possibly.
    roles : mapping from seat letters to str, optional
        What stands after the name of a seat, such as ``declarer``.
    middle : str, optional
        HTML within the compass.
    lengths : sequence of shape (4, 4), optional
        The mean length by seat and suit, for seats with hidden cards.
    points : sequence of four float, optional
        The mean high-card points by seat, for seats with hidden cards.
    """
    hands_html = {}
    for seat in Seat:
        role = (roles or {}).get(seat.name)
        head = SEATS[seat.name]
        if role:
            head += f", {role}"
        certain = Hand(must[seat])
        hidden = HAND_CARDS - len(certain)
        foot = f"{certain.points} points"
        hidden_by_suit: dict[str, str] = {}
        if hidden:
            mean_points = "" if points is None else f"≈ {points[seat]:.1f} points, "
            foot = f"{mean_points}{hidden} hidden"
            mean_lengths = None if lengths is None else lengths[seat]
            hidden_by_suit = _hidden_by_suit(certain, Hand(may[seat]), mean_lengths)
        hands_html[seat.name] = markup.hand(certain.pbn, head, foot, hidden_by_suit)
    return markup.compass(hands_html, middle)


def _hidden_by_suit(
    certain: Hand, possible: Hand, mean_lengths: Sequence[float] | None
) -> dict[str, str]:
    """What follows the cards of each suit in which a hand may hold more."""
    texts = {}
    for suit in Suit:
        if possible.field(suit) & ~certain.field(suit):
            texts[suit.name] = "…"
            if mean_lengths is not None:
                texts[suit.name] += f" ≈ {mean_lengths[suit]:.1f}"
    return texts


def verify_hands(hands: Mapping[Seat, Hand], *, full: bool = True) -> int:
    """The mask of all cards in the hands, which must be disjoint.

    As a rule they must be ``full``, too.
    """
    dealt = 0
    for seat, hand in hands.items():
        if full:
            hand.verify_full(f"{seat.name}'s hand")
        dealt_twice = Hand(dealt & hand.mask)
        if dealt_twice:
            card = next(iter(dealt_twice))
            earlier = next(holder for holder in hands if card in hands[holder])
            raise DealError(
                f"{card} lies in both {earlier.name} and {seat.name}: a card has one place",
                card=card,
            )
        dealt |= hand.mask
    return dealt


def pbn_hands(text: str) -> dict[Seat, Hand]:
    """The hands of a PBN deal, without those that are not known (``-``)."""
    first, colon, hands = text.strip().partition(":")
    hand_texts = hands.split()
    if not colon or len(hand_texts) != len(Seat):
        raise NotationError(
            f"deal {text!r} has {len(hand_texts)} hands: write N:hand hand hand hand, "
            "'-' for an unknown one",
            text=text,
        )
    start = Seat.of(first)
    return {
        start.next(place): Hand.from_pbn(hand)
        for place, hand in enumerate(hand_texts)
        if hand != "-"
    }
