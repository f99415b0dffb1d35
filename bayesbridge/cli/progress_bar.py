"""The bar of what is being counted, on a terminal."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from bayesbridge.display.words import number

if TYPE_CHECKING:
    from rich.progress import Progress

BAR_WIDTH: Final = 20

_bars: dict[str, Progress] = {}
"""The bar that is shown, by the noun of what it counts; at most one."""


def on_terminal() -> bool:
    """Whether stderr is a terminal."""
    return sys.stderr is not None and sys.stderr.isatty()


def show_progress(noun: str, done: int, total: int) -> None:
    """On a terminal, show on stderr how many of all are done, and the time to the end.

    What is done at once has no bar: it is reported only when it is done.
    """
    if not on_terminal():
        return
    if noun not in _bars and done < total:
        end_progress()
        _bars[noun] = new_bar()
    if noun not in _bars:
        return
    progress = _bars[noun]
    progress.update(
        progress.task_ids[0],
        completed=done,
        total=total,
        description=f"{number(done)} of {number(total)} {noun}",
    )
    progress.start()
    if done == total:
        end_progress()


def new_bar() -> Progress:
    """A bar that is not shown yet."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    progress = Progress(
        BarColumn(BAR_WIDTH),
        TextColumn("{task.description}"),
        TimeRemainingColumn(),
        console=Console(stderr=True),
    )
    progress.add_task("")
    return progress


def end_progress() -> None:
    """Finish the bar, also of work that failed: the terminal shows its cursor again."""
    while _bars:
        _bars.popitem()[1].stop()
