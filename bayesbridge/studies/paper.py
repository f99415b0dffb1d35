"""The figures the paper prints, as data, and how far other figures are from them.

S. Sarkar, *Winning Before You Play: An Iterative Capture Algorithm for Pre-Game Dominance Analysis in Three-Player
Auction Bridge*, tables 1 and 2: three runs of a million deals each.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import Final


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of counts: some runs of the same number of trials, the same bins."""

    title: str
    bins: tuple[str, ...]
    runs: tuple[tuple[int, ...], ...]
    trials: int
    """Trials in each run. Bins may cover only part of them."""

    def mean(self) -> tuple[float, ...]:
        """Mean count over the runs, bin by bin."""
        return tuple(sum(column) / len(self.runs) for column in zip(*self.runs, strict=True))

    def z(self, counts: tuple[int, ...], total: int, *, exact: bool = False) -> tuple[float | None, ...]:
        """How many standard errors the paper's pooled share of each bin lies above the share ``counts / total``.

        ``exact`` says that ``counts`` are no sample, so that the noise is the paper's alone. ``None`` where both are 0.
        """
        pooled_trials = self.trials * len(self.runs)
        scores: list[float | None] = []
        for own, column in zip(counts, zip(*self.runs, strict=True), strict=True):
            share, paper_share = own / total, sum(column) / pooled_trials
            if exact:
                variance = share * (1 - share) / pooled_trials
            else:
                pooled = (own + sum(column)) / (total + pooled_trials)
                variance = pooled * (1 - pooled) * (1 / total + 1 / pooled_trials)
            scores.append((paper_share - share) / sqrt(variance) if variance else None)
        return tuple(scores)


CAPTURES: Final = PaperTable(
    title="Table 1: total captures T of the deals that meet both conditions",
    bins=("<=6", "7", "8", "9", "10", "11", "12", "13", ">13"),
    runs=(
        (1909, 8384, 39297, 92290, 90939, 38764, 6808, 399, 0),
        (1906, 8236, 39439, 92667, 90711, 39297, 6833, 455, 0),
        (1781, 8388, 39008, 92363, 90767, 38833, 6963, 456, 0),
    ),
    trials=1_000_000,
)

CONDITIONS: Final = PaperTable(
    title="Table 2: outcomes of the two pre-qualification conditions",
    bins=("neither", "only A", "both"),
    runs=((145048, 576162, 278790), (145114, 575342, 279544), (145775, 575666, 278559)),
    trials=1_000_000,
)
