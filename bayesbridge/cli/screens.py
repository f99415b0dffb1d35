"""How answers look: one JSON object for programs, tables and sentences for people.

The only module of the command line that writes to stdout. Text from files and plugins is made visible here, whoever
prints it: no escape of theirs reaches a terminal.

How an answer was computed and how exact it is, as every command that infers says it.

What an observer has seen, as every command that takes evidence says it.

``--show N``: example layouts of a posterior, drawn by their probability.

What ``bayesbridge estimate`` shows people: one screen.
"""

from __future__ import annotations

import json
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock, Timer
from typing import TYPE_CHECKING, Any

from bayesbridge.belief.posterior import accuracy_document, accuracy_sentences
from bayesbridge.cli.options import Parser, whole
from bayesbridge.markup import Table
from bayesbridge.words import BITS, SEATS, number, percent, printable

if TYPE_CHECKING:
    import xarray

    from bayesbridge.belief.perspective import Perspective
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.estimators.evaluate import Evaluation


def print_json(document: dict[str, Any]) -> None:
    """One object on one line, in ASCII, so that it survives any terminal."""
    end_progress()
    print(json.dumps(document, allow_nan=False).replace("\x7f", "\\u007f"))  # DEL is ASCII, and JSON leaves it


def say(*lines: str) -> None:
    """Lines for people, an empty one if none is given; each argument is one line, whatever it holds."""
    end_progress()
    for line in lines or ("",):
        print(printable(line))


def print_script(script: str) -> None:
    """A text of our own as it is, with its lines and tabs."""
    end_progress()
    print(script)


def print_table(
    title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1, bars: bool = False
) -> None:
    """A table with its first ``left`` columns of words and the others of figures; the last may be one of ``bars``.

    A figure is never cut or broken: the table may become wider than the terminal.
    """
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(header):
        words = i < left or (bars and i == len(header) - 1)
        table.add_column(printable(name), justify="left" if words else "right", no_wrap=True)
    for row in rows:
        table.add_row(*map(printable, row))
    end_progress()
    console = Console(markup=False, highlight=False, emoji=False)
    room = console.options.update(width=10_000)
    console.width = max(console.width, Measurement.get(console, room, table).maximum)
    console.print(printable(title), style="bold", soft_wrap=True)
    console.print()
    console.print(table)
    console.print()


def show_table(table: Table) -> None:
    """A part of an answer: the table, with bars where it wants them, and its notes below."""
    words = [[cell if isinstance(cell, str) else percent(cell) for cell in row] for row in table.rows]
    if table.bars:
        shares = [float(row[1]) for row in table.rows]
        widest = max(shares, default=1.0)
        header = [table.columns[0], f"{table.columns[1]:>8}", "", *table.columns[2:]]
        rows = [[row[0], f"{row[1]:>8}", bar(p / widest), *row[2:]] for row, p in zip(words, shares, strict=True)]
        print_table(table.title, header, rows, left=len(header))
    else:
        print_table(table.title, table.columns, words)
    if table.notes:
        say(*table.notes, "")


