"""PBN documents, read as they are found and written as an export.

Glyphs such as ``$1`` and ``!`` are read past.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import batched
from typing import IO, Final, NamedTuple

from bayesbridge.errors import NotationError
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import ALL_PASS, CALLS, PASS, Call, Contract, Vulnerability
from bayesbridge.game.cards import DECK_CARDS, Card
from bayesbridge.game.deal import Seat
from bayesbridge.game.scoring import MOST_TRICKS
from bayesbridge.game.tricks import CARDS_IN_TRICK
from bayesbridge.notation.pbn_games import Game, RawTag, games
from bayesbridge.notation.reading import Document, Draft, ParsedRecords, Skipped, Source
from bayesbridge.notation.record import (
    FIELD_TAGS,
    MANDATORY_TAGS,
    UNKNOWN_HANDS,
    Hands,
    Plays,
    Record,
    Tag,
    final_contract,
    read_hands,
    seated,
)

_CALLS: Final = {str(call): call for call in CALLS}

NO_CARD: Final = -1
"""Index that stands where a hand played no card."""

_CARDS: Final = {str(card): card.index for card in map(Card, range(DECK_CARDS))} | {
    "-": NO_CARD
}
_SEATS: Final = {seat.name: seat for seat in Seat} | {"": None}
_WORD: Final = re.compile(r"=\d*=|\$\d*|\^\w?|[!?]+|[*+]|[^\s=$^!?*+]+|=")
_GLYPHS: Final = tuple("$^!?")
_NOTE: Final = "="
_MARKS: Final = (_NOTE, *_GLYPHS)
_RESULT: Final = re.compile(r"(?:(NS|EW)\s*)?(\d{1,2})", re.IGNORECASE)

CLAIMED: Final = "*"
INCOMPLETE: Final = "+"
_ENDS: Final = (CLAIMED, INCOMPLETE)
"""Signs that end calls and cards before their time."""

type Row = tuple[int, tuple[int, ...]]
"""A trick as written: its line, and four cards by index."""


def read_pbn(source: Source) -> ParsedRecords:
    """Read a PBN document: a path (also of a ``.gz`` file), a text, bytes or a stream.

    >>> reading = read_pbn('[Deal "N:AKQ2.KJ3.A54.Q32 - - -"]\\n[Auction "N"]\\n1C 1H 1D')
    >>> reading.records[0].hands[0], reading.records[0].auction
    (Hand.from_pbn('AKQ2.KJ3.A54.Q32'), None)
    >>> print(reading.skipped[0].reason.partition("; ")[0])
    illegal call '1D' by S after 'N:1C 1H': it does not outrank 1H
    """
    return ParsedRecords.of(iter_pbn(source))


def iter_pbn(source: Source) -> Iterator[Record | Skipped]:
    """The records of a PBN document and the notes on what was left out.

    One by one, in the order of the file.
    """
    document = Document(source)
    for item in games(document):
        if isinstance(item, Skipped):
            yield item
        else:
            yield from _GameDraft.of(document.name, item).items()


@dataclass
class _GameDraft(Draft):
    """The tags of one table on their way to a record."""

    game: Game
    alerts: tuple[tuple[int, str], ...] = ()
    claimed: bool = False

    @classmethod
    def of(cls, file: str, game: Game) -> _GameDraft:
        return cls(file, game.line, game)

    def record(self) -> Record | None:
        """The record, as far as its parts hold together.

        Reading the auction finds the alerts too, and reading the rows of the play whether
        the rest was claimed: both come before the record is put together.
        """
        game = self.game
        hands = self.hands()
        if hands is None:
            return None
        dealer = self.seat("Dealer")
        auction = self.auction(dealer)
        contract = self.contract(auction)
        result = self.result(contract)
        rows = self.rows()
        return self.settle(
            deal_line=game.line_of("Deal"),
            trick_lines=[line for line, _ in rows],
            result_line=game.line_of("Result"),
            board=game.value("Board"),
            room=game.value("Room"),
            dealer=dealer,
            hands=hands,
            auction=auction,
            alerts=self.alerts,
            contract=contract,
            plays=self.plays(contract, rows),
            vulnerable=self.vulnerable(),
            result=result,
            claimed=self.claimed,
            tags=self.further_tags(),
        )

    def hands(self) -> Hands | None:
        """The hands, ``None`` if they are wrong."""
        text = self.game.value("Deal")
        if not text:
            return UNKNOWN_HANDS
        return self.read(self.game.line_of("Deal"), "record", read_hands, text)

    def vulnerable(self) -> Vulnerability | None:
        """Who is vulnerable, if it is told."""
        text = self.game.value("Vulnerable")
        if not text:
            return None
        line = self.game.line_of("Vulnerable")
        return self.read(line, "vulnerability", Vulnerability.of, text)

    def seat(self, name: str) -> Seat | None:
        """The seat that a tag tells; ``^`` marks one that an irregularity put there."""
        text = self.game.value(name).lstrip("^")
        if text in _SEATS:
            return _SEATS[text]
        return self.read(self.game.line_of(name), name.lower(), Seat.of, text)

    def auction(self, dealer: Seat | None) -> Auction | None:
        """The auction, if it is told and legal; sets the alerts of its calls."""
        tag = self.game.by_name.get("Auction")
        if tag is None or not tag.lines:
            return None
        first = self._first_caller(tag, dealer)
        if first is None:
            return None
        try:
            written = _read_calls(tuple([text for _, text in tag.lines]))
        except NotationError as error:
            row = error.data.get("row", 0)
            line, _ = tag.lines[row]
            self.note(line, error, "auction")
            return None

        def line_of_call(place: int) -> int:
            line, _ = tag.lines[written.rows[place]]
            return line

        auction = self.settle_auction(first, written.calls, line_of_call)
        if auction is not None:
            self.alerts = self._alerts(written.note_numbers, len(auction.calls))
        return auction

    def _first_caller(self, tag: RawTag, dealer: Seat | None) -> Seat | None:
        """Who makes the first call: the seat of the tag, else the dealer.

        ``None``, with a note, where neither is told or they differ.
        """
        first = self.seat("Auction")
        if first is None:
            first = dealer
        if first is None:
            self.note(tag.line, "no dealer is told", "auction")
            return None
        if dealer is not None and dealer is not first:
            reason = f"{first.name} calls first, but {dealer.name} deals"
            self.note(tag.line, reason, "auction")
            return None
        return first

    def _alerts(
        self, note_numbers: dict[int, str], call_count: int
    ) -> tuple[tuple[int, str], ...]:
        """The place of each call that has a note, with the note's text.

        ``note_numbers`` has the number of the note by the call's place; notes are written
        as ``1:text``.
        """
        texts = {}
        for note in self.game.call_notes:
            number, _, text = note.partition(":")
            texts[number.strip()] = text.strip()
        return tuple(
            (place, texts.get(note_numbers[place], ""))
            for place in sorted(note_numbers)
            if place < call_count
        )

    def contract(self, auction: Auction | None) -> Contract | None:
        """The contract that the auction ends in, or else the one that is told."""
        stated = self._stated_contract(auction)
        if auction is None or not auction.is_over:
            return stated
        final = final_contract(auction)
        if stated not in (None, final):
            reason = (
                f"contract {stated}, but the auction '{auction}' ends in "
                f"{final or 'four passes'}"
            )
            self.note(self.game.line_of("Contract"), reason, "contract told")
        return final

    def _stated_contract(self, auction: Auction | None) -> Contract | None:
        """The contract of the tag, with the declarer of another tag.

        ``None`` for four passes; and where no declarer is told, though an auction that
        is over tells one, since the tag would only repeat it.
        """
        text = self.game.value("Contract")
        declarer = self.seat("Declarer")
        if not text or text.upper() == "PASS":
            return None
        if declarer is None and auction is not None and auction.is_over:
            return None
        return self.read(
            self.game.line_of("Contract"),
            "contract told",
            partial(_contract, declarer=declarer),
            text.replace(" ", ""),
        )

    def result(self, contract: Contract | None) -> int | None:
        """Declarer's tricks, if they are told; those of the defence are turned round."""
        text = self.game.value("Result").lstrip("^").strip()
        if contract is None or not text:
            return None
        match = _RESULT.match(text)
        if match is None or int(match[2]) > MOST_TRICKS:
            reason = f"unknown result {text!r}: write declarer's tricks, 0 to 13"
            self.note(self.game.line_of("Result"), reason, "result")
            return None
        tricks = int(match[2])
        side = (match[1] or "").upper()
        if side and contract.declarer.name not in side:
            return MOST_TRICKS - tricks
        return tricks

    def rows(self) -> list[Row]:
        """The tricks as written, with their lines; ``NO_CARD`` where none lies.

        Four words are a trick, however the lines break. A sign that the play ends here is
        kept as a claim; a word that is no card ends the play before its trick.
        """
        cards: list[int] = []
        lines: list[int] = []
        for line, word in self._play_words():
            if word in _ENDS:
                self.claimed = word == CLAIMED
                break
            try:
                card = _card_number(word)
            except NotationError as error:
                complete_tricks = len(cards) // CARDS_IN_TRICK
                self.drop_play(line, error, complete_tricks + 1)
                del cards[CARDS_IN_TRICK * complete_tricks :]
                break
            cards.append(card)
            lines.append(line)
        while len(cards) % CARDS_IN_TRICK:
            cards.append(NO_CARD)
        return [
            (lines[first], tuple(cards[first : first + CARDS_IN_TRICK]))
            for first in range(0, len(cards), CARDS_IN_TRICK)
        ]

    def _play_words(self) -> Iterator[tuple[int, str]]:
        """The cards and signs of the play, each with its line.

        Lines of plain cards are split at blanks. In others words may touch signs, of
        which notes and glyphs (``=1=``, ``$3``, ``!``) are read past.
        """
        if "Play" not in self.game.by_name:
            return
        for line, text in self.game.by_name["Play"].lines:
            words = text.split()
            if not all(word in _CARDS for word in words):
                words = [
                    word for word in _WORD.findall(text) if not word.startswith(_MARKS)
                ]
            for word in words:
                yield line, word

    def plays(self, contract: Contract | None, rows: list[Row]) -> Plays:
        """The cards in the order played.

        A row is a trick with a column for each seat, whoever leads to it: the first is
        that of the opening leader.
        """
        if contract is None:
            if rows:
                first_line, _ = rows[0]
                reason = "no contract tells the trumps of the play"
                self.note(first_line, reason, "play")
            return ()
        leader = self.seat("Play")
        if leader is None:
            leader = contract.declarer.next()
        tricks = (cards for _, cards in rows)
        return seated(tricks, leader, contract.trump, columns=True)

    def further_tags(self) -> tuple[Tag, ...]:
        """The tags that are no field of the record, with their tables."""
        tags = []
        for tag in self.game.tags:
            if tag.name not in FIELD_TAGS:
                lines = tuple([line.rstrip() for _, line in tag.lines])
                tags.append(Tag(tag.name, tag.value, lines))
        return tuple(tags)


