"""The EVIDENCE options that several commands take, and the position that they describe."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.limits import add_limits, limits_of
from bayesbridge.cli.parsing import Once, Parser, reading
from bayesbridge.evidence.kinds import KINDS
from bayesbridge.positions.position import Position, Sourced
from bayesbridge.positions.settings import SETTINGS

if TYPE_CHECKING:
    from bayesbridge.evidence.piece import Piece


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
        "--position",
        action=Once,
        metavar="FILE",
        help="a TOML file that says all this; options are added to it, and settings given as options replace its own",
    )
    add_limits(parser)


def position_of(args: argparse.Namespace) -> Position:
    """What the options and the position file say."""
    position = Position({})
    if args.position:
        from bayesbridge.positions.toml_file import read_position

        position = read_position(args.position)
    settings = {
        name: Sourced(tuple(value) if setting.many else value, f"argument --{name}")
        for name, setting in SETTINGS.items()
        if (value := getattr(args, name)) is not None
    }
    return position.with_more(settings, args.evidence)._replace(limits=limits_of(args))


def _with_source(kind: type[Piece]) -> Any:
    read = reading(kind.of)

    def read_piece(text: str) -> Sourced[Piece]:
        return Sourced(read(text), f"argument --{kind.option}")

    return read_piece
