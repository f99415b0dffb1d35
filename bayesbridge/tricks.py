"""Tricks: which cards may be played, who wins, and what a trick reveals.

Follow suit if you can; the highest trump, else the highest card of the suit led, wins and leads to the next trick.
Four hands play, clockwise, the dummy's among them, whoever decides for it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from bayesbridge.cards import SUIT_MASK, Card, Hand, Strain, Suit
from bayesbridge.deal import Deal, Seat
from bayesbridge.errors import IllegalPlay, NotationError


@dataclass(frozen=True, slots=True)
class Trick:
    """Up to four cards, clockwise from ``leader``; ``trump`` is ``None`` at no trumps.

    >>> trick = Trick.of("W:S5 SK H2", trump="H")
    >>> trick.turn, trick.winner, trick.voids
    (<Seat.S: 2>, <Seat.E: 1>, ((<Seat.E: 1>, <Suit.S: 3>),))
    >>> trick.legal(Hand.of("SA S3 HQ"))
    Hand.from_pbn('A3...')
    """

    leader: Seat
    trump: Suit | None = None
    cards: tuple[Card, ...] = ()

    def __post_init__(self) -> None:
        if len(self.cards) > 4:
            raise IllegalPlay(f"trick '{self}' has {len(self.cards)} cards: a trick has four", cards=self.cards)
        for i, card in enumerate(self.cards):
            if card in self.cards[:i]:
                raise IllegalPlay(f"{card} stands twice in trick '{self}': a card is played once", card=card)

    @classmethod
    def of(cls, value: Trick | str, trump: Suit | Strain | str | None = None) -> Trick:
        """Read ``W:S5 SK S2``, leader and cards; a trick passes through.

        >>> Trick.of("w: s5, sk", trump="NT")
        Trick.of('W:S5 SK')
        """
        if isinstance(value, Trick):
            return value
        leader, colon, cards = str(value).partition(":")
        if not colon:
            raise NotationError(f"unknown trick {value!r}: write leader and cards, such as W:S5 SK S2", text=value)
        return cls(Seat.of(leader), _trump(trump), tuple(map(Card.of, cards.replace(",", " ").split())))

    @property
    def suit(self) -> Suit | None:
        """The suit led, ``None`` before the lead."""
        return self.cards[0].suit if self.cards else None

    @property
    def complete(self) -> bool:
        """True when four cards lie."""
        return len(self.cards) == 4

    @property
    def turn(self) -> Seat | None:
        """The seat to play, ``None`` when the trick is complete."""
        return None if self.complete else self.leader.next(len(self.cards))

    @property
    def winner(self) -> Seat | None:
        """The seat that wins the trick, or holds it so far; ``None`` before the lead."""
        if not self.cards:
            return None
        return max(self, key=lambda play: (play[1].suit is self.trump, play[1].suit is self.suit, play[1].rank))[0]

    @property
    def voids(self) -> tuple[tuple[Seat, Suit], ...]:
        """Each seat that did not follow, with the suit it has no more of."""
        suit = self.suit
        return () if suit is None else tuple((seat, suit) for seat, card in self if card.suit is not suit)

    def legal(self, hand: Hand) -> Hand:
        """Of the cards a seat still holds, those it may play."""
        following = Hand(0) if self.suit is None else hand & Hand(SUIT_MASK << 13 * self.suit)
        return following or hand

    def verify(self, seat: Seat | str, card: Card | str, hand: Hand | None = None) -> Card:
        """Return the card if ``seat`` may play it, from ``hand`` if known, and raise :class:`IllegalPlay` otherwise."""
        player, played = Seat.of(seat), Card.of(card)
        if reason := self._objection(player, played, hand):
            raise IllegalPlay(
                f"{player.name} cannot play {str(card)!r} to trick '{self}': {reason}",
                seat=player,
                card=played,
                trick=self,
            )
        return played

    def can(self, seat: Seat | str, card: Card | str, hand: Hand | None = None) -> bool:
        """Whether ``seat`` may play the card, from ``hand`` if that is known."""
        return self._objection(Seat.of(seat), Card.of(card), hand) is None

    def after(self, seat: Seat | str, card: Card | str, hand: Hand | None = None) -> Trick:
        """The trick with one more card, which must be legal."""
        return Trick(self.leader, self.trump, (*self.cards, self.verify(seat, card, hand)))

    def _objection(self, seat: Seat, card: Card, hand: Hand | None) -> str | None:
        """Why the play is illegal, ``None`` if it is legal: the one place where the rules are written."""
        turn = self.turn
        if turn is None:
            return "the trick is complete; begin the next"
        if seat != turn:
            return f"it is {turn.name}'s turn"
        if card in self.cards:
            return "the card lies there already"
        if hand is None:
            return None
        if card not in hand:
            return f"the hand {hand.pbn!r} does not hold it"
        legal = self.legal(hand)
        return None if card in legal else f"the suit led must be followed; legal: {' '.join(map(str, legal))}"

    def __iter__(self) -> Iterator[tuple[Seat, Card]]:
        """Each card with its seat, in order."""
        return ((self.leader.next(i), card) for i, card in enumerate(self.cards))

    def __str__(self) -> str:
        return f"{self.leader.name}:{' '.join(map(str, self.cards))}"

    def __repr__(self) -> str:
        return f"Trick.of({str(self)!r}{'' if self.trump is None else f', trump={self.trump.name!r}'})"


def replay(
    plays: Iterable[tuple[Seat | str, Card | str]],
    trump: Suit | Strain | str | None = None,
    hands: Mapping[Seat, Hand] | Deal | None = None,
) -> tuple[Trick, ...]:
    """The tricks of a play record, in order; the last may be incomplete.

    plays: (seat, card) pairs in the order played, from the opening lead.
    hands: the original hands that are known, if any; their holders must play from them and follow suit.
    Without hands a revoke still shows when a seat plays a suit that it failed to follow earlier.

    >>> replay([("W", "S5"), ("N", "SK"), ("E", "H2"), ("S", "S3"), ("N", "D4")])
    (Trick.of('W:S5 SK H2 S3'), Trick.of('N:D4'))
    """
    known = dict(zip(Seat, hands, strict=True)) if isinstance(hands, Deal) else dict(hands or {})
    tricks: list[Trick] = []
    played: dict[Card, tuple[Seat, int]] = {}
    shown_out: dict[tuple[Seat, Suit], tuple[Card, int]] = {}
    for seat, card in ((Seat.of(player), Card.of(played)) for player, played in plays):
        if not tricks:
            tricks.append(Trick(seat, _trump(trump)))
        elif (winner := tricks[-1].winner) is not None and tricks[-1].complete:
            tricks.append(Trick(winner, _trump(trump)))
        trick, number = tricks[-1], len(tricks)
        if card in played:
            first_seat, first_number = played[card]
            raise IllegalPlay(
                f"{seat.name} plays {card} in trick {number}, but {first_seat.name} played it in trick {first_number}: "
                "a card is played once",
                card=card,
                seats=(first_seat, seat),
                tricks=(first_number, number),
            )
        try:
            tricks[-1] = trick.after(seat, card, known.get(seat))
        except IllegalPlay as error:
            raise IllegalPlay(f"trick {number}: {error}", **error.data, tricks=(number,)) from None
        if (seat, card.suit) in shown_out:
            discard, earlier = shown_out[seat, card.suit]
            raise IllegalPlay(
                f"{seat.name} plays {card} in trick {number}, but played {discard} to "
                f"{tricks[earlier - 1].cards[0]} in trick {earlier}: who shows out has none left; fix one of the two",
                seat=seat,
                cards=(discard, card),
                tricks=(earlier, number),
            )
        if trick.suit not in (None, card.suit):
            shown_out.setdefault((seat, Suit(trick.suit)), (card, number))
        played[card] = (seat, number)
        if seat in known:
            known[seat] -= Hand.of(card)
    return tuple(tricks)


def _trump(value: Suit | Strain | str | None) -> Suit | None:
    return None if value is None else Strain.of(value).trump
