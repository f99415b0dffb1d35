"""One table on record, which holds together or is not made: no card lies twice, every
call and every card is legal.
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
from bayesbridge.game.cards import DECK_MASK, Card, Hand, Suit
from bayesbridge.game.deal import Deal, Seat, pbn_hands, verify_hands
from bayesbridge.game.table import Table
from bayesbridge.game.tricks import follow, replay, winning_place


@lru_cache(maxsize=4096)
def final_contract(auction: Auction) -> Contract | None:
    """The contract of an auction that is over; cached, since a reader and its record
    both ask.
    """
    return auction.contract


@lru_cache(maxsize=4096)
def without_surplus(first: Seat, calls: tuple[Call, ...]) -> Auction:
    """The auction, without the passes that are on record after its end."""
    try:
        return Auction(first, calls)
    except IllegalCall as error:
        auction: Auction = error.data["auction"]
        if auction.is_over and all(
            call == PASS for call in calls[len(auction.calls) :]
        ):
            return auction
        raise


type Hands = tuple[Hand | None, Hand | None, Hand | None, Hand | None]  # N E S W
type Plays = tuple[tuple[Seat, Card], ...]  # in the order played

UNKNOWN_HANDS: Final[Hands] = (None, None, None, None)

PLAYS: Final = tuple(tuple((seat, Card(index)) for index in range(52)) for seat in Seat)
"""``PLAYS[seat][index]`` is the pair (seat, card), one object for all records."""


def seated(
    tricks: Iterable[tuple[int, ...]],
    leader: Seat,
    trump: Suit | None,
    *,
    columns: bool = False,
) -> Plays:
    """The plays of tricks of cards by index; in ``columns`` they stand by seats from
    the first leader, -1 for none.
    """
    plays: list[tuple[Seat, Card]] = []
    turn = 0
    for trick in tricks:
        cards = trick[turn:] + trick[:turn] if columns else trick
        seat = leader + turn
        for index in cards:
            if index >= 0:
                plays.append(PLAYS[seat % 4][index])
            seat += 1
        turn = (turn + winning_place(cards, trump)) % 4
    return tuple(plays)


def declarer_tricks(
    plays: Plays, contract: Contract | None, hands: Hands
) -> int | None:
    """Declarer's tricks when all 52 cards are played, ``None`` before; raises when a
    play is illegal.
    """
    if not plays:
        return None
    if contract is None:
        raise IllegalPlay(
            "cards are played but no contract says which suit is trumps and who leads",
            plays=plays,
        )
    leader = contract.declarer.next()
    if plays[0][0] is not leader:
        raise IllegalPlay(
            f"{plays[0][0].name} leads to trick 1, but it is {leader.name}'s turn: "
            f"the seat after declarer leads to {contract}",
            seat=plays[0][0],
            tricks=(1,),
        )
    unseen = DECK_MASK - sum([hand.mask for hand in hands if hand is not None])
    winners, legal = follow(plays, contract.trump, hands, unseen)
    if legal < len(plays):
        known = {
            seat: hand
            for seat, hand in zip(Seat, hands, strict=True)
            if hand is not None
        }
        replay(
            plays, contract.trump, known
        )  # says what is wrong, but for a card of a known hand from an unknown one
        seat, card = plays[legal]
        holder = next(other for other, hand in known.items() if card in hand)
        raise IllegalPlay(
            f"{seat.name} plays {card} in trick {legal // 4 + 1}, but {holder.name} was dealt it: "
            "fix the deal or the play",
            seat=seat,
            card=card,
            tricks=(legal // 4 + 1,),
        )
    return (
        sum([(winner - leader) % 2 for winner in winners]) if len(plays) == 52 else None
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

_TAG_ORDER: Final = {name: i for i, name in enumerate(MANDATORY_TAGS)}


class Tag(NamedTuple):
    """A tag that the package gives no meaning to, with the lines of its table if it has
    one.
    """

    name: str
    value: str
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """One table: what is known of it, ``None`` or empty where the document does not
    tell.

    hands: N E S W; when three are full the fourth is filled in. All may be short: an
    end position. auction: of the four-player game, with one call at least; when it is
    over it gives the contract. alerts: (index of the call, explanation), rising; the
    explanation may be empty. plays: (seat, card) in the order played; a trick's winner
    leads to the next. result: tricks that declarer took; counted when all 52 cards are
    there. claimed: the play is over though fewer cards are on record. dropped: what is
    wrong with the trick from which on the play was not read; not compared. tags:
    everything else, PBN's mandatory tags first, then as read. file, line: where the
    record begins; not compared.

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
        if (auction := self.auction) is not None:
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
        tricks = declarer_tricks(self.plays, self.contract, self.hands)
        if self.contract is None or tricks is not None:
            self._settle("result", tricks)
            self._settle("claimed", False)
        elif self.result is not None:
            if not 0 <= self.result <= 13:
                raise NotationError(
                    f"result {self.result}: declarer takes from 0 to 13 tricks",
                    text=self.result,
                )
            self._settle("claimed", True)
        # PBN's word for what is not known is "?".
        self._settle("board", "" if self.board == "?" else _one_line(self.board))
        self._settle("room", "" if self.room == "?" else _one_line(self.room))
        if self.alerts:
            calls = 0 if self.auction is None else len(self.auction.calls)
            if any(not 0 <= index < calls for index, _ in self.alerts):
                raise NotationError(
                    f"alerts {self.alerts} of {calls} calls: an alert names a call by its index"
                )
            self._settle(
                "alerts",
                tuple((index, _one_line(text).strip()) for index, text in self.alerts),
            )
        if self.tags:
            self._settle("tags", self._verified_tags())

    def _verified_tags(self) -> tuple[Tag, ...]:
        """The tags that tell something the fields do not: one of each name (but any
        number of notes), in order.
        """
        kept: list[Tag] = []
        names = (
            {"Contract", "Declarer", "Result"}
            if self.contract or self.passed_out
            else set[str]()
        )
        for name, value, lines in self.tags:
            if name in FIELD_TAGS or not (name in _TAG_ORDER or is_tag_name(name)):
                raise NotationError(
                    f"tag {name!r}: give a field of the record, or a name of letters and digits",
                    text=name,
                )
            if name not in names and (value or lines or name not in _TAG_ORDER):
                kept.append(Tag(name, _one_line(value), lines))
                names.update({name} - {"Note"})
        return tuple(
            sorted(kept, key=lambda tag: _TAG_ORDER.get(tag.name, len(_TAG_ORDER)))
        )

    def _settle(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def deal(self) -> Deal | None:
        """The four hands, when all are known and full."""
        north, east, south, west = self.hands
        if (
            north is None
            or east is None
            or south is None
            or west is None
            or len(north) != 13
        ):
            return None
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
        return (
            self.auction is not None and self.auction.is_over and self.contract is None
        )

    @property
    def rest(self) -> str:
        """What became of the cards that are not on record, to end a sentence; empty if
        nothing tells.
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
        """The two players of a seat's side, in alphabetical order with ``+`` between;
        None if one has no name.
        """
        names = sorted(
            self.tag(SEATS[one.name]).strip() for one in (seat, seat.next(2))
        )
        return None if {"", "?"} & set(names) else "+".join(names)

    @property
    def place(self) -> str:
        """``file:line`` of the record, for messages."""
        return f"{self.file}:{self.line}"


def is_tag_name(name: str) -> bool:
    """Whether a tag may be called so: letters, digits and ``_``, not a digit first."""
    return name.isascii() and name.isidentifier()


def _one_line(value: str) -> str:
    """The value as a tag can hold it."""
    return value.replace("\r", " ").replace("\n", " ")


@lru_cache(maxsize=64)  # the tables of a match follow one another with the same deal
def read_hands(text: str) -> Hands:
    """The hands of a PBN deal, ``-`` for one that is not known."""
    hands = pbn_hands(text)
    return hands.get(Seat.N), hands.get(Seat.E), hands.get(Seat.S), hands.get(Seat.W)


def _verified_hands(hands: Hands) -> Hands:
    """The hands, which must be disjoint and full (or all short: an end position), with
    a fourth filled in.
    """
    masks = [0 if hand is None else hand.mask for hand in hands]
    if sum(masks) == DECK_MASK and all(mask.bit_count() == 13 for mask in masks):
        return hands
    known = {seat: hand for seat, hand in zip(Seat, hands, strict=True) if hand}
    sizes = {len(hand) for hand in known.values()}
    longest = max(sizes, default=0)
    used = verify_hands(known, full=longest >= 13)
    if longest - min(sizes, default=0) > 1:
        counts = ", ".join(f"{seat.name} {len(hand)}" for seat, hand in known.items())
        raise DealError(
            f"hands of {counts} cards: in one position they differ by one card at most",
            hands=hands,
        )
    rest = Hand(DECK_MASK & ~used) if len(known) == 3 and longest == 13 else None
    return (
        known.get(Seat.N, rest),
        known.get(Seat.E, rest),
        known.get(Seat.S, rest),
        known.get(Seat.W, rest),
    )
