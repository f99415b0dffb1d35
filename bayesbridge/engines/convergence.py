"""Have the chains converged? R-hat and effective sample size of the quantities that vary.

R-hat compares the spread between chains with the spread within them, on ranks and on split chains (A. Vehtari,
A. Gelman, D. Simpson, B. Carpenter and P.-C. Bürkner, "Rank-normalization, folding, and localization: an improved R̂",
2021); ArviZ computes it, and is loaded only here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Diagnostics:
    """How well chains agree (R-hat, 1 is perfect) and what their draws are worth (ESS), by quantity that varies.

    A quantity that never changed says nothing and stands in ``constant``.
    """

    rhat: dict[str, float]
    ess: dict[str, float]
    constant: tuple[str, ...]
    draws: int

    @property
    def worst_rhat(self) -> float:
        """The largest R-hat, 1 if nothing varies."""
        return max(self.rhat.values(), default=1.0)

    @property
    def worst_ess(self) -> float:
        """The smallest ESS; all draws if nothing varies."""
        return min(self.ess.values(), default=float(self.draws))

    @property
    def converged(self) -> bool:
        """R-hat at most 1.01 and at least 400 effective draws, the usual rule (Vehtari et al. 2021)."""
        return self.worst_rhat <= 1.01 and self.worst_ess >= 400.0

    @property
    def diagnosis(self) -> str:
        """One sentence: what the draws are worth, and what to do when that is little."""
        if not self.rhat:
            return f"Nothing varies over {self.draws} draws: one layout is left, or no proposal was ever accepted."
        slowest = min(self.ess, key=lambda name: self.ess[name])
        worth = (
            f"{self.draws} draws are worth {self.worst_ess:.0f} independent ones for the slowest quantity ({slowest}), "
            f"R-hat at most {self.worst_rhat:.3f}"
        )
        if self.converged:
            return f"{worth}."
        return f"{worth}: not enough; take more draws and warm-up, or temper, such as ladder=(1, 0.5, 0.2, 0)."


def diagnose(quantities: Mapping[str, NDArray[np.float64]]) -> Diagnostics:
    """R-hat and bulk ESS by ArviZ of quantities of shape (chains, draws)."""
    statistics: Any = import_module("arviz_stats.base").array_stats
    rhat: dict[str, float] = {}
    ess: dict[str, float] = {}
    constant: list[str] = []
    draws = 0
    for name, values in quantities.items():
        draws = values.size
        if values.min() == values.max():
            constant.append(name)
        elif (values == values[:, :1]).all():
            # Every chain stuck at its own value: ArviZ would divide by zero.
            rhat[name], ess[name] = np.inf, 1.0
        else:
            rhat[name], ess[name] = float(statistics.rhat(values)), float(statistics.ess(values))
    return Diagnostics(rhat, ess, tuple(constant), draws)
