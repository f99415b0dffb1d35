"""One table on record, which holds together or is not made.

No card lies twice, every call and every card is legal.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Final, NamedTuple

from bayesbridge.display.words import SEATS
from bayesbridge.errors import DealError, IllegalCall, IllegalPlay, NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import PASS, Call, Contract, Vulnerability
from bayesbridge.game.cards import DECK_CARDS, DECK_MASK, HAND_CARDS, Card, Hand, Suit
from bayesbridge.game.deal import Deal, Seat, pbn_hands, verify_hands
from bayesbridge.game.scoring import MOST_TRICKS
from bayesbridge.game.table import Table
from bayesbridge.game.tricks import follow, replay, winning_place


@lru_cache(maxsize=4096)
def final_contract(auction: Auction) -> Contract | None:
    """The contract of an auction that is over.

    Cached, since a reader and its record both ask.
    """
    return auction.contract


@lru_cache(maxsize=4096)
def without_surplus(first: Seat, calls: tuple[Call, ...]) -> Auction:
    """The auction, without the passes that are on record after its end."""
    try:
        return Auction(first, calls)
    except IllegalCall as error:
        auction: Auction = error.data["auction"]
        following = calls[len(auction.calls) :]
        if auction.is_over and set(following) == {PASS}:
            return auction
        raise


type Hands = tuple[Hand | None, Hand | None, Hand | None, Hand | None]
"""N E S W."""

type Plays = tuple[tuple[Seat, Card], ...]
"""In the order played."""

UNKNOWN_HANDS: Final[Hands] = (None, None, None, None)


def _plays_of(seat: Seat) -> tuple[tuple[Seat, Card], ...]:
    return tuple((seat, Card(index)) for index in range(DECK_CARDS))


PLAYS: Final = tuple(_plays_of(seat) for seat in Seat)
"""``PLAYS[seat][index]`` is the pair (seat, card), one object for all records."""


def seated(
    tricks: Iterable[tuple[int, ...]],
    leader: Seat,
    trump: Suit | None,
    *,
    columns: bool = False,
) -> Plays:
    """The plays of tricks, whose cards are given by index.

    The cards of a trick stand in the order in which they were played, or in ``columns``:
    a column for each seat from the first leader on, -1 where it played none. The winner
    of a trick leads to the next; -1 never wins.
    """
    plays: list[tuple[Seat, Card]] = []
    seats_from_leader = 0  # from the first leader to the leader of this trick
    for trick in tricks:
        cards = trick
        if columns:
            cards = trick[seats_from_leader:] + trick[:seats_from_leader]
        for place, index in enumerate(cards):
            if index >= 0:
                seat = (leader + seats_from_leader + place) % 4
                plays.append(PLAYS[seat][index])
        winner = winning_place(cards, trump)
        seats_from_leader = (seats_from_leader + winner) % 4
    return tuple(plays)


def declarer_tricks(
    plays: Plays, contract: Contract | None, hands: Hands
) -> int | None:
    """Declarer's tricks when all 52 cards are played, ``None`` before.

    Raises when a play is illegal.
    """
    if not plays:
        return None
    if contract is None:
        raise IllegalPlay(
            "cards are played but no contract says which suit is trumps and who leads",
            plays=plays,
        )
    leader = contract.declarer.next()
    first_seat, _ = plays[0]
    if first_seat is not leader:
        raise IllegalPlay(
            f"{first_seat.name} leads to trick 1, but it is {leader.name}'s turn: "
            f"the seat after declarer leads to {contract}",
            seat=first_seat,
            tricks=(1,),
        )
    unseen = DECK_MASK - sum([hand.mask for hand in hands if hand is not None])
    course = follow(plays, contract.trump, hands, unseen)
    if course.legal < len(plays):
        known_hands = {
            seat: hand
            for seat, hand in zip(Seat, hands, strict=True)
            if hand is not None
        }
        # It raises for whatever the rules forbid. What it cannot know is that a card was
        # dealt to a known hand and is played from one that is not known.
        replay(plays, contract.trump, known_hands)
        raise _of_another_hand(plays, course.legal, known_hands)
    if len(plays) < DECK_CARDS:
        return None
    # Declarer and dummy are an odd number of seats from the leader.
    return sum([(winner - leader) % 2 for winner in course.winners])


def _of_another_hand(
    plays: Plays, place: int, known_hands: dict[Seat, Hand]
) -> IllegalPlay:
    """A card is played by a seat whose hand is not known, and was dealt to another."""
    seat, card = plays[place]
    number = place // 4 + 1
    holder = next(holder for holder, hand in known_hands.items() if card in hand)
    return IllegalPlay(
        f"{seat.name} plays {card} in trick {number}, but {holder.name} was dealt it: "
        "fix the deal or the play",
        seat=seat,
        card=card,
        tricks=(number,),
    )


MANDATORY_TAGS: Final = (
    *("Event", "Site", "Date", "Board", "West", "North", "East", "South"),
    *("Dealer", "Vulnerable", "Deal", "Scoring", "Declarer", "Contract", "Result"),
)
"""The tags that a PBN export writes for every record, in this order, empty when nothing
is known.
"""

FIELD_TAGS: Final = frozenset(
    ("Board", "Room", "Dealer", "Vulnerable", "Deal", "Auction", "Play")
)
"""The tags that always have a field of the record, and so never stand among its other
tags.
"""

UNKNOWN: Final = "?"
"""PBN's word for what is not known."""

