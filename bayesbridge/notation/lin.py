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
from bayesbridge.game.scoring import MOST_TRICKS
from bayesbridge.game.tricks import CARDS_IN_TRICK
from bayesbridge.notation.reading import Document, Draft, ParsedRecords, Skipped, Source
from bayesbridge.notation.record import (
    UNKNOWN_HANDS,
    Hands,
    Plays,
    Record,
    Tag,
    seated,
)

SEATS: Final = (Seat.S, Seat.W, Seat.N, Seat.E)
"""As LIN names dealers, hands and players."""

PLAYERS: Final = ("South", "West", "North", "East")

HEADER: Final = ("vg", "rs", "pw", "mp", "bn", "mn", "bt", "tu")
"""Keys that are kept as tags of every board, until told anew."""

TABLE: Final = frozenset(("qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah"))
"""Keys that have a field of the record."""

LAYOUT: Final = frozenset(
    ("pg", "st", "nt", "rh", "hs", "at", "lb", "lg", "sk", "up", "zz")
)
"""Keys of the page, which are not kept."""

_KEYS: Final = TABLE | LAYOUT | frozenset(HEADER)
_CUT: Final = "|"
"""Key of a last token without its bar."""

_TAG_KEY: Final = re.compile(r"[a-z][a-z0-9]")
_SUIT: Final = re.compile(r"([SHDC])((?:10|[AKQJT2-9])*)")
_CALL: Final = re.compile(
    r"(pass|p|dbl|d|xx|x|rdbl|r|[1-7](?:nt|n|[cdhs]))(!*)", re.IGNORECASE
)
_CALL_WORDS: Final = {"d": "X", "r": "XX"}
_ROOMS: Final = {"o": "Open", "c": "Closed"}


@lru_cache(maxsize=64)
def dealt(text: str) -> Hands:
    """The hands of ``md``.

    Cached, since the two tables of a match follow one another with the same deal.
    """
    if not text:
        return UNKNOWN_HANDS
    hand_texts = [hand.strip() for hand in text.lstrip("01234 ").split(",")]
    if any(hand_texts[len(SEATS) :]):
        raise NotationError(
            f"deal {shorten(text)} has {len(hand_texts)} hands: write four, from South",
            text=text,
        )
    hands = dict(zip(SEATS, map(_hand, hand_texts), strict=False))
    return hands.get(Seat.N), hands.get(Seat.E), hands.get(Seat.S), hands.get(Seat.W)


def _hand(text: str) -> Hand | None:
    """A hand such as ``SAKQ2HKJ3DA54CQ32``, ``None`` when nothing is told."""
    if not text:
        return None
    letters = text.upper().replace(" ", "")
    suits = list(_SUIT.finditer(letters))
    names_all = "".join(suit[0] for suit in suits) == letters
    names_once = len({suit[1] for suit in suits}) == len(suits)
    if not names_all or not names_once:
        raise NotationError(
            f"unknown hand {shorten(text)}: write suits with their cards, such as "
            "SAKQ2HKJ3DA54CQ32",
            text=text,
        )
    cards: list[str] = []
    for suit in suits:
        ranks = suit[2].replace("10", "T")
        cards += [f"{suit[1]}{rank}" for rank in ranks]
    return Hand.of(cards)


type Words = list[tuple[int, str]]
"""Values of tokens, each with its line."""


def read_lin(source: Source) -> ParsedRecords:
    """Read a LIN document: a path (also of a ``.gz`` file), a text, bytes or a stream.

    >>> deal = "qx|o1|md|3,,SAKQ2HKJ3DA54CQ32,|sv|n|"
    >>> reading = read_lin(f"{deal}mb|1C!|an|16+|mb|p|mb|p|mb|p|pc|D2|mc|7|")
    >>> record = reading.records[0]
    >>> record.auction, record.alerts, record.contract, record.result
    (Auction.of('N:1C Pass Pass Pass'), ((0, '16+'),), Contract.of('1C by N'), 7)
    """
    return ParsedRecords.of(iter_lin(source))


def iter_lin(source: Source) -> Iterator[Record | Skipped]:
    """The records of a LIN document and the notes on what was left out.

    One by one, in the order of the file. A board begins with its name (key ``qx``), or
    with a deal (``md``) where the board before has its own already.
    """
    document = Document(source)
    header: Mapping[str, str] = {}
    board: _Board | None = None
    for line, key, value in _tokens(document):
        is_next_deal = key == "md" and (board is None or board.deal is not None)
        if key == "qx" or is_next_deal:
            if board is not None:
                yield from board.items()
            board = _Board(document.name, line, header)
        if key in HEADER or key == "pn":
            header = {**header, key: value}
            # What comes after the deal of a board is for the boards that follow.
            if board is not None and board.deal is None:
                board.header = header
        elif key == _CUT:
            reason = f"{shorten(value)} has no closing '|'"
            yield Skipped(
                document.name, line, f"{reason}: the document is cut short there"
            )
        elif board is not None:
            board.take(line, key, value)
        elif key not in _KEYS and _TAG_KEY.fullmatch(key):
            # There are 936 such keys at most.
            header = {**header, key: value}
    if board is not None:
        yield from board.items()
    yield from _faults_at_end(document, has_board=board is not None)


