"""How answers look: one JSON object for programs, tables and sentences for people.

The only module of the command line that writes to stdout. Text from files and plugins is made visible here, whoever
prints it: no escape of theirs reaches a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from bayesbridge.words import number, printable


def print_json(document: dict[str, Any]) -> None:
    """One object on one line, in ASCII, so that it survives any terminal."""
    print(json.dumps(document, allow_nan=False).replace("\x7f", "\\u007f"))  # DEL is ASCII, and JSON leaves it


def say(*lines: str) -> None:
    """Lines for people, an empty one if none is given; each argument is one line, whatever it holds."""
    for line in lines or ("",):
        print(printable(line))


def print_script(script: str) -> None:
    """A text of our own as it is, with its lines and tabs."""
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
    console = Console(markup=False, highlight=False, emoji=False)
    room = console.options.update(width=10_000)
    console.width = max(console.width, Measurement.get(console, room, table).maximum)
    console.print(printable(title), style="bold", soft_wrap=True)
    console.print()
    console.print(table)
    console.print()


def bar(share: float, width: int = 40) -> str:
    """A bar of blocks; a share too small for an eighth of a block still leaves a mark."""
    try:
        "█▏".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, AttributeError):
        return "#" * max(round(share * width), int(share > 0))
    eighths = max(round(share * width * 8), int(share > 0))
    return "█" * (eighths // 8) + " ▏▎▍▌▋▊▉"[eighths % 8].strip()


def progress_line(noun: str) -> Callable[[int, int], None] | None:
    """Shows on stderr how many of all are done, and the time that is left; ``None`` where stderr is no terminal.

    The line is finished when all is done, or else by :func:`end_progress`.
    """
    if sys.stderr is None or not sys.stderr.isatty():
        return None
    line: Any = None

    def show(done: int, total: int) -> None:
        nonlocal line
        if line is None and done < total:  # what is done at once needs no line
            line = _new_line()
        if line is not None:
            line.update(0, completed=done, total=total, description=f"{number(done)} of {number(total)} {noun}")
            line.start()
            if done == total:
                end_progress()

    return show


_lines: list[Any] = []
"""Progress lines that are not finished."""


def _new_line() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = BarColumn(20), TextColumn("{task.description}"), TimeRemainingColumn()
    line = Progress(*columns, console=Console(stderr=True))
    line.add_task("")
    _lines.append(line)
    return line


def end_progress() -> None:
    """Finish the progress lines, also of work that failed, so that the terminal shows its cursor again."""
    while _lines:
        _lines.pop().stop()
