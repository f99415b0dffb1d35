"""One hand against both: Algorithm 1 before, and Algorithm 2 after the dummy is seen.

Both are asked about the same deals. An outcome is that condition A fails, that only B
fails, or a number of captures; that of Algorithm 1 is its count for a target of 7
tricks. The paper draws both without printing a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.display.markup import Table
from bayesbridge.display.words import number
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.study import Comparison, Moments, Study

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

TITLE: Final = (
    "One hand against both: Algorithm 1 for 7 tricks, and Algorithm 2 with the dummy"
)
UNIT: Final = "per million deals"
SHAPE: Final = (8, 14, 14)
"""Level that Algorithm 1 bids, its outcome for 7 tricks, the outcome of Algorithm 2."""

OUTCOMES: Final = {0: "neither", 1: "only A"} | {
    captures: str(captures) for captures in range(4, 14)
}
"""What an algorithm says of a deal, as a number and in words: that condition A fails,
that only B fails, or else how many tricks are captured.
"""

MOST_GAPS: Final = 6  # leading gaps of a hand that meets condition A
SUIT_BITS: Final = 13
SUIT_MASK: Final = (1 << SUIT_BITS) - 1


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """Count random deals by what both algorithms say, (8, 14, 14) flat.

    By the level that Algorithm 1 bids with the first hand, its outcome for a target of
    7 tricks, and the outcome of Algorithm 2 for the first hand with its partner's. An
    outcome is 0 where condition A fails, 1 where only B fails, else the number of
    tricks captured, 4 … 13.
    """
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures
    from bayesbridge.studies.deals import deal_blocks

    size = int(np.prod(SHAPE))
    counts = np.zeros(size, dtype=np.int64)
    for masks in deal_blocks(deals, seed):
        hand = masks[:, 0]
        partners_hand = masks[:, 2]
        bid = bids(hand.copy())
        captures_for_seven = bid.counts[:, 0]  # 0 where a condition fails
        meets_a = _leading_gaps(hand) <= MOST_GAPS
        failed_condition = meets_a.astype(np.int8)  # 0 for A, 1 for B
        outcome_of_hand = np.where(
            captures_for_seven > 0, captures_for_seven, failed_condition
        )
        both_hands = captures(hand, partners_hand)
        fails = both_hands.condition != BOTH
        outcome_of_both = np.where(fails, both_hands.condition, both_hands.T)
        indices = (bid.level, outcome_of_hand, outcome_of_both)
        cell = np.ravel_multi_index(indices, SHAPE)
        counts += np.bincount(cell, minlength=size)
    return counts


def _leading_gaps(hands: NDArray[np.uint64]) -> NDArray[np.integer]:
    """(n,) cards missing above the highest of each suit, over the suits of each hand."""
    import numpy as np

    from bayesbridge.capture.tables import LEADING_GAP

    first_bits = np.arange(4, dtype=np.uint64) * np.uint64(SUIT_BITS)
    # (n, 4): the 13 bits of each suit, by which the table gives the gap
    suits = hands[:, None] >> first_bits & np.uint64(SUIT_MASK)
    return np.asarray(LEADING_GAP[suits].sum(axis=1))


def fields(finished_run: Run) -> dict[str, Any]:
    """The shares of a run, and Algorithm 2 by the level that Algorithm 1 bids."""
    by_level = {}
    outcome_of_hand_axis = 1
    levels_and_outcomes = finished_run.counts.reshape(SHAPE).sum(
        axis=outcome_of_hand_axis
    )
    for level, deals_by_outcome in enumerate(levels_and_outcomes.tolist()):
        outcomes = {
            name: deals_by_outcome[number]
            for number, name in OUTCOMES.items()
            if deals_by_outcome[number]
        }
        if outcomes:
            by_level[str(level)] = outcomes
    shares = _shares(_named_counts(finished_run.counts), finished_run.deals)
    return {
        "title": TITLE,
        "unit": UNIT,
        "answers": {"shares": shares, "levels": by_level},
    }


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    from bayesbridge.capture import exact

    joint = exact.shifts()
    counts = {}
    for first, second in product(OUTCOMES, repeat=2):
        counts[_pair_name(first, second)] = joint.get((first, second), 0)
    return Comparison(
        title=TITLE,
        unit=UNIT,
        counts=counts,
        total=exact.DEALS,
        exact=True,
        answers={"shares": _shares(counts, exact.DEALS)},
    )


def _named_counts(counts: Counts) -> dict[str, int]:
    """Deals by the names of both outcomes."""
    joint = counts.reshape(SHAPE).sum(axis=0).tolist()
    return {
        _pair_name(first, second): joint[first][second]
        for first, second in product(OUTCOMES, repeat=2)
    }


SEPARATOR: Final = " / "


def _pair_name(first: int, second: int) -> str:
    """The key of outcomes of Algorithm 1 and of Algorithm 2."""
    return f"{OUTCOMES[first]}{SEPARATOR}{OUTCOMES[second]}"


type Shares = dict[str, list[float]]
"""By an outcome the shares of Algorithm 1 and of Algorithm 2."""


def _shares(counts: Mapping[str, int], deals: int) -> dict[str, Shares]:
    """Shares of all deals, for Algorithm 1 and for Algorithm 2.

    By the conditions that hold, and by tricks captured where both hold. ``counts`` are
    deals by the outcomes of both algorithms, as ``only A / 7``.
    """
    # By an outcome the deals where Algorithm 1 has it, and where Algorithm 2 has it.
    sums = {outcome: [0, 0] for outcome in OUTCOMES.values()}
    for both_outcomes, number_of_deals in counts.items():
        for algorithm, outcome in enumerate(both_outcomes.split(SEPARATOR)):
            sums[outcome][algorithm] += number_of_deals
    captures = {
        outcome: by_algorithm
        for outcome, by_algorithm in sums.items()
        if outcome.isdigit()
    }
    conditions = {outcome: sums[outcome] for outcome in ("neither", "only A")}
    conditions["both"] = [
        sum(by_outcome) for by_outcome in zip(*captures.values(), strict=True)
    ]
    return {
        "conditions": _divided(conditions, deals),
        "captures": _divided(captures, deals),
    }


def _divided(sums: Mapping[str, Sequence[int]], deals: int) -> Shares:
    """The sums as shares of the deals."""
    shares = {}
    for outcome, by_algorithm in sums.items():
        shares[outcome] = [number_of_deals / deals for number_of_deals in by_algorithm]
    return shares


def _tables(comparison: Comparison) -> Iterator[Table]:
    """Shares by conditions and by captures, then Algorithm 2 given Algorithm 1."""
    for title, shares in comparison.answers["shares"].items():
        rows = []
        for outcome, by_algorithm in shares.items():
            row = [outcome]
            row += [number(1e6 * share, 1) for share in by_algorithm]
            rows.append(row)
        yield Table(
            f"{title.capitalize()} by one hand and by both, {UNIT}",
            ["", "Algorithm 1", "Algorithm 2"],
            rows,
        )
    yield _conditional_table(
        "Algorithm 2 by what Algorithm 1 counts for 7 tricks, in % of the row",
        _by_first_outcome(comparison.counts),
    )
    if not comparison.exact:
        yield _conditional_table(
            "Algorithm 2 by the level that Algorithm 1 bids, in % of the row",
            comparison.answers["levels"],
        )


def _by_first_outcome(counts: Mapping[str, int]) -> dict[str, dict[str, int]]:
    """Outcomes of Algorithm 2 by those of Algorithm 1 that came."""
    rows: dict[str, dict[str, int]] = {}
    for first, second in product(OUTCOMES, repeat=2):
        row = rows.setdefault(OUTCOMES[first], {})
        row[OUTCOMES[second]] = counts[_pair_name(first, second)]
    return {name: row for name, row in rows.items() if any(row.values())}


def _conditional_table(title: str, rows: Mapping[str, Mapping[str, int]]) -> Table:
    """Shares of Algorithm 2's outcomes, a row for each answer of Algorithm 1.

    And the mean of T where both conditions hold.
    """
    columns = list(OUTCOMES.values())
    cells = []
    for name, outcomes in rows.items():
        deals = sum(outcomes.values())
        shares = []
        for column in columns:
            times = outcomes.get(column)
            shares.append(number(100 * times / deals, 2) if times else "")
        moments = Moments.of(
            {float(T): times for T, times in outcomes.items() if T.isdigit()}
        )
        cells.append([name, *shares, number(moments and moments.mean, 2)])
    return Table(title, ["", *columns, "mean T"], cells)


STUDY: Final = Study(
    Job("shift", count),
    "one hand against both hands",
    1_000_000,
    _named_counts,
    fields,
    count_exactly,
    tables=_tables,
)
simulate: Final = STUDY.simulate
