"""Draws: what every engine returns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.sampling import Sampler
from bayesbridge.engines.target import Target
from bayesbridge.engines.weights import Weights
from bayesbridge.layouts import Masks
from bayesbridge.random64 import State

type Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pending:
    """Exact uniform draws that are made when somebody looks at them: exact answers need none."""

    sampler: Sampler
    n: int
    state: State

    def __len__(self) -> int:
        return self.n

    @cached_property
    def masks(self) -> Masks:
        """(n, 4) the layouts."""
        return self.sampler.draw_from(self.n, self.state.copy())


type Source = Masks | Enumeration | Pending


@dataclass(frozen=True, eq=False)
class Draws:
    """Layouts with weights, and how they came about."""

    target: Target
    method: str
    """The engine."""
    why: str
    """Why that engine, and how far its answer can be trusted, in words."""
    source: Source
    """The layouts: drawn, to be drawn, or all that fit."""
    exact: bool = False
    """Whether every answer is exact, not only the marginals."""
    importance: Weights | None = None
    """Weights of the layouts; ``None`` where all count the same."""
    log_likelihood: Floats | None = None
    """(n,) log P(soft evidence ∣ layout), ``None`` without soft evidence."""
    log_soft: float = 0.0
    """log P(soft evidence ∣ hard evidence); ``nan`` where the engine does not tell."""
    log_soft_error: float = 0.0
    """About one standard error of ``log_soft``, 0 where it is exact."""
    ess: float = 0.0
    """How many independent draws the layouts are worth; their number where exact."""
    chains: int = 1
    """How many chains the draws come from, one after the other."""

    def __len__(self) -> int:
        return len(self.source)

    def stretch(self, begin: int, end: int) -> Masks:
        """The layouts numbered ``begin`` … ``end`` - 1: (m, 4) masks."""
        if isinstance(self.source, Enumeration):
            return self.source.stretch(begin, end)
        masks = self.source.masks if isinstance(self.source, Pending) else self.source
        return masks[begin:end]

    @cached_property
    def weights(self) -> Floats:
        """(n,) normalised weights of the layouts, they add up to one."""
        return np.full(len(self), 1.0 / len(self)) if self.importance is None else self.importance.W

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[Masks, Floats]]:
        """All layouts with their weights, ``size`` at a time: memory stays flat however many there are."""
        for begin in range(0, len(self), size):
            end = min(begin + size, len(self))
            weights = np.full(end - begin, 1.0 / len(self)) if self.importance is None else self.weights[begin:end]
            yield self.stretch(begin, end), weights

    def resample(self, n: int, rng: np.random.Generator) -> Masks:
        """``n`` layouts that count the same."""
        if isinstance(self.source, Enumeration) and self.importance is None:
            return self.target.sampler.draw(n, rng)
        chosen = (self.importance or Weights.equal(len(self))).resample(n, rng, "multinomial")
        if isinstance(self.source, Enumeration):
            return self.source.unranking.layouts(chosen)
        return self.stretch(0, len(self))[chosen]
