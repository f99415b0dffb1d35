"""Actual play: what declarers of real tables took beside double dummy."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.game.calls import CONTRACT_KINDS, Contract
from bayesbridge.game.cards import Strain
from bayesbridge.game.layouts import Floats

STRAIN_KINDS: Final = ("suit", "no trumps")
MOST_TRICKS: Final = 13

# Double dummy less what the contract needs; what lies beyond counts as the end.
LOWEST_MARGIN: Final = -4
HIGHEST_MARGIN: Final = 3

FARTHEST: Final = 5
"""Largest difference from double dummy that counts; what is farther is taken for an
error of the record.
"""
SHAPE: Final = (
    len(CONTRACT_KINDS),
    len(STRAIN_KINDS),
    2,
    HIGHEST_MARGIN - LOWEST_MARGIN + 1,
    2 * FARTHEST + 1,
)
"""Counts by class, kind, doubled, margin and difference."""

CLASS_AXIS: Final = 0
DOUBLED_AXIS: Final = 2
CELL_AXES: Final = (0, 1, 2)


def cell_of(contract: Contract) -> tuple[int, int, int]:
    """Where a contract is counted: class, kind of strain, doubled or not."""
    return (
        CONTRACT_KINDS.index(contract.kind),
        int(contract.strain == Strain.NT),
        int(contract.doubled > 0),
    )


def smoothed(counts: NDArray[np.int64], strength: float) -> Floats:
    """Probabilities of the differences in every cell, in the shape of the counts.

    From the margin alone to margin and kind of strain, then with the class, then with
    the double::

        P(d ∣ cell) = (tables of the cell with difference d
                       + strength · P(d ∣ coarser cell)) / (tables + strength)
    """
    # Half a table more keeps every difference possible (Jeffreys's prior).
    by_margin = counts.sum(axis=CELL_AXES) + 0.5
    shares = by_margin / by_margin.sum(axis=-1, keepdims=True)
    for summed_axes in ((CLASS_AXIS, DOUBLED_AXIS), (DOUBLED_AXIS,), ()):
        finer = counts.sum(axis=summed_axes, keepdims=True)
        tables = finer.sum(axis=-1, keepdims=True)
        shares = (finer + strength * shares) / (tables + strength)
    return np.asarray(shares, np.float64)


def passed_through(shares: Floats, needed: int) -> Floats:
    """(14, 14) P(tricks taken ∣ double-dummy tricks) in one kind of contract.

    ``shares`` (margins, differences) are P(difference from double dummy ∣ double dummy
    less the tricks ``needed``).
    """
    # P(tricks taken ∣ double dummy), from P(difference ∣ margin).
    table = np.zeros((MOST_TRICKS + 1, MOST_TRICKS + 1))
    for solved in range(MOST_TRICKS + 1):
        margin = min(max(solved - needed, LOWEST_MARGIN), HIGHEST_MARGIN)
        by_difference = shares[margin - LOWEST_MARGIN]
        for difference in range(-FARTHEST, FARTHEST + 1):
            tricks = min(max(solved + difference, 0), MOST_TRICKS)
            table[solved, tricks] += by_difference[difference + FARTHEST]
    return table


def actual_table(contract: Contract) -> Floats:
    """P(declarer takes so many tricks ∣ double dummy), counted on real tables.

    Parameters
    ----------
    contract : Contract
        Its class, kind of strain and double choose the tables that are counted.

    Returns
    -------
    (14, 14) array of float
        A row for each number of double-dummy tricks, which adds up to one.

    Examples
    --------
    >>> from bayesbridge import Contract
    >>> table = actual_table(Contract.of("3NT by S"))
    >>> table.shape, bool(table[9, 9] > 0.4)
    ((14, 14), True)
    """
    counts, about = actual_counts()
    shares = smoothed(counts, float(about["strength"]))
    return passed_through(shares[cell_of(contract)], contract.tricks_needed)


@cache
def actual_counts() -> tuple[NDArray[np.int64], dict[str, Any]]:
    """The counts that ship, and what is known of them.

    That is the hash of the records, the settings, and how the counts were judged.
    """
    path = files("bayesbridge.estimators").joinpath("data/actual.json")
    stored = json.loads(path.read_text("utf-8"))
    return np.array(stored["counts"], np.int64).reshape(SHAPE), stored["about"]
