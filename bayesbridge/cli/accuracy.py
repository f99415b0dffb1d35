"""How an answer was computed and how exact it is, as every command that infers says it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import Parser, whole
from bayesbridge.cli.printing import say
from bayesbridge.documents import accuracy_sentences

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior

MOST_DRAWS = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""

DRAWS = 20_000
"""Unless told otherwise."""


def add_draws(parser: Parser, usual: int = DRAWS) -> None:
    """Ask how many layouts to draw, ``usual`` unless told otherwise."""
    parser.add_argument(
        "--draws",
        type=whole(2, MOST_DRAWS),
        default=usual,
        metavar="N",
        help=f"layouts drawn where there are too many to walk (default: {usual:_})",
    )


def print_accuracy(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> None:
    """For people."""
    say(*accuracy_sentences(posterior, method, exact))
