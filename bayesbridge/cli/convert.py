"""``bayesbridge convert``: records from one format to another, of several files in one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import IO, Final, NamedTuple

from bayesbridge.cli import screens
from bayesbridge.cli.files import verify_target, writing
from bayesbridge.cli.records import open_records
from bayesbridge.cli.usage import UsageError
from bayesbridge.display.markup import Table
from bayesbridge.display.words import counted, number
from bayesbridge.notation import (
    ParsedRecords,
    Record,
    Source,
    read_lin,
    read_pbn,
    write_lin,
    write_pbn,
)
from bayesbridge.notation.conversion import lost_parts, renumbered

READ_PAST: Final = (
    "Comments, notes to cards and the layout of pages are never carried over."
)


class Format(NamedTuple):
    name: str
    write: Callable[[Iterable[Record], IO[str]], None]
    read: Callable[[Source], ParsedRecords]


FORMATS: Final = {
    ".pbn": Format("PBN", write_pbn, read_pbn),
    ".lin": Format("LIN", write_lin, read_lin),
}


def run(args: Namespace) -> int:
    """Read, write, and say what was lost."""
    target = _new_file(args.out)
    form = FORMATS[target.suffix]
    records = [record for name in args.file for record in open_records(name)]
    if args.renumber:
        records = list(renumbered(records))
    with writing("OUT", target) as part:
        with part.open("w", encoding="utf-8", newline="\n") as stream:
            form.write(records, stream)
        copies = form.read(part).records
    lost = dict(lost_parts(records, copies).most_common())
    files = counted(len(args.file), "file")
    done = f"{counted(len(records), 'table')} of {files} are in {target}."
    document = {"file": str(target), "tables": len(records), "lost": lost}
    parts = [_lost_table(form, lost)] if lost else []
    return screens.present(args, document, done, *parts, READ_PAST)


def _new_file(name: str) -> Path:
    """The file to write, which must not be there yet: the last word may be a record
    that was meant to be read.
    """
    target = verify_target("OUT", name, "records are PBN or LIN", *FORMATS)
    if target.exists():
        raise UsageError(
            f"argument OUT: {name!r} is there already: "
            "name a new file after those to read, or remove it"
        )
    return target


def _lost_table(form: Format, lost: dict[str, int]) -> Table:
    rows: Sequence[Sequence[str]] = [
        [part, number(tables)] for part, tables in lost.items()
    ]
    return Table(f"What {form.name} does not hold as it was", ["part", "tables"], rows)