def _faults_at_end(document: Document, has_board: bool) -> Iterator[Skipped]:
    """What is wrong with a document that was read to its end."""
    if not has_board and document.count:
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
    """The parts of a document in order; only the last, perhaps empty, is not closed.

    A line may also be a link of a hand viewer, which has a document after ``lin=``.
    """
    number = 1
    lines_of_part: list[str] = []
    for number, line in document.lines():
        if "lin=" in line:
            line = link_text(line)
        first, *following = line.split("|")
        lines_of_part.append(first)
        for text in following:
            yield _Part(number, "\n".join(lines_of_part).strip())
            lines_of_part = [text]
    yield _Part(number, "\n".join(lines_of_part).strip(), closed=False)


def _tokens(document: Document) -> Iterator[tuple[int, str, str]]:
    """Each token with its line, key and value: ``key|value|``, key and value in turn.

    A last one without its closing bar comes under the key ``|``.
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
    """The tokens of one board on their way to a record."""

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
        """Take a token: a key of two letters, and what follows it in a line.

        The keys are the board's name (``qx``, else ``ah``), deal (``md``),
        vulnerability (``sv``), a call (``mb``) and its alert (``an``), a card (``pc``)
        and a claim (``mc``). Keys of the page's layout are passed by; what no key of
        LIN means is kept as a tag.
        """
        match key:
            case "qx":
                self.room = _ROOMS.get(value[:1].lower(), "")
                self.board = value[1:] if self.room else value
            case "ah":
                self.board = self.board or value.removeprefix("Board").strip()
            case "md":
                self.deal = (line, value)
            case "sv":
                self.vulnerable = None
                if value:
                    self.vulnerable = self.read(
                        line, "vulnerability", Vulnerability.of, value
                    )
            case "mb":
                self.call(line, value)
            case "an":
                if self.calls:
                    self.alerts[len(self.calls) - 1] = value
            case "pc":
                self.cards.append((line, value))
            case "mc":
                self.claim(line, value)
            case _:
                if key not in LAYOUT and value and _TAG_KEY.fullmatch(key):
                    self.tags.append(Tag(key, value))

    def claim(self, line: int, value: str) -> None:
        """A claim of declarer's tricks, or of none in particular."""
        self.claimed = True
        if value.isdecimal() and int(value) <= MOST_TRICKS:
            self.result = int(value)
        elif value:
            reason = f"claim of {shorten(value)}: write declarer's tricks, 0 to 13"
            self.note(line, reason, "number")

    def call(self, line: int, value: str) -> None:
        """A call, or several in one token; a sign after a call marks an alert.

        What is none stays as it is, for the auction to refuse.
        """
        text = value.replace(" ", "").replace(",", "")
        matches = list(_CALL.finditer(text))
        if not text or "".join(match[0] for match in matches) != text:
            self.calls.append((line, value))
            return
        for match in matches:
            word, alert_sign = match.groups()
            if alert_sign:
                self.alerts[len(self.calls)] = ""
            self.calls.append((line, _CALL_WORDS.get(word.lower(), word)))

    def record(self) -> Record | None:
        """The record of the board, as far as its parts hold together.

        The deal (``md``) begins with the number of the dealer: 1 S, 2 W, 3 N, 4 E.
        """
        deal_line, deal_text = self.deal or (self.line, "")
        hands = self.read(deal_line, "record", dealt, deal_text)
        if hands is None:
            return None
        dealer = None
        if deal_text[:1] in tuple("1234"):
            dealer = SEATS[int(deal_text[0]) - 1]
        auction = self.auction(dealer)
        contract = None if auction is None else auction.contract
        # Alerts are kept by the number of their call, which needs the auction.
        alerts = {} if auction is None else self.alerts
        return self.settle(
            deal_line=deal_line,
            trick_lines=self.trick_lines(),
            result_line=self.line,
            board=self.board,
            room=self.room,
            dealer=dealer,
            vulnerable=self.vulnerable,
            hands=hands,
            auction=auction,
            alerts=tuple(sorted(alerts.items())),
            plays=self.plays(contract),
            result=self.result,
            claimed=self.claimed,
            tags=(*self.players(), *self.header_tags(), *self.tags),
        )

    def trick_lines(self) -> list[int]:
        """The line of the last card of each trick."""
        lines = []
        for trick in batched(self.cards, CARDS_IN_TRICK):
            last_line, _card = trick[-1]
            lines.append(last_line)
        return lines

    def header_tags(self) -> Iterator[Tag]:
        """What the header tells but for the players, LIN's keys first."""
        for key in dict.fromkeys((*HEADER, *self.header)):
            value = self.header.get(key)
            if key != "pn" and value:
                yield Tag(key, value)

    def auction(self, dealer: Seat | None) -> Auction | None:
        """The auction, if it is legal; keeps the alerts of its calls."""
        if not self.calls:
            return None
        if dealer is None:
            first_line, _ = self.calls[0]
            self.note(
                first_line, "no dealer is told in md (1 S, 2 W, 3 N, 4 E)", "auction"
            )
            return None
        calls: list[Call] = []
        for line, word in self.calls:
            call = self.read(line, "auction", Call.of, word)
            if call is None:
                return None
            calls.append(call)

        def line_of_call(place: int) -> int:
            line, _ = self.calls[place]
            return line

        auction = self.settle_auction(dealer, tuple(calls), line_of_call)
        if auction is not None:
            call_count = len(auction.calls)
            self.alerts = {
                index: text for index, text in self.alerts.items() if index < call_count
            }
        return auction

    def plays(self, contract: Contract | None) -> Plays:
        """The cards in the order played, up to the trick in which one is wrong."""
        if not self.cards:
            return ()
        if contract is None:
            first_line, _ = self.cards[0]
            self.note(first_line, "no contract tells the trumps of the play", "play")
            return ()
        indices: list[int] = []
        for line, word in self.cards:
            try:
                indices.append(Card.of(word.rstrip("!? ")).index)
            except NotationError as error:
                complete_tricks = len(indices) // CARDS_IN_TRICK
                self.drop_play(line, error, complete_tricks + 1)
                del indices[CARDS_IN_TRICK * complete_tricks :]
                break
        return seated(
            batched(indices, CARDS_IN_TRICK), contract.declarer.next(), contract.trump
        )

    def players(self) -> Iterator[Tag]:
        """The players of the board's room.

        Of eight names the closed room's are the last four.
        """
        names = self.header.get("pn", "").split(",")
        if self.room == "Closed" and len(names) > len(PLAYERS):
            names = names[len(PLAYERS) :]
        for seat, name in zip(PLAYERS, names, strict=False):
            yield Tag(seat, name.strip())


