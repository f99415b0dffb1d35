"""Layouts summed out: NUTS sees the style alone, and the layouts come back afterwards.

The style model asks nothing of a hand but its five cells, so layouts with the same cells are one *row* with a weight:
how many there are, each weighed by what the other seats called. With every layout walked the sum over rows is exact,
however many layouts there are; with K layouts drawn it is the usual average, and K rows. Either way ::

    log m(θ) = log Σ_rows weight · P(their calls ∣ cells, θ)

is a smooth function of the style θ, which is all that NUTS needs. Given draws θ_d from its posterior, a layout has the
posterior weight  weight · mean_d P(their calls ∣ cells, θ_d) / m(θ_d).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.bidders.features import CELLS, Cells
from bayesbridge.bidders.style import LEANING, Options, StyleBidder, Terms
from bayesbridge.errors import Contradiction
from bayesbridge.joint.question import StyleQuestion
from bayesbridge.layouts import Masks

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The layouts by what the style model sees of them.

    cell:   (k, 5) cells of each row
    log:    (k,) log weight of each row; the weights of all rows add up to P(the others' calls)
    row:    (n,) the row of each layout
    others: (n,) log P(the others' calls ∣ layout)
    """

    cell: Cells
    log: Floats
    row: NDArray[np.int64]
    others: Floats

    @classmethod
    def of(cls, question: StyleQuestion, blocks: Iterator[Masks]) -> Rows:
        """Sort layouts into rows."""
        codes, others = [], []
        for masks in blocks:
            codes.append(question.cells(masks).astype(np.int64) @ CELLS ** np.arange(5))
            others.append(question.log_others(masks))
        log = np.concatenate(others)
        if (most := log.max()) == -np.inf:
            raise Contradiction(
                f"no layout explains what the others called under {question.belief.bidder!r}: "
                "give the model a slip (slip=0.02), or take a call back",
                evidence=question.belief.evidence,
            )
        found, row = np.unique(np.concatenate(codes), return_inverse=True)
        weights = np.bincount(row, np.exp(log - most)) / len(row)
        used = weights > 0
        row = np.where(used, np.cumsum(used) - 1, 0)[row]
        cell = (found[used, None] // CELLS ** np.arange(5) % CELLS).astype(np.int16)
        return cls(cell, np.log(weights[used]) + most, row, log)

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


def log_weights(question: StyleQuestion, rows: Rows, styles: Floats) -> Floats:
    """(n,) log posterior weight of each layout, up to a constant, for (d, 4) draws of the style."""
    mean = np.zeros(len(rows))
    for values in styles:
        log = question.log_seat(rows.cell, StyleBidder(*values.tolist()))
        mean += np.exp(log - np.logaddexp.reduce(log + rows.log))
    with np.errstate(divide="ignore"):
        return rows.others + np.log(mean / len(styles))[rows.row]