_TAG_ORDER: Final = {name: place for place, name in enumerate(MANDATORY_TAGS)}


class Tag(NamedTuple):
    """A tag that the package gives no meaning to.

    With the lines of its table if it has one.
    """

    name: str
    value: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One table: what is known of it.

    ``None`` or empty where the document does not tell.

    Parameters
    ----------
    board, room : str
        The number of the board, and the room of a match.
    dealer : Seat or None
        Who calls first; that of the auction, if there is one.
    vulnerable : Vulnerability or None
        Which sides are vulnerable.
    hands : tuple of four Hand or None
        N E S W; when three are full the fourth is filled in. All may be short: an end
        position.
    auction : Auction or None
        Of the four-player game, with one call at least; when it is over it gives the
        contract.
    alerts : tuple of (int, str)
        The index of each call that was alerted, rising, and its explanation, which may
        be empty.
    contract : Contract or None
        What was played.
    plays : tuple of (Seat, Card)
        In the order played; a trick's winner leads to the next.
    result : int or None
        Tricks that declarer took; counted when all 52 cards are there.
    claimed : bool
        Whether the play is over though fewer cards are on record.
    dropped : str
        What is wrong with the trick from which on the play was not read; not compared.
    tags : tuple of Tag
        Everything else, PBN's mandatory tags first, then as read.
    file : str
        The document; not compared.
    line : int
        Where in it the record begins; not compared.

    Raises
    ------
    NotationError, DealError, IllegalPlay
        If the parts do not hold together.

    Examples
    --------
    >>> record = Record(board="7", auction=Auction.of("S:1NT Pass 3NT Pass Pass Pass"))
    >>> record.contract, record.leader
    (Contract.of('3NT by S'), <Seat.W: 3>)
    """

    board: str = ""
    room: str = ""
    dealer: Seat | None = None
    vulnerable: Vulnerability | None = None
    hands: Hands = UNKNOWN_HANDS
    auction: Auction | None = None
    alerts: tuple[tuple[int, str], ...] = ()
    contract: Contract | None = None
    plays: Plays = ()
    result: int | None = None
    claimed: bool = False
    dropped: str = field(default="", compare=False)
    tags: tuple[Tag, ...] = ()
    file: str = field(default="", compare=False)
    line: int = field(default=0, compare=False)

    def __post_init__(self) -> None:
        self._settle("hands", _verified_hands(self.hands))
        if self.auction is not None:
            self._settle_auction(self.auction)
        self._settle_result()
        self._settle("board", _known_text(self.board))
        self._settle("room", _known_text(self.room))
        if self.alerts:
            self._settle("alerts", self._verified_alerts())
        if self.tags:
            self._settle("tags", self._verified_tags())

    def _settle_auction(self, auction: Auction) -> None:
        """Take dealer and contract from the auction, which must agree with those told.

        Only auctions of four players are on record: one with a dummy seat is refused. An
        auction without calls counts as none.
        """
        if auction.dummy is not None or self.dealer not in (None, auction.first):
            raise NotationError(
                f"auction '{auction}' does not begin with the dealer of four players",
                text=auction,
            )
        self._settle("dealer", auction.first)
        if auction.is_over:
            final = final_contract(auction)
            if self.contract not in (None, final):
                raise NotationError(
                    f"contract {self.contract}, but the auction '{auction}' ends otherwise"
                )
            self._settle("contract", final)
        if not auction.calls:
            self._settle("auction", None)

    def _settle_result(self) -> None:
        """Take the result from the play if it is whole, else as claimed.

        Without a contract there is no result, and nothing to claim.
        """
        tricks = declarer_tricks(self.plays, self.contract, self.hands)
        if self.contract is None or tricks is not None:
            self._settle("result", tricks)
            self._settle("claimed", False)
        elif self.result is not None:
            if not 0 <= self.result <= MOST_TRICKS:
                raise NotationError(
                    f"result {self.result}: declarer takes from 0 to 13 tricks",
                    text=self.result,
                )
            self._settle("claimed", True)

    def _verified_alerts(self) -> tuple[tuple[int, str], ...]:
        """The alerts, each of a call that is there."""
        calls = 0 if self.auction is None else len(self.auction.calls)
        if any(not 0 <= index < calls for index, _ in self.alerts):
            raise NotationError(
                f"alerts {self.alerts} of {calls} calls: an alert names a call by its index"
            )
        return tuple((index, _one_line(text).strip()) for index, text in self.alerts)

    def _verified_tags(self) -> tuple[Tag, ...]:
        """The tags that tell something the fields do not, in order.

        One of each name, but any number of notes.
        """
        kept: list[Tag] = []
        tags_told: set[str] = set()
        if self.contract or self.passed_out:
            tags_told = {"Contract", "Declarer", "Result"}
        for name, value, lines in self.tags:
            is_mandatory = name in _TAG_ORDER  # which has just these
            if name in FIELD_TAGS or not (is_mandatory or is_tag_name(name)):
                raise NotationError(
                    f"tag {name!r}: give a field of the record, or a name of letters and digits",
                    text=name,
                )
            is_empty = is_mandatory and not value and not lines
            if name in tags_told or is_empty:
                continue
            kept.append(Tag(name, _one_line(value), lines))
            if name != "Note":
                tags_told.add(name)
        kept.sort(key=_place_of_tag)
        return tuple(kept)

    def _settle(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def deal(self) -> Deal | None:
        """The four hands, when all are known and full."""
        hands = [hand for hand in self.hands if hand is not None]
        if len(hands) < len(Seat) or len(hands[0]) != HAND_CARDS:
            return None
        north, east, south, west = hands
        return Deal((north, east, south, west))

    @property
    def title(self) -> str:
        """The board and its room, as a heading names them."""
        return " ".join(filter(None, ("Board", self.board, self.room)))

    @property
    def leader(self) -> Seat | None:
        """Who leads to the first trick."""
        return None if self.contract is None else self.contract.declarer.next()

    @property
    def passed_out(self) -> bool:
        """True when the auction is over without a bid."""
        is_over = self.auction is not None and self.auction.is_over
        return is_over and self.contract is None

    @property
    def rest(self) -> str:
        """What became of the cards that are not on record, to end a sentence.

        Empty if nothing tells.
        """
        if self.dropped:
            return f", the rest is left out: {self.dropped}"
        return ", the rest was claimed" if self.claimed else ""

    def table(self, cards: int | None = None) -> Table:
        """The table after the auction and the first ``cards`` cards (default: all)."""
        plays = tuple(self.plays[:cards])
        table = Table(self.auction, plays, named=self.contract)
        dummy = table.dummy
        if dummy is None or not plays:
            return table
        hand = self.hands[dummy]
        if hand is None:
            return table
        return replace(table, shown={dummy: hand})

    def tag(self, name: str) -> str:
        """The value of one of the other tags, empty if there is none."""
        return next((tag.value for tag in self.tags if tag.name == name), "")

    def pair(self, seat: Seat) -> str | None:
        """The two players of a seat's side, in alphabetical order with ``+`` between.

        ``None`` if one has no name.
        """
        side = (seat, seat.partner)
        names = sorted(self.tag(SEATS[member.name]).strip() for member in side)
        return None if {"", UNKNOWN} & set(names) else "+".join(names)

    @property
    def place(self) -> str:
        """``file:line`` of the record, for messages."""
        return f"{self.file}:{self.line}"


def is_tag_name(name: str) -> bool:
    """Whether a tag may be called so: letters, digits and ``_``, not a digit first."""
    return name.isascii() and name.isidentifier()


def _place_of_tag(tag: Tag) -> int:
    """Where a tag stands: mandatory ones first, in their order."""
    return _TAG_ORDER.get(tag.name, len(_TAG_ORDER))


def _known_text(value: str) -> str:
    """A value on one line, empty where it is not known."""
    if value == UNKNOWN:
        return ""
    return _one_line(value)


def _one_line(value: str) -> str:
    """The value as a tag can hold it."""
    return value.replace("\r", " ").replace("\n", " ")


@lru_cache(maxsize=64)  # the tables of a match follow one another with the same deal
def read_hands(text: str) -> Hands:
    """The hands of a PBN deal, ``-`` for one that is not known."""
    hands = pbn_hands(text)
    return hands.get(Seat.N), hands.get(Seat.E), hands.get(Seat.S), hands.get(Seat.W)


def _verified_hands(hands: Hands) -> Hands:
    """The hands, which must be disjoint, with a fourth filled in.

    All have 13 cards, or all fewer, as in a position late in the play.
    """
    masks = [0 if hand is None else hand.mask for hand in hands]
    all_are_full = all(mask.bit_count() == HAND_CARDS for mask in masks)
    if all_are_full and sum(masks) == DECK_MASK:
        return hands  # a whole deal, as most are: masks that overlap have another sum
    known_hands = {seat: hand for seat, hand in zip(Seat, hands, strict=True) if hand}
    sizes = [len(hand) for hand in known_hands.values()]
    longest = max(sizes, default=0)
    dealt = verify_hands(known_hands, full=longest >= HAND_CARDS)
    if longest - min(sizes, default=0) > 1:
        counts = ", ".join(
            f"{seat.name} {len(hand)}" for seat, hand in known_hands.items()
        )
        raise DealError(
            f"hands of {counts} cards: in one position they differ by one card at most",
            hands=hands,
        )
    fourth = None
    if len(known_hands) == 3 and longest == HAND_CARDS:
        fourth = Hand(DECK_MASK & ~dealt)
    return (
        known_hands.get(Seat.N, fourth),
        known_hands.get(Seat.E, fourth),
        known_hands.get(Seat.S, fourth),
        known_hands.get(Seat.W, fourth),
    )
