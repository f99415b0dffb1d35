"""From a file, a text or a stream to lines, and from lines to a reading: records, and
what was left out and why.
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
from bayesbridge.game.deal import Seat
from bayesbridge.notation.record import Record, without_surplus

type Source = str | bytes | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, a document as text or bytes, or an open stream. A text with a line break,
``[`` or ``|`` is a document.
"""

LONGEST_REASON: Final = 320  # longer ones are cut in the middle


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read: where it stands, and what is wrong in one sentence."""

    file: str
    line: int
    reason: str

    def __post_init__(self) -> None:
        reason = self.reason
        if len(reason) > LONGEST_REASON:
            # The end says what is wrong and what is left out, so it is the middle that goes.
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
        found = list(items)
        records = tuple(item for item in found if isinstance(item, Record))
        return cls(records, tuple(item for item in found if isinstance(item, Skipped)))


@dataclass
class Draft(ABC):
    """A table on its way to a record; ``notes`` gathers what is wrong with it, and
    ``dropped`` is why its play ends early.
    """

    file: str
    line: int
    notes: list[Skipped] = field(default_factory=list, init=False)
    dropped: str = field(default="", init=False)

    @abstractmethod
    def record(self) -> Record | None:
        """The table as far as it holds together, ``None`` if its deal does not."""

    def items(self) -> Iterator[Record | Skipped]:
        record = self.record()
        yield from self.notes
        if record is not None:
            yield record

    def note(self, line: int, error: BayesBridgeError | str, part: str) -> None:
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
        """The auction, if it is legal; passes after its end are forgiven. ``line_of``
        tells the line of a call.
        """
        try:
            auction = without_surplus(first, calls)
        except IllegalCall as error:
            self.note(line_of(len(error.data["auction"].calls)), error, "auction")
            return None
        if surplus := len(calls) - len(auction.calls):
            self.note(
                line_of(len(calls) - 1),
                f"{surplus} more Pass after the end of the auction '{auction}'",
                "surplus",
            )
        return auction

    def settle(
        self, deal: int, tricks: Sequence[int], told: int, **fields: Any
    ) -> Record | None:
        """The record as far as it holds together; given are the lines of the deal, of
        each trick, and of the result.
        """
        while True:
            try:
                record = Record(
                    file=self.file, line=self.line, dropped=self.dropped, **fields
                )
            except IllegalPlay as error:
                number = error.data["tricks"][-1]
                fields["plays"] = fields["plays"][: 4 * (number - 1)]
                self.drop_play(tricks[min(number, len(tricks)) - 1], error, number)
            except DealError as error:
                self.note(deal, error, "record")
                return None
            else:
                if len(record.plays) == 52 and fields["result"] not in (
                    None,
                    record.result,
                ):
                    what = f"result {fields['result']}, but declarer takes {record.result} tricks in the play"
                    self.note(told, what, "result told")
                return record


class Document:
    """A source with a name, whose lines can be walked once; ``damage`` says afterwards
    why they ended early.
    """

    def __init__(self, source: Source) -> None:
        self.damage, self.count = "", 0  # lines walked so far
        self.source: str | os.PathLike[str] | IO[str] | IO[bytes]
        if isinstance(source, bytes):
            self.source = io.BytesIO(source)
        elif isinstance(source, str) and (
            not source or any(mark in source for mark in "\n\r\0[|")
        ):
            self.source = io.StringIO(source, newline=None)
        else:
            self.source = source
        named = (
            self.source
            if isinstance(self.source, str | os.PathLike)
            else getattr(source, "name", None)
        )
        self.name = (
            os.fspath(named) if isinstance(named, str | os.PathLike) else "<text>"
        )

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
        source = self.source
        if isinstance(source, str | os.PathLike):
            try:
                return self._text(stack.enter_context(open(source, "rb")), stack)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or error
                raise NotationError(
                    f"cannot read {self.name!r}: {why}", text=self.name
                ) from None
        if isinstance(source.read(0), str):
            return cast(IO[str], source)
        return self._text(io.BufferedReader(cast(io.RawIOBase, source)), stack)

    def _text(self, stream: io.BufferedReader, stack: ExitStack) -> IO[str]:
        plain: io.BufferedReader | gzip.GzipFile = stream
        if stream.peek(2)[:2] == b"\x1f\x8b":
            plain = gzip.GzipFile(fileobj=stream)
        encoding = (
            "utf-16"
            if stream.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff")
            else "utf-8-sig"
        )
        errors = "replace" if encoding == "utf-16" else "else-latin-1"
        text = io.TextIOWrapper(cast(BinaryIO, plain), encoding, errors, newline=None)
        # The stream belongs to whoever opened it: without this the wrapper would close it on its way out.
        stack.callback(text.detach)
        return text


def _as_latin_1(error: UnicodeError) -> tuple[str, int]:
    """What is not UTF-8 is read as Latin-1."""
    assert isinstance(error, UnicodeDecodeError)
    return error.object[error.start : error.end].decode("latin-1"), error.end


codecs.register_error("else-latin-1", _as_latin_1)
