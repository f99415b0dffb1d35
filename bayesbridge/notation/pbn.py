"""PBN documents: tables as portable bridge notation has them, read as they are found and written as an export.

A table is a list of tag pairs; Auction, Play and some other tags are followed by lines. Columns of the play stand in
the order of seats from the opening leader. Comments, glyphs (``$1``, ``!``) and ``^S`` are read past; notes are alerts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from bayesbridge.auction import Auction
from bayesbridge.calls import CALLS, PASS, Call, Contract
from bayesbridge.cards import Card
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError, DealError, IllegalCall, IllegalPlay, NotationError
from bayesbridge.notation.calls import final_contract, without_surplus
from bayesbridge.notation.games import Game, Lines, games
from bayesbridge.notation.plays import UNKNOWN_HANDS, from_columns, legal_part
from bayesbridge.notation.reading import Document, Reading, Skipped, Source
from bayesbridge.notation.record import FIELD_TAGS, Record, Tag, Vulnerability, read_hands

type Rows = list[tuple[int, tuple[int, ...]]]
"""Tricks as written: the line, and four cards by index, -1 where none lies."""

_CALLS: Final = {str(call): call for call in CALLS}
_CARDS: Final = {str(card): card.index for card in map(Card, range(52))} | {"-": -1}
_SEATS: Final = {seat.name: seat for seat in Seat} | {"": None}
_WORD: Final = re.compile(r"=\d*=|\$\d*|\^\w?|[!?]+|[*+]|[^\s=$^!?*+]+|=")
_RESULT: Final = re.compile(r"(?:(NS|EW)\s*)?(\d{1,2})", re.IGNORECASE)


def read_pbn(source: Source) -> Reading:
    """Read a PBN document: a path (also of a ``.gz`` file), a text, bytes or a stream.

    >>> reading = read_pbn('[Deal "N:AKQ2.KJ3.A54.Q32 - - -"]\\n[Auction "N"]\\n1C 1H 1D')
    >>> reading.records[0].hands[0], reading.records[0].auction
    (Hand.from_pbn('AKQ2.KJ3.A54.Q32'), None)
    >>> print(reading.skipped[0].reason)
    illegal call '1D' by S after 'N:1C 1H': it does not outrank 1H; legal: Pass, X, 1S … 7NT; the auction is left out
    """
    return Reading.of(iter_pbn(source))


def iter_pbn(source: Source) -> Iterator[Record | Skipped]:
    """The records of a PBN document and the notes on what was left out, one by one, in the order of the file."""
    document = Document(source)
    for item in games(document):
        if isinstance(item, Skipped):
            yield item
        else:
            reader = _Reader(document.name, item)
            record = reader.record()
            yield from reader.notes
            if record is not None:
                yield record


class _Reader:
    """One game on its way to a record; ``notes`` gathers what is wrong with it."""

    def __init__(self, file: str, game: Game) -> None:
        self.file, self.game = file, game
        self.notes: list[Skipped] = []

    def note(self, line: int, error: BayesBridgeError | str, part: str) -> None:
        self.notes.append(Skipped(self.file, line, f"{error}; the {part} is left out"))

    def record(self) -> Record | None:
        """The game as far as it holds together, ``None`` if its deal does not."""
        game = self.game
        try:
            hands = read_hands(text) if (text := game.value("Deal")) else UNKNOWN_HANDS
        except (DealError, NotationError) as error:
            self.note(game.line_of("Deal"), error, "record")
            return None
        dealer = self.seat("Dealer")
        auction, alerts = self.auction(dealer)
        contract = self.contract(auction)
        result = self.result(contract)
        rows, claimed = self.rows()
        plays = (
            () if contract is None else from_columns((row for _, row in rows), self.leader(contract), contract.trump)
        )
        if rows and contract is None:
            self.note(rows[0][0], "no contract tells the trumps of the play", "play")
        vulnerable = self.vulnerable()
        while True:
            try:
                record = Record(
                    board=game.value("Board"),
                    room=game.value("Room"),
                    dealer=dealer,
                    vulnerable=vulnerable,
                    hands=hands,
                    auction=auction,
                    alerts=alerts,
                    contract=contract,
                    plays=plays,
                    result=result,
                    claimed=claimed,
                    tags=self.tags(),
                    file=self.file,
                    line=game.line,
                )
            except IllegalPlay as error:
                plays, part = legal_part(plays, error)
                self.note(rows[min(error.data["tricks"][-1], len(rows)) - 1][0], error, part)
                continue
            except DealError as error:
                self.note(game.line_of("Deal"), error, "record")
                return None
            if len(plays) == 52 and result not in (None, record.result):
                reason = f"result {result}, but declarer takes {record.result} tricks in the play"
                self.note(game.line_of("Result"), reason, "result told")
            return record

    def seat(self, name: str) -> Seat | None:
        """The seat that a tag tells; ``^`` marks one that an irregularity put there."""
        text = self.game.value(name).lstrip("^")
        if text in _SEATS:
            return _SEATS[text]
        try:
            return Seat.of(text)
        except NotationError as error:
            self.note(self.game.line_of(name), error, name.lower())
            return None

    def vulnerable(self) -> Vulnerability | None:
        text = self.game.value("Vulnerable")
        try:
            return Vulnerability.of(text) if text else None
        except NotationError as error:
            self.note(self.game.line_of("Vulnerable"), error, "vulnerability")
            return None

    def auction(self, dealer: Seat | None) -> tuple[Auction | None, tuple[tuple[int, str], ...]]:
        """The auction and its alerts."""
        tag = self.game.by_name.get("Auction")
        if tag is None or not tag.lines:
            return None, ()
        first = dealer if (told := self.seat("Auction")) is None else told
        if first is None:
            self.note(tag.line, "no dealer is told", "auction")
            return None, ()
        if dealer is not None and dealer is not first:
            self.note(tag.line, f"{first.name} calls first, but {dealer.name} deals", "auction")
            return None, ()
        try:
            return _plain_auction(first, " ".join([text for _, text in tag.lines])), ()
        except BayesBridgeError:
            lines: list[int] = [tag.line]
            try:
                calls, numbers = _calls(tag.lines, first, lines)
                auction, surplus = without_surplus(first, calls)
            except IllegalCall as error:
                self.note(lines[min(len(error.data["auction"].calls) + 1, len(lines) - 1)], error, "auction")
            except NotationError as error:
                self.note(lines[-1], error, "auction")
            else:
                if surplus:
                    reason = f"{surplus} more Pass after the end of the auction '{auction}'"
                    self.note(lines[-1], reason, "surplus")
                notes = dict(_numbered(note) for note in self.game.call_notes)
                kept = [index for index in sorted(numbers) if index < len(auction.calls)]
                return auction, tuple((index, notes.get(numbers[index], "")) for index in kept)
        return None, ()

    def contract(self, auction: Auction | None) -> Contract | None:
        """The contract, which the auction tells if it is over, and else the tags."""
        text, declarer = self.game.value("Contract"), self.seat("Declarer")
        told = None
        if text and text.upper() != "PASS" and (declarer is not None or auction is None or not auction.is_over):
            try:
                told = _contract(text.replace(" ", ""), declarer)
            except NotationError as error:
                self.note(self.game.line_of("Contract"), error, "contract told")
        if auction is None or not auction.is_over:
            return told
        final = final_contract(auction)
        if told not in (None, final):
            reason = f"contract {told}, but the auction '{auction}' ends in {final or 'four passes'}"
            self.note(self.game.line_of("Contract"), reason, "contract told")
        return final

    def leader(self, contract: Contract) -> Seat:
        """The seat of the first column of the play."""
        told = self.seat("Play")
        return contract.declarer.next() if told is None else told

    def rows(self) -> tuple[Rows, bool]:
        """The tricks as written, and whether the play is marked as over."""
        tag = self.game.by_name.get("Play")
        if tag is None:
            return [], False
        rows: Rows = []
        for line, text in tag.lines:
            row = tuple([_CARDS.get(word, 99) for word in text.split()])
            if len(row) != 4 or max(row) > 51:
                if text.strip() == "*":
                    return rows, True
                break
            rows.append((line, row))
        else:
            return rows, False
        try:
            return _annotated_rows(tag.lines)
        except NotationError as error:
            self.note(error.data["line"], error, "play")
            return [], False

    def result(self, contract: Contract | None) -> int | None:
        """Declarer's tricks."""
        text = self.game.value("Result").lstrip("^").strip()
        if contract is None or not text:
            return None
        match = _RESULT.match(text)
        if match is None or (tricks := int(match[2])) > 13:
            self.note(
                self.game.line_of("Result"), f"unknown result {text!r}: write declarer's tricks, 0 to 13", "result"
            )
            return None
        side = (match[1] or "").upper()
        return 13 - tricks if side and contract.declarer.name not in side else tricks

    def tags(self) -> tuple[Tag, ...]:
        """The tags that the record has no field for."""
        return tuple(
            [
                Tag(tag.name, tag.value, tuple([line.rstrip() for _, line in tag.lines]))
                for tag in self.game.tags
                if tag.name not in FIELD_TAGS
            ]
        )


