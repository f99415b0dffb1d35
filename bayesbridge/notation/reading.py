"""From a file, a text or a stream to records.

Lines come first; from lines a reading: records, and what was left out and why.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import IO, Any, BinaryIO, Final, Self, cast

from bayesbridge.errors import (
    BayesBridgeError,
    DealError,
    IllegalCall,
    IllegalPlay,
    NotationError,
)
from bayesbridge.game.auction import Auction
from bayesbridge.game.calls import Call
from bayesbridge.game.cards import DECK_CARDS
from bayesbridge.game.deal import Seat
from bayesbridge.game.tricks import CARDS_IN_TRICK
from bayesbridge.notation.record import Record, without_surplus

type Source = str | bytes | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, a document as text or bytes, or an open stream. A text with a line break,
``[`` or ``|`` is a document.
"""

LONGEST_REASON: Final = 320
"""Characters of a reason; longer ones are cut in the middle."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read: where it stands, and what is wrong in one sentence."""

    file: str
    line: int
    reason: str

    def __post_init__(self) -> None:
        reason = self.reason
        if len(reason) > LONGEST_REASON:
            # The end says what is wrong and what is left out, so it is the middle
            # that goes.
            half = LONGEST_REASON // 2
            reason = f"{reason[: half - 3]} … {reason[-half:]}"
        reason = "".join(letter if letter.isprintable() else " " for letter in reason)
        object.__setattr__(self, "reason", reason)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class ParsedRecords:
    """What a document holds: its records, and a note for each thing that was left out."""

    records: tuple[Record, ...]
    skipped: tuple[Skipped, ...]

    @classmethod
    def of(cls, items: Iterable[Record | Skipped]) -> Self:
        """Collect what a reader gives one by one."""
        records: list[Record] = []
        skipped: list[Skipped] = []
        for item in items:
            if isinstance(item, Record):
                records.append(item)
            else:
                skipped.append(item)
        return cls(tuple(records), tuple(skipped))


@dataclass
class Draft(ABC):
    """A table on its way to a record.

    ``notes`` gathers what is wrong with it, and ``dropped`` is why its play ends early.
    """

    file: str
    line: int
    notes: list[Skipped] = field(default_factory=list, init=False)
    dropped: str = field(default="", init=False)

    @abstractmethod
    def record(self) -> Record | None:
        """The table as far as it holds together, ``None`` if its deal does not."""

    def items(self) -> Iterator[Record | Skipped]:
        """What is wrong with the table, and then its record."""
        record = self.record()
        yield from self.notes
        if record is not None:
            yield record

    def note(self, line: int, error: BayesBridgeError | str, part: str) -> None:
        """Note what is wrong in a line, and which part is left out for it."""
        self.notes.append(Skipped(self.file, line, f"{error}; the {part} is left out"))

    def drop_play(self, line: int, error: BayesBridgeError, trick: int) -> None:
        """Note that the play is left out from a trick on, and why."""
        self.dropped = str(error)
        self.note(line, error, "play" if trick == 1 else f"play from trick {trick} on")

    def read[T](
        self, line: int, part: str, of: Callable[[str], T], text: str
    ) -> T | None:
        """What a text says, ``None`` with a note if it is wrong."""
        try:
            return of(text)
        except (DealError, NotationError) as error:
            self.note(line, error, part)
            return None

    def settle_auction(
        self, first: Seat, calls: tuple[Call, ...], line_of: Callable[[int], int]
    ) -> Auction | None:
        """The auction, if it is legal; else ``None`` with a note.

        Passes after its end are forgiven. ``line_of`` tells the line of a call by its place.
        """
        try:
            auction = without_surplus(first, calls)
        except IllegalCall as error:
            legal_calls = error.data["auction"].calls  # those before the illegal one
            self.note(line_of(len(legal_calls)), error, "auction")
            return None
        surplus = len(calls) - len(auction.calls)
        if surplus:
            reason = f"{surplus} more Pass after the end of the auction '{auction}'"
            self.note(line_of(len(calls) - 1), reason, "surplus")
        return auction

    def settle(
        self,
        *,
        deal_line: int,
        trick_lines: Sequence[int],
        result_line: int,
        **fields: Any,
    ) -> Record | None:
        """The record of these fields, as far as it holds together; ``None`` with a note.

        Its play ends before the first trick that is illegal. The lines are where the deal,
        each trick and the result are written, for the notes on what is wrong with them.
        """
        while True:
            try:
                record = Record(
                    file=self.file, line=self.line, dropped=self.dropped, **fields
                )
            except IllegalPlay as error:
                # The number of the trick, from 1, stands last among those of the error.
                illegal_trick = error.data["tricks"][-1]
                cards_before = CARDS_IN_TRICK * (illegal_trick - 1)
                fields["plays"] = fields["plays"][:cards_before]
                written_trick = min(illegal_trick, len(trick_lines))
                self.drop_play(trick_lines[written_trick - 1], error, illegal_trick)
            except DealError as error:
                self.note(deal_line, error, "record")
                return None
            else:
                self._note_wrong_result(result_line, fields["result"], record)
                return record

    def _note_wrong_result(self, line: int, told: int | None, record: Record) -> None:
        """Note a result that is not what the play, if it is whole, comes to."""
        is_whole = len(record.plays) == DECK_CARDS
        if is_whole and told not in (None, record.result):
            reason = (
                f"result {told}, but declarer takes {record.result} tricks in the play"
            )
            self.note(line, reason, "result told")


