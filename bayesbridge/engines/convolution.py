"""Exact distributions of what Algorithm 2 computes, counted suit by suit.

The quantities are those of :mod:`~bayesbridge.engines.quantities`.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from bayesbridge.capture.tables import LEADING_GAP, LENGTH, weigh
from bayesbridge.engines.quantities import Outcome, TotalGap
from bayesbridge.engines.quantity_tables import ClassTables
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.layouts import Ints

OUTCOMES_WITH_TRICKS: Final = 2
"""Outcome codes from here on hold Δ, T and χ; 0 says that A fails, 1 that B does."""

LOWEST_Z: Final = -46  # Z when no suit has a card of the pair: Δ is 52 then


def factors(constraints: Constraints) -> bool:
    """Whether the hard evidence ties the suits together by lengths alone."""
    known = constraints.normalised()
    return not known.bounded and not any(known.shapes) and len(known.hidden) <= 3


def capture_counts(
    constraints: Constraints, first: int, second: int
) -> dict[str, Ints]:
    """In how many layouts each quantity of Algorithm 2 takes each value, exactly.

    ``first``, ``second``: the pair of seats. ``c1``, ``c2``, ``c0``, ``delta`` and
    ``M``: (4, 14) by suit and value; ``Delta`` and ``chi``: (53,); ``Z``: (59,) from
    ``LOWEST_Z`` on; ``condition``: (3,) A fails, only B fails, both hold; ``T``: (14,),
    0 where a condition fails. Only where :func:`factors` says yes.
    """
    index = LayoutIndex.of(constraints)
    outcomes = ClassTables.of(index, [Outcome(first, second)]).counts()
    gaps = ClassTables.of(index, [TotalGap(first, second)]).counts()
    return _suit_counts(index, first, second) | _hand_counts(outcomes, gaps)


def _suit_counts(index: LayoutIndex, first: int, second: int) -> dict[str, Ints]:
    """Layouts by what follows from one suit: (4, 14) each."""
    names = ("c1", "c2", "c0", "delta", "M")
    counts: dict[str, Ints] = {
        name: np.zeros((4, 14), dtype=np.int64) for name in names
    }
    for suit, completions in enumerate(index.completions()):
        rows = index.suits[suit]
        fields = rows.fields | index.certain[suit]
        layouts = np.repeat(completions[:, 0], rows.ways[:, 0])
        c1 = LENGTH[fields[:, first]]
        c2 = LENGTH[fields[:, second]]
        delta = LEADING_GAP[fields[:, first] | fields[:, second]]
        weigh(c1, layouts, counts["c1"][suit])
        weigh(c2, layouts, counts["c2"][suit])
        weigh(13 - c1 - c2, layouts, counts["c0"][suit])
        weigh(delta, layouts, counts["delta"][suit])
        weigh(np.maximum(c1, c2), layouts, counts["M"][suit])
    return counts


def _hand_counts(outcomes: Ints, gaps: Ints) -> dict[str, Ints]:
    """Layouts by what follows from whole hands.

    ``outcomes``: layouts by outcome code; ``gaps``: (53,) by Δ.
    """
    met = OUTCOMES_WITH_TRICKS + np.flatnonzero(outcomes[OUTCOMES_WITH_TRICKS:])
    Delta = met // 512
    T = met % 512 // 32
    chi = met % 32
    layouts = outcomes[met]
    conditions_fail = outcomes[:OUTCOMES_WITH_TRICKS]
    condition = np.array([*conditions_fail, layouts.sum()])
    tricks = np.zeros(14, dtype=np.int64)
    np.add.at(tricks, T, layouts)
    tricks[0] = conditions_fail.sum()
    failing_gaps = gaps.copy()
    np.subtract.at(failing_gaps, Delta, layouts)
    unpaid = failing_gaps.copy()  # nothing captured: χ = Δ and Z = 6 − Δ
    np.add.at(unpaid, chi, layouts)
    Z = np.concatenate([failing_gaps[::-1], np.zeros(6, dtype=np.int64)])
    np.add.at(Z, T + 6 - chi - LOWEST_Z, layouts)
    return {"condition": condition, "T": tricks, "Delta": gaps, "chi": unpaid, "Z": Z}
