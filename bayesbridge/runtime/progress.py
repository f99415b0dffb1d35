"""How far long work has come: the work reports it, and whoever wants to know watches."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

type Watcher = Callable[[str, int, int], None]
"""Called with what is counted, how many are done, and how many there are."""

_WATCHER: ContextVar[Watcher | None] = ContextVar("watcher", default=None)


@contextmanager
def watch_progress(watcher: Watcher | None) -> Iterator[None]:
    """Let ``watcher`` be told by the work done inside.

    ``None`` is for work whose steps are too small to be shown.
    """
    before = _WATCHER.set(watcher)
    try:
        yield
    finally:
        _WATCHER.reset(before)


def report_progress(noun: str, done: int, total: int) -> None:
    """Tell the watcher, if there is one, how many of ``noun`` are done."""
    watcher = _WATCHER.get()
    if watcher is not None:
        watcher(noun, done, total)


def with_progress[T](noun: str, items: Collection[T]) -> Iterator[T]:
    """The items, reported one by one.

    What the work on each of them would report itself is not shown.

    >>> with watch_progress(lambda noun, done, total: print(f"{done} of {total} {noun}")):
    ...     for item in with_progress("boards", "ab"):
    ...         report_progress("cards", 1, 52)
    0 of 2 boards
    1 of 2 boards
    2 of 2 boards
    """
    for done, item in enumerate(items):
        report_progress(noun, done, len(items))
        with watch_progress(None):
            yield item
    report_progress(noun, len(items), len(items))
