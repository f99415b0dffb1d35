"""PBN documents, read as they are found (glyphs such as ``$1`` and ``!`` are read past)
and written as an export.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import batched
from typing import IO, Final

from bayesbridge.errors import NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import CALLS, PASS, Call, Contract, Vulnerability
from bayesbridge.game.cards import Card
from bayesbridge.game.deal import Seat
from bayesbridge.notation.reading import Document, Draft, ParsedRecords, Skipped, Source
from bayesbridge.notation.record import (
    FIELD_TAGS,
    MANDATORY_TAGS,
    UNKNOWN_HANDS,
    Plays,
    Record,
    Tag,
    final_contract,
    is_tag_name,
    read_hands,
    seated,
)

_TAG: Final = re.compile(r'\[\s*([A-Za-z_][A-Za-z0-9_]*)\s*"((?:[^"\\]|\\.)*)"\s*\]')
_COMMENT: Final = re.compile("[{;]")
_ESCAPED: Final = re.compile(r'\\(["\\])')
_OPENERS: Final = ("[Event ", "[Board ")
_STARTS: Final = frozenset(
    ("Event", "Board", "Deal")
)  # a second one begins the next game, even without a gap
SECTIONS: Final = (
    "Auction",
    "Play",
)  # their lines are calls and cards, where comments may stand anywhere
NO_LINES: Final = frozenset(
    (
        "Board",
        "Room",
        "Dealer",
        "Vulnerable",
        "Deal",
        "Declarer",
        "Contract",
        "Result",
        "Note",
    )
)
"""Tags that no line belongs to."""


@dataclass(slots=True)
class RawTag:
    """A tag pair with its line, and the lines that follow it, with their numbers."""

    name: str
    value: str
    line: int
    lines: list[tuple[int, str]] = field(default_factory=list)


@dataclass
class TagPairs(Draft):
    """The tag pairs of one table on its way to a record; ``call_notes`` are the Note
    tags that follow the auction.
    """

    tags: list[RawTag] = field(default_factory=list)
    by_name: dict[str, RawTag] = field(default_factory=dict)
    call_notes: list[str] = field(default_factory=list)
    alerts: tuple[tuple[int, str], ...] = ()
    claimed: bool = False
    section: str = ""

    def add(self, tag: RawTag) -> None:
        """Put a tag in its place; of two with one name only the first counts, but for
        notes.
        """
        if tag.name in SECTIONS:
            self.section = tag.name
        if tag.name == "Note" and self.section:
            if self.section == "Auction":
                self.call_notes.append(tag.value)
            return
        if tag.name == "Note" or tag.name not in self.by_name:
            self.tags.append(tag)
            self.by_name[tag.name] = tag

    def value(self, name: str) -> str:
        """The value of a tag, empty if it is not there or not known."""
        tag = self.by_name.get(name)
        return "" if tag is None or tag.value == "?" else tag.value

    def line_of(self, name: str) -> int:
        """The line of a tag, or else of the game."""
        tag = self.by_name.get(name)
        return self.line if tag is None else tag.line

    def ends_before(self, name: str, after_gap: bool) -> bool:
        """Whether a tag of this name belongs to the next game."""
        if name in self.by_name:
            return after_gap or name in _STARTS
        return (
            after_gap
            and name in ("Event", "Board")
            and any(known in self.by_name for known in ("Deal", *SECTIONS))
        )

    def record(self) -> Record | None:
        text = self.value("Deal")
        hands = (
            self.read(self.line_of("Deal"), "record", read_hands, text)
            if text
            else UNKNOWN_HANDS
        )
        if hands is None:
            return None
        dealer = self.seat("Dealer")
        auction = self.auction(dealer)
        contract = self.contract(auction)
        result = self.result(contract)
        rows = self.rows()
        plays: Plays = ()
        if contract is not None:
            leader = self.seat("Play")  # of the first column
            leader = contract.declarer.next() if leader is None else leader
            plays = seated(
                (row for _, row in rows), leader, contract.trump, columns=True
            )
        elif rows:
            self.note(rows[0][0], "no contract tells the trumps of the play", "play")
        text = self.value("Vulnerable")
        line = self.line_of("Vulnerable")
        others = [tag for tag in self.tags if tag.name not in FIELD_TAGS]
        return self.settle(
            self.line_of("Deal"),
            [line for line, _ in rows],
            self.line_of("Result"),
            board=self.value("Board"),
            room=self.value("Room"),
            dealer=dealer,
            vulnerable=self.read(line, "vulnerability", Vulnerability.of, text)
            if text
            else None,
            hands=hands,
            auction=auction,
            alerts=self.alerts,
            contract=contract,
            plays=plays,
            result=result,
            claimed=self.claimed,
            tags=tuple(
                [
                    Tag(
                        tag.name,
                        tag.value,
                        tuple([line.rstrip() for _, line in tag.lines]),
                    )
                    for tag in others
                ]
            ),
        )

    def seat(self, name: str) -> Seat | None:
        """The seat that a tag tells; ``^`` marks one that an irregularity put there."""
        text = self.value(name).lstrip("^")
        if text in _SEATS:
            return _SEATS[text]
        return self.read(self.line_of(name), name.lower(), Seat.of, text)

    def auction(self, dealer: Seat | None) -> Auction | None:
        tag = self.by_name.get("Auction")
        if tag is None or not tag.lines:
            return None
        first = dealer if (named := self.seat("Auction")) is None else named
        if first is None:
            self.note(tag.line, "no dealer is told", "auction")
            return None
        if dealer is not None and dealer is not first:
            self.note(
                tag.line,
                f"{first.name} calls first, but {dealer.name} deals",
                "auction",
            )
            return None
        try:
            calls, rows, numbers = _calls(tuple([text for _, text in tag.lines]))
        except NotationError as error:
            self.note(tag.lines[error.data.get("row", 0)][0], error, "auction")
            return None
        auction = self.settle_auction(
            first, calls, lambda place: tag.lines[rows[place]][0]
        )
        if auction is None:
            return None
        parts = (note.partition(":") for note in self.call_notes)
        notes = {number.strip(): words.strip() for number, _, words in parts}
        kept = [index for index in sorted(numbers) if index < len(auction.calls)]
        self.alerts = tuple((index, notes.get(numbers[index], "")) for index in kept)
        return auction

    def contract(self, auction: Auction | None) -> Contract | None:
        text, declarer = self.value("Contract"), self.seat("Declarer")
        stated = None
        if (
            text
            and text.upper() != "PASS"
            and (declarer is not None or auction is None or not auction.is_over)
        ):
            line = self.line_of("Contract")
            stated = self.read(
                line,
                "contract told",
                lambda word: _contract(word, declarer),
                text.replace(" ", ""),
            )
        if auction is None or not auction.is_over:
            return stated
        final = final_contract(auction)
        if stated not in (None, final):
            reason = f"contract {stated}, but the auction '{auction}' ends in {final or 'four passes'}"
            self.note(self.line_of("Contract"), reason, "contract told")
        return final

    def rows(self) -> list[tuple[int, tuple[int, ...]]]:
        """The tricks as written: the line, and four cards by index, -1 where none lies,
        however the lines break.
        """
        cards: list[int] = []
        lines: list[int] = []
        for line, word in self.play_words():
            if word in ("*", "+"):
                self.claimed = word == "*"
                break
            try:
                cards.append(_CARDS[word] if word in _CARDS else Card.of(word).index)
            except NotationError as error:
                whole_tricks = len(cards) // 4
                self.drop_play(line, error, whole_tricks + 1)
                del cards[4 * whole_tricks :]
                break
            lines.append(line)
        cards += [-1] * (-len(cards) % 4)
        return [(lines[i], tuple(cards[i : i + 4])) for i in range(0, len(cards), 4)]

    def play_words(self) -> Iterator[tuple[int, str]]:
        """The cards and signs of the play, each with its line, without glyphs."""
        if "Play" not in self.by_name:
            return
        for line, text in self.by_name["Play"].lines:
            words = text.split()
            if not all(word in _CARDS for word in words):
                words = [word for word in _WORD.findall(text) if word[0] not in "=$^!?"]
            for word in words:
                yield line, word

    def result(self, contract: Contract | None) -> int | None:
        text = self.value("Result").lstrip("^").strip()
        if contract is None or not text:
            return None
        match = _RESULT.match(text)
        if match is None or (tricks := int(match[2])) > 13:
            self.note(
                self.line_of("Result"),
                f"unknown result {text!r}: write declarer's tricks, 0 to 13",
                "result",
            )
            return None
        side = (match[1] or "").upper()
        return 13 - tricks if side and contract.declarer.name not in side else tricks


@dataclass
class _Comment:
    """Takes comments out of lines; remembers the line where one began that is still
    open.
    """

    opened: int = 0

    def without(self, number: int, line: str) -> str:
        kept: list[str] = []
        place = 0
        while place < len(line):
            if self.opened:
                end = line.find("}", place)
                if end < 0:
                    break
                self.opened, place = 0, end + 1
                continue
            mark = _COMMENT.search(line, place)
            kept.append(line[place : len(line) if mark is None else mark.start()])
            if mark is None or mark[0] == ";":
                break
            self.opened, place = number, mark.end()
        return " ".join(kept).rstrip()


def games(document: Document) -> Iterator[TagPairs | Skipped]:
    """The games of a document, and notes on what belongs to none."""
    file, game, tag = document.name, None, None
    previous: dict[str, str] = {}
    comment = _Comment()
    gap = complained = False
    number = 0
    for number, line in document.lines():
        if comment.opened:
            if gap and line.startswith(_OPENERS):
                yield Skipped(
                    file,
                    comment.opened,
                    "comment '{' is not closed before the next game: write '}'",
                )
                comment.opened = 0
            else:
                gap = not line or line.isspace()
                line = comment.without(number, line).lstrip()
                if not line:
                    continue
        mark = line[:1]
        if mark == "[":
            tags, leftover = _tag_pairs(line)
            if leftover and (leftover := comment.without(number, leftover).strip()):
                shown = leftover if len(leftover) <= 60 else f"{leftover[:60]}…"
                yield Skipped(
                    file,
                    number,
                    f'{shown!r} is no tag pair: write [Name "value"]; it is left out',
                )
            for name, written in tags:
                if game is not None and game.ends_before(name, gap):
                    previous = {tag.name: tag.value for tag in game.tags}
                    yield game
                    game = None
                value = written
                if written.startswith("#"):
                    value = (
                        written[2:]
                        if written.startswith("##")
                        else previous.get(name, "")
                    )
                    if written == "#" and name not in previous:
                        yield Skipped(
                            file,
                            number,
                            f"[{name} {written!r}] repeats the game before, which has no {name}",
                        )
                game, gap = game or TagPairs(file, number), False
                tag = RawTag(name, value, number)
                game.add(tag)
        elif not mark or line.isspace():
            gap = True
        elif mark != "%":
            if "{" in line or ";" in line:
                in_table = (
                    tag is not None
                    and tag.name not in SECTIONS
                    and tag.name not in NO_LINES
                )
                if not in_table or line.lstrip().startswith(("{", ";")):
                    line = comment.without(number, line)
                    gap = gap and not comment.opened
                if not line or line.isspace():
                    continue
            if tag is not None and tag.name not in NO_LINES:
                tag.lines.append((number, line))
            elif not complained:
                complained = True
                yield Skipped(
                    file,
                    number,
                    f"{line.strip()!r} stands in no section: text follows [Auction] or [Play]",
                )
    if comment.opened:
        yield Skipped(
            file,
            comment.opened,
            "comment '{' is not closed before the end of the file: write '}'",
        )
    if game is not None:
        yield game
    elif number and not complained and not comment.opened:
        yield Skipped(
            file, number, 'no tag pair such as [Board "1"] in the file: is it PBN?'
        )
    if document.damage:
        yield Skipped(file, number, document.damage)


def _tag_pairs(line: str) -> tuple[list[tuple[str, str]], str]:
    """The tag pairs of a line that begins with ``[``, and what is left of it."""
    whole = line.rstrip()
    if whole.endswith('"]'):
        name, quote, value = whole[1:-2].partition('"')
        # Quotes inside are meant as they stand, unless a bracket shows that they end one tag and begin another.
        if (
            quote
            and is_tag_name(name := name.strip())
            and '"]' not in value
            and '" ]' not in value
        ):
            return [(name, _ESCAPED.sub(r"\1", value) if "\\" in value else value)], ""
    pairs: list[tuple[str, str]] = []
    end = 0
    while match := _TAG.match(whole, end):
        pairs.append((match[1], _ESCAPED.sub(r"\1", match[2])))
        end = match.end()
        while whole[end : end + 1].isspace():
            end += 1
    return pairs, whole[end:]


_CALLS: Final = {str(call): call for call in CALLS}
_CARDS: Final = {str(card): card.index for card in map(Card, range(52))} | {"-": -1}
_SEATS: Final = {seat.name: seat for seat in Seat} | {"": None}
_WORD: Final = re.compile(r"=\d*=|\$\d*|\^\w?|[!?]+|[*+]|[^\s=$^!?*+]+|=")
_RESULT: Final = re.compile(r"(?:(NS|EW)\s*)?(\d{1,2})", re.IGNORECASE)


def read_pbn(source: Source) -> ParsedRecords:
    """Read a PBN document: a path (also of a ``.gz`` file), a text, bytes or a stream.

    >>> reading = read_pbn('[Deal "N:AKQ2.KJ3.A54.Q32 - - -"]\\n[Auction "N"]\\n1C 1H 1D')
    >>> reading.records[0].hands[0], reading.records[0].auction
    (Hand.from_pbn('AKQ2.KJ3.A54.Q32'), None)
    >>> print(reading.skipped[0].reason)
    illegal call '1D' by S after 'N:1C 1H': it does not outrank 1H; legal: Pass, X, 1S … 7NT; the auction is left out
    """
    return ParsedRecords.of(iter_pbn(source))


def iter_pbn(source: Source) -> Iterator[Record | Skipped]:
    """The records of a PBN document and the notes on what was left out, one by one, in
    the order of the file.
    """
    for item in games(Document(source)):
        yield from (item,) if isinstance(item, Skipped) else item.items()


_contract = lru_cache(maxsize=1024)(Contract.of)


@lru_cache(maxsize=4096)  # many auctions are the same
def _calls(
    section: tuple[str, ...],
) -> tuple[tuple[Call, ...], list[int], dict[int, str]]:
    """The calls, the row of each in the section, and the number of the note to each
    call that has one.
    """
    calls: list[Call] = []
    rows: list[int] = []
    numbers: dict[int, str] = {}
    last_bid = 0  # index of the last call that is no pass
    for row, word in [
        (row, word) for row, text in enumerate(section) for word in _WORD.findall(text)
    ]:
        if word in _CALLS:
            calls.append(_CALLS[word])
        elif word in ("*", "+"):
            break
        elif word[0] == "=":
            if calls:
                numbers[len(calls) - 1] = word.strip("=")
        elif word == "-":
            raise NotationError(
                f"call {word!r} skips a turn, which no auction can", text=word, row=row
            )
        elif word.upper() == "AP":
            calls += [PASS] * (last_bid + 4 - len(calls))
        elif word[0] not in "$^!?":
            try:
                calls.append(Call.of(word))
            except NotationError as error:
                raise NotationError(str(error), text=word, row=row) from None
        rows += [row] * (len(calls) - len(rows))
        if calls and calls[-1] != PASS:
            last_bid = len(calls) - 1
    return tuple(calls), rows, numbers


def write_pbn(records: Iterable[Record], stream: IO[str]) -> None:
    """Write records as a PBN 2.1 export; :func:`~bayesbridge.notation.pbn.read_pbn`
    gives equal records back.
    """
    stream.write("% PBN 2.1\n% EXPORT\n")
    for record in records:
        stream.writelines(f"{line}\n" for line in _lines(record))
        stream.write("\n")


def _lines(record: Record) -> Iterator[str]:
    contract, auction, leader = record.contract, record.auction, record.leader
    hands = ["-" if hand is None else hand.pbn for hand in record.hands]
    values = {
        "Board": record.board,
        "Dealer": "" if record.dealer is None else record.dealer.name,
        "Vulnerable": "" if record.vulnerable is None else record.vulnerable.value,
        "Deal": "N:" + " ".join(hands) if any(record.hands) else "",
        "Declarer": "" if contract is None else contract.declarer.name,
        "Contract": "Pass"
        if record.passed_out
        else ""
        if contract is None
        else str(contract).partition(" ")[0],
        "Result": "" if record.result is None else str(record.result),
    }
    tags = {name: Tag(name, values.get(name, "")) for name in MANDATORY_TAGS}
    tags |= {tag.name: tag for tag in record.tags if tag.name in MANDATORY_TAGS}
    room = [Tag("Room", record.room)] if record.room else []
    for tag in (
        *tags.values(),
        *room,
        *(tag for tag in record.tags if tag.name not in MANDATORY_TAGS),
    ):
        yield _tag(tag.name, tag.value)
        yield from tag.lines
    if auction is not None:
        numbers = {index: number for number, (index, _) in enumerate(record.alerts, 1)}
        words = [
            f"{call} ={numbers[i]}=" if i in numbers else str(call)
            for i, call in enumerate(auction.calls)
        ]
        yield _tag("Auction", auction.first.name)
        yield from map(" ".join, batched(words, 4))
        if not auction.is_over:
            yield "+"
        yield from (
            _tag("Note", f"{numbers[index]}:{text}") for index, text in record.alerts
        )
    if leader is not None and (record.plays or record.claimed):
        yield _tag("Play", leader.name)
        columns = [leader.next(j) for j in range(4)]
        for trick in map(dict, batched(record.plays, 4)):
            yield " ".join(
                str(trick[seat]) if seat in trick else "-" for seat in columns
            )
        if len(record.plays) < 52:
            yield "*" if record.claimed else "+"


def _tag(name: str, value: str) -> str:
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    # A value that begins with # would repeat the game before; after ## it is taken as it stands.
    return f'[{name} "{"##" if value.startswith("#") else ""}{escaped}"]'
