"""Which pieces of evidence cannot hold together: the smallest set.

Every set of pieces that holds together and cannot be enlarged leaves out something of each conflict. So a conflict
meets all these rests, and the smallest set that meets the rests known so far is the next candidate: if it is in
conflict there is no smaller one; if it is not, it is enlarged and gives one more rest (A. Ignatiev, A. Previti,
M. Liffiton and J. Marques-Silva, "Smallest MUS extraction with minimal hitting set dualization", 2015).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import Final

from bayesbridge.belief.facts import Fact
from bayesbridge.errors import Contradiction
from bayesbridge.evidence import Evidence
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.counting import count

MOST_ROUNDS: Final = 40
"""Candidates tried; beyond it a conflict is named of which no piece can be spared, though a smaller one may exist."""


def contradiction(facts: Sequence[Fact]) -> Contradiction:
    """The error that names the smallest conflicting set of pieces among facts that have no layout in common."""
    culprits = smallest_conflict(facts)
    what = "this cannot be" if len(culprits) == 1 else "these cannot hold together"
    return Contradiction(f"{what}: {'; '.join(map(str, culprits))}. Take one of them back.", evidence=culprits)


def smallest_conflict(facts: Sequence[Fact]) -> tuple[Evidence, ...]:
    """The fewest pieces that leave no layout, in the order they were given."""
    pieces = tuple(dict.fromkeys(piece for fact in facts for piece in fact.pieces))
    rests: list[Set[Evidence]] = []
    for _ in range(MOST_ROUNDS):
        candidate = _smallest_meeting(rests)
        if _conflict(facts, candidate):
            return tuple(piece for piece in pieces if piece in candidate)
        rests.append(set(pieces) - _enlarged(facts, pieces, candidate))
    return _irreducible(facts, pieces)


def _smallest_meeting(rests: Sequence[Set[Evidence]]) -> Set[Evidence]:
    """A smallest set that has a piece of every rest: deeper and deeper, branching on a rest not met yet."""
    partial: list[Set[Evidence]] = [frozenset()]
    while True:
        deeper: dict[Set[Evidence], None] = {}
        for chosen in partial:
            unmet = next((rest for rest in rests if not rest & chosen), None)
            if unmet is None:
                return chosen
            deeper.update(dict.fromkeys(frozenset({*chosen, piece}) for piece in unmet))
        partial = list(deeper)


def _enlarged(facts: Sequence[Fact], pieces: Sequence[Evidence], begun: Set[Evidence]) -> Set[Evidence]:
    """As many pieces as hold together with those begun with, taken in order."""
    kept = set(begun)
    for piece in pieces:
        if piece not in kept and not _conflict(facts, kept | {piece}):
            kept.add(piece)
    return kept


def _irreducible(facts: Sequence[Fact], pieces: tuple[Evidence, ...]) -> tuple[Evidence, ...]:
    """A conflict of which no piece can be spared."""
    for piece in pieces:
        rest = tuple(other for other in pieces if other != piece)
        if _conflict(facts, set(rest)):
            pieces = rest
    return pieces


def _conflict(facts: Sequence[Fact], pieces: Set[Evidence]) -> bool:
    known = Constraints.free()
    for fact in facts:
        if pieces >= set(fact.pieces):
            known &= fact.constraints
    return count(known) == 0
