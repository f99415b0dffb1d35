"""Records from a file, for the commands that take one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import UsageError
from bayesbridge.notices import tell

if TYPE_CHECKING:
    from bayesbridge.notation import Record

NOTES = 5
"""What was left out is told up to so often; the rest is counted."""


def open_file(path: str) -> Callable[[], Iterator[Record]]:
    """A function that walks the records of a PBN or LIN file, as often as it is called, one in memory at a time.

    The first walk tells on stderr what was left out, a line each, the first few. What can be read only once, such as a
    pipe, is kept in memory.
    """
    if not os.path.exists(path):
        raise UsageError(f"argument FILE: there is no file {path!r}: give a PBN or LIN file")
    if not os.path.isfile(path):
        kept = tuple(_walk(path, telling=True))
        return lambda: iter(kept)
    walks = 0

    def walk() -> Iterator[Record]:
        nonlocal walks
        walks += 1
        return _walk(path, telling=walks == 1)

    return walk


def _walk(path: str, telling: bool) -> Iterator[Record]:
    from bayesbridge.notation import Skipped, iter_records

    notes = records = 0
    try:
        for item in iter_records(path):
            if isinstance(item, Skipped):
                notes += 1
                if telling and notes <= NOTES:
                    tell(item)
            else:
                records += 1
                yield item
    except OSError as error:
        raise UsageError(f"argument FILE: cannot read {path!r}: {error.strerror}") from None
    if telling and notes > NOTES:
        tell(f"{notes - NOTES} more notes on what was left out")
    if not records:
        raise UsageError(f"argument FILE: {path!r} holds no record that can be read: give a PBN or LIN file")
