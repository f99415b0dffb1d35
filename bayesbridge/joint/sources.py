"""Where the layouts of a joint posterior come from: all that there are, or draws where the calls point.

Draws come from the tilted engine. Its target has the style summed out over a few points of what is known of it before
this auction, so the draws are fitted to P(calls ∣ layout) as it will be, and their density is known.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.features import cells
from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.soft import SoftEvidence, Term
from bayesbridge.engines.tilted import tilted_draws
from bayesbridge.joint.chances import SeatChances
from bayesbridge.joint.question import StyleQuestion
from bayesbridge.layouts import Masks

Floats = NDArray[np.float64]

STYLES: Final = 64
"""Styles over which the likelihood is averaged that draws are fitted to."""


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """Layouts with a density.

    layouts:     all of them, or (n, 4) draws
    log_density: (n,) or one number for all: Σ f / density over the layouts estimates the mean of f over all that fit
    weights:     (n,) normalised weights for the likelihood that draws were fitted to; none where all are walked
    log_error:   one standard error of log P(soft evidence) that comes from the draws; 0 where all layouts are walked
    how:         in words
    warning:     of the engine behind the draws
    """

    layouts: Enumeration | Masks
    log_density: Floats | float
    weights: Floats
    log_error: float
    how: str
    warning: str = ""

    @classmethod
    def walked(cls, question: StyleQuestion) -> Source:
        """Every layout."""
        target = question.belief.target
        return cls(target.walk, float(np.log(float(target.count))), np.empty(0), 0.0, "all walked")

    @classmethod
    def drawn(cls, question: StyleQuestion, n: int, rng: np.random.Generator) -> Source:
        """About ``n`` draws of the tilted engine."""
        target = question.belief.target
        summed = Summed.of(question, STYLES, rng)
        pieces = tuple(piece for one in target.soft.terms if one.seat == question.seat for piece in one.pieces)
        term = Term(int(question.seat), pieces, lambda hands: summed.log_likelihood(cells(hands)))
        soft = SoftEvidence((*question.others.terms, term))
        found = tilted_draws(replace(target, soft=soft), n, rng, "they are too many to walk")
        likelihood, weights = found.log_likelihood, found.weights
        assert likelihood is not None
        used = weights > 0
        masks = found.stretch(0, len(found))[used]
        masks.setflags(write=False)
        density = likelihood[used] - np.log(weights[used]) - found.log_soft
        return cls(masks, density, weights[used], found.log_soft_error, f"{len(masks)} drawn", found.warning)

    def error_of_log_mean(self, weights: Floats) -> float:
        """One standard error of log P(soft evidence) that comes from the draws, which have these weights in the end."""
        return 0.0 if self.exact else float(np.hypot(self.log_error, np.linalg.norm(weights - self.weights)))

    @property
    def exact(self) -> bool:
        """Whether these are all layouts."""
        return isinstance(self.layouts, Enumeration)

    def blocks(self) -> Iterator[Masks]:
        """The layouts, some at a time."""
        return self.layouts.blocks(BLOCK) if isinstance(self.layouts, Enumeration) else iter([self.layouts])


@dataclass(frozen=True, slots=True, eq=False)
class Summed:
    """The style summed out over weighted points: (d, 4) styles, (d,) weights that add up to one."""

    question: StyleQuestion
    styles: Floats
    weights: Floats

    @classmethod
    def of(cls, question: StyleQuestion, n: int, rng: np.random.Generator) -> Summed:
        """Over ``n`` points of what the prior and the records say."""
        cloud = question.cloud_of_records(rng)
        points = cloud.draw(1, n, rng)[0]
        styles = question.space.styles(points)
        log = cloud.log_weight(points) + question.log_records(styles)
        weights = np.exp(log - log.max())
        return cls(question, styles, weights / weights.sum())

    def log_likelihood(self, cell: NDArray[np.int16]) -> Floats:
        """(k,) log P(the seat's calls ∣ cells)."""
        chances = SeatChances.of(cell, self.question.asked)
        total = np.zeros(len(cell))
        for part in chances.stretches(len(self.styles)):
            total += self.weights[part] @ chances.of_styles(self.styles[part])
        with np.errstate(divide="ignore"):
            return np.minimum(np.log(total), 0.0)