_ROOM_LETTERS: Final = {room: letter for letter, room in _ROOMS.items()}
_CALLS: Final = {PASS: "p", DOUBLE: "d", REDOUBLE: "r"}
_VULNERABLE_LETTERS: Final = {
    Vulnerability.NONE: "o",
    Vulnerability.NS: "n",
    Vulnerability.EW: "e",
    Vulnerability.ALL: "b",
}


def write_lin(records: Iterable[Record], stream: IO[str]) -> None:
    """Write records as LIN.

    LIN has no contract, play or result without an auction, and no ``|`` in any text.

    Parameters
    ----------
    records : iterable of Record
        The tables, in their order.
    stream : text stream
        Where they are written to.
    """
    names_so_far = ",,,"
    for record in records:
        players = [_plain(record.tag(seat)).replace(",", " ") for seat in PLAYERS]
        names = ",".join(players)
        # A token holds until told anew.
        if names != names_so_far:
            stream.write(f"pn|{names}|\n")
        names_so_far = names
        stream.writelines(f"{line}\n" for line in _lines(record))


def _lines(record: Record) -> Iterator[str]:
    """The lines of a board: its deal and calls, its tricks, its claim.

    Each ends with a new page (``pg``); cards are ``pc``, a claim is ``mc``.
    """
    auction = record.auction
    yield f"{_deal_tokens(record)}{_call_tokens(record)}pg||"
    if auction is None or not auction.is_over:
        return
    for trick in batched(record.plays, CARDS_IN_TRICK):
        cards = "".join(f"pc|{card}|" for _, card in trick)
        yield f"{cards}pg||"
    if record.claimed:
        tricks = "" if record.result is None else record.result
        yield f"mc|{tricks}|pg||"


def _deal_tokens(record: Record) -> str:
    room = _ROOM_LETTERS.get(record.room, "")
    dealer = "" if record.dealer is None else SEATS.index(record.dealer) + 1
    hands = ",".join(_hand_text(record.hands[seat]) for seat in SEATS)
    tokens = f"qx|{room}{_plain(record.board)}|st||md|{dealer}{hands}|"
    if record.vulnerable is not None:
        tokens += f"sv|{_VULNERABLE_LETTERS[record.vulnerable]}|"
    return tokens


def _call_tokens(record: Record) -> str:
    if record.auction is None:
        return ""
    alerts = dict(record.alerts)
    tokens = []
    for index, call in enumerate(record.auction.calls):
        word = _CALLS.get(call) or str(call).replace("NT", "N")
        if index in alerts:
            tokens.append(f"mb|{word}!|an|{_plain(alerts[index])}|")
        else:
            tokens.append(f"mb|{word}|")
    return "".join(tokens)


def _hand_text(hand: Hand | None) -> str:
    if hand is None:
        return ""
    suits = zip("SHDC", hand.pbn.split("."), strict=True)
    return "".join(f"{suit}{ranks}" for suit, ranks in suits)


def _plain(text: str) -> str:
    """A text without bars, which would end its token."""
    return text.replace("|", "/").strip()
