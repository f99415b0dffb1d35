"""Are ranks uniform? χ², a simultaneous band for their distribution function, and coverage of central intervals.

Ranks lie from 0 to 1 and are kept as counts in BINS cells. The band is that of T. Säilynoja, P.-C. Bürkner and A.
Vehtari, "Graphical test for discrete uniformity and its applications in goodness-of-fit evaluation and multiple sample
comparison" (2022): at each edge of a cell the number of ranks below is binomial, and the level of these intervals is
lowered until a sample of uniform ranks stays within all of them with the probability wanted.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from bayesbridge.studies.hypotheses import Test, goodness_of_fit

type Floats = NDArray[np.float64]
type Counts = NDArray[np.int64]

BINS: Final = 40
"""Cells: the ends of the intervals below are edges."""

LEVELS: Final = (0.5, 0.8, 0.9, 0.95)
"""Of the central intervals."""

EDGES: Final = np.arange(1, BINS) / BINS
SIMULATIONS: Final = 9999
"""Samples of uniform ranks that the band and its p come from; always the same ones."""

EXPECTED: Final = 20
"""Ranks that a cell of the χ² test should have."""


def tally(ranks: ArrayLike) -> Counts:
    """(BINS,) how many ranks lie in each cell."""
    place = np.minimum((np.asarray(ranks) * BINS).astype(np.int64), BINS - 1)
    return np.bincount(place, minlength=BINS).astype(np.int64)


def cells_for(deals: int) -> int:
    """Cells of the χ² test and of a histogram, so that each has some ranks: 40, 20, 10 or 5.

    >>> [cells_for(deals) for deals in (20, 200, 500, 1000)]
    [5, 10, 20, 40]
    """
    return next((cells for cells in (40, 20, 10) if deals >= EXPECTED * cells), 5)


def chi_square(name: str, counts: Counts) -> Test:
    """Pearson's χ² of ranks against equal shares."""
    cells = cells_for(int(counts.sum()))
    shares = counts.reshape(cells, -1).sum(axis=1).tolist()
    return goodness_of_fit(f"{name}: ranks fill the cells evenly", shares, [1.0 / cells] * cells)


def ecdf_test(name: str, counts: Counts) -> Test:
    """Whether the distribution function of the ranks stays within its band; the effect is its largest departure."""
    deals = int(counts.sum())
    seen = float(_tails(counts.cumsum()[None, :-1], deals).min())
    simulated = _smallest_tails(deals)
    p = (1.0 + np.searchsorted(simulated, seen * (1 + 1e-12), side="right")) / (1.0 + len(simulated))
    departure = float(np.abs(counts.cumsum()[:-1] / deals - EDGES).max())
    return Test(f"{name}: no rank comes too early or too late", departure, float(p), departure)


def ecdf_band(deals: int, level: float = 0.95) -> tuple[Floats, Floats]:
    """Lowest and highest share of ranks below each of EDGES, all at once with probability ``level``."""
    tail = float(np.quantile(_smallest_tails(deals), 1.0 - level))
    low, high = stats.binom.ppf(tail / 2, deals, EDGES), stats.binom.isf(tail / 2, deals, EDGES)
    return np.asarray(low / deals), np.asarray(high / deals)


def share_band(deals: int, share: float, level: float = 0.95) -> tuple[float, float]:
    """Between which shares of deals something that happens with probability ``share`` stays with ``level``."""
    low, high = stats.binom.interval(level, deals, share)
    return float(low) / deals, float(high) / deals


def covered(counts: Counts) -> dict[float, int]:
    """By level, how many ranks lie in the central interval: how often it held the truth."""
    found = {}
    for level in LEVELS:
        outside = round(BINS * (1.0 - level) / 2)
        found[level] = int(counts[outside : BINS - outside].sum())
    return found


def _tails(below: NDArray[np.int64], deals: int) -> Floats:
    """(n, BINS − 1) two-sided binomial tail of the number of ranks below each edge."""
    low, high = stats.binom.cdf(below, deals, EDGES), stats.binom.sf(below - 1, deals, EDGES)
    return np.asarray(2.0 * np.minimum(low, high))


@lru_cache(maxsize=64)
def _smallest_tails(deals: int) -> Floats:
    """(SIMULATIONS,) rising: the smallest tail of each sample of uniform ranks."""
    rng = np.random.default_rng(0)
    samples = rng.multinomial(deals, np.full(BINS, 1.0 / BINS), size=SIMULATIONS)
    smallest = np.sort(_tails(samples.cumsum(axis=1)[:, :-1], deals).min(axis=1))
    smallest.setflags(write=False)
    return smallest
