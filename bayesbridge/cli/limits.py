"""What plugins may take: the options of every command that can ask one."""

from __future__ import annotations

from argparse import Namespace
from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import Parser, whole

if TYPE_CHECKING:
    from bayesbridge.estimators.isolation import Limits


def add_limits(parser: Parser) -> None:
    """Put the limits of plugins on a command."""
    parser.add_argument(
        "--timeout",
        type=whole(1, 10**9),
        metavar="SECONDS",
        help="a plugin may take so long to load, for a thousand layouts or for 65_536 hands (default: 600, to load 30)",
    )
    parser.add_argument(
        "--memory",
        type=whole(1, 10**9),
        metavar="MB",
        help="a plugin may take so much memory (default: four fifths of the machine's)",
    )


def limits_of(args: Namespace) -> Limits:
    """What the options say."""
    from bayesbridge.estimators.isolation import usual_limits

    return usual_limits(args.timeout, args.memory)
