"""Table 1: the distribution of total captures T."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from bayesbridge.capture import exact
from bayesbridge.studies.bins import compare_exact, compare_run
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.engine import Counts, Job, Setting
from bayesbridge.studies.paper import CAPTURES
from bayesbridge.studies.study import Study

if TYPE_CHECKING:
    import numpy as np


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(14,) random deals by T; at 0 condition A fails, at 1 only B fails."""
    from bayesbridge.capture.exact import draw_tricks

    return draw_tricks(deals, seed)


JOB: Final = Job("captures", count)


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    return compare_exact(CAPTURES, _truth(), _binned)


def simulate(
    deals: int, seed: int, workers: int | None = None, runs: int = 1, how: Setting | None = None
) -> Comparison:
    """Monte Carlo over ``runs`` times ``deals`` random deals."""
    from bayesbridge.studies.engine import run

    done = run(JOB, deals, seed, runs, how or Setting(workers))
    return compare_run(CAPTURES, _truth(), _binned, done, _by_tricks)


def _truth() -> dict[str, int]:
    return {str(T): count for T, count in exact.tricks().items()}


def _by_tricks(counts: Counts) -> dict[str, int]:
    return {"0": int(counts[:2].sum())} | {str(T): int(counts[T]) for T in range(4, 14)}


def _binned(counts: Mapping[str, int]) -> tuple[int, ...]:
    low = sum(counts[str(T)] for T in range(4, 7))
    return (low, *(counts[str(T)] for T in range(7, 14)), sum(n for T, n in counts.items() if int(T) > 13))


PICTURE: Final = "bayesbridge.studies.pictures:plot_runs"
STUDY: Final = Study(
    "captures", "how many tricks are captured", 1_000_000, simulate, count_exactly, pictures=(PICTURE,)
)