def _card_number(word: str) -> int:
    """The number of a card, looked up; one in another spelling is read."""
    if word in _CARDS:
        return _CARDS[word]
    return Card.of(word).index


_contract = lru_cache(maxsize=1024)(Contract.of)


class _WrittenCalls(NamedTuple):
    """The calls of a section, as written.

    The row of each in it, and the number of the note to each call that has one.
    """

    calls: tuple[Call, ...]
    rows: list[int]
    note_numbers: dict[int, str]


@lru_cache(maxsize=4096)
def _read_calls(section: tuple[str, ...]) -> _WrittenCalls:
    """The calls of the rows of a section; kept, since many auctions are the same.

    Beside calls a section has the numbers of notes, which belong to the call before, a
    word for all the passes that end the auction, signs that it ends here, and glyphs
    (``!``, ``?``), which say nothing.
    """
    calls: list[Call] = []
    rows: list[int] = []
    note_numbers: dict[int, str] = {}
    for row, word in _section_words(section):
        if word in _CALLS:
            calls.append(_CALLS[word])
        elif word in _ENDS:
            break
        elif word.startswith(_NOTE):
            if calls:
                note_numbers[len(calls) - 1] = word.strip(_NOTE)
        elif word.upper() == ALL_PASS:
            calls += [PASS] * _missing_passes(calls)
        elif not word.startswith(_GLYPHS):
            calls.append(_read_call(word, row))
        calls_of_word = len(calls) - len(rows)
        rows += [row] * calls_of_word
    return _WrittenCalls(tuple(calls), rows, note_numbers)


