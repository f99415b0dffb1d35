"""Two-player zero-sum games: mixed equilibrium by linear programming, and how far each pure strategy falls short."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Equilibrium:
    """What neither side can improve on alone.

    value: what the row side gets
    row, column: the mixed strategies, which add up to one
    row_exploitability: by row, how much less than the value it gets against the best answer; 0 is unexploitable
    column_exploitability: by column, how much more than the value it gives to the best answer
    """

    value: float
    row: tuple[float, ...]
    column: tuple[float, ...]
    row_exploitability: tuple[float, ...]
    column_exploitability: tuple[float, ...]


def solve(payoff: Floats) -> Equilibrium:
    """The equilibrium of an (m, n) matrix of what the column side pays the row side.

    >>> game = solve(np.array([[3.0, -1.0], [-2.0, 4.0]]))
    >>> [round(share, 6) for share in game.row], round(game.value, 6)
    ([0.6, 0.4], 1.0)
    """
    row, value = _maximin(payoff)
    column, _ = _maximin(-payoff.T)
    return Equilibrium(
        value,
        tuple(row),
        tuple(column),
        tuple(float(max(0.0, value - worst)) for worst in payoff.min(axis=1)),
        tuple(float(max(0.0, best - value)) for best in payoff.max(axis=0)),
    )


def _maximin(payoff: Floats) -> tuple[list[float], float]:
    """Shares x ≥ 0 with Σx = 1, and the largest v with payoffᵀ x ≥ v."""
    m, n = payoff.shape
    found = linprog(
        c=[*[0.0] * m, -1.0],
        A_ub=np.hstack([-payoff.T, np.ones((n, 1))]),
        b_ub=np.zeros(n),
        A_eq=[[*[1.0] * m, 0.0]],
        b_eq=[1.0],
        bounds=[*[(0.0, None)] * m, (None, None)],
        method="highs",
    )
    return [float(share) for share in found.x[:m]], float(found.x[m])
