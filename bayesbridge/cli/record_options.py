"""``--record FILE --board 3 --after-trick 4``: a moment of a table on record as a position."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.parsing import Once, UsageError, whole
from bayesbridge.cli.records import chosen_record, open_file
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.position import Position, Sourced

if TYPE_CHECKING:
    from bayesbridge.notation import Record


def add_record(group: Any) -> None:
    """Put the options on a command."""
    group.add_argument(
        "--record",
        action=Once,
        metavar="FILE",
        help="a PBN or LIN file: what --observer (default: S) saw of a table, with the hand; other evidence is added",
    )
    add_board(group)
    group.add_argument(
        "--after-trick",
        type=whole(0, 13),
        action=Once,
        metavar="N",
        help="of a record so many tricks, 0 for the auction alone (default: all)",
    )
    group.add_argument(
        "--after-call", type=whole(0, 400), action=Once, metavar="N", help="of a record so many calls and no card"
    )


def add_board(group: Any) -> None:
    """Ask which table of a file is meant."""
    group.add_argument("--board", action=Once, metavar="N", help="the board (default: the first that can be replayed)")
    group.add_argument("--room", action=Once, metavar="NAME", help="the room, where a board was played twice")


def record_position(args: argparse.Namespace) -> Position:
    """What the observer saw of the record; empty where no record is named."""
    if args.record is None:
        for name in ("board", "room", "after_trick", "after_call"):
            if getattr(args, name) is not None and getattr(args, "file", None) is None:
                raise UsageError(f"argument --{name.replace('_', '-')}: name the file too: --record FILE")
        return Position({})
    for name in ("hand", "players", "dummy", "position"):
        if getattr(args, name) is not None:
            raise UsageError(f"argument --{name}: the record tells it: leave --{name} out, or --record")
    observer = Seat.S if args.observer is None else args.observer
    record = chosen_record(open_file(args.record, "--record")(), args.record, args.board, args.room, observer)
    return moment(record, observer, args.after_call, args.after_trick)


def moment(record: Record, observer: Seat, calls: int | None, tricks: int | None) -> Position:
    """The position of a seat after so many calls, or after the auction and so many tricks."""
    from bayesbridge.belief.witness import seen_by
    from bayesbridge.notation import Vulnerability

    called = 0 if record.auction is None else len(record.auction.calls)
    if calls is not None and tricks is not None:
        raise UsageError("arguments --after-call and --after-trick: give one of them")
    if calls is not None and calls > called:
        raise UsageError(f"argument --after-call {calls}: {record.place} has {called} calls")
    if tricks is not None and 4 * tricks > len(record.plays):
        raise UsageError(f"argument --after-trick {tricks}: {record.place} has {len(record.plays) // 4} whole tricks")
    try:
        seat, hand, seen = seen_by(record, observer, None if tricks is None else 4 * tricks)
    except BayesBridgeError as error:
        raise UsageError(f"argument --record: {error}") from None
    where = "argument --record"
    settings = {"observer": seat, "hand": hand, "players": 4, "vulnerable": record.vulnerable or Vulnerability.NONE}
    kept = seen if calls is None else seen[:calls]
    return Position(
        {name: Sourced(value, where) for name, value in settings.items()},
        tuple(Sourced(piece, where) for piece in kept),
    )