def _missing_passes(calls: Sequence[Call]) -> int:
    """How many more passes end the auction: three after any other call, else four.

    No auction needs a fifth, so only the last four calls are looked at. Less than none
    are missing where there are too many.
    """
    passes = 0
    for call in reversed(calls[-4:]):
        if call != PASS:
            break
        passes += 1
    all_passed = passes == len(calls)
    return (4 if all_passed else 3) - passes


def _section_words(section: tuple[str, ...]) -> Iterator[tuple[int, str]]:
    """Each word with its row."""
    for row, text in enumerate(section):
        for word in _WORD.findall(text):
            yield row, word


def _read_call(word: str, row: int) -> Call:
    if word == "-":
        raise NotationError(
            f"call {word!r} skips a turn, which no auction can", text=word, row=row
        )
    try:
        return Call.of(word)
    except NotationError as error:
        raise NotationError(str(error), text=word, row=row) from None


def write_pbn(records: Iterable[Record], stream: IO[str]) -> None:
    """Write records as a PBN 2.1 export.

    :func:`~bayesbridge.notation.pbn.read_pbn` gives equal records back.

    Parameters
    ----------
    records : iterable of Record
        The tables, in their order.
    stream : text stream
        Where they are written to.
    """
    stream.write("% PBN 2.1\n% EXPORT\n")
    for record in records:
        stream.writelines(f"{line}\n" for line in _lines(record))
        stream.write("\n")


