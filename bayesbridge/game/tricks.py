"""Tricks: which cards may be played, who wins, and what a trick reveals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from bayesbridge.errors import IllegalPlay, NotationError
from bayesbridge.game.cards import DECK_MASK, SUIT_MASK, Card, Hand, Strain, Suit
from bayesbridge.game.deal import Seat


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
            raise IllegalPlay(
                f"trick '{self}' has {len(self.cards)} cards: a trick has four",
                cards=self.cards,
            )
        for i, card in enumerate(self.cards):
            if card in self.cards[:i]:
                raise IllegalPlay(
                    f"{card} stands twice in trick '{self}': a card is played once",
                    card=card,
                )

    @classmethod
    def of(cls, value: Trick | str, trump: Suit | Strain | str | None = None) -> Trick:
        """Read ``W:S5 SK S2``, leader and cards; a trick passes through."""
        if isinstance(value, Trick):
            return value
        leader, colon, cards = str(value).partition(":")
        if not colon:
            raise NotationError(
                f"unknown trick {value!r}: write leader and cards, such as W:S5 SK S2",
                text=value,
            )
        return cls(
            Seat.of(leader),
            _trump(trump),
            tuple(map(Card.of, cards.replace(",", " ").split())),
        )

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
        return self.leader.next(
            winning_place([card.index for card in self.cards], self.trump)
        )

    @property
    def voids(self) -> tuple[tuple[Seat, Suit], ...]:
        """Each seat that did not follow, with the suit it has no more of."""
        suit = self.suit
        return (
            ()
            if suit is None
            else tuple((seat, suit) for seat, card in self if card.suit is not suit)
        )

    def legal(self, hand: Hand) -> Hand:
        """Of the cards a seat still holds, those it may play."""
        following = (
            Hand(0) if self.suit is None else hand & Hand(SUIT_MASK << 13 * self.suit)
        )
        return following or hand

    def after(
        self, seat: Seat | str, card: Card | str, hand: Hand | None = None
    ) -> Trick:
        """The trick with one more card, which must be legal, from ``hand`` if known;
        else :class:`IllegalPlay`.
        """
        player, played, turn, reason = Seat.of(seat), Card.of(card), self.turn, ""
        if turn is None:
            reason = "the trick is complete; begin the next"
        elif player != turn:
            reason = f"it is {turn.name}'s turn"
        elif played in self.cards:
            reason = "the card lies there already"
        elif hand is not None and played not in hand:
            reason = f"the hand {hand.pbn!r} does not hold it"
        elif hand is not None and played not in (legal := self.legal(hand)):
            reason = (
                f"the suit led must be followed; legal: {' '.join(map(str, legal))}"
            )
        if reason:
            message = (
                f"{player.name} cannot play {str(card)!r} to trick '{self}': {reason}"
            )
            raise IllegalPlay(message, seat=player, card=played, trick=self)
        return Trick(self.leader, self.trump, (*self.cards, played))

    def __iter__(self) -> Iterator[tuple[Seat, Card]]:
        return ((self.leader.next(i), card) for i, card in enumerate(self.cards))

    def __str__(self) -> str:
        return f"{self.leader.name}:{' '.join(map(str, self.cards))}"

    def __repr__(self) -> str:
        return f"Trick.of({str(self)!r}{'' if self.trump is None else f', trump={self.trump.name!r}'})"


class Course(NamedTuple):
    """How a play went: who won each complete trick, and how many cards came before the
    first that is illegal.
    """

    winners: list[Seat]
    legal: int


def follow(
    plays: Sequence[tuple[Seat, Card]],
    trump: Suit | None,
    hands: Sequence[Hand | None],
    unseen: int = DECK_MASK,
) -> Course:
    """Walk through plays; an unknown hand of N E S W may hold what is ``unseen``, but
    no suit it did not follow.
    """
    left = [unseen if hand is None else hand.mask for hand in hands]
    winners: list[Seat] = []
    trick: list[int] = []
    turn, played, led = int(plays[0][0]) if plays else 0, 0, 0
    for i, (seat, card) in enumerate(plays):
        index = card.index
        bit = 1 << index
        if seat != turn or not left[seat] & bit or played & bit:
            return Course(winners, i)
        if not trick:
            led = index // 13
        elif index // 13 != led:
            suit = SUIT_MASK << 13 * led
            if hands[seat] is not None and left[seat] & ~played & suit:
                return Course(winners, i)
            left[seat] &= ~suit
        played |= bit
        trick.append(index)
        turn = (turn + 1) % 4
        if len(trick) == 4:
            turn = (turn + winning_place(trick, trump)) % 4
            winners.append(Seat(turn))
            trick.clear()
    return Course(winners, len(plays))


def winning_place(indices: Sequence[int], trump: Suit | None) -> int:
    """Which card of a trick wins, as its place in the order played."""
    best, place = indices[0], 0
    for i, index in enumerate(indices):
        suit = index // 13
        if index > best if suit == best // 13 else suit == trump:
            best, place = index, i
    return place


def replay(
    plays: Iterable[tuple[Seat | str, Card | str]],
    trump: Suit | Strain | str | None = None,
    hands: Mapping[Seat, Hand] | None = None,
) -> tuple[Trick, ...]:
    """The tricks of a play record, in order; the last may be incomplete.

    hands: the original hands that are known, if any; their holders must play from them
    and follow suit. Without hands a revoke still shows when a seat plays a suit that it
    failed to follow earlier.

    >>> replay([("W", "S5"), ("N", "SK"), ("E", "H2"), ("S", "S3"), ("N", "D4")])
    (Trick.of('W:S5 SK H2 S3'), Trick.of('N:D4'))
    """
    done, known, suit = (
        [(Seat.of(seat), Card.of(card)) for seat, card in plays],
        hands or {},
        _trump(trump),
    )
    winners, legal = follow(done, suit, [known.get(seat) for seat in Seat])
    leaders = [*(seat for seat, _ in done[:1]), *winners]
    tricks = [
        Trick(
            leader, suit, tuple(card for _, card in done[start : min(start + 4, legal)])
        )
        for leader, start in zip(leaders, range(0, len(done), 4), strict=False)
    ]
    if legal == len(done):
        return tuple(tricks)
    (seat, card), number = done[legal], legal // 4 + 1
    for i, (other, same) in enumerate(done[:legal]):
        if same == card:
            raise IllegalPlay(
                f"{seat.name} plays {card} in trick {number}, but {other.name} played it in trick {i // 4 + 1}: "
                "a card is played once",
                card=card,
                seats=(other, seat),
                tricks=(i // 4 + 1, number),
            )
    gone = Hand.of([played for player, played in done[:legal] if player == seat])
    try:
        tricks[-1].after(seat, card, known[seat] - gone if seat in known else None)
    except IllegalPlay as error:
        raise IllegalPlay(
            f"trick {number}: {error}", **error.data, tricks=(number,)
        ) from None
    earlier, trick = next(
        (i, one) for i, one in enumerate(tricks, 1) if (seat, card.suit) in one.voids
    )
    discard = dict(trick)[seat]
    raise IllegalPlay(
        f"{seat.name} plays {card} in trick {number}, but played {discard} to {trick.cards[0]} in trick {earlier}: "
        "who shows out has none left; fix one of the two",
        seat=seat,
        cards=(discard, card),
        tricks=(earlier, number),
    )


def _trump(value: Suit | Strain | str | None) -> Suit | None:
    return None if value is None else Strain.of(value).trump
