"""Forecasts beside what came true: calibration in bins, with what chance alone would give, Brier score and bias."""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.studies.engine import Counts
from bayesbridge.studies.odds.measure import Plan, unpacked
from bayesbridge.studies.reliability import Bin, bin_of, calibration_error, curve_of

type Floats = NDArray[np.float64]

BINS: Final = 10

NETWORK: Final = "tricks over the posterior"
REACHED: Final = "given that experts stopped there"
CORRECTED: Final = "given that experts stopped there, corrected"
SAME: Final = "given that experts stopped there, the boards corrected"
AT_TRUTH: Final = "tricks on the deal itself"
BESIDE_SOLVER: Final = "the same, beside the solved layouts"


@dataclass(frozen=True, slots=True, eq=False)
class Forecast:
    """Chances that were told, and whether the contracts make.

    >>> one = Forecast("coin", np.full(100, 0.5), np.arange(100) % 2)
    >>> one.error, round(one.by_chance, 3), one.bias[0]
    (0.0, 0.04, 0.0)
    """

    name: str
    told: Floats
    """(n,) from 0 to 1."""
    made: Floats
    """(n,) 1 or 0; of several ``trials``, the share that make."""
    trials: int = 1

    @property
    def bins(self) -> tuple[Bin, ...]:
        """Ten, those that have forecasts."""
        return curve_of(self.told, self.made, BINS)

    @property
    def error(self) -> float:
        """Calibration error: mean gap between told and observed, over bins weighed by their forecasts."""
        return calibration_error(self.bins)

    @property
    def by_chance(self) -> float:
        """What the calibration error would be by chance alone, if every chance told were right."""
        spread = np.bincount(bin_of(self.told, BINS), self.told * (1.0 - self.told), BINS)
        return sqrt(2 / pi / self.trials) * float(np.sqrt(spread).sum()) / max(1, len(self.told))

    @property
    def brier(self) -> float:
        """Mean square of told minus made."""
        return float(((self.told - self.made) ** 2).mean())

    @property
    def bias(self) -> tuple[float, float]:
        """Mean of told minus made, and its standard error."""
        gap = self.told - self.made
        return float(gap.mean()), float(gap.std() / sqrt(max(1, len(gap))))


@dataclass(frozen=True, slots=True, eq=False)
class Odds:
    """All forecasts of a run."""

    plan: Plan
    forecasts: tuple[Forecast, ...]

    @classmethod
    def of(cls, what: Plan, by_run: Counts) -> Odds:
        """From the counts of the runs."""
        made, corrected, told = unpacked(by_run)
        came = made.astype(np.float64)

        def forecast(name: str, column: str, rows: NDArray[np.bool_]) -> Forecast:
            return Forecast(name, np.clip(told[column][rows], 0.0, 1.0), came[rows])

        every = np.ones(len(made), dtype=np.bool_)
        over_all = ((NETWORK, "network"), (REACHED, "reached"), (AT_TRUTH, "at_truth"))
        found = [forecast(name, column, every) for name, column in over_all]
        if corrected.any():
            found += [forecast(CORRECTED, "corrected", corrected), forecast(SAME, "reached", corrected)]
            found.append(Forecast(BESIDE_SOLVER, found[-1].told, told["solved"][corrected], what.solve))
        return cls(what, tuple(found))
