"""How answers look: one JSON object for programs, tables and sentences for people.

The only module of the command line that writes to stdout. Text from files and plugins is made visible here, whoever
prints it: no escape of theirs reaches a terminal.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from threading import RLock, Timer
from typing import Any

from bayesbridge.words import number, printable


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
