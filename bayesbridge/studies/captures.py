"""Table 1: the distribution of total captures T."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from bayesbridge.capture import exact
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.paper import CAPTURES

if TYPE_CHECKING:
    from bayesbridge.studies.engine import Progress


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    return _compare(exact.tricks(), exact.DEALS, True, None)


def simulate(deals: int, seed: int, workers: int | None = None, progress: Progress | None = None) -> Comparison:
    """Monte Carlo over random deals."""
    from bayesbridge.capture.halves import draw_tricks
    from bayesbridge.studies.engine import run

    done = run(lambda chunk, size: draw_tricks(size, chunk), deals, seed, workers, progress)
    counts = {0: int(done.counts[:2].sum())} | {T: int(done.counts[T]) for T in range(4, 14)}
    return _compare(counts, deals, False, deals / done.seconds)


def _compare(counts: Mapping[int, int], total: int, is_exact: bool, speed: float | None) -> Comparison:
    low = sum(count for T, count in counts.items() if 0 < T <= 6)
    binned = (low, *(counts.get(T, 0) for T in range(7, 14)), sum(count for T, count in counts.items() if T > 13))
    return Comparison({str(T): count for T, count in counts.items()}, binned, total, CAPTURES, is_exact, speed)
