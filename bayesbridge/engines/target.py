"""Target: everything that an engine must know, compiled once.

``P(layout ∣ evidence) ∝ L(layout)`` over the layouts that the hard evidence allows, L the likelihood of the soft
evidence. The tables that count and number the layouts are built when they are first used, and kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.engines.soft import NONE, SoftEvidence
from bayesbridge.engines.tables import count
from bayesbridge.errors import Contradiction
from bayesbridge.evidence.models import QUICK, Cost
from bayesbridge.layouts import read_only

if TYPE_CHECKING:  # counting alone needs no compiler
    from bayesbridge.engines.enumeration import Enumeration
    from bayesbridge.engines.tables import Sampler

type Floats = NDArray[np.float64]

MOST_DRAWS: Final = 50_000_000
"""Draws take 32 bytes each and some more for their weights: more would fill the memory of most machines."""


@dataclass(frozen=True, eq=False)
class Target:
    """What is to be inferred; engines take it and nothing else.

    >>> Target(Constraints.free().hold(2, 0x1FFF)).count
    84478098072866400
    """

    constraints: Constraints
    """The hard evidence, normalised."""
    soft: SoftEvidence = NONE
    cost: Cost = QUICK

    @cached_property
    def count(self) -> int:
        """How many layouts fit the hard evidence, exactly; 0 if it contradicts itself."""
        return count(self.constraints)

    def same_as(self, other: Target) -> bool:
        """Whether it asks the same: nothing was learned from one to the other, and draws for one are for both."""
        return self.constraints == other.constraints and self.soft.same_as(other.soft)

    @cached_property
    def sampler(self) -> Sampler:
        """Exact draws and marginals under the hard evidence alone."""
        from bayesbridge.engines.tables import Sampler

        return Sampler.of(self.constraints)

    @cached_property
    def shares(self) -> tuple[Floats, Floats]:
        """P(seat holds card) (52, 4) and P(length) (4, 4, 14) under the hard evidence alone, exact."""
        sampler = self.sampler
        counts = sampler.card_marginals(), sampler.length_distributions()
        return read_only(counts[0] / sampler.total), read_only(counts[1] / sampler.total)

    @cached_property
    def walk(self) -> Enumeration:
        """All layouts, in order; refuses more than enumeration walks."""
        from bayesbridge.engines.enumeration import Enumeration

        return Enumeration.of(self.sampler.unranking)

    def unexplained(self, tried: int | None = None) -> Contradiction:
        """The error for soft evidence that no layout explains; ``tried`` layouts are no proof, ``None`` is one."""
        pieces = tuple(dict.fromkeys(piece for term in self.soft.terms for piece in term.pieces))
        models = " and ".join(self.soft.models) or "the model"
        what = "no layout explains" if tried is None else f"none of {tried} layouts tried explains"
        no_proof = "" if tried is None else " That is no proof that none does."
        return Contradiction(
            f"{what} the calls under {models}: {'; '.join(map(str, pieces))}.{no_proof} "
            "Give the model a slip (slip=0.02), or take a call back.",
            evidence=pieces,
        )
