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
from itertools import chain
from typing import Final, NamedTuple

from bayesbridge.engines.target import layouts_that_fit
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.evidence.kinds import Piece


class Fact(NamedTuple):
    """What pieces of evidence exclude.

    It is one piece by itself, or a lead and a discard, which together tell that their
    player is void.
    """

    pieces: tuple[Piece, ...]
    constraints: Constraints


MOST_ROUNDS: Final = 40
"""Candidates tried; beyond it a conflict is named of which no piece can be spared,
though a smaller one may exist.
"""


def contradiction(own_hand: Fact, facts: Sequence[Fact]) -> Contradiction:
    """The error that names the smallest conflict among facts.

    They leave no layout for the observer's own hand.
    """
    conflict = smallest_conflict(own_hand, facts)
    if not _conflict_without_own_hand(facts, conflict):
        conflict = (*own_hand.pieces, *conflict)
    if len(conflict) == 1:
        problem = "this cannot be"
        remedy = "Take it back"
    else:
        problem = "these cannot hold together"
        remedy = "Take one of them back"
    pieces = "; ".join(map(str, conflict))
    return Contradiction(f"{problem}: {pieces}. {remedy}.", evidence=conflict)


def _conflict_without_own_hand(
    facts: Sequence[Fact], pieces: tuple[Piece, ...]
) -> bool:
    """Whether pieces leave no layout whatever the observer holds.

    Four hidden hands take too long to count where the points of some seat have bounds:
    only what is plain then counts as a conflict.
    """
    constraints = _conjunction(facts, set(pieces)).normalised()
    if constraints.impossible:
        return True
    seats_with_point_bounds = constraints.bounded
    if seats_with_point_bounds:
        return False
    return layouts_that_fit(constraints).layouts == 0


def smallest_conflict(own_hand: Fact, facts: Sequence[Fact]) -> tuple[Piece, ...]:
    """The fewest pieces that leave no layout for the observer's hand, in their order.

    What a largest compatible set leaves out is a *correction set*: it must be taken
    back, so every conflict has a piece of it. A smallest set that hits all correction
    sets found so far is therefore no larger than the smallest conflict: if it is in
    conflict, it is the answer; if not, growing it gives another correction set.
    """
    all_pieces = chain.from_iterable(fact.pieces for fact in facts)
    pieces = tuple(dict.fromkeys(all_pieces))

    def conflicts(subset: Set[Piece]) -> bool:
        """Whether no layout has these pieces and the observer's hand."""
        constraints = own_hand.constraints & _conjunction(facts, subset)
        return layouts_that_fit(constraints).layouts == 0

    corrections: list[Set[Piece]] = []
    for _ in range(MOST_ROUNDS):
        candidate = _minimal_hitting_set(corrections)
        if conflicts(candidate):
            return tuple(piece for piece in pieces if piece in candidate)
        compatible = set(candidate)
        for piece in pieces:
            if piece not in compatible and not conflicts(compatible | {piece}):
                compatible.add(piece)
        corrections.append(set(pieces) - compatible)
    # Too many rounds: a conflict of which no piece can be spared, perhaps no smallest.
    irreducible = set(pieces)
    for piece in pieces:
        if conflicts(irreducible - {piece}):
            irreducible.remove(piece)
    return tuple(piece for piece in pieces if piece in irreducible)


def _minimal_hitting_set(corrections: Sequence[Set[Piece]]) -> Set[Piece]:
    """A smallest set with a piece of every correction set.

    Sets of one size after the other, each with one piece more of a correction set that
    it misses.
    """
    partial_sets: list[frozenset[Piece]] = [frozenset()]
    while True:
        larger_sets: dict[frozenset[Piece], None] = {}
        for partial_set in partial_sets:
            missed = _first_missed(corrections, partial_set)
            if missed is None:
                return partial_set
            for piece in missed:
                larger_sets[partial_set | {piece}] = None
        partial_sets = list(larger_sets)


def _first_missed(
    corrections: Sequence[Set[Piece]], pieces: Set[Piece]
) -> Set[Piece] | None:
    """The first correction set that has none of these pieces."""
    for correction in corrections:
        if not correction & pieces:
            return correction
    return None


def _conjunction(facts: Sequence[Fact], pieces: Set[Piece]) -> Constraints:
    """What some pieces say, by themselves and together."""
    constraints = Constraints.free()
    for fact in facts:
        if pieces >= set(fact.pieces):
            constraints &= fact.constraints
    return constraints
