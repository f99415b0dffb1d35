"""Annealed particles for soft evidence that speaks of one hand at a time.

A call, or a card chosen to play, is explained by the hand of one seat alone, so the log likelihood of a layout is a
sum of four terms, one a seat. Particles start as exact uniform draws under the hard evidence; the likelihood is let
in by degrees, ``L^φ`` with φ rising from 0 to 1 so that each step keeps a share of the effective sample size; after
each step particles are resampled and moved by a few swaps that leave ``L^φ`` invariant. A swap changes two hands, so
only their terms are computed anew: that is what makes an expensive model affordable (P. Del Moral, A. Doucet and A.
Jasra, "Sequential Monte Carlo samplers", 2006).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.engines.moves import Moves
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.weights import Weights
from bayesbridge.errors import BayesBridgeError
from bayesbridge.layouts import Masks
from bayesbridge.random64 import Seed

type Floats = NDArray[np.float64]
type SeatLikelihood = Callable[[int, NDArray[np.uint64]], Floats]
"""(seat, (n,) masks of its hand) → (n,) log P(soft evidence about the seat ∣ hand)."""

START: Final = 4
"""Exact draws for each particle to begin with: the first resampling chooses among so many more."""

KEPT: Final = 0.4
"""Share of the particles, in effective size, that a step of φ must leave."""

MOVES: Final = 20
"""Moves after each step of φ."""

LAST_MOVES: Final = 60
"""Moves after the last one."""

SWAPS: Final = (1, 1, 2, 3)
"""How many swaps a move proposes, each as likely as the others."""


@dataclass(frozen=True, slots=True, eq=False)
class Population:
    """Particles of equal weight that stand for P(layout ∣ all evidence).

    layouts:        (n, 4)
    log_likelihood: (n,) of all soft evidence
    log_soft:       log P(soft evidence ∣ hard evidence), estimated
    log_soft_error: about one standard error of it, counting relatives as copies: rather too large than too small
    exponents:      the φ by which the evidence was let in, the last is 1
    acceptance:     mean share of moves accepted
    lineages:       effective number of different exact draws that the particles descend from: what they are worth
                    even if the moves had forgotten nothing
    """

    layouts: Masks
    log_likelihood: Floats
    log_soft: float
    log_soft_error: float
    exponents: tuple[float, ...]
    acceptance: float
    lineages: float


def anneal(
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    constraints: Constraints,
    sampler: Sampler,
    *,
    n: int = 1000,
    start: int = 0,
    moves: int = MOVES,
    last_moves: int = LAST_MOVES,
    rng: Seed,
) -> Population:
    """``n`` particles for soft evidence about ``seats``, out of START · n exact draws, or ``start`` if that is more.

    >>> from bayesbridge.layouts import high_card_points
    >>> spades = Constraints.free().hold(2, 0x1FFF << 39)
    >>> strong = lambda seat, hands: 0.3 * high_card_points(hands)
    >>> anneal(strong, [3], spades, Sampler.of(spades), n=500, rng=1).layouts.shape
    (500, 4)
    """
    if n < 2:
        raise BayesBridgeError(f"{n} particles: take at least 2, better a thousand", n=n)
    generator = np.random.default_rng(rng)
    shuffler = Moves.of(constraints)
    layouts = sampler.draw(max(START * n, start), generator)
    terms = np.zeros((len(layouts), 4))
    for seat in seats:
        terms[:, seat] = likelihood(seat, layouts[:, seat])
    ancestors = np.arange(len(layouts))
    exponents: list[float] = []
    accepted: list[float] = []
    log_soft = variance = done = 0.0
    while done < 1.0:
        total = terms.sum(axis=1)
        step = _step(total, 1.0 - done, KEPT * n)
        weights = Weights(step * total)
        log_soft += weights.log_mean
        variance += weights.log_mean_error**2
        done = 1.0 if step >= 1.0 - done else done + step
        exponents.append(done)
        chosen = weights.resample(n, generator)
        layouts, terms, ancestors = layouts[chosen], terms[chosen], ancestors[chosen]
        for _ in range(moves if done < 1.0 else last_moves):
            layouts, terms, share = _move(layouts, terms, likelihood, seats, shuffler, done, generator)
            accepted.append(share)
    layouts.setflags(write=False)
    families = np.unique(ancestors, return_counts=True)[1] / n
    lineages = 1.0 / float(families @ families)
    return Population(
        layouts,
        terms.sum(axis=1),
        log_soft,
        math.sqrt(max(variance, 1.0 / lineages)),
        tuple(exponents),
        float(np.mean(accepted)),
        lineages,
    )


def _step(total: Floats, most: float, wanted: float) -> float:
    """The largest step of φ up to ``most`` that leaves the wanted effective size; a hundredth at least."""

    def enough(step: float) -> bool:
        return Weights(step * total).ess >= wanted

    if enough(most):
        return most
    low, high = 0.0, most
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if enough(middle) else (low, middle)
    return min(most, max(low, 0.01))


def _move(
    layouts: Masks,
    terms: Floats,
    likelihood: SeatLikelihood,
    seats: Sequence[int],
    shuffler: Moves,
    exponent: float,
    rng: np.random.Generator,
) -> tuple[Masks, Floats, float]:
    """One Metropolis step of every particle; only hands that changed are asked for again."""
    there, _ = shuffler.shuffle(layouts, rng.choice(SWAPS, len(layouts)), rng)
    there_terms = terms.copy()
    for seat in seats:
        changed = np.flatnonzero(there[:, seat] != layouts[:, seat])
        if len(changed):
            there_terms[changed, seat] = likelihood(seat, there[changed, seat])
    ratio = exponent * (there_terms.sum(axis=1) - terms.sum(axis=1))
    accepted = rng.random(len(layouts)) < np.exp(np.minimum(ratio, 0.0))
    layouts = np.where(accepted[:, None], there, layouts)
    return layouts, np.where(accepted[:, None], there_terms, terms), float(accepted.mean())
