"""How an answer was computed and how exact it is, as every command that infers says it."""

from __future__ import annotations

from math import isfinite, sqrt
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.parsing import Parser, whole
from bayesbridge.cli.printing import number, percent

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior

MOST_DRAWS = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""

DRAWS = 20_000
"""Unless told otherwise."""


def add_draws(parser: Parser) -> None:
    """Ask how many layouts to draw."""
    parser.add_argument(
        "--draws",
        type=whole(2, MOST_DRAWS),
        default=DRAWS,
        metavar="N",
        help="layouts drawn where there are too many to walk (default: 20_000)",
    )


def worth(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> dict[str, Any]:
    """For programs; method and exactness of the posterior unless the numbers came in another way."""
    is_exact = posterior.exact if exact is None else exact
    return {
        "method": method or posterior.method,
        "exact": is_exact,
        "layouts": str(posterior.count),
        "draws": len(posterior),
        "ess": None if is_exact else posterior.ess,
        "why": why(posterior, method, is_exact),
        "entropy_bits": _told(posterior.entropy_bits),
        "log_evidence": _told(posterior.log_evidence),
    }


def _told(value: float) -> float | None:
    """The number, ``None`` where the engine does not tell it."""
    return value if isfinite(value) else None


def why(posterior: Posterior, method: str | None, exact: bool) -> str:
    """Why that engine, in words."""
    if method != "convolution":
        return posterior.why
    counted = f"convolution: {posterior.count} layouts are too many to walk, but their suits can be counted and merged"
    return f"{counted}; every answer is exact" if exact else f"{counted}; the other estimators by {posterior.why}"


def print_worth(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> None:
    """For people."""
    said = worth(posterior, method, exact)
    fit = "1 layout fits" if posterior.count == 1 else f"{number(posterior.count)} layouts fit"
    bits = said["entropy_bits"]
    print(f"{fit}." if bits is None else f"{fit}; the uncertainty about them is {bits:.2f} bits.")
    if said["exact"]:
        how = "walking every layout" if posterior.exact else "counting suit by suit"
        print(f"Computed exactly, by {how} ({said['method']}).")
    else:
        error = percent(0.5 / sqrt(max(posterior.ess, 1.0)))
        print(f"Estimated, one standard error of a probability is at most {error}. {said['why']}.")