_GZIP_MAGIC: Final = b"\x1f\x8b"
_UTF_16_MARKS: Final = (b"\xff\xfe", b"\xfe\xff")
_MARKS_OF_TEXT: Final = "\n\r\0[|"
"""Characters that no path has, but a document does."""


class Document:
    """A source with a name, whose lines can be walked once.

    ``damage`` says afterwards why they ended early, as where a compressed file is cut.
    """

    def __init__(self, source: Source) -> None:
        self.damage = ""
        self.count = 0
        """Lines walked so far."""
        self.source: str | os.PathLike[str] | IO[str] | IO[bytes]
        if isinstance(source, bytes):
            self.source = io.BytesIO(source)
        elif isinstance(source, str) and _is_document(source):
            self.source = io.StringIO(source, newline=None)
        else:
            self.source = source
        self.name = self._name_of(source)

    def _name_of(self, source: Source) -> str:
        """The path of a file, or of an open file; ``<text>`` for what has none."""
        path: object = self.source
        if not isinstance(path, str | os.PathLike):
            path = getattr(source, "name", None)
        if isinstance(path, str | os.PathLike):
            return os.fspath(path)
        return "<text>"

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its number from 1, without its end."""
        with ExitStack() as stack:
            stream = self._open(stack)
            try:
                for line in stream:
                    self.count += 1
                    yield self.count, line.rstrip("\r\n")
            except (OSError, EOFError, UnicodeError, zlib.error) as error:
                self.damage = (
                    f"the file ends early or is damaged after line {self.count} "
                    f"({error}); the rest is left out"
                )

    def _open(self, stack: ExitStack) -> IO[str]:
        """The source as a stream of text; ``stack`` closes what is opened here."""
        source = self.source
        if isinstance(source, str | os.PathLike):
            try:
                return self._text(stack.enter_context(open(source, "rb")), stack)
            except (OSError, ValueError) as error:
                reason = getattr(error, "strerror", None) or error
                raise NotationError(
                    f"cannot read {self.name!r}: {reason}", text=self.name
                ) from None
        # Reading nothing takes nothing away, but tells whether it gives text or bytes.
        if isinstance(source.read(0), str):
            return cast(IO[str], source)
        return self._text(io.BufferedReader(cast(io.RawIOBase, source)), stack)

    def _text(self, stream: io.BufferedReader, stack: ExitStack) -> IO[str]:
        """A stream of bytes as text, by its first two bytes."""
        plain: io.BufferedReader | gzip.GzipFile = stream
        mark = stream.peek(2)[:2]
        encoding = "utf-8-sig"
        errors = LATIN_1_INSTEAD
        if mark == _GZIP_MAGIC:
            plain = gzip.GzipFile(fileobj=stream)
        elif mark in _UTF_16_MARKS:
            encoding = "utf-16"
            errors = "replace"
        text = io.TextIOWrapper(cast(BinaryIO, plain), encoding, errors, newline=None)
        # The stream belongs to whoever opened it: without this the wrapper would
        # close it on its way out.
        stack.callback(text.detach)
        return text


def _is_document(text: str) -> bool:
    """Whether a text is a document rather than a path."""
    return not text or any(mark in text for mark in _MARKS_OF_TEXT)


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """What is not UTF-8 is read as Latin-1."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


LATIN_1_INSTEAD: Final = "else-latin-1"
codecs.register_error(LATIN_1_INSTEAD, _as_latin_1)
