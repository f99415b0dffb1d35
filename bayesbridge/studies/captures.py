"""Table 1: captures T, our counts or exact ones beside three printed runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.studies.jobs import Counts, Job
from bayesbridge.studies.paper import CAPTURES, PaperTable
from bayesbridge.studies.study import Comparison, Study, share_figure

if TYPE_CHECKING:
    import numpy as np


def beside(
    table: PaperTable, bins: Sequence[int], total: int, *, exact: bool = False
) -> dict[str, Any]:
    """Fields of a comparison: what ``total`` deals gave in the bins of a printed table."""
    columns, trials = zip(*table.runs, strict=True), table.trials * len(table.runs)
    why = "The algorithm is printed in full; every possible deal is counted."
    figures = tuple(
        share_figure(
            name,
            column,
            table.trials,
            trials,
            (own, total),
            exact=exact,
            digits=4 if exact else 1,
            why=why,
        )
        for name, column, own in zip(table.bins, columns, bins, strict=True)
    )
    return {
        "title": table.title,
        "unit": "per million deals",
        "figures": figures,
        "trials": table.trials,
    }


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(14,) random deals by T; at 0 condition A fails, at 1 only B fails."""
    import numpy as np

    from bayesbridge.capture.kernels import captures
    from bayesbridge.studies.deals import deal_blocks

    counts = np.zeros(14, dtype=np.int64)
    for masks in deal_blocks(deals, seed):
        found = captures(masks[:, 0], masks[:, 2])
        counts += np.bincount(
            np.where(found.condition < 2, found.condition, found.T), minlength=14
        )
    return counts


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    from bayesbridge.capture import exact

    truth = {str(T): count for T, count in exact.tricks().items()}
    fields = beside(CAPTURES, _binned(truth), exact.DEALS, exact=True)
    return Comparison(counts=truth, total=exact.DEALS, exact=True, **fields)


def _named(counts: Counts) -> dict[str, int]:
    return {"0": int(counts[:2].sum())} | {str(T): int(counts[T]) for T in range(4, 14)}


def _binned(counts: Mapping[str, int]) -> tuple[int, ...]:
    low = sum(counts[str(T)] for T in range(4, 7))
    return (
        low,
        *(counts[str(T)] for T in range(7, 14)),
        sum(n for T, n in counts.items() if int(T) > 13),
    )


STUDY: Final = Study(
    Job("captures", count),
    "how many tricks are captured",
    1_000_000,
    _named,
    lambda done: beside(CAPTURES, _binned(_named(done.counts)), done.deals),
    count_exactly,
)
simulate: Final = STUDY.simulate
