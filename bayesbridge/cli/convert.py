"""``bayesbridge convert``: records from one format to another, of several files in one."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Final

from bayesbridge.cli import screens
from bayesbridge.cli.files import verify_target, writing
from bayesbridge.cli.records import open_records
from bayesbridge.cli.usage import UsageError
from bayesbridge.display.markup import Table
from bayesbridge.display.words import counted, number
from bayesbridge.notation.conversion import lost_parts, renumbered
from bayesbridge.notation.formats import FORMATS, Format, endings

READ_PAST: Final = (
    "Comments, notes to cards and the layout of pages are never carried over."
)


def run(args: Namespace) -> int:
    """Read records, write them in the other format, and say what that does not hold.

    What is lost shows where the new file is read again.
    """
    target = _new_file(args.out)
    form = _format_of(target)
    records = list(chain.from_iterable(map(open_records, args.file)))
    if args.renumber:
        records = list(renumbered(records))
    with writing("OUT", target) as unfinished:
        with unfinished.open("w", encoding="utf-8", newline="\n") as stream:
            form.write(records, stream)
        copies = form.read(unfinished).records
    lost = dict(lost_parts(records, copies).most_common())
    files = counted(len(args.file), "file")
    done = f"{counted(len(records), 'table')} of {files} are in {target}."
    document = {"file": str(target), "tables": len(records), "lost": lost}
    tables = [_lost_table(form, lost)] if lost else []
    return screens.present(args, document, done, *tables, READ_PAST)


def _new_file(name: str) -> Path:
    """The file to write, which must not be there yet.

    The last word may be a record that was meant to be read.
    """
    names = " or ".join(form.name for form in FORMATS)
    target = verify_target("OUT", name, f"records are {names}", *endings())
    if target.exists():
        raise UsageError(
            f"argument OUT: {name!r} is there already: "
            "name a new file after those to read, or remove it"
        )
    return target


def _format_of(target: Path) -> Format:
    """The format of a file whose ending was verified."""
    return next(form for form in FORMATS if form.ending == target.suffix)


def _lost_table(form: Format, lost: dict[str, int]) -> Table:
    rows: Sequence[Sequence[str]] = [
        [part, number(tables)] for part, tables in lost.items()
    ]
    return Table(f"What {form.name} does not hold as it was", ["part", "tables"], rows)
