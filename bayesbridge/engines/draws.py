"""What every engine returns: layouts with weights, and their marginals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bayesbridge.engines.enumeration import BLOCK, Enumeration
from bayesbridge.engines.level_tables import LevelTables
from bayesbridge.engines.proposal import Proposal
from bayesbridge.engines.tables import FieldTables, LayoutIndex
from bayesbridge.engines.target import Target
from bayesbridge.engines.weights import Batches, Weights
from bayesbridge.evidence.measures import POINTS, table
from bayesbridge.game.layouts import Floats, FrozenArrays, Masks, read_only
from bayesbridge.runtime.jit import njit
from bayesbridge.runtime.random64 import State


@dataclass(frozen=True, slots=True, eq=False)
class Marginals(FrozenArrays, FieldTables):
    """Sums of the weights of layouts, by the cards and by the points of each seat."""

    #: (4 suits, 4 seats, 8192 sets of a suit's cards). Without ``field()`` the property
    #: of the base class would be taken for a default.
    fields: Floats = field()
    points: Floats  #: (4 seats, 41)

    @classmethod
    def of(cls, blocks: Iterable[tuple[Masks, Floats]]) -> Self:
        """Add up blocks of (n, 4) masks with (n,) weights."""
        fields = np.zeros((4, 4, 1 << 13))
        points = np.zeros((4, 41))
        for masks, weights in blocks:
            # What rounding takes from millions of small weights is kept (Kahan): the
            # sum of all is 1, not 1 + 4e-13.
            lost_fields = np.zeros_like(fields)
            lost_points = np.zeros_like(points)
            _add(
                masks, weights, table(POINTS), fields, points, lost_fields, lost_points
            )
            fields += lost_fields
            points += lost_points
        return cls(read_only(fields.swapaxes(0, 1)), read_only(points))


@njit
def _add(
    masks: Masks,
    weights: Floats,
    field_points: NDArray[np.int64],
    fields: Floats,
    points: Floats,
    lost_fields: Floats,
    lost_points: Floats,
) -> None:
    """Add (n,) weights of (n, 4) layouts to sums of weights.

    ``fields``: (4, 4, 8192) sums by seat, suit and set of cards; ``points``: (4, 41) by
    seat and points; ``field_points``: (8192,) the points of a set. What rounding takes
    from a sum is added to ``lost_fields`` and ``lost_points``, of the same shapes.
    """
    for i in range(len(masks)):
        weight = weights[i]
        for seat in range(4):
            mask = np.int64(masks[i, seat])
            hand_points = np.int64(0)
            for suit in range(4):
                field = (mask >> (13 * suit)) & 0x1FFF
                before = fields[seat, suit, field]
                after = before + weight
                fields[seat, suit, field] = after
                lost_fields[seat, suit, field] += (before - after) + weight
                hand_points += field_points[field]
            before = points[seat, hand_points]
            after = before + weight
            points[seat, hand_points] = after
            lost_points[seat, hand_points] += (before - after) + weight


@dataclass(frozen=True, eq=False)
class LazyDraws(FrozenArrays):
    """Exact draws, made on first access: exact answers need none."""

    draw: Callable[[int, State], Masks]
    n: int
    state: State

    def __len__(self) -> int:
        return self.n

    @cached_property
    def masks(self) -> Masks:
        """(n, 4) the layouts; they are drawn when this is first read."""
        return read_only(self.draw(self.n, self.state.copy()))


type Source = Masks | Enumeration | LazyDraws


@dataclass(frozen=True, eq=False)
class Draws:
    """Layouts with weights, and how they came about. All arrays are read-only."""

    target: Target
    method: str  #: The engine, one of ``bayesbridge.engines.infer.ENGINES``.
    reasons: tuple[str, ...]  #: The parts of :attr:`why`.
    source: Source  #: The layouts: drawn, to be drawn, or all that fit.
    exact: bool = False  #: Whether every answer is exact, not only the marginals.
    importance: Weights | None = None  #: ``None`` where all layouts count the same.
    proposed: Weights | None = None
    """Weights before the draws were thinned or resampled, which hides a heavy tail;
    ``None`` where they were not.
    """
    likelihood: Floats | None = None
    """(n,) log P(soft evidence ∣ layout) where the engine computed it; see
    :attr:`log_likelihood`.
    """
    tables: LayoutIndex | LevelTables | None = None
    """Exact marginals; ``None`` where they are estimated from the layouts, or summed
    over all of them.
    """
    mean_log: float | None = None
    """Posterior mean of log P(soft evidence ∣ layout) where it is exact; see
    :attr:`mean_log_likelihood`.
    """
    log_marginal: float = 0.0  #: log P(soft evidence ∣ hard evidence).
    #: About one standard error of ``log_marginal``, 0 where it is exact.
    log_marginal_error: float = 0.0
    ess: float = 0.0  #: Effective sample size of the layouts; their number where exact.
    #: What the engine warns of, and what to do; empty where all is well.
    caveat: str = ""
    #: What the draws were fitted to; the next step along a record starts from it.
    proposal: Proposal | None = None
    batches: Batches | None = None
    """How the weights vary where they are estimates themselves; ``None`` where they are
    not.
    """

    @property
    def why(self) -> str:
        """Why that engine, and how far its answer can be trusted, in words."""
        reasons = list(self.reasons)
        if self.exact:
            reasons.append("every answer is exact")
        return f"{self.method}: {'; '.join(reasons)}"

    def __post_init__(self) -> None:
        for array in (self.source, self.likelihood):
            if isinstance(array, np.ndarray):
                read_only(array)

    def __len__(self) -> int:
        return len(self.source)

    def stretch(self, begin: int, end: int) -> Masks:
        """The layouts numbered ``begin`` … ``end`` - 1: (m, 4) masks."""
        if isinstance(self.source, Enumeration):
            return self.source.stretch(begin, end)
        masks = self.source.masks if isinstance(self.source, LazyDraws) else self.source
        return masks[begin:end]

    @cached_property
    def log_likelihood(self) -> Floats | None:
        """(n,) log P(soft evidence ∣ layout), ``None`` without soft evidence."""
        if self.likelihood is not None or not self.target.soft:
            return self.likelihood
        return read_only(self.target.soft.of_layouts(self.stretch(0, len(self))))

    @property
    def mean_log_likelihood(self) -> float:
        """Posterior mean of log P(soft evidence ∣ layout), 0 without soft evidence."""
        if self.mean_log is not None or self.log_likelihood is None:
            return self.mean_log or 0.0
        used = self.weights > 0
        return float(self.weights[used] @ self.log_likelihood[used])

    @property
    def khat(self) -> float | None:
        """Pareto k̂ of the weights, if they differ; above 0.7 they deceive.

        It is that of the weights before draws were thinned or resampled.
        """
        weights = self.proposed or self.importance
        if self.exact or weights is None:
            return None
        return weights.khat

    @cached_property
    def weights(self) -> Floats:
        """(n,) weights of the layouts, which add up to one."""
        if self.importance is None:
            return read_only(np.full(len(self), 1.0 / len(self)))
        return read_only(self.importance.W)

    def blocks(self, size: int = BLOCK) -> Iterator[tuple[Masks, Floats]]:
        """All layouts with their weights, ``size`` at a time.

        Memory stays flat however many there are.
        """
        for begin in range(0, len(self), size):
            end = min(begin + size, len(self))
            if self.importance is None:
                weights = np.full(end - begin, 1.0 / len(self))
            else:
                weights = self.weights[begin:end]
            yield self.stretch(begin, end), weights
