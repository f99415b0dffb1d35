"""The EVIDENCE options that several commands take, and the position that they describe."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.parsing import Once, Parser, UsageError, reading
from bayesbridge.cli.record_options import add_record, record_position
from bayesbridge.deal import Seat
from bayesbridge.errors import BayesBridgeError
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.position import SETTINGS, AuctionText, Position, Sourced, calls_of

if TYPE_CHECKING:
    from bayesbridge.evidence.kinds import Piece


def add_evidence(parser: Parser) -> None:
    """Put the EVIDENCE options on a command."""
    group = parser.add_argument_group("evidence", "Repeatable where they say what was seen; their order is kept.")
    for name, setting in SETTINGS.items():
        group.add_argument(
            f"--{name}",
            type=reading(setting.read),
            action="append" if setting.many else Once,
            metavar=setting.metavar,
            help=setting.help,
        )
    for name, kind in KINDS.items():
        group.add_argument(
            f"--{name}",
            type=_with_source(kind),
            action="append",
            dest="evidence",
            default=[],
            metavar=kind.example,
            help=kind.help,
        )
    group.add_argument(
        "--auction",
        type=lambda text: Sourced(AuctionText(text), "argument --auction"),
        action="append",
        dest="evidence",
        metavar="CALLS",
        help='all calls so far in one text, as "1NT p 3NT"; S: before them, or --dealer, says who began',
    )
    group.add_argument(
        "--dealer",
        type=reading(Seat.of),
        action=Once,
        metavar="S",
        help="who began --auction (default: so that the observer calls next, or leads)",
    )
    add_record(group)
    group.add_argument(
        "--position",
        action=Once,
        metavar="FILE",
        help="a TOML file that says all this; options are added to it, and settings given as options replace its own",
    )


def position_of(args: argparse.Namespace) -> Position:
    """What the options say, on top of the position file or the record."""
    position = record_position(args)
    if args.position:
        from bayesbridge.position import read_position

        position = read_position(args.position)
    settings = {
        name: Sourced(tuple(value) if setting.many else value, f"argument --{name}")
        for name, setting in SETTINGS.items()
        if (value := getattr(args, name)) is not None
    }
    known = {**position.settings, **settings}
    return position.with_more(settings, list(_pieces(args, known)))


def _pieces(args: argparse.Namespace, known: Mapping[str, Sourced[Any]]) -> Iterator[Sourced[Piece]]:
    """The evidence of the options in order, with the calls of an auction one by one."""
    values = {name: given.value for name, given in known.items()}
    dummy = None if values.get("players") == 4 else values.get("dummy", Seat.N)
    told = [piece.value for piece in args.evidence]
    if args.dealer is not None and not any(isinstance(piece, AuctionText) for piece in told):
        raise UsageError("argument --dealer: it says who began --auction: give that too")
    for piece in args.evidence:
        if not isinstance(piece.value, AuctionText):
            yield piece
            continue
        try:
            calls = calls_of(
                piece.value, dealer=args.dealer, observer=values.get("observer"), dummy=dummy, evidence=told
            )
        except BayesBridgeError as error:
            raise UsageError(f"argument --auction: {error}") from None
        yield from (Sourced(call, piece.where) for call in calls)


def _with_source(kind: type[Piece]) -> Any:
    read = reading(kind.of)

    def read_piece(text: str) -> Sourced[Piece]:
        return Sourced(read(text), f"argument --{kind.option}")

    return read_piece
