"""Records that the options name: the file, the board, the seat of the observer."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterable, Iterator
from typing import Final

from bayesbridge.cli.usage import UsageError
from bayesbridge.display.words import SEATS, tell
from bayesbridge.errors import NotationError, did_you_mean
from bayesbridge.game.deal import Seat
from bayesbridge.notation import Record, Skipped, iter_records

MOST_NOTES: Final = 5
"""Notes on what was left out of a file; further ones are counted."""

MOST_BOARDS: Final = 12
"""Boards that an error names."""


def open_records(
    path: str, option: str = "FILE", quiet: bool = False
) -> Iterator[Record]:
    """The records of a file or of a viewer's link, one at a time.

    What was left out is noted on stderr unless ``quiet``.
    """
    if not os.path.isfile(path) and "lin=" not in path:
        raise UsageError(
            f"argument {option}: there is no file {path!r}: give a PBN or LIN file, or "
            "a viewer's link"
        )
    skipped = 0
    is_empty = True
    try:
        for item in iter_records(path):
            if not isinstance(item, Skipped):
                is_empty = False
                yield item
                continue
            skipped += 1
            if skipped <= MOST_NOTES and not quiet:
                tell(item)
    except OSError as error:
        raise UsageError(
            f"argument {option}: cannot read {path!r}: {error.strerror}"
        ) from None
    if skipped > MOST_NOTES and not quiet:
        tell(f"{skipped - MOST_NOTES} more notes on what was left out")
    if is_empty:
        raise UsageError(
            f"argument {option}: {path!r} holds no record that can be read: give a PBN "
            "or LIN file"
        )


class PlayerName(str):
    """An observer by name, whose seat a record gives."""

    __slots__ = ()

    @property
    def name(self) -> str:
        """The name, as a seat has one too."""
        return str(self)


type Observer = Seat | PlayerName


def read_observer(text: str) -> Observer:
    """A seat, or what may be the name of a player."""
    try:
        return Seat.of(text)
    except NotationError:
        return PlayerName(text.strip())


def seat_of(record: Record, observer: Observer) -> Seat | None:
    """The seat of the observer; ``None`` where no player there has the name."""
    if isinstance(observer, Seat):
        return observer
    words = observer.casefold()
    players = {seat: record.tag(SEATS[seat.name]).casefold() for seat in Seat}
    for seat, player in players.items():
        if player == words:
            return seat
    for seat, player in players.items():
        if words in player:
            return seat
    return None


def shows_hand(record: Record, observer: Observer | None) -> bool:
    """Whether the record has the hand of the observer, if there is one."""
    if observer is None:
        return True
    seat = seat_of(record, observer)
    return seat is not None and record.hands[seat] is not None


def is_named(args: Namespace, record: Record) -> bool:
    """Whether the record is of the board and the room that the options name, if any."""
    same_board = args.board in (None, record.board)
    same_room = args.room is None or args.room.lower() == record.room.lower()
    return same_board and same_room


def chosen_record(
    records: Iterable[Record],
    args: Namespace,
    file: str,
    observer: Observer | None,
) -> Record:
    """The first record that fits the options.

    The file is read to its end, so that notes on all of it are given.
    """
    chosen: Record | None = None
    boards: list[str] = []
    players: set[str] = set()
    for record in records:
        players |= {record.tag(seat) for seat in SEATS.values()}
        if record.auction is None or not shows_hand(record, observer):
            continue
        boards.append(f"{record.board} {record.room}".strip())
        if chosen is None and is_named(args, record):
            chosen = record
    if chosen is None:
        raise no_record(args, file, observer, boards, players)
    return chosen


def no_record(
    args: Namespace,
    file: str,
    observer: Observer | None,
    boards: list[str],
    players: set[str],
) -> UsageError:
    """The error that no record fits, and what to choose from.

    ``boards`` have an auction and the observer's hand, but another number or room;
    ``players`` are all names in the file.
    """
    if isinstance(observer, PlayerName) and not boards:
        hint = did_you_mean(observer, sorted(players - {""}))
        return UsageError(
            f"argument --observer: {str(observer)!r} is neither a seat nor a player "
            f"there: {hint}write N, E, S, W or a name"
        )
    board = " ".join(word for word in ("board", args.board, args.room) if word)
    hand = ""
    if observer is not None:
        hand = f" and {observer.name}'s hand"
    remedy = "name another file or --observer"
    if boards:
        remedy = f"choose {listed_boards(boards)}"
    return UsageError(f"no {board} in {file!r} with an auction{hand}: {remedy}")


def listed_boards(boards: list[str]) -> str:
    """The first boards, each once.

    >>> listed_boards(["1 Open", "1 Closed", "1 Open"])
    '1 Open, 1 Closed'
    """
    different = list(dict.fromkeys(boards))
    names = ", ".join(different[:MOST_BOARDS])
    return f"{names} …" if len(different) > MOST_BOARDS else names
