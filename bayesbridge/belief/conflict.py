"""The smallest set of pieces of evidence that cannot hold together.

The observer's own hand is beyond doubt and does not count. A *correction set* is what
must be taken back so that the rest holds together and nothing more can be added. Every
conflict has a piece of each, so a minimal hitting set of those known so far is the next
candidate: in conflict it is the smallest; if not, it is enlarged and gives one more
correction set (A. Ignatiev and others, "Smallest MUS extraction with minimal hitting
set dualization", 2015).
"""

from __future__ import annotations

from collections.abc import Sequence, Set
from functools import reduce
from typing import Final, NamedTuple

from bayesbridge.engines.target import layouts_that_fit
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import Piece


class Fact(NamedTuple):
    """What pieces of evidence exclude: one by itself, or a lead and a discard together
    that their player is void.
    """

    pieces: tuple[Piece, ...]
    constraints: Constraints


MOST_ROUNDS: Final = 40
"""Candidates tried; beyond it a conflict is named of which no piece can be spared,
though a smaller one may exist.
"""


def contradiction(own: Fact, facts: Sequence[Fact]) -> Contradiction:
    """The error that names the smallest conflict among facts that leave no layout for
    the observer's ``own`` hand.
    """
    culprits = smallest_conflict(own, facts)
    together = _conjunction(facts, set(culprits))
    # Four hidden hands with bounded points take too long to count; there only what is plain speaks without the hand.
    without = together.normalised()
    if not without.impossible and (
        without.bounded or layouts_that_fit(without).layouts
    ):
        culprits = (*own.pieces, *culprits)
    what, mend = (
        ("this cannot be", "it")
        if len(culprits) == 1
        else ("these cannot hold together", "one of them")
    )
    return Contradiction(
        f"{what}: {'; '.join(map(str, culprits))}. Take {mend} back.", evidence=culprits
    )


def smallest_conflict(own: Fact, facts: Sequence[Fact]) -> tuple[Piece, ...]:
    """The fewest pieces that leave no layout for the observer's hand, in the order they
    were given.
    """
    pieces = tuple(dict.fromkeys(piece for fact in facts for piece in fact.pieces))

    def conflict(some: Set[Piece]) -> bool:
        return (
            layouts_that_fit(own.constraints & _conjunction(facts, some)).layouts == 0
        )

    corrections: list[Set[Piece]] = []
    for _ in range(MOST_ROUNDS):
        candidate = _minimal_hitting_set(corrections)
        if conflict(candidate):
            return tuple(piece for piece in pieces if piece in candidate)
        kept = set(candidate)
        for piece in pieces:
            if piece not in kept and not conflict(kept | {piece}):
                kept.add(piece)
        corrections.append(set(pieces) - kept)
    irreducible = set(pieces)
    for piece in pieces:
        if conflict(irreducible - {piece}):
            irreducible.remove(piece)
    return tuple(piece for piece in pieces if piece in irreducible)


def _minimal_hitting_set(corrections: Sequence[Set[Piece]]) -> Set[Piece]:
    """A smallest set with a piece of every correction set: size by size, branching on
    one that is not hit yet.
    """
    partial: list[frozenset[Piece]] = [frozenset()]
    while True:
        larger: dict[frozenset[Piece], None] = {}
        for chosen in partial:
            missed = next((one for one in corrections if not one & chosen), None)
            if missed is None:
                return chosen
            larger.update(dict.fromkeys(chosen | {piece} for piece in missed))
        partial = list(larger)


def _conjunction(facts: Sequence[Fact], pieces: Set[Piece]) -> Constraints:
    """What some pieces say, by themselves and together."""
    every = (fact.constraints for fact in facts if pieces >= set(fact.pieces))
    return reduce(lambda known, fact: known & fact, every, Constraints.free())
