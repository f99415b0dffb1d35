"""``--show N``: example layouts of a posterior, drawn by their probability."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.parsing import Parser, whole
from bayesbridge.cli.printing import say

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior


def add_show(parser: Parser) -> None:
    """Ask for examples."""
    parser.add_argument(
        "--show",
        type=whole(1, 100_000),
        metavar="N",
        help="show so many layouts, drawn by their probability",
    )


def examples(posterior: Posterior, args: Namespace) -> dict[str, Any]:
    """The examples as plain data; nothing if none are wanted."""
    return {} if args.show is None else {"examples": _deals(posterior, args)}


def print_examples(posterior: Posterior, args: Namespace) -> None:
    """For people: a deal per line in PBN."""
    if args.show is not None:
        say(f"{args.show} layouts, drawn by their probability:", *_deals(posterior, args))


def _deals(posterior: Posterior, args: Namespace) -> list[str]:
    return [deal.pbn for deal in posterior.resample(args.show, args.seed)]
