"""Table 1: captures T, our counts or exact ones beside three printed runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.paper import CAPTURES, PaperTable
from bayesbridge.studies.study import Comparison, Sample, Study, share_figure

if TYPE_CHECKING:
    import numpy as np


def compare_with_paper(
    table: PaperTable, bins: Sequence[int], total: int, *, exact: bool = False
) -> dict[str, Any]:
    """The fields of a comparison with a printed table.

    Parameters
    ----------
    table : PaperTable
        What the paper prints.
    bins : sequence of int
        Our deals in each of its bins.
    total : int
        All our deals.
    exact : bool
        Whether they are all possible deals.

    Returns
    -------
    dict of str to object
        ``title``, ``unit``, ``figures`` and ``trials`` of a :class:`Comparison`.
    """
    # ``table.runs`` has a tuple of counts, by bin, for each run of the paper.
    printed_by_bin = zip(*table.runs, strict=True)
    # An exact count per million deals is no whole number.
    digits = 4 if exact else 1
    figures = []
    for name, printed, deals in zip(table.bins, printed_by_bin, bins, strict=True):
        figure = share_figure(
            name,
            printed,
            unit=table.trials,
            paper_trials=table.trials * len(table.runs),
            own=Sample(hits=deals, trials=total),
            exact=exact,
            digits=digits,
            why="The algorithm is printed in full; every possible deal is counted.",
        )
        figures.append(figure)
    return {
        "title": table.title,
        "unit": "per million deals",
        "figures": tuple(figures),
        "trials": table.trials,
    }


# of deals that meet conditions A and B; smaller where one fails (``kernels.BOTH``)
BOTH_HOLD: Final = 2

OUTCOMES: Final = 14  # T = 0 … 13, of which 0 and 1 stand for conditions that fail


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(14,) random deals by T, what Algorithm 2 counts for a hand and its partner's.

    T is the number of tricks that the two hands capture. It is 4 at least where the
    pre-qualification conditions A and B hold; 0 stands for deals where A fails, 1 for
    those where only B fails.
    """
    import numpy as np

    from bayesbridge.capture.kernels import captures
    from bayesbridge.studies.deals import deal_blocks

    counts = np.zeros(OUTCOMES, dtype=np.int64)
    for masks in deal_blocks(deals, seed):
        hand = masks[:, 0]
        partners_hand = masks[:, 2]
        algorithm_2 = captures(hand, partners_hand)
        fails = algorithm_2.condition < BOTH_HOLD
        # ``condition`` is 0 where A fails, and 1 where only B fails.
        outcome = np.where(fails, algorithm_2.condition, algorithm_2.T)
        counts += np.bincount(outcome, minlength=OUTCOMES)
    return counts


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    from bayesbridge.capture import exact

    counts = {str(T): deals for T, deals in exact.tricks().items()}
    fields = compare_with_paper(CAPTURES, _binned(counts), exact.DEALS, exact=True)
    return Comparison(counts=counts, total=exact.DEALS, exact=True, **fields)


def _named_counts(counts: Counts) -> dict[str, int]:
    """Deals by T, which is 0 where a condition fails."""
    named = {"0": int(counts[:BOTH_HOLD].sum())}
    for T in range(4, 14):
        named[str(T)] = int(counts[T])
    return named


def _binned(counts: Mapping[str, int]) -> tuple[int, ...]:
    """Deals in the bins of the printed table: up to 6, 7, 8, …, 13, and more."""
    low = sum(counts[str(T)] for T in range(4, 7))
    high = sum(deals for T, deals in counts.items() if int(T) > 13)
    return (low, *(counts[str(T)] for T in range(7, 14)), high)


def _fields(finished_run: Run) -> dict[str, Any]:
    """A run beside the paper."""
    bins = _binned(_named_counts(finished_run.counts))
    return compare_with_paper(CAPTURES, bins, finished_run.deals)


STUDY: Final = Study(
    Job("captures", count),
    "how many tricks are captured",
    1_000_000,
    _named_counts,
    _fields,
    count_exactly,
)
simulate: Final = STUDY.simulate
