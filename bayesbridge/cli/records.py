"""Records from a file, for the commands that take one."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import UsageError
from bayesbridge.notices import tell

if TYPE_CHECKING:
    from bayesbridge.deal import Seat
    from bayesbridge.notation import Record

NOTES = 5
"""What was left out is told up to so often; the rest is counted."""


SHOWN = 8
"""Boards named where none fits."""


def open_file(path: str, option: str = "FILE") -> Callable[[], Iterator[Record]]:
    """A function that walks the records of a PBN or LIN file, as often as it is called, one in memory at a time.

    The first walk tells on stderr what was left out, a line each, the first few. What can be read only once, such as a
    pipe, is kept in memory.
    """
    if not os.path.exists(path):
        raise UsageError(f"argument {option}: there is no file {path!r}: give a PBN or LIN file")
    if not os.path.isfile(path):
        kept = tuple(_walk(path, option, telling=True))
        return lambda: iter(kept)
    walks = 0

    def walk() -> Iterator[Record]:
        nonlocal walks
        walks += 1
        return _walk(path, option, telling=walks == 1)

    return walk


def chosen_record(records: Iterator[Record], file: str, board: str | None, room: str | None, observer: Seat) -> Record:
    """The record asked for; the file is read to its end, so that all that is wrong with it is told."""
    chosen: Record | None = None
    place = ""
    boards: list[tuple[int, str]] = []
    for record in records:
        if (board is None or record.board == board) and (room is None or record.room.lower() == room.lower()):
            place = place or record.place
            if chosen is None and record.auction is not None and record.hands[observer] is not None:
                chosen = record
        boards = sorted({*boards, (len(record.board), record.board)})[: SHOWN + 1]
    if chosen is not None:
        return chosen
    if place:
        raise UsageError(f"{place}: no auction, or not {observer.name}'s hand, on record: choose another board")
    asked = " ".join(filter(None, (board, room)))
    known = ", ".join(name for _, name in boards[:SHOWN]) + (" …" if len(boards) > SHOWN else "")
    raise UsageError(f"no board {asked} in {file!r}: it has {known}")


def _walk(path: str, option: str, telling: bool) -> Iterator[Record]:
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
        raise UsageError(f"argument {option}: cannot read {path!r}: {error.strerror}") from None
    if telling and notes > NOTES:
        tell(f"{notes - NOTES} more notes on what was left out")
    if not records:
        raise UsageError(f"argument {option}: {path!r} holds no record that can be read: give a PBN or LIN file")
