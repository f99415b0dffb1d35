"""Layouts summed out: what is left is a smooth function of the style alone.

The style model asks nothing of a hand but its five cells, so layouts with the same cells are one *row* with a weight:
how many there are, each weighed by what the other evidence says. With every layout walked the sum over rows is exact,
however many layouts there are; with layouts drawn from a density q it is the usual average, each draw with 1 / q. ::

    m(θ) = Σ_rows weight · P(their calls ∣ cells, θ)

is all that NUTS, or any other way over at most four numbers, needs to know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.features import CELLS, Cells
from bayesbridge.bidders.style import LEANING, Options, Terms
from bayesbridge.joint.question import StyleQuestion
from bayesbridge.joint.sources import Source

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The layouts by what the style model sees of them.

    cell:   (k, 5) cells of each row
    log:    (k,) log weight of each row; the weights of all rows add up to P(the other evidence)
    row:    (n,) the row of each layout
    base:   (n,) log weight of each layout: log P(other evidence ∣ layout) − log density; sums up as the rows do
    others: (n,) log P(other evidence ∣ layout)
    """

    cell: Cells
    log: Floats
    row: NDArray[np.int64]
    base: Floats
    others: Floats

    @classmethod
    def of(cls, question: StyleQuestion, source: Source) -> Rows:
        """Sort layouts into rows."""
        codes, others = [], []
        for masks in source.blocks():
            codes.append(question.cells(masks).astype(np.int64) @ CELLS ** np.arange(5))
            others.append(question.others.of_layouts(masks))
        log = np.concatenate(others)
        base = log - source.log_density
        if (most := base.max()) == -np.inf:
            raise question.unexplained()
        found, row = np.unique(np.concatenate(codes), return_inverse=True)
        weights = np.bincount(row, np.exp(base - most))
        used = weights > 0
        row = np.where(used, np.cumsum(used) - 1, 0)[row]
        cell = (found[used, None] // CELLS ** np.arange(5) % CELLS).astype(np.int16)
        return cls(cell, np.log(weights[used]) + most, row, base, log)

    def __len__(self) -> int:
        return len(self.cell)


def log_marginal(question: StyleQuestion, rows: Rows, style: Sequence[Any]) -> Any:
    """log m(θ) as an expression in the style variables."""
    import pytensor.tensor as pt

    total = pt.as_tensor(rows.log)
    for options, call in question.asked:
        total = total + log_chances(rows.cell, options, call, [parameter[0] for parameter in style])
    return pt.logsumexp(total)


def log_chances(cell: Cells, options: Options, call: int, style: Sequence[Any]) -> Any:
    """:meth:`StyleBidder.log_chances` as an expression: (k,) for the cells of k rows and scalar style variables.

    Odds are worked out once for each cell that occurs and looked up for the rows.
    """
    import pytensor.tensor as pt

    aggressiveness, preference, temperature, slip = style
    total, chosen = pt.ones(len(cell)), pt.ones(len(cell))
    for strain in range(5):
        if not (mine := options.strain == strain).any():
            continue
        here = Options(*(column[mine] for column in options))
        used, where = np.unique(cell[:, strain], return_inverse=True)
        terms = Terms.of(used[:, None], here)
        added = aggressiveness + preference * LEANING[here.call]
        odds = pt.exp(terms.utility(added) / temperature)
        total = total + odds.sum(axis=1)[where]
        if call in here.call:
            chosen = odds[:, int(np.searchsorted(here.call, call))][where]
    return pt.log(slip / (1 + len(options.call)) + (1.0 - slip) * chosen / total)