def _lines(record: Record) -> Iterator[str]:
    """The lines of a game."""
    for tag in _header_tags(record):
        yield _tag(tag.name, tag.value)
        yield from tag.lines
    if record.auction is not None:
        yield from _auction_lines(record, record.auction)
    if record.leader is not None and (record.plays or record.claimed):
        yield from _play_lines(record, record.leader)


def _header_tags(record: Record) -> Iterator[Tag]:
    """The tags before the auction: PBN's mandatory ones first, in their order."""
    values = _field_values(record)
    tags = {name: Tag(name, values.get(name, "")) for name in MANDATORY_TAGS}
    tags |= {tag.name: tag for tag in record.tags if tag.name in tags}
    yield from tags.values()
    if record.room:
        yield Tag("Room", record.room)
    for tag in record.tags:
        if tag.name not in tags:
            yield tag


def _field_values(record: Record) -> dict[str, str]:
    """What the mandatory tags say of the fields of a record; none of what is unknown."""
    values = {"Board": record.board}
    if record.dealer is not None:
        values["Dealer"] = record.dealer.name
    if record.vulnerable is not None:
        values["Vulnerable"] = record.vulnerable.value
    if any(record.hands):
        hands = ["-" if hand is None else hand.pbn for hand in record.hands]
        values["Deal"] = f"N:{' '.join(hands)}"
    if record.passed_out:
        values["Contract"] = "Pass"
    if record.contract is not None:
        bid, _, _ = str(record.contract).partition(" ")
        values["Contract"] = bid
        values["Declarer"] = record.contract.declarer.name
    if record.result is not None:
        values["Result"] = str(record.result)
    return values


def _auction_lines(record: Record, auction: Auction) -> Iterator[str]:
    """The calls, four a line, and a note for each alert."""
    note_numbers = {index: number for number, (index, _) in enumerate(record.alerts, 1)}
    words = []
    for index, call in enumerate(auction.calls):
        word = str(call)
        if index in note_numbers:
            word += f" ={note_numbers[index]}="
        words.append(word)
    yield _tag("Auction", auction.first.name)
    yield from map(" ".join, batched(words, CARDS_IN_TRICK))
    if not auction.is_over:
        yield INCOMPLETE
    for index, text in record.alerts:
        yield _tag("Note", f"{note_numbers[index]}:{text}")


def _play_lines(record: Record, leader: Seat) -> Iterator[str]:
    """The tricks, a line each, in columns by seats from the first leader."""
    yield _tag("Play", leader.name)
    columns = [leader.next(place) for place in range(4)]
    for trick in map(dict, batched(record.plays, CARDS_IN_TRICK)):
        cards = [str(trick[seat]) if seat in trick else "-" for seat in columns]
        yield " ".join(cards)
    if len(record.plays) < DECK_CARDS:
        yield CLAIMED if record.claimed else INCOMPLETE


def _tag(name: str, value: str) -> str:
    """A tag pair as it is written.

    A value that begins with # would repeat the game before; after ## it is taken as it
    stands.
    """
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    if value.startswith("#"):
        escaped = f"##{escaped}"
    return f'[{name} "{escaped}"]'
