"""Batches: weights that are estimates themselves, found several times over, so that their error can be told.

Where the weight of a layout is an average over draws of something else (a bidding style), the number of layouts says
nothing of the error: all of them share those draws. The draws come in B batches, independent of each other or long
stretches of a chain. With W the weights of the layouts and r_b the weight by batch b relative to the mean over
batches, a posterior mean p = Σ W f moves by e_b = Σ W r_b (f − p) if batch b alone is asked, and its standard error is
√(Σ e_b² / B (B − 3)). With B − 1 in place of B − 3 the error, an estimate itself, would be too small in the mean
square: the variance of Student's t is (B − 1) / (B − 3). Where the layouts were drawn too, their own share
√(Σ W² (f − p)²) is added in squares.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.layouts import read_only

type Floats = NDArray[np.float64]

STRETCH: Final = 8.0
"""Independent draws that a stretch of a chain is worth at least: stretches are to be independent of each other."""

MOST: Final = 16
"""Stretches of a chain at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Batches:
    """How the weights of n layouts vary from batch to batch.

    relative: (B, k) weight of each row of layouts by each batch alone, the mean over batches being 1
    row:      (n,) the row of each layout: layouts whose weights vary together share one
    drawn:    whether the layouts are independent draws, not all that there are
    """

    relative: Floats
    row: NDArray[np.int64]
    drawn: bool

    @classmethod
    def of(cls, table: Floats, row: NDArray[np.int64], drawn: bool) -> Batches:
        """From (B, k) weights of the rows on one scale; a row without any weight stays as it is."""
        mean = table.mean(axis=0)
        relative = np.divide(table, mean, out=np.ones_like(table), where=mean > 0)
        return cls(read_only(relative), read_only(row), drawn)

    @classmethod
    def of_chains(cls, chains: int, draws: int, stretches: int) -> Batches:
        """Of draws that count the same and come from chains, each cut into stretches of equal length.

        The first draws of a chain that are left over by the cut belong to its first stretch.
        """
        first = draws - draws // stretches * (stretches - 1)
        within = np.repeat(np.arange(stretches), [first, *[draws // stretches] * (stretches - 1)])
        row = (stretches * np.arange(chains)[:, None] + within).ravel()
        sizes = np.bincount(row)
        return cls(np.diag(len(row) / sizes), read_only(row), drawn=False)

    def moved(self, u: Floats, weights: Floats, begin: int = 0) -> Floats:
        """(B, …) Σ W r_b u over layouts ``begin`` … with (m, …) values u and (m,) normalised weights W."""
        relative = self.relative[:, self.row[begin : begin + len(u)]]
        found: Floats = ((relative * weights) @ u.reshape(len(u), -1)).reshape(len(relative), *u.shape[1:])
        return found


def standard_error(moved: Floats) -> Floats:
    """(…) standard error that comes from the batches, from (B, …) by how much each alone moves an answer."""
    b = len(moved)
    if b < 2:
        return np.zeros(moved.shape[1:])
    found: Floats = np.sqrt((moved**2).sum(axis=0) / (b * max(b - 3, 1)))
    return found


def stretches_of(chains: int, ess: float) -> int:
    """Into how many stretches to cut each chain, if all of them are worth ``ess`` draws; four in all at least."""
    return int(np.clip(ess / (STRETCH * chains), -(-4 // chains), MOST))
