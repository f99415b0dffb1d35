"""Exact distributions of what Algorithm 2 computes, counted suit by suit.

The quantities are those of :mod:`~bayesbridge.engines.quantities`.
"""

from __future__ import annotations

from typing import Final, NamedTuple, Self

import numpy as np

from bayesbridge.capture.tables import (
    DELTA_PLACE,
    LEADING_GAP,
    LENGTH,
    T_PLACE,
    weigh,
)
from bayesbridge.engines.quantities import OUTCOMES_WITH_TRICKS, Outcome, TotalGap
from bayesbridge.engines.quantity_tables import ClassTables
from bayesbridge.engines.tables import LayoutIndex
from bayesbridge.evidence.constraints import Constraints
from bayesbridge.game.layouts import Ints

LOWEST_Z: Final = -46  # Z when no suit has a card of the pair: Δ is 52 then
HIGHEST_Z: Final = 12
FULL_BUDGET: Final = 6  # for gaps, of which Z is left: Z = 6 + T - χ
MOST_GAP: Final = 52  # Δ, and χ = Δ, when the pair has no card


def factors(constraints: Constraints) -> bool:
    """Whether the hard evidence ties the suits together by lengths alone."""
    known = constraints.normalised()
    return not known.bounded and not any(known.shapes) and len(known.hidden) <= 3


def capture_counts(
    constraints: Constraints, first: int, second: int
) -> dict[str, Ints]:
    """In how many layouts each quantity of Algorithm 2 takes each value, exactly.

    Algorithm 2 counts the tricks that two hands capture together. ``first``,
    ``second``: their seats. Only where :func:`factors` says yes. The quantities, named
    as in the paper, and their arrays of counts:

    - ``c1``, ``c2``, ``c0``: cards of a suit of the first hand, of the second and of
      neither; ``delta``: leading gap, the cards above the pair's highest one; ``M``:
      the longer of both holdings. (4, 14) by suit and value.
    - ``Delta``: the leading gaps of all suits together. (53,)
    - ``condition``: (3,) condition A fails, only B fails, both hold.
    - ``T``: tricks captured, 0 where a condition fails. (14,)
    - ``chi``: χ, captures and all gaps, paid or leading. (53,)
    - ``Z``: the budget for gaps that is left, 6 + T - χ. (59,) from ``LOWEST_Z`` on.
    """
    index = LayoutIndex.of(constraints)
    outcomes = ClassTables.of(index, [Outcome(first, second)]).counts()
    gaps = ClassTables.of(index, [TotalGap(first, second)]).counts()
    suit_counts = _suit_counts(index, first_seat=first, second_seat=second)
    return suit_counts | _hand_counts(outcomes, gaps)


def _suit_counts(
    index: LayoutIndex, *, first_seat: int, second_seat: int
) -> dict[str, Ints]:
    """Count layouts by what follows from one suit of the hands of two seats.

    Returns (4, 14) counts by suit and value: of ``c1``, ``c2`` and ``c0``, the cards of
    the first seat, of the second and of neither; of ``delta``, the leading gap (cards
    above the pair's highest one); of ``M``, the longer of both holdings.
    """
    names = ("c1", "c2", "c0", "delta", "M")
    counts: dict[str, Ints] = {
        name: np.zeros((4, 14), dtype=np.int64) for name in names
    }
    for suit, completions in enumerate(index.completions()):
        rows = index.suits[suit]
        fields = rows.fields | index.certain[suit]
        first_holding = fields[:, first_seat]
        second_holding = fields[:, second_seat]
        # Without points in the evidence, rows of the same lengths have one key.
        layouts_by_lengths = completions[:, 0]
        layouts = np.repeat(layouts_by_lengths, rows.ways[:, 0])
        c1 = LENGTH[first_holding]
        c2 = LENGTH[second_holding]
        weigh(c1, layouts, counts["c1"][suit])
        weigh(c2, layouts, counts["c2"][suit])
        weigh(13 - c1 - c2, layouts, counts["c0"][suit])
        delta = LEADING_GAP[first_holding | second_holding]
        weigh(delta, layouts, counts["delta"][suit])
        weigh(np.maximum(c1, c2), layouts, counts["M"][suit])
    return counts