def bar(share: float, width: int = 40) -> str:
    """A bar of blocks; a share too small for an eighth of a block still leaves a mark."""
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, AttributeError):
        return "#" * max(round(share * width), int(share > 0))
    eighths = max(round(share * width * 8), int(share > 0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


PATIENCE = 1.0
"""Seconds of silence after which a terminal is told that work goes on."""


def progress_line(noun: str) -> Callable[[int, int], None] | None:
    """Shows on stderr how many of all are done, and the time that is left; ``None`` where stderr is no terminal.

    The line is finished when all is done, or else by :func:`end_progress`.
    """
    if not _on_terminal():
        return None
    line: Any = None

    def show(done: int, total: int) -> None:
        nonlocal line
        if done < total and line not in _lines:  # what is done at once needs no line; output ends one
            end_progress()
            line = _new_line()
        if line in _lines:
            line.update(0, completed=done, total=total, description=f"{number(done)} of {number(total)} {noun}")
            line.start()
            if done == total:
                end_progress()
                _wait()

    return show


@contextmanager
def still_working() -> Iterator[None]:
    """Work of one command: after a second without another sign a bar on a terminal's stderr says that it goes on."""
    global _working
    _working = True
    _wait()
    try:
        yield
    finally:
        _working = False
        end_progress()


_lines: list[Any] = []
"""Progress lines that are not finished."""

_timers: list[Timer] = []
"""Those that wait to show that work goes on."""

_lock = RLock()

_working = False
"""Whether a command is at work."""


def _on_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


def _wait() -> None:
    if _working and _on_terminal():
        timer = Timer(PATIENCE, lambda: _show_that_work_goes_on(timer))
        timer.daemon = True
        with _lock:
            _timers.append(timer)
        timer.start()


def _show_that_work_goes_on(timer: Timer) -> None:
    with _lock:
        if timer in _timers and not _lines:
            _new_line("working", total=None).start()


def _new_line(words: str = "", total: int | None = 100) -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    last = TimeElapsedColumn() if total is None else TimeRemainingColumn()
    line = Progress(
        BarColumn(20), TextColumn("{task.description}"), last, console=Console(stderr=True), transient=total is None
    )
    line.add_task(words, total=total)
    _lines.append(line)
    return line


def end_progress() -> None:
    """Finish the progress lines, also of work that failed, so that the terminal shows its cursor again."""
    with _lock:
        while _timers:
            _timers.pop().cancel()
        while _lines:
            _lines.pop().stop()


MOST_DRAWS = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""

DRAWS = 20_000
"""Unless told otherwise."""


def add_draws(parser: Parser, usual: int = DRAWS) -> None:
    """Ask how many layouts to draw, ``usual`` unless told otherwise."""
    parser.add_argument(
        "--draws",
        type=whole(2, MOST_DRAWS),
        default=usual,
        metavar="N",
        help=f"layouts drawn where there are too many to walk (default: {usual:_})",
    )


def print_accuracy(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> None:
    """For people."""
    say(*accuracy_sentences(accuracy_document(posterior, method, exact)))


def print_evidence(belief: Perspective) -> None:
    """For people: the hand, the evidence in order, and the passes that nobody mentioned."""
    hand = belief.hand
    say(f"{SEATS[belief.observer.name]} holds {hand.pbn}, {hand.points} points.")
    if belief.evidence:
        _say_wrapped(f"Seen: {'; '.join(map(str, belief.evidence))}.")
    for said in belief.systems:
        _say_wrapped(f"System: {said}.")
    if belief.assumed_passes:
        who = ", ".join(seat.name for seat in belief.assumed_passes)
        say(f"Taken to have passed, since no call of theirs was given: {who}. The auction is '{belief.auction}'.")


def _say_wrapped(text: str) -> None:
    from textwrap import wrap

    say(*wrap(printable(text), 100, subsequent_indent="      ", break_long_words=False, break_on_hyphens=False))


def add_show(parser: Parser) -> None:
    """Ask for examples."""
    parser.add_argument(
        "--show",
        type=whole(1, 100_000),
        metavar="N",
        help="show so many layouts, drawn by their probability",
    )


def examples(posterior: Posterior, args: Namespace) -> dict[str, Any]:
    """The examples as plain data; nothing if none are wanted."""
    return {} if args.show is None else {"examples": _deals(posterior, args)}


def print_examples(posterior: Posterior, args: Namespace) -> None:
    """For people: a deal per line in PBN."""
    if args.show is not None:
        say(f"{args.show} layouts, drawn by their probability:", *_deals(posterior, args))


def _deals(posterior: Posterior, args: Namespace) -> list[str]:
    return [deal.pbn for deal in posterior.resample(args.show, args.seed)]


def show(found: Evaluation, result: xarray.DataTree) -> None:
    """What was seen, how it was computed, the outputs, and what is known of the hidden hands."""
    from bayesbridge.results import output_tables
    from bayesbridge.views.documents import is_exact
    from bayesbridge.views.tables import hidden_tables

    print_evidence(found.posterior.belief)
    print_accuracy(found.posterior, result.attrs["method"], is_exact(result))
    say()
    for table in (*output_tables(result), *hidden_tables(found.posterior)):
        show_table(table)
    if not found.posterior.belief.constraints.hidden:
        say("Every card is known.")
    if found.posterior.count() > 1:
        say(BITS)
