"""The comparative table: Algorithm 1 on one hand for 7 tricks, and what Algorithm 2
says once the dummy is open.

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


RESULTS: Final = range(7, 14)


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 21,) random deals, then by Algorithm 1's count 7 … 13: both conditions, B
    fails, A fails in Algorithm 2.
    """
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures
    from bayesbridge.studies.deals import deal_blocks

    counts = np.zeros(1 + len(RESULTS) * 3, dtype=np.int64)
    counts[0] = deals
    for masks in deal_blocks(deals, seed):
        result = bids(masks[:, 0].copy()).counts[:, 0]
        met = np.flatnonzero(result >= 7)
        condition = captures(masks[met, 0], masks[met, 1]).condition
        counts[1:] += np.bincount(
            (result[met] - 7) * 3 + (BOTH - condition), minlength=len(RESULTS) * 3
        )
    return counts


def fields(done: Run) -> dict[str, Any]:
    own, rates, counts = _named(done.counts), [], []
    for result, (a1, a2) in COMPARATIVE.items():
        hits, trials = own[f"{result}_a2_satisfied"], own[f"{result}_a1_satisfied"]
        rate, name = (a2 * 100 / a1,), f"success rate at {result} (%)"
        rates.append(
            share_figure(name, rate, 100, a1, (hits, trials), digits=2, why=_RATE)
        )
        size, name = COMPARATIVE_TRIALS, f"A1 satisfied with {result}"
        counts.append(
            share_figure(
                name,
                (a1,),
                size,
                size,
                (trials, done.deals),
                determined=False,
                why=_COUNT,
            )
        )
    title, unit = COMPARATIVE_TITLE, "counts per 100 000 deals, rates in %"
    return {
        "title": title,
        "unit": unit,
        "figures": (*rates, *counts),
        "trials": COMPARATIVE_TRIALS,
    }


def _named(counts: Counts) -> dict[str, int]:
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
_COUNT: Final = "100 000 deals give about twice the printed count, in the printed proportions: as if half had been run."

STUDY: Final = Study(
    Job("comparative", count),
    "Algorithm 1 against Algorithm 2",
    1_000_000,
    _named,
    fields,
)
simulate: Final = STUDY.simulate
