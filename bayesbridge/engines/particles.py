"""Particles: tilted draws that are worth too little, resampled and moved.

Draws are resampled by their weights, then every one makes a number of Metropolis steps: a few swaps of hidden cards
that respect the hard evidence, accepted by the likelihood. A swap changes two hands, so only their terms are computed
anew: that is what makes an expensive model affordable. Copies drift apart; what the particles are worth is stated as
if they had not: by the number of different draws that they descend from.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.draws import Draws
from bayesbridge.engines.moves import Moves
from bayesbridge.engines.target import Target
from bayesbridge.engines.weights import Weights
from bayesbridge.layouts import Masks

type Floats = NDArray[np.float64]

MOST: Final = 4000
"""Particles that are moved at most."""

SWAPS: Final = (1, 1, 2, 3)
"""How many swaps a move proposes, each as likely as the others."""


def moved(found: Draws, draws: int, rng: np.random.Generator) -> Draws:
    """Weighted draws as particles of equal weight."""
    target = found.target
    weights = found.importance or Weights.equal(len(found))
    n = max(2, min(draws, MOST))
    ancestors = weights.resample(n, rng)
    layouts = found.stretch(0, len(found))[ancestors]
    terms = np.zeros((n, 4))
    for seat in target.soft.seats:
        terms[:, seat] = target.soft.of_seat(seat, np.ascontiguousarray(layouts[:, seat]))
    shuffler = Moves.of(target.constraints)
    for _ in range(target.cost.moves):
        layouts, terms = _move(layouts, terms, target, shuffler, rng)
    families = np.unique(ancestors, return_counts=True)[1] / n
    lineages = min(1.0 / float(families @ families), found.ess, float(n))
    return replace(
        found,
        method="smc",
        why=f"smc: {found.why.partition(': ')[2]}; {n} particles moved from there descend from {lineages:.0f} draws",
        source=layouts,
        importance=None,
        proposed=found.proposed or found.importance,
        likelihood=terms.sum(axis=1),
        ess=lineages,
    )


def _move(
    layouts: Masks, terms: Floats, target: Target, shuffler: Moves, rng: np.random.Generator
) -> tuple[Masks, Floats]:
    """One Metropolis step of every particle; only hands that changed are asked for again."""
    there, _ = shuffler.shuffle(layouts, rng.choice(SWAPS, len(layouts)), rng)
    there_terms = terms.copy()
    for seat in target.soft.seats:
        changed = np.flatnonzero(there[:, seat] != layouts[:, seat])
        if len(changed):
            there_terms[changed, seat] = target.soft.of_seat(seat, np.ascontiguousarray(there[changed, seat]))
    ratio = there_terms.sum(axis=1) - terms.sum(axis=1)
    accepted = rng.random(len(layouts)) < np.exp(np.minimum(ratio, 0.0))
    return np.where(accepted[:, None], there, layouts), np.where(accepted[:, None], there_terms, terms)
