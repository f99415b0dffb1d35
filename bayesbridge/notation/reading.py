"""From a file, a text or a stream to lines, and from lines to a reading: records, and what was left out and why.

Real files come compressed, cut short and in any encoding. Lines are UTF-8, else Latin-1; a compressed file that ends
early is read up to there. Only a file that cannot be opened at all raises.
"""

from __future__ import annotations

import gzip
import io
import os
import zlib
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from typing import IO, BinaryIO, Final, Self, cast

from bayesbridge.errors import NotationError
from bayesbridge.notation.record import Record

type Source = str | bytes | os.PathLike[str] | IO[str] | IO[bytes]
"""A path, a document as text or bytes, or an open stream. A text with a line break, ``[`` or ``|`` is a document."""

LONGEST_REASON: Final = 320
"""Reasons are one line that can be read: longer ones are cut in the middle."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that was not read: where it stands, and what is wrong in one sentence."""

    file: str
    line: int
    reason: str

    def __post_init__(self) -> None:
        reason = "".join(letter if letter.isprintable() else " " for letter in self.reason[: 2 * LONGEST_REASON])
        if len(self.reason) > LONGEST_REASON:
            # The end says what is wrong and what is left out, so it is the middle that goes.
            tail = "".join(letter if letter.isprintable() else " " for letter in self.reason[-LONGEST_REASON // 2 :])
            reason = f"{reason[: LONGEST_REASON // 2 - 3]} … {tail}"
        object.__setattr__(self, "reason", reason)

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What a document holds: its records, and a note for each thing that was left out."""

    records: tuple[Record, ...]
    skipped: tuple[Skipped, ...]

    @classmethod
    def of(cls, items: Iterable[Record | Skipped]) -> Self:
        """Sort out what a reader yields."""
        records: list[Record] = []
        skipped: list[Skipped] = []
        for item in items:
            if isinstance(item, Record):
                records.append(item)
            else:
                skipped.append(item)
        return cls(tuple(records), tuple(skipped))


class Document:
    """A source with a name, whose lines can be walked once; ``damage`` says afterwards why they ended early."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.damage = ""
        self.count = 0
        """Lines walked so far."""
        named = source if isinstance(source, str | os.PathLike) and not is_text(source) else None
        stream_name = getattr(source, "name", None)
        self.name = os.fspath(named) if named is not None else stream_name if isinstance(stream_name, str) else "<text>"

    def lines(self) -> Iterator[tuple[int, str]]:
        """Each line with its number from 1, without its end."""
        with ExitStack() as stack:
            stream = self._open(stack)
            try:
                for line in stream:
                    self.count += 1
                    bare = line.rstrip("\r\n")
                    yield self.count, bare if bare.isascii() else _decoded(bare)
            except (OSError, EOFError, UnicodeError, zlib.error) as error:
                self.damage = (
                    f"the file ends early or is damaged after line {self.count} ({error}); the rest is left out"
                )

    def _open(self, stack: ExitStack) -> IO[str]:
        source = self.source
        if isinstance(source, str) and is_text(source):
            return io.StringIO(source, newline=None)
        if isinstance(source, bytes):
            return self._text(io.BufferedReader(io.BytesIO(source)), stack)
        if isinstance(source, str | os.PathLike):
            try:
                return self._text(stack.enter_context(open(source, "rb")), stack)
            except (OSError, ValueError) as error:
                why = getattr(error, "strerror", None) or error
                raise NotationError(f"cannot read {self.name!r}: {why}", text=self.name) from None
        if isinstance(source.read(0), str):
            return cast(IO[str], source)
        if isinstance(source, io.BufferedReader):
            return self._text(source, stack)
        return self._text(io.BufferedReader(io.BytesIO(cast(IO[bytes], source).read())), stack)

    def _text(self, stream: io.BufferedReader, stack: ExitStack) -> IO[str]:
        """Lines of a binary stream; bytes that are not UTF-8 come out as surrogates, for :func:`_decoded`."""
        plain: io.BufferedReader | gzip.GzipFile = stream
        if stream.peek(2)[:2] == b"\x1f\x8b":
            plain = gzip.GzipFile(fileobj=stream)
        encoding = "utf-16" if stream.peek(2)[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        errors = "replace" if encoding == "utf-16" else "surrogateescape"
        text = io.TextIOWrapper(cast(BinaryIO, plain), encoding, errors, newline=None)
        # The stream belongs to whoever opened it: without this the wrapper would close it on its way out.
        stack.callback(text.detach)
        return text


def is_text(source: object) -> bool:
    """Whether a string is a document itself, not the path of one."""
    return isinstance(source, str) and (not source or any(mark in source for mark in "\n\r\0[|"))


def _decoded(line: str) -> str:
    """The line, read as Latin-1 if it was not UTF-8."""
    try:
        line.encode("utf-8")
    except UnicodeEncodeError:
        return line.encode("utf-8", "surrogateescape").decode("latin-1")
    return line
