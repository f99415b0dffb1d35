"""How an answer was computed and how exact it is, as every command that infers says it."""

from __future__ import annotations

from math import sqrt
from typing import TYPE_CHECKING, Any

from bayesbridge.cli.printing import number, percent

if TYPE_CHECKING:
    from bayesbridge.belief.posterior import Posterior

MOST_DRAWS = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""


def worth(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> dict[str, Any]:
    """For programs; method and exactness of the posterior unless the numbers came in another way."""
    is_exact = posterior.exact if exact is None else exact
    return {
        "method": method or posterior.method,
        "exact": is_exact,
        "layouts": str(posterior.count),
        "draws": len(posterior),
        "ess": None if is_exact else posterior.ess,
        "why": posterior.why,
        "entropy_bits": posterior.entropy_bits,
        "log_evidence": posterior.log_evidence,
    }


def print_worth(posterior: Posterior, method: str | None = None, exact: bool | None = None) -> None:
    """For people."""
    said = worth(posterior, method, exact)
    print(
        f"{number(posterior.count)} layouts fit; what is unknown about them is worth {said['entropy_bits']:.2f} bits."
    )
    if said["exact"]:
        how = "walking every layout" if posterior.exact else "counting suit by suit"
        print(f"Computed exactly, by {how} ({said['method']}).")
    else:
        error = percent(0.5 / sqrt(max(posterior.ess, 1.0)))
        print(f"Estimated, one standard error of a probability is at most {error}. {posterior.why}.")
