"""P(the calls of a seat ∣ cells, style) for many rows of cells and many styles at once.

A cell enters the utility of the options in its strain alone, so what a style makes of a cell is worked out once for
each cell that occurs, and looked up for the rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.features import Cells
from bayesbridge.bidders.style import LEANING, Options, Terms

Floats = NDArray[np.float64]

BUDGET: Final = 1 << 20
"""Numbers held at a time: styles × rows."""


class Strain(NamedTuple):
    """The options of one strain: which they are, their terms by cell that occurs, and the cell of each row."""

    call: NDArray[np.int64]
    terms: Terms
    where: NDArray[np.intp]


class SeatChances(NamedTuple):
    """Everything about rows of cells and the calls of a seat but for the style.

    calls: for each call, its number, how many calls were legal, and the options by strain
    rows:  how many rows there are
    """

    calls: tuple[tuple[int, int, tuple[Strain, ...]], ...]
    rows: int

    @classmethod
    def of(cls, cell: Cells, asked: Sequence[tuple[Options, int]]) -> SeatChances:
        """For (k, 5) cells of rows and the calls with their options."""
        unique = [np.unique(cell[:, strain], return_inverse=True) for strain in range(5)]
        calls = []
        for options, call in asked:
            strains = []
            for strain, (used, where) in enumerate(unique):
                mine = options.strain == strain
                if mine.any():
                    here = Options(*(column[mine] for column in options))
                    strains.append(Strain(here.call, Terms.of(used[:, None], here), where))
            calls.append((call, 1 + len(options.call), tuple(strains)))
        return cls(tuple(calls), len(cell))

    def stretches(self, styles: int) -> list[slice]:
        """Cuts so many styles into stretches whose answers fit in memory."""
        size = max(1, min(64, BUDGET // max(1, self.rows)))
        return [slice(begin, min(begin + size, styles)) for begin in range(0, styles, size)]

    def of_styles(self, styles: Floats) -> Floats:
        """(d, k) probability of all calls, for (d, 4) styles."""
        found = np.ones((len(styles), self.rows))
        slip = styles[:, 3, None]
        for call, legal, strains in self.calls:
            total = np.ones((len(styles), self.rows))
            chosen: Floats | float = 1.0
            for calls, terms, where in strains:
                added = (styles[:, :1] + styles[:, 1:2] * LEANING[calls])[:, None]
                odds = np.exp(terms.utility(added) / styles[:, 2, None, None])
                total += odds.sum(axis=-1)[:, where]
                if call in calls:
                    chosen = odds[:, :, int(np.searchsorted(calls, call))][:, where]
            found *= slip / legal + (1.0 - slip) * chosen / total
        return found
