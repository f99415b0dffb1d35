"""Tricks: which cards may be played, who wins, and what a trick reveals."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from bayesbridge.errors import IllegalPlay, NotationError
from bayesbridge.game.cards import (
    DECK_MASK,
    SUIT_CARDS,
    SUIT_MASK,
    Card,
    Hand,
    Strain,
    Suit,
)
from bayesbridge.game.deal import Seat

CARDS_IN_TRICK: Final = 4


@dataclass(frozen=True, slots=True)
class Trick:
    """Up to four cards, clockwise from the leader.

    Parameters
    ----------
    leader : Seat
        Who plays the first card.
    trump : Suit or None, optional
        ``None`` at no trumps.
    cards : tuple of Card, optional
        In the order played.

    Raises
    ------
    IllegalPlay
        If there are more than four cards, or one stands twice.

    Examples
    --------
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
        for place, card in enumerate(self.cards):
            if card in self.cards[:place]:
                raise IllegalPlay(
                    f"{card} stands twice in trick '{self}': a card is played once",
                    card=card,
                )

    @classmethod
    def of(cls, value: Trick | str, trump: Suit | Strain | str | None = None) -> Trick:
        """Read ``W:S5 SK S2``, leader and cards; a trick passes through.

        Parameters
        ----------
        value : Trick or str
            ``W:S5 SK``, leader and cards in order, or a trick, which is returned as it is.
        trump : Suit, Strain or str, optional
            The trumps; by default there are none.

        Returns
        -------
        Trick

        Raises
        ------
        NotationError
            If the text cannot be read.
        IllegalPlay
            If a card stands there twice or is one too many.
        """
        if isinstance(value, Trick):
            return value
        leader, colon, cards = str(value).partition(":")
        if not colon:
            raise NotationError(
                f"unknown trick {value!r}: write leader and cards, such as W:S5 SK S2",
                text=value,
            )
        words = cards.replace(",", " ").split()
        return cls(Seat.of(leader), _trump(trump), tuple(map(Card.of, words)))

    @property
    def suit(self) -> Suit | None:
        """The suit led, ``None`` before the lead."""
        if not self.cards:
            return None
        return self.cards[0].suit

    @property
    def complete(self) -> bool:
        """True when four cards lie."""
        return len(self.cards) == 4

    @property
    def turn(self) -> Seat | None:
        """The seat to play, ``None`` when the trick is complete."""
        if self.complete:
            return None
        return self.leader.next(len(self.cards))

    @property
    def winner(self) -> Seat | None:
        """The seat that wins the trick, or holds it so far; ``None`` before the lead."""
        if not self.cards:
            return None
        indices = [card.index for card in self.cards]
        return self.leader.next(winning_place(indices, self.trump))

    @property
    def voids(self) -> tuple[tuple[Seat, Suit], ...]:
        """Each seat that did not follow, with the suit it has no more of."""
        suit = self.suit
        if suit is None:
            return ()
        return tuple((seat, suit) for seat, card in self if card.suit is not suit)

    def legal(self, hand: Hand) -> Hand:
        """Of the cards a seat still holds, those it may play.

        Parameters
        ----------
        hand : Hand
            What the seat in turn has left.

        Returns
        -------
        Hand
            The cards that it may play: those of the suit led, else all.
        """
        if self.suit is None:
            return hand
        of_suit_led = hand & Hand(SUIT_MASK << SUIT_CARDS * self.suit)
        return of_suit_led or hand

    def after(
        self, seat: Seat | str, card: Card | str, hand: Hand | None = None
    ) -> Trick:
        """The trick with one more card, which must be legal.

        Its player's ``hand`` is looked at if known; raises :class:`IllegalPlay`.

        Parameters
        ----------
        seat : Seat or str
            Who plays.
        card : Card or str
            The card.
        hand : Hand, optional
            What the seat has left, if that is known: it must hold the card and follow suit.

        Returns
        -------
        Trick

        Raises
        ------
        IllegalPlay
            If the card may not be played.
        """
        player = Seat.of(seat)
        played = Card.of(card)
        objection = self._objection(player, played, hand)
        if objection is not None:
            raise IllegalPlay(
                f"{player.name} cannot play {str(card)!r} to trick '{self}': {objection}",
                seat=player,
                card=played,
                trick=self,
            )
        return Trick(self.leader, self.trump, (*self.cards, played))

    def _objection(self, player: Seat, card: Card, hand: Hand | None) -> str | None:
        """Why a card may not be played, ``None`` if it may."""
        if self.turn is None:
            return "the trick is complete; begin the next"
        if player != self.turn:
            return f"it is {self.turn.name}'s turn"
        if card in self.cards:
            return "the card lies there already"
        if hand is None:
            return None
        if card not in hand:
            return f"the hand {hand.pbn!r} does not hold it"
        legal_cards = self.legal(hand)
        if card not in legal_cards:
            names = " ".join(map(str, legal_cards))
            return f"the suit led must be followed; legal: {names}"
        return None

    def __iter__(self) -> Iterator[tuple[Seat, Card]]:
        return (
            (self.leader.next(place), card) for place, card in enumerate(self.cards)
        )

    def __str__(self) -> str:
        return f"{self.leader.name}:{' '.join(map(str, self.cards))}"

    def __repr__(self) -> str:
        trump = "" if self.trump is None else f", trump={self.trump.name!r}"
        return f"Trick.of({str(self)!r}{trump})"


class Course(NamedTuple):
    """How a play went.

    Who won each complete trick, and how many cards came before the first that is
    illegal.
    """

    winners: list[Seat]
    legal: int


