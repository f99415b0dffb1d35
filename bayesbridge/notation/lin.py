"""LIN documents: the broadcasts of matches, and single boards.

A document is a run of tokens ``key|value|``. ``qx|o7|`` opens board 7 in the open room,
``md`` deals (from South, the dealer as 1 … 4 for S W N E, the fourth hand often left
out), ``sv`` tells who is vulnerable, ``mb`` is a call (``!`` alerts it, ``an`` explains
it), ``pc`` a card in the order played, ``mc`` the tricks of declarer when the rest is
claimed, ``pn`` the players of both rooms. Comments (``nt``) and page layout are read
past.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import batched
from typing import IO, Final, NamedTuple
from urllib.parse import unquote_plus

from bayesbridge.errors import NotationError, shorten
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import DOUBLE, PASS, REDOUBLE, Call, Contract, Vulnerability
from bayesbridge.game.cards import Card, Hand
from bayesbridge.game.deal import Seat
from bayesbridge.notation.reading import Document, Draft, ParsedRecords, Skipped, Source
from bayesbridge.notation.record import UNKNOWN_HANDS, Hands, Plays, Record, Tag, seated

SEATS: Final = (
    Seat.S,
    Seat.W,
    Seat.N,
    Seat.E,
)  # as LIN names dealers, hands and players

_SUIT: Final = re.compile(r"([SHDC])((?:10|[AKQJT2-9])*)")


@lru_cache(
    maxsize=64
)  # the two tables of a match follow one another with the same deal
def dealt(text: str) -> Hands:
    """The hands of ``md``."""
    if not text:
        return UNKNOWN_HANDS
    fields = [field.strip() for field in text.lstrip("01234 ").split(",")]
    if any(fields[4:]):
        raise NotationError(
            f"deal {shorten(text)} has {len(fields)} hands: write four, from South",
            text=text,
        )
    hands = dict(zip(SEATS, map(_hand, fields), strict=False))
    return hands.get(Seat.N), hands.get(Seat.E), hands.get(Seat.S), hands.get(Seat.W)


def _hand(text: str) -> Hand | None:
    """A hand such as ``SAKQ2HKJ3DA54CQ32``, ``None`` when nothing is told."""
    if not text:
        return None
    bare = text.upper().replace(" ", "")
    parts = list(_SUIT.finditer(bare))
    if "".join(part[0] for part in parts) != bare or len(
        {part[1] for part in parts}
    ) != len(parts):
        raise NotationError(
            f"unknown hand {shorten(text)}: write suits with their cards, such as SAKQ2HKJ3DA54CQ32",
            text=text,
        )
    return Hand.of(
        [f"{part[1]}{rank}" for part in parts for rank in part[2].replace("10", "T")]
    )


PLAYERS: Final = ("South", "West", "North", "East")
HEADER: Final = (
    "vg",
    "rs",
    "pw",
    "mp",
    "bn",
    "mn",
    "bt",
    "tu",
)  # kept as tags of every board, until told anew
TABLE: Final = frozenset(
    ("qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah")
)  # they have a field of the record
LAYOUT: Final = frozenset(
    ("pg", "st", "nt", "rh", "hs", "at", "lb", "lg", "sk", "up", "zz")
)  # not kept
_KEYS: Final = TABLE | LAYOUT | frozenset(HEADER)
_CUT: Final = "|"
_TAG_KEY: Final = re.compile(r"[a-z][a-z0-9]")
_CALL: Final = re.compile(
    r"(pass|p|dbl|d|xx|x|rdbl|r|[1-7](?:nt|n|[cdhs]))(!*)", re.IGNORECASE
)
_CALL_WORDS: Final = {"d": "X", "r": "XX"}

type Words = list[tuple[int, str]]  # values of tokens, each with its line


def read_lin(source: Source) -> ParsedRecords:
    """Read a LIN document: a path (also of a ``.gz`` file), a text, bytes or a stream.

    >>> reading = read_lin("qx|o1|md|3,,SAKQ2HKJ3DA54CQ32,|sv|n|mb|1C!|an|16+|mb|p|mb|p|mb|p|pc|D2|mc|7|")
    >>> record = reading.records[0]
    >>> record.auction, record.alerts, record.contract, record.result
    (Auction.of('N:1C Pass Pass Pass'), ((0, '16+'),), Contract.of('1C by N'), 7)
    """
    return ParsedRecords.of(iter_lin(source))


def iter_lin(source: Source) -> Iterator[Record | Skipped]:
    """The records of a LIN document and the notes on what was left out, one by one, in
    the order of the file.
    """
    document = Document(source)
    header: Mapping[str, str] = {}
    board: _Board | None = None
    for line, key, value in _tokens(document):
        if key == "qx" or (key == "md" and (board is None or board.deal is not None)):
            if board is not None:
                yield from board.items()
            board = _Board(document.name, line, header)
        if key in HEADER or key == "pn":
            header = {**header, key: value}
            # Past its deal a board is complete in this respect: what comes then is for the boards that follow.
            if board is not None and board.deal is None:
                board.header = header
        elif key == _CUT:
            yield Skipped(
                document.name,
                line,
                f"{shorten(value)} has no closing '|': the document is cut short there",
            )
        elif board is not None:
            board.take(line, key, value)
        elif key not in _KEYS and _TAG_KEY.fullmatch(key):
            header = {**header, key: value}  # there are 936 such keys at most
    if board is not None:
        yield from board.items()
    elif document.count:
        yield Skipped(
            document.name,
            document.count,
            "no board such as 'qx|o1|md|3…|' in the file: is it LIN?",
        )
    if document.damage:
        yield Skipped(document.name, document.count, document.damage)


def link_text(link: str) -> str:
    """The document within a link of a hand viewer, percent-encoded or not."""
    return unquote_plus(link.partition("lin=")[2].partition("&")[0])


class _Part(NamedTuple):
    """What stands between two bars; ``line`` is where it ends. No bar closes the last."""

    line: int
    text: str
    closed: bool = True


def _parts(document: Document) -> Iterator[_Part]:
    """The parts of a document in order; only the last, perhaps empty, is not closed."""
    number = 1
    pieces: list[str] = []  # of a part that goes over several lines
    for number, line in document.lines():
        first, *following = (link_text(line) if "lin=" in line else line).split("|")
        pieces.append(first)
        for text in following:
            yield _Part(number, "\n".join(pieces).strip())
            pieces = [text]
    yield _Part(number, "\n".join(pieces).strip(), closed=False)


def _tokens(document: Document) -> Iterator[tuple[int, str, str]]:
    """Each token with its line, key and value; a last one without its bar comes under
    the key ``|``.
    """
    key: _Part | None = None
    for part in _parts(document):
        if key is None:
            key = part
        elif key.text not in _KEYS and part.text in TABLE:
            # A bar was lost or is too many: go on at the token that can be made out
            key = part
        elif part.closed:
            yield key.line, key.text, part.text
            key = None
        else:
            yield key.line, _CUT, f"{key.text}|{part.text}"
            return
    if key is not None and key.text:
        yield key.line, _CUT, key.text


@dataclass
class _Board(Draft):
    header: Mapping[str, str]
    deal: tuple[int, str] | None = None
    calls: Words = field(default_factory=list)
    alerts: dict[int, str] = field(default_factory=dict)
    cards: Words = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    board: str = ""
    room: str = ""
    vulnerable: Vulnerability | None = None
    result: int | None = None
    claimed: bool = False

    def take(self, line: int, key: str, value: str) -> None:
        match key:
            case "qx":
                self.room = {"o": "Open", "c": "Closed"}.get(value[:1].lower(), "")
                self.board = value[1:] if self.room else value
            case "ah":
                self.board = self.board or value.removeprefix("Board").strip()
            case "md":
                self.deal = (line, value)
            case "sv":
                self.vulnerable = (
                    self.read(line, "vulnerability", Vulnerability.of, value)
                    if value
                    else None
                )
            case "mb":
                self.call(line, value)
            case "an":
                if self.calls:
                    self.alerts[len(self.calls) - 1] = value
            case "pc":
                self.cards.append((line, value))
            case "mc":
                self.claimed = True
                if value.isdecimal() and int(value) <= 13:
                    self.result = int(value)
                elif value:
                    self.note(
                        line,
                        f"claim of {shorten(value)}: write declarer's tricks, 0 to 13",
                        "number",
                    )
            case _:
                if key not in LAYOUT and value and _TAG_KEY.fullmatch(key):
                    self.tags.append(Tag(key, value))

    def call(self, line: int, value: str) -> None:
        """A call, or several in one token; what is none stays as it is, for the auction
        to refuse.
        """
        text = value.replace(" ", "").replace(",", "")
        parts = list(_CALL.finditer(text))
        if not text or "".join(part[0] for part in parts) != text:
            self.calls.append((line, value))
            return
        for part in parts:
            if part[2]:
                self.alerts[len(self.calls)] = ""
            self.calls.append((line, _CALL_WORDS.get(part[1].lower(), part[1])))

    def record(self) -> Record | None:
        line, text = self.deal or (self.line, "")
        hands = self.read(line, "record", dealt, text)
        if hands is None:
            return None
        dealer = SEATS[int(text[0]) - 1] if text[:1] in tuple("1234") else None
        auction = self.auction(dealer)
        contract = auction.contract if auction is not None else None
        known = dict.fromkeys((*HEADER, *self.header))
        header = (
            Tag(key, self.header[key])
            for key in known
            if key != "pn" and self.header.get(key)
        )
        return self.settle(
            line,
            [trick[-1][0] for trick in batched(self.cards, 4)],
            self.line,
            board=self.board,
            room=self.room,
            dealer=dealer,
            vulnerable=self.vulnerable,
            hands=hands,
            auction=auction,
            alerts=tuple(sorted(self.alerts.items())) if auction is not None else (),
            plays=self.plays(contract),
            result=self.result,
            claimed=self.claimed,
            tags=(*self.players(), *header, *self.tags),
        )

    def auction(self, dealer: Seat | None) -> Auction | None:
        if not self.calls:
            return None
        if dealer is None:
            self.note(
                self.calls[0][0],
                "no dealer is told in md (1 S, 2 W, 3 N, 4 E)",
                "auction",
            )
            return None
        calls: list[Call] = []
        for line, word in self.calls:
            if (call := self.read(line, "auction", Call.of, word)) is None:
                return None
            calls.append(call)
        auction = self.settle_auction(
            dealer, tuple(calls), lambda place: self.calls[place][0]
        )
        if auction is not None:
            self.alerts = {
                index: text
                for index, text in self.alerts.items()
                if index < len(auction.calls)
            }
        return auction

    def plays(self, contract: Contract | None) -> Plays:
        if not self.cards:
            return ()
        if contract is None:
            self.note(
                self.cards[0][0], "no contract tells the trumps of the play", "play"
            )
            return ()
        indices: list[int] = []
        for line, word in self.cards:
            try:
                indices.append(Card.of(word.rstrip("!? ")).index)
            except NotationError as error:
                whole_tricks = len(indices) // 4
                self.drop_play(line, error, whole_tricks + 1)
                del indices[4 * whole_tricks :]
                break
        return seated(batched(indices, 4), contract.declarer.next(), contract.trump)

    def players(self) -> Iterator[Tag]:
        """The players of the board's room: of eight names the closed room's are the
        last four.
        """
        names = self.header.get("pn", "").split(",")
        names = names[4:8] if self.room == "Closed" and len(names) > 4 else names[:4]
        return (
            Tag(seat, name.strip()) for seat, name in zip(PLAYERS, names, strict=False)
        )


_ROOM_LETTERS: Final = {"Open": "o", "Closed": "c"}
_CALLS: Final = {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}


def write_lin(records: Iterable[Record], stream: IO[str]) -> None:
    """Write records as LIN, which has no contract, play or result without an auction,
    and no ``|`` in any text.
    """
    last = ",,,"
    for record in records:
        players = ",".join(
            _plain(record.tag(name)).replace(",", " ") for name in PLAYERS
        )
        if players != last:  # a token holds until told anew
            stream.write(f"pn|{players}|\n")
        last = players
        stream.writelines(f"{line}\n" for line in _lines(record))


def _lines(record: Record) -> Iterator[str]:
    dealer = "" if record.dealer is None else str(SEATS.index(record.dealer) + 1)
    hands = ",".join(_hand_text(record.hands[seat]) for seat in SEATS)
    line = f"qx|{_ROOM_LETTERS.get(record.room, '')}{_plain(record.board)}|st||md|{dealer}{hands}|"
    if record.vulnerable is not None:
        letters = {
            Vulnerability.NONE: "o",
            Vulnerability.NS: "n",
            Vulnerability.EW: "e",
            Vulnerability.ALL: "b",
        }
        line += f"sv|{letters[record.vulnerable]}|"
    alerts = dict(record.alerts)
    for i, call in enumerate(
        record.auction.calls if record.auction is not None else ()
    ):
        word = _CALLS.get(call) or str(call).replace("NT", "N")
        line += f"mb|{word}!|an|{_plain(alerts[i])}|" if i in alerts else f"mb|{word}|"
    yield f"{line}pg||"
    if record.auction is None or not record.auction.is_over:
        return
    for trick in batched(record.plays, 4):
        yield "".join(f"pc|{card}|" for _, card in trick) + "pg||"
    if record.claimed:
        yield f"mc|{'' if record.result is None else record.result}|pg||"


def _hand_text(hand: Hand | None) -> str:
    suits = () if hand is None else zip("SHDC", hand.pbn.split("."), strict=True)
    return "".join(suit + cards for suit, cards in suits)


def _plain(text: str) -> str:
    return text.replace("|", "/").strip()
