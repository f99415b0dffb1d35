"""The comparative table: Algorithm 1 on one hand, and Algorithm 2 with the dummy.

Where Algorithm 1 counts 7 or more, condition A and the first hand's part of condition B
hold for both hands together, so Algorithm 2 can fail by the second hand alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.paper import COMPARATIVE, COMPARATIVE_TITLE, COMPARATIVE_TRIALS
from bayesbridge.studies.study import Study, share_figure

if TYPE_CHECKING:
    import numpy as np


RESULTS: Final = range(7, 14)  # counts of Algorithm 1 for 7 tricks that meet it
LEAST_RESULT: Final = RESULTS[0]


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 21,) random deals, then those that Algorithm 1 passes, flat.

    By its count 7 … 13 and what Algorithm 2 says: both conditions, B fails, A fails.
    """
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures
    from bayesbridge.studies.deals import deal_blocks

    counts = np.zeros(1 + len(RESULTS) * 3, dtype=np.int64)
    counts[0] = deals
    for masks in deal_blocks(deals, seed):
        result = bids(masks[:, 0].copy()).counts[:, 0]
        passing = np.flatnonzero(result >= LEAST_RESULT)
        condition = captures(masks[passing, 0], masks[passing, 1]).condition
        cell = (result[passing] - LEAST_RESULT) * 3 + (BOTH - condition)
        counts[1:] += np.bincount(cell, minlength=len(RESULTS) * 3)
    return counts


def fields(done: Run) -> dict[str, Any]:
    """A run beside the paper: success rates of Algorithm 2, and counts of Algorithm 1."""
    own = _named_counts(done.counts)
    rates = []
    counts = []
    for result, (a1, a2) in COMPARATIVE.items():
        satisfied = own[f"{result}_a1_satisfied"]
        rate = share_figure(
            f"success rate at {result} (%)",
            (a2 * 100 / a1,),
            100,
            a1,
            (own[f"{result}_a2_satisfied"], satisfied),
            digits=2,
            why=_RATE,
        )
        count_of_result = share_figure(
            f"A1 satisfied with {result}",
            (a1,),
            COMPARATIVE_TRIALS,
            COMPARATIVE_TRIALS,
            (satisfied, done.deals),
            determined=False,
            why=_COUNT,
        )
        rates.append(rate)
        counts.append(count_of_result)
    return {
        "title": COMPARATIVE_TITLE,
        "unit": "counts per 100 000 deals, rates in %",
        "figures": (*rates, *counts),
        "trials": COMPARATIVE_TRIALS,
    }


def _named_counts(counts: Counts) -> dict[str, int]:
    """The counts by the keys of the document."""
    table = counts[1:].reshape(len(RESULTS), 3)
    named: dict[str, int] = {}
    for result, row in zip(RESULTS, table, strict=True):
        named[f"{result}_a1_satisfied"] = int(row.sum())
        named[f"{result}_a2_satisfied"] = int(row[0])
        named[f"{result}_a2_not_satisfied"] = int(row[1:].sum())
        named[f"{result}_p2_failure"] = int(row[1])
    return named


_RATE: Final = (
    "Algorithm 2 is satisfied when both conditions hold with the second hand."
)
_COUNT: Final = (
    "100 000 deals give about twice the printed count, in the printed proportions: as "
    "if half had been run."
)

STUDY: Final = Study(
    Job("comparative", count),
    "Algorithm 1 against Algorithm 2",
    1_000_000,
    _named_counts,
    fields,
)
simulate: Final = STUDY.simulate