class CountedOutcomes(NamedTuple):
    """The outcomes in which both conditions of Algorithm 2 hold, (outcomes,) each."""

    Delta: Ints  #: The leading gaps of all suits together.
    T: Ints  #: Tricks captured.
    chi: Ints  #: Captures and all gaps, paid or leading.
    layouts: Ints  #: How many layouts have the outcome.

    @classmethod
    def of(cls, counts: Ints) -> Self:
        """Those that occur, from the layouts by outcome code."""
        with_tricks = counts[OUTCOMES_WITH_TRICKS:]
        codes = OUTCOMES_WITH_TRICKS + np.flatnonzero(with_tricks)
        return cls(
            Delta=codes // DELTA_PLACE,
            T=codes % DELTA_PLACE // T_PLACE,
            chi=codes % T_PLACE,
            layouts=counts[codes],
        )


def _hand_counts(outcome_counts: Ints, gap_counts: Ints) -> dict[str, Ints]:
    """Count layouts by what follows from whole hands of a pair by Algorithm 2.

    ``outcome_counts``: layouts by outcome code, which has Δ, T and χ where conditions A
    and B hold; ``gap_counts``: (53,) layouts by Δ, the leading gaps of all suits.
    Returns those by ``condition``, ``T``, ``Delta``, ``chi`` and ``Z``: see
    :func:`capture_counts`.
    """
    qualified = CountedOutcomes.of(outcome_counts)
    unqualified = outcome_counts[:OUTCOMES_WITH_TRICKS]  # A fails, only B fails
    condition = np.array([*unqualified, qualified.layouts.sum()])
    tricks = np.zeros(14, dtype=np.int64)
    np.add.at(tricks, qualified.T, qualified.layouts)
    tricks[0] = unqualified.sum()
    unqualified_by_gap = gap_counts.copy()
    np.subtract.at(unqualified_by_gap, qualified.Delta, qualified.layouts)
    # Where a condition fails nothing is captured or paid: T = 0 and χ = Δ.
    check_value = unqualified_by_gap.copy()
    np.add.at(check_value, qualified.chi, qualified.layouts)
    return {
        "condition": condition,
        "T": tricks,
        "Delta": gap_counts,
        "chi": check_value,
        "Z": _budget_counts(qualified, unqualified_by_gap),
    }


def _budget_counts(qualified: CountedOutcomes, unqualified_by_gap: Ints) -> Ints:
    """Count layouts by what is left of a pair's budget for gaps, Z in the paper.

    From a budget of six cards the pair pays for gaps: the higher cards that neither
    partner holds. Leading gaps, above the pair's highest card of each suit, are paid
    first, and may overdraw it. ``qualified``: counted layouts in which the pair
    captures tricks: of all its captures and paid gaps together, χ, what is not a
    captured trick, T, was paid. ``unqualified_by_gap``: (53,) layouts in which it may
    not, by the leading gaps of all suits, 0 to 52, which are all that it pays.

    Returns (59,) counts by Z, from ``LOWEST_Z`` to ``HIGHEST_Z``.
    """
    counts = np.zeros(HIGHEST_Z - LOWEST_Z + 1, dtype=np.int64)
    leading_gaps = np.arange(MOST_GAP + 1)
    unqualified_budget = FULL_BUDGET - leading_gaps
    counts[unqualified_budget - LOWEST_Z] = unqualified_by_gap
    paid_gaps = qualified.chi - qualified.T
    qualified_budget = FULL_BUDGET - paid_gaps
    np.add.at(counts, qualified_budget - LOWEST_Z, qualified.layouts)
    return counts
