"""From double-dummy tricks to the tricks that real declarers take: P(actual ∣ double dummy, contract).

Experts who see two hands and defenders who see two others do not play double dummy. How far declarers end from it was
counted on real tables (``scripts/fit_actual.py``): by the class of the contract (part score, game, slam), at no trumps
or in a suit, doubled or not, and by how many tricks double dummy is above or below what the contract needs. Cells with
few tables are drawn towards coarser ones::

    P(d ∣ cell) = (tables of the cell with difference d + STRENGTH · P(d ∣ coarser cell)) / (tables + STRENGTH)

from the margin alone to margin and kind of strain, then with the class, then with the double. Differences d = actual −
double dummy run from −5 to 5.
"""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.calls import CONTRACT_KINDS, Contract
from bayesbridge.cards import Strain
from bayesbridge.words import number

type Floats = NDArray[np.float64]

KINDS: Final = ("suit", "no trumps")
LOWEST_MARGIN, HIGHEST_MARGIN = -4, 3
"""Double dummy less what the contract needs; what lies beyond counts as the end."""
FARTHEST: Final = 5
"""Largest difference from double dummy that counts; what is farther is taken for an error of the record."""
SHAPE: Final = (len(CONTRACT_KINDS), len(KINDS), 2, HIGHEST_MARGIN - LOWEST_MARGIN + 1, 2 * FARTHEST + 1)
"""Counts by class, kind, doubled, margin and difference."""


def cell_of(contract: Contract) -> tuple[int, int, int]:
    """Where a contract is counted: class, kind of strain, doubled or not."""
    return CONTRACT_KINDS.index(contract.kind), int(contract.strain == Strain.NT), int(contract.doubled > 0)


def smoothed(counts: NDArray[np.int64], strength: float) -> Floats:
    """Probabilities of the differences in every cell, in the shape of the counts."""
    by_margin = counts.sum(axis=(0, 1, 2)) + 0.5
    shares = by_margin / by_margin.sum(axis=-1, keepdims=True)
    for axes in ((0, 2), (2,), ()):
        finer = counts.sum(axis=axes, keepdims=True)
        shares = (finer + strength * shares) / (finer.sum(axis=-1, keepdims=True) + strength)
    return np.asarray(shares, np.float64)


def passed_through(shares: Floats, needed: int) -> Floats:
    """(14, 14) P(actual tricks ∣ double dummy), a row per double dummy, from (margins, differences) of one cell."""
    table = np.zeros((14, 14))
    for solved in range(14):
        margin = min(max(solved - needed, LOWEST_MARGIN), HIGHEST_MARGIN) - LOWEST_MARGIN
        for difference in range(-FARTHEST, FARTHEST + 1):
            table[solved, min(max(solved + difference, 0), 13)] += shares[margin, difference + FARTHEST]
    return table


def actual_table(contract: Contract) -> Floats:
    """(14, 14) P(declarer takes so many ∣ double dummy), by what was counted.

    >>> table = actual_table(Contract.of("4S by S"))
    >>> bool(np.allclose(table.sum(axis=1), 1.0)), int(table[10].argmax())
    (True, 10)
    """
    counts, about = fitted()
    shares = smoothed(counts, float(about["strength"]))
    return passed_through(shares[cell_of(contract)], contract.tricks_needed)


@cache
def fitted() -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The counts that ship, and what is known of them: the records' hash, settings, and how they were judged."""
    path = files("bayesbridge.estimators").joinpath("data/actual.json")
    stored = json.loads(path.read_text("utf-8"))
    return np.array(stored["counts"], np.int64).reshape(SHAPE), stored["about"]


def actual_caution() -> str:
    """What the step from double dummy to the table rests on, in a sentence."""
    _, about = fitted()
    judged = about["judged"]["declarer"]
    return (
        f"Double dummy is passed through what declarers took beside it at {number(about['fitted'])} tables of experts. "
        f"On {number(judged['tables'])} tables set aside, for declarer with dummy in view, P(it makes) was "
        f"{100 * judged['error']:.1f} points off the share that made, on average over the tenths of its range "
        f"({100 * judged['error_before']:.1f} without this step)."
    )
