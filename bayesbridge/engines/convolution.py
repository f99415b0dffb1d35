"""Exact distributions of what Algorithm 2 computes, from quantities of
:mod:`~bayesbridge.engines.quantity_tables`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bayesbridge.capture.tables import LEADING_GAP, LENGTH, weigh
from bayesbridge.engines.quantity_tables import ClassTables, Outcome, TotalGap
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.evidence.constraints import SUITS, Constraints
from bayesbridge.game.layouts import Ints

LOWEST_Z: Final = -46  # Z when no suit has a card of the pair: Δ is 52 then


def factors(constraints: Constraints) -> bool:
    """Whether the hard evidence ties the suits together by lengths alone."""
    known = constraints.normalised()
    return not known.bounded and not any(known.shapes) and len(known.hidden) <= 3


def capture_counts(
    constraints: Constraints, first: int, second: int
) -> dict[str, Ints]:
    """In how many layouts each quantity of Algorithm 2 takes each value, for a pair of
    seats; all counts are exact.

    ``c1``, ``c2``, ``c0``, ``delta`` and ``M``: (4, 14) by suit and value; ``Delta``
    and ``chi``: (53,); ``Z``: (59,) from ``LOWEST_Z`` on; ``condition``: (3,) A fails,
    only B fails, both hold; ``T``: (14,), 0 where a condition fails. Only where
    :func:`factors` says yes.
    """
    unranking = LayoutIndex.of(constraints)
    found: dict[str, Ints] = {
        name: np.zeros((4, 14), dtype=np.int64)
        for name in ("c1", "c2", "c0", "delta", "M")
    }
    by_suit = zip(
        SUITS, unranking.suits, unranking.certain, unranking.completions(), strict=True
    )
    for suit, rows, certain, completions in by_suit:
        ours, theirs = (
            rows.fields[:, seat] | certain[seat] for seat in (first, second)
        )
        ways = np.repeat(completions[:, 0], rows.ways[:, 0])
        c1, c2, delta = LENGTH[ours], LENGTH[theirs], LEADING_GAP[ours | theirs]
        for counts, values in zip(
            found.values(),
            (c1, c2, 13 - c1 - c2, delta, np.maximum(c1, c2)),
            strict=True,
        ):
            weigh(values, ways, counts[suit])
    outcomes, gaps = (
        ClassTables.of(unranking, [one(first, second)]).counts()
        for one in (Outcome, TotalGap)
    )
    met = 2 + np.flatnonzero(outcomes[2:])
    Delta, T, chi, ways = met // 512, met % 512 // 32, met % 32, outcomes[met]
    found["condition"] = np.array([*outcomes[:2], ways.sum()])
    found["T"], found["Delta"] = np.zeros(14, dtype=np.int64), gaps
    np.add.at(found["T"], T, ways)
    found["T"][0] = outcomes[:2].sum()
    failing = gaps.copy()
    np.subtract.at(failing, Delta, ways)
    found["chi"] = failing.copy()  # nothing captured: χ = Δ and Z = 6 − Δ
    np.add.at(found["chi"], chi, ways)
    found["Z"] = np.concatenate([failing[::-1], np.zeros(6, dtype=np.int64)])
    np.add.at(found["Z"], T + 6 - chi - LOWEST_Z, ways)
    return found