_contract = lru_cache(maxsize=1024)(Contract.of)


@lru_cache(maxsize=4096)
def _plain_auction(first: Seat, text: str) -> Auction:
    """An auction written without notes or marks, as most are."""
    try:
        return Auction(first, tuple([_CALLS[word] for word in text.split()]))
    except KeyError:
        raise NotationError("notes or marks among the calls", text=text) from None


def _calls(section: Lines, first: Seat, lines: list[int]) -> tuple[list[Call], dict[int, str]]:
    """The calls, and the number of the note to each call that has one; ``lines`` grows by the line of each call."""
    calls: list[Call] = []
    numbers: dict[int, str] = {}
    for line, text in section:
        for word in _WORD.findall(text):
            if word in ("*", "+"):
                return calls, numbers
            if word[0] == "=":
                numbers[len(calls) - 1] = word.strip("=")
            elif word[0] not in "$^!?":
                lines.append(line)
                if word == "-":
                    raise NotationError(f"call {word!r} skips a turn, which no auction can", text=word)
                passes = 1
                if word.upper() == "AP":
                    standing = Auction(first, tuple(calls))
                    passes = 0
                    while not standing.is_over:
                        standing, passes = standing.after(PASS), passes + 1
                    word = "Pass"
                calls += [Call.of(word)] * passes
                lines += [line] * (passes - 1)
    return calls, {index: number for index, number in numbers.items() if index >= 0}


def _numbered(note: str) -> tuple[str, str]:
    number, _, text = note.partition(":")
    return number.strip(), text.strip()


def _annotated_rows(section: Lines) -> tuple[Rows, bool]:
    """Tricks out of a play with notes, marks or other peculiarities: four cards each, however the lines break."""
    cards: list[tuple[int, int]] = []
    over = False
    for line, text in section:
        for word in _WORD.findall(text):
            if word in ("*", "+"):
                over = word == "*"
                break
            if word[0] not in "=$^!?":
                try:
                    cards.append((line, _CARDS[word] if word in _CARDS else Card.of(word).index))
                except NotationError as error:
                    raise NotationError(str(error), text=word, line=line) from None
        else:
            continue
        break
    cards += [(0, -1)] * (-len(cards) % 4)
    return [(cards[i][0], tuple([index for _, index in cards[i : i + 4]])) for i in range(0, len(cards), 4)], over
