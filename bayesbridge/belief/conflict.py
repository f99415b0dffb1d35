"""Which pieces of evidence cannot hold together."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb

from bayesbridge.errors import Contradiction
from bayesbridge.evidence import Evidence
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.counting import count

MOST_TRIALS = 3000
"""Subsets tried in search of a conflict smaller than the one already found."""


def contradiction(facts: Sequence[tuple[Evidence, Constraints]]) -> Contradiction:
    """The error that names the smallest conflicting set among facts that have no layout in common."""
    culprits = _smallest(list(facts))
    names = "; ".join(str(piece) for piece, _ in culprits)
    what = "this cannot be" if len(culprits) == 1 else "these cannot hold together"
    return Contradiction(f"{what}: {names}. Take one of them back.", evidence=tuple(piece for piece, _ in culprits))


def _smallest(facts: list[tuple[Evidence, Constraints]]) -> list[tuple[Evidence, Constraints]]:
    """An irreducible conflict by leaving out piece after piece; then any smaller one, if that can be searched."""
    core = list(facts)
    for fact in facts[::-1]:
        rest = [other for other in core if other is not fact]
        if _conflict(rest):
            core = rest
    for size in range(1, len(core)):
        if comb(len(facts), size) > MOST_TRIALS:
            break
        for subset in combinations(facts, size):
            if _conflict(subset):
                return list(subset)
    return core


def _conflict(facts: Sequence[tuple[Evidence, Constraints]]) -> bool:
    known = Constraints.free()
    for _, fact in facts:
        known &= fact
    return count(known) == 0
