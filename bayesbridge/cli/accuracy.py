"""How an answer was computed and how exact it is, as every command that infers says it."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import Parser, whole
from bayesbridge.cli.printing import say
from bayesbridge.documents import accuracy_document
from bayesbridge.words import number, percent

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
    said = accuracy_document(posterior, method, exact)
    layouts = posterior.count()
    fit = "1 layout fits" if layouts == 1 else f"{number(layouts)} layouts fit"
    bits = said["entropy_bits"]
    say(f"{fit}." if bits is None else f"{fit}; the uncertainty about them is {bits:.2f} bits.")
    if said["exact"]:
        how = "walking every layout" if posterior.exact else "counting suit by suit"
        say(f"Computed exactly, by {how} ({said['method']}).")
    else:
        error = percent(0.5 / sqrt(max(posterior.ess, 1.0)))
        say(f"Estimated, one standard error of a probability is at most {error}. {said['why']}.")
    if said["warning"]:
        say(f"Warning: {said['warning']}.")
