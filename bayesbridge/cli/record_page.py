"""``bayesbridge report FILE``: a table on record as a page with a step control."""

from __future__ import annotations

import shlex
from argparse import Namespace
from pathlib import Path

from bayesbridge.cli.parsing import UsageError
from bayesbridge.cli.printing import print_json, progress_line, say
from bayesbridge.cli.records import chosen_record, open_file
from bayesbridge.cli.writing import writing
from bayesbridge.deal import Seat
from bayesbridge.position import SETTINGS
from bayesbridge.words import number

DRAWS = 2000
"""Layouts of each step unless told otherwise: one standard error of a probability is about one percent."""

OWN = {"observer"}
"""Settings of a position that a record's page takes; the others are those of the record."""

QUESTIONS = ("contract", "by", "pair", "solve", "seconds", "level", "estimator")
MOMENTS = ("position", "record", "after_trick", "after_call", "dealer")

NOT_HERE = (*(set(SETTINGS) - OWN), *MOMENTS, *QUESTIONS)
"""Options of the page of a position that say nothing here."""


def write_record_page(args: Namespace, path: Path) -> int:
    """Compute the steps and write the page in one step."""
    from bayesbridge.report.record import html_record

    for name in sorted(NOT_HERE):
        if getattr(args, name) is not None:
            option = name.replace("_", "-")
            raise UsageError(f"argument --{option}: a page of FILE takes it from the record: leave --{option} out")
    if args.evidence or args.method != "auto" or args.actual or args.reached or args.show or args.no_history:
        raise UsageError(
            "argument FILE: it tells what was seen: leave evidence and other questions out, or use --record"
        )
    observer = Seat.S if args.observer is None else args.observer
    record = chosen_record(open_file(args.file)(), args.file, args.board, args.room, observer)
    page = html_record(
        record,
        observer,
        title=args.title,
        by_card=args.cards,
        draws=args.draws or DRAWS,
        rng=args.seed,
        progress=progress_line("steps"),
        command=_command(args, observer),
    )
    with writing("--out", path) as part:
        part.write_text(page, "utf-8", newline="\n")
    told = {"file": str(path), "bytes": path.stat().st_size, "board": record.board, "observer": observer.name}
    if args.json:
        print_json(told)
    else:
        say(
            f"{path}: {number(path.stat().st_size)} bytes, opens in any browser; the arrow keys step through the board."
        )
    return 0


def _command(args: Namespace, observer: Seat) -> str:
    """The command line that makes the page again."""
    words = ["bayesbridge", "report", args.file, "--observer", observer.name]
    for name in ("board", "room", "title", "draws"):
        if (value := getattr(args, name)) is not None:
            words += [f"--{name}", str(value)]
    words += ["--cards"] if args.cards else []
    return shlex.join([*words, "--seed", str(args.seed), "--out", Path(args.out or "report.html").name])
