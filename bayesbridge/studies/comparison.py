"""Own counts beside the paper's: what every study returns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayesbridge.studies.paper import PaperTable


@dataclass(frozen=True, slots=True)
class Comparison:
    """Counts of one study with the table of the paper that they belong to."""

    counts: Mapping[str, int]
    """Own counts by the finest key."""
    binned: tuple[int, ...]
    """Own counts in the paper's bins."""
    total: int
    """Deals in all; the counts add up to it, the bins need not."""
    paper: PaperTable
    exact: bool
    deals_per_second: float | None = None
    """``None`` for an exact count, which draws no deals."""

    @property
    def z(self) -> tuple[float | None, ...]:
        """The paper's pooled share of each bin against the own one, in standard errors."""
        return self.paper.z(self.binned, self.total, exact=self.exact)

    def per_million(self, count: int) -> float:
        """A count as it would stand in a million deals; the paper's runs have a million each."""
        return count * 1_000_000 / self.total
