"""LIN documents: the broadcasts of matches, and single boards.

A document is a run of tokens ``key|value|``. ``qx|o7|`` opens board 7 in the open room, ``md`` deals (from South, the
dealer as 1 … 4 for S W N E, the fourth hand often left out), ``sv`` tells who is vulnerable, ``mb`` is a call (``!``
alerts it, ``an`` explains it), ``pc`` a card in the order played, ``mc`` the tricks of declarer when the rest is
claimed, ``pn`` the players of both rooms. Comments (``nt``) and page layout are read past.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from bayesbridge.auction import Auction
from bayesbridge.calls import Call, Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, DealError, IllegalCall, IllegalPlay, NotationError
from bayesbridge.notation.calls import without_surplus
from bayesbridge.notation.lin_deals import board_place, clip, dealt
from bayesbridge.notation.plays import Plays, from_sequence, legal_part
from bayesbridge.notation.reading import LONGEST_LINE, Document, Reading, Skipped, Source
from bayesbridge.notation.record import Record, Tag, Vulnerability

PLAYERS: Final = ("South", "West", "North", "East")
HEADER: Final = ("vg", "rs", "pw", "mp", "bn", "mn", "bt", "tu")
"""Tokens that hold for every board until told anew; kept as tags of these names."""

TABLE: Final = frozenset(("qx", "md", "sv", "mb", "an", "pc", "mc", "pn", "ah"))
"""Tokens that have a field of the record."""

LAYOUT: Final = frozenset(("pg", "st", "nt", "rh", "hs", "at", "lb", "lg", "sk", "up", "zz"))
"""Tokens of the page and its comments, which are not kept."""

_KEYS: Final = TABLE | LAYOUT | frozenset(HEADER)
_CUT: Final = "|"
_TAG_KEY: Final = re.compile(r"[a-z][a-z0-9]")
_CALL: Final = re.compile(r"(pass|p|dbl|d|xx|x|rdbl|r|[1-7](?:nt|n|[cdhs]))(!*)", re.IGNORECASE)
_CALL_WORDS: Final = {"d": "X", "r": "XX"}

type Words = list[tuple[int, str]]
"""Values of tokens, each with its line."""


def read_lin(source: Source) -> Reading:
    """Read a LIN document: a path (also of a ``.gz`` file), a text, bytes or a stream.

    >>> reading = read_lin("qx|o1|md|3,,SAKQ2HKJ3DA54CQ32,|sv|n|mb|1C!|an|16+|mb|p|mb|p|mb|p|pc|D2|mc|7|")
    >>> record = reading.records[0]
    >>> record.auction, record.alerts, record.contract, record.result
    (Auction.of('N:1C Pass Pass Pass'), ((0, '16+'),), Contract.of('1C by N'), 7)
    """
    return Reading.of(iter_lin(source))


def iter_lin(source: Source) -> Iterator[Record | Skipped]:
    """The records of a LIN document and the notes on what was left out, one by one, in the order of the file."""
    document = Document(source)
    header: Mapping[str, str] = {}
    board: _Board | None = None
    for line, key, value in _tokens(_fields(document)):
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
            yield Skipped(document.name, line, f"{clip(value)} has no closing '|': the document is cut short there")
        elif board is not None:
            board.take(line, key, value)
        elif key not in _KEYS and _TAG_KEY.fullmatch(key):
            header = {**header, key: value}  # there are 936 such keys at most
    if board is not None:
        yield from board.items()
    elif document.count:
        yield Skipped(document.name, document.count, "no board such as 'qx|o1|md|3…|' in the file: is it LIN?")
    if document.damage:
        yield Skipped(document.name, document.count, document.damage)


class _Field(NamedTuple):
    """What stands between two bars: the line where it ends, and whether a bar closes it, as all but the last are."""

    line: int
    text: str
    closed: bool = True


def _fields(document: Document) -> Iterator[_Field]:
    """The fields of a document, one by one: no more of it than one field and one line is held."""
    open_, size = [""], 0
    for number, line in document.lines():
        first, *others = line.split("|")
        size += len(first)
        if size > LONGEST_LINE:
            document.damage = f"a token has more than {LONGEST_LINE} letters in line {number}; the rest is left out"
            return
        open_.append(first)
        for other in others:
            yield _Field(number, "\n".join(open_))
            open_, size = [other], len(other)
    yield _Field(document.count, "\n".join(open_), closed=False)


def _tokens(fields: Iterator[_Field]) -> Iterator[tuple[int, str, str]]:
    """Each token with its line, key and value; a last one without its bar comes under the key ``|``."""
    line, key = 1, next(fields, _END)
    while key.closed:
        name, value = key.text.strip(), next(fields, _END)
        if name not in _KEYS and value.text.strip() in TABLE:
            # A bar was lost or is too many: go on at the token that can be made out.
            line, key = key.line, value
            continue
        if not value.closed:
            yield key.line, _CUT, f"{name}|{value.text}"
            return
        yield key.line, name, value.text.strip()
        line, key = value.line, next(fields, _END)
    if key.text.strip():
        yield line, _CUT, key.text.strip()


_END: Final = _Field(0, "", closed=False)


class _Board:
    """One board on its way to a record; ``notes`` gathers what is wrong with it."""

    def __init__(self, file: str, line: int, header: Mapping[str, str]) -> None:
        self.file, self.line, self.header = file, line, header
        self.notes: list[Skipped] = []
        self.deal: tuple[int, str] | None = None
        self.calls: Words = []
        self.alerts: dict[int, str] = {}
        self.cards: Words = []
        self.tags: list[Tag] = []
        self.board = self.room = ""
        self.vulnerable: Vulnerability | None = None
        self.result: int | None = None
        self.claimed = False

    def note(self, line: int, error: BayesBridgeError | str, part: str) -> None:
        self.notes.append(Skipped(self.file, line, f"{error}; the {part} is left out"))

    def take(self, line: int, key: str, value: str) -> None:
        """One token of the board."""
        match key:
            case "qx":
                self.room, self.board = board_place(value)
            case "ah":
                self.board = self.board or value.removeprefix("Board").strip()
            case "md":
                self.deal = (line, value)
            case "sv":
                try:
                    self.vulnerable = Vulnerability.of(value) if value else None
                except NotationError as error:
                    self.note(line, error, "vulnerability")
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
                    self.note(line, f"claim of {clip(value)}: write declarer's tricks, 0 to 13", "number")
            case _:
                if key not in LAYOUT and value and _TAG_KEY.fullmatch(key):
                    self.tags.append(Tag(key, value))

    def call(self, line: int, value: str) -> None:
        """A call, or several in one token; what is none stays as it is, for the auction to refuse."""
        text = value.replace(" ", "").replace(",", "")
        parts = list(_CALL.finditer(text))
        if not text or "".join(part[0] for part in parts) != text:
            self.calls.append((line, value))
            return
        for part in parts:
            if part[2]:
                self.alerts[len(self.calls)] = ""
            self.calls.append((line, _CALL_WORDS.get(part[1].lower(), part[1])))

    def items(self) -> Iterator[Record | Skipped]:
        """The notes on the board, then the board itself as far as it holds together."""
        record = self.record()
        yield from self.notes
        if record is not None:
            yield record

    def record(self) -> Record | None:
        line, text = self.deal or (self.line, "")
        try:
            dealer, hands = dealt(text)
        except (DealError, NotationError) as error:
            self.note(line, error, "record")
            return None
        auction = self.auction(dealer)
        contract = auction.contract if auction is not None else None
        plays = self.plays(contract)
        while True:
            try:
                record = Record(
                    board=self.board,
                    room=self.room,
                    dealer=dealer,
                    vulnerable=self.vulnerable,
                    hands=hands,
                    auction=auction,
                    alerts=tuple(sorted(self.alerts.items())) if auction is not None else (),
                    plays=plays,
                    result=self.result,
                    claimed=self.claimed,
                    tags=(*self.players(), *self.header_tags(), *self.tags),
                    file=self.file,
                    line=self.line,
                )
            except IllegalPlay as error:
                place = min(4 * error.data["tricks"][-1], len(self.cards)) - 1
                plays, part = legal_part(plays, error)
                self.note(self.cards[place][0], error, part)
                continue
            except DealError as error:
                self.note(line, error, "record")
                return None
            if len(plays) == 52 and self.result not in (None, record.result):
                reason = f"claim of {self.result} tricks, but declarer takes {record.result} in the play"
                self.note(self.line, reason, "claim")
            return record

    def auction(self, dealer: Seat | None) -> Auction | None:
        if not self.calls:
            return None
        line = self.calls[0][0]
        if dealer is None:
            self.note(line, "no dealer is told in md (1 S, 2 W, 3 N, 4 E)", "auction")
            return None
        calls: list[Call] = []
        try:
            for told in self.calls:
                line = told[0]
                calls.append(Call.of(told[1]))
            auction, surplus = without_surplus(dealer, calls)
        except IllegalCall as error:
            self.note(self.calls[len(error.data["auction"].calls)][0], error, "auction")
        except NotationError as error:
            self.note(line, error, "auction")
        else:
            if surplus:
                self.note(line, f"{surplus} more Pass after the end of the auction '{auction}'", "surplus")
                self.alerts = {index: text for index, text in self.alerts.items() if index < len(auction.calls)}
            return auction
        return None

    def plays(self, contract: Contract | None) -> Plays:
        if not self.cards:
            return ()
        if contract is None:
            self.note(self.cards[0][0], "no contract tells the trumps of the play", "play")
            return ()
        indices: list[int] = []
        for line, word in self.cards:
            try:
                indices.append(Card.of(word.rstrip("!? ")).index)
            except NotationError as error:
                self.note(line, error, "play")
                return ()
        return from_sequence(indices, contract.declarer.next(), contract.trump)

    def players(self) -> Iterator[Tag]:
        """The players of the board's room: of eight names the closed room's are the last four."""
        names = self.header.get("pn", "").split(",")
        names = names[4:8] if self.room == "Closed" and len(names) > 4 else names[:4]
        return (Tag(seat, name.strip()) for seat, name in zip(PLAYERS, names, strict=False))

    def header_tags(self) -> Iterator[Tag]:
        known = (
            *HEADER,
            *(key for key in self.header if key not in HEADER and _TAG_KEY.fullmatch(key) and key != "pn"),
        )
        return (Tag(key, self.header[key]) for key in known if self.header.get(key))
