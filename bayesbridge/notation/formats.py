"""The formats of records; a new one is a module and a line in ``FORMATS``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import IO, Final, NamedTuple

from bayesbridge.notation.lin import iter_lin, write_lin
from bayesbridge.notation.pbn import iter_pbn, write_pbn
from bayesbridge.notation.reading import Document, ParsedRecords, Skipped, Source
from bayesbridge.notation.record import Record

LINES_LOOKED_AT: Final = 50
"""Lines at the start of a document that tell its format."""


class Format(NamedTuple):
    """A format of records: how it is known, read and written."""

    name: str
    ending: str
    """Of the names of its files."""
    recognises: Callable[[Sequence[str]], bool]
    """Whether lines at the start of a document, without blanks before them, are its."""
    iter_records: Callable[[Source], Iterator[Record | Skipped]]
    write: Callable[[Iterable[Record], IO[str]], None]

    def read(self, source: Source) -> ParsedRecords:
        """All records of a document, and what was left out."""
        return ParsedRecords.of(self.iter_records(source))


def _has_tags(lines: Sequence[str]) -> bool:
    return any(line.startswith("[") for line in lines)


def _has_bars(lines: Sequence[str]) -> bool:
    return any("|" in line or "lin=" in line for line in lines)


FORMATS: Final = [
    Format("PBN", ".pbn", _has_tags, iter_pbn, write_pbn),
    Format("LIN", ".lin", _has_bars, iter_lin, write_lin),
]
"""Every format, in the order in which a document is looked at; what none recognises is
read as the first.
"""


def endings() -> tuple[str, ...]:
    """What the names of files of records end in."""
    return tuple(form.ending for form in FORMATS)


def format_named(name: str) -> Format | None:
    """The format that the name of a file tells, perhaps of a compressed one.

    >>> format_named("Final.LIN.gz").name, format_named("final.txt")
    ('LIN', None)
    """
    bare_name = name.lower().removesuffix(".gz")
    return next((form for form in FORMATS if bare_name.endswith(form.ending)), None)


def format_of(name: str, source: Source) -> Format:
    """The format of a document by its name, or else by its first lines.

    >>> format_of("", b"qx|o1|").name, format_of("", b"% PBN").name
    ('LIN', 'PBN')
    """
    named = format_named(name)
    if named is not None:
        return named
    first_lines = islice(Document(source).lines(), LINES_LOOKED_AT)
    lines = [line.lstrip() for _, line in first_lines]
    return next((form for form in FORMATS if form.recognises(lines)), FORMATS[0])
