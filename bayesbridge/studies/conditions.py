"""Table 2: how often the two pre-qualification conditions hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesbridge.capture import exact
from bayesbridge.studies.comparison import Comparison
from bayesbridge.studies.paper import CONDITIONS

if TYPE_CHECKING:
    from bayesbridge.studies.engine import Progress


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    counts = exact.conditions()
    return Comparison(counts, tuple(counts.values()), exact.DEALS, CONDITIONS, exact=True)


def simulate(deals: int, seed: int, workers: int | None = None, progress: Progress | None = None) -> Comparison:
    """Monte Carlo over random deals."""
    from bayesbridge.capture.halves import draw_tricks
    from bayesbridge.studies.engine import run

    done = run(lambda chunk, size: draw_tricks(size, chunk), deals, seed, workers, progress)
    neither, only_a = int(done.counts[0]), int(done.counts[1])
    counts = {"neither": neither, "only A": only_a, "both": deals - neither - only_a}
    return Comparison(counts, tuple(counts.values()), deals, CONDITIONS, False, deals / done.seconds)