def follow(
    plays: Sequence[tuple[Seat, Card]],
    trump: Suit | None,
    hands: Sequence[Hand | None],
    unseen: int = DECK_MASK,
) -> Course:
    """Walk through plays, trick by trick.

    An unknown hand of N E S W may hold what is ``unseen``, but no suit it did not
    follow.
    """
    possible = [unseen if hand is None else hand.mask for hand in hands]
    winners: list[Seat] = []
    trick: list[int] = []
    turn = int(plays[0][0]) if plays else 0
    played = 0
    suit_led = 0
    for place, (seat, card) in enumerate(plays):
        index = card.index
        suit = index // SUIT_CARDS
        if seat != turn or not possible[seat] & ~played & 1 << index:
            return Course(winners, place)
        if not trick:
            suit_led = suit
        elif suit != suit_led:
            suit_led_mask = SUIT_MASK << SUIT_CARDS * suit_led
            can_follow = possible[seat] & ~played & suit_led_mask
            if hands[seat] is not None and can_follow:
                return Course(winners, place)
            possible[seat] &= ~suit_led_mask
        played |= 1 << index
        trick.append(index)
        turn = (turn + 1) % 4
        if len(trick) == 4:
            turn = (turn + winning_place(trick, trump)) % 4
            winners.append(Seat(turn))
            trick.clear()
    return Course(winners, len(plays))


def winning_place(indices: Sequence[int], trump: Suit | None) -> int:
    """Which card of a trick wins, as its place in the order played."""
    winning_index = indices[0]
    winning = 0
    for place, index in enumerate(indices):
        suit = index // SUIT_CARDS
        if suit == winning_index // SUIT_CARDS:
            wins = index > winning_index
        else:
            wins = suit == trump
        if wins:
            winning_index = index
            winning = place
    return winning


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
    cards = [(Seat.of(seat), Card.of(card)) for seat, card in plays]
    known_hands = hands or {}
    suit = _trump(trump)
    course = follow(cards, suit, [known_hands.get(seat) for seat in Seat])
    tricks = _tricks(cards, course, suit)
    if course.legal < len(cards):
        raise _refusal(cards, course.legal, tricks, known_hands)
    return tuple(tricks)


def _tricks(
    cards: Sequence[tuple[Seat, Card]], course: Course, trump: Suit | None
) -> list[Trick]:
    """The tricks of the cards up to the first that is illegal.

    The ``course`` tells how many cards are legal, and who won each whole trick: the
    winner leads to the next.
    """
    if not cards:
        return []
    opening_leader, _ = cards[0]
    leaders = [opening_leader, *course.winners]
    tricks = []
    for number, leader in enumerate(leaders):
        start = CARDS_IN_TRICK * number
        if start < len(cards):
            end = min(start + CARDS_IN_TRICK, course.legal)
            trick_cards = tuple(card for _, card in cards[start:end])
            tricks.append(Trick(leader, trump, trick_cards))
    return tricks


def _refusal(
    cards: Sequence[tuple[Seat, Card]],
    place: int,
    tricks: Sequence[Trick],
    known_hands: Mapping[Seat, Hand],
) -> IllegalPlay:
    """What is wrong with the card at a place.

    It was played before, breaks a rule that its trick knows, or follows a suit in which
    its player had shown out. The last of the ``tricks`` is the one that it is played to.
    """
    seat, card = cards[place]
    trick_number = place // CARDS_IN_TRICK + 1
    earlier_seats = [player for player, played in cards[:place] if played == card]
    if earlier_seats:
        earlier_place = [played for _, played in cards].index(card)
        return _played_twice(card, (earlier_seats[0], seat), (earlier_place, place))
    hand = None
    if seat in known_hands:
        played_cards = [played for player, played in cards[:place] if player == seat]
        hand = known_hands[seat] - Hand.of(played_cards)
    try:
        tricks[-1].after(seat, card, hand)
    except IllegalPlay as error:
        words = f"trick {trick_number}: {error}"
        return IllegalPlay(words, **error.data, tricks=(trick_number,))
    return _revoke(seat, card, trick_number, tricks)


def _played_twice(
    card: Card, seats: tuple[Seat, Seat], places: tuple[int, int]
) -> IllegalPlay:
    """A card is played by two seats, or by one again."""
    earlier_seat, seat = seats
    earlier_trick, trick = (place // CARDS_IN_TRICK + 1 for place in places)
    return IllegalPlay(
        f"{seat.name} plays {card} in trick {trick}, but {earlier_seat.name} played it "
        f"in trick {earlier_trick}: a card is played once",
        card=card,
        seats=seats,
        tricks=(earlier_trick, trick),
    )


def _revoke(
    seat: Seat, card: Card, number: int, tricks: Sequence[Trick]
) -> IllegalPlay:
    """A card is of a suit in which its player had shown out in an earlier trick."""
    earlier, trick = next(
        (earlier, trick)
        for earlier, trick in enumerate(tricks, 1)
        if (seat, card.suit) in trick.voids
    )
    card_by_seat = dict(trick)
    discard = card_by_seat[seat]
    return IllegalPlay(
        f"{seat.name} plays {card} in trick {number}, but played {discard} to "
        f"{trick.cards[0]} in trick {earlier}: "
        "who shows out has none left; fix one of the two",
        seat=seat,
        cards=(discard, card),
        tricks=(earlier, number),
    )


def _trump(value: Suit | Strain | str | None) -> Suit | None:
    return None if value is None else Strain.of(value).trump
