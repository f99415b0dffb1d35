"""The comparative table: Algorithm 1 on one hand, and Algorithm 2 with the dummy.

Where Algorithm 1 counts 7 or more, condition A and the first hand's part of condition B
hold for both hands together, so Algorithm 2 can fail by the second hand alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.paper import COMPARATIVE, COMPARATIVE_TITLE, COMPARATIVE_TRIALS
from bayesbridge.studies.study import Sample, Study, share_figure

if TYPE_CHECKING:
    import numpy as np


RESULTS: Final = range(7, 14)  # counts of Algorithm 1 for 7 tricks that meet it
LEAST_RESULT: Final = RESULTS[0]

VERDICTS: Final = ("both conditions hold", "condition B fails", "condition A fails")
"""What Algorithm 2 may say of two hands."""

SHAPE: Final = (len(RESULTS), len(VERDICTS))
"""Counts of Algorithm 1, verdicts of Algorithm 2."""

WHY_RATE: Final = (
    "Algorithm 2 is satisfied when both conditions hold with the second hand."
)
WHY_COUNT: Final = (
    "100 000 deals give about twice the printed count, in the printed proportions: as "
    "if half had been run."
)


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """Count random deals by what both algorithms say of them.

    The first number is that of all deals; after it, flat, come (7, 3) deals where
    Algorithm 1 counts 7, …, 13 captures for the first hand alone, by what Algorithm 2
    says of both hands, as in ``VERDICTS``.
    """
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures
    from bayesbridge.studies.deals import deal_blocks

    size = int(np.prod(SHAPE))
    counts = np.zeros(1 + size, dtype=np.int64)
    counts[0] = deals
    for masks in deal_blocks(deals, seed):
        # Column 0 of its counts is for a target of 7 tricks; 0 where it is not met.
        result = bids(masks[:, 0].copy()).counts[:, 0]
        passing = np.flatnonzero(result >= LEAST_RESULT)
        condition = captures(masks[passing, 0], masks[passing, 1]).condition
        verdict = BOTH - condition  # conditions that hold, counted down from both
        cell = np.ravel_multi_index((result[passing] - LEAST_RESULT, verdict), SHAPE)
        counts[1:] += np.bincount(cell, minlength=size)
    return counts


def fields(finished_run: Run) -> dict[str, Any]:
    """The fields of a :class:`Comparison` of a run with the paper's table.

    For each count of Algorithm 1 the table has how often it came, and how often
    Algorithm 2 was satisfied then too: success rates and counts are compared.
    """
    own = _named_counts(finished_run.counts)
    rates = []
    counts = []
    for result, (paper_a1, paper_a2) in COMPARATIVE.items():
        own_a1 = own[f"{result}_a1_satisfied"]
        own_a2 = own[f"{result}_a2_satisfied"]
        rate = share_figure(
            f"success rate at {result} (%)",
            printed=(paper_a2 * 100 / paper_a1,),
            unit=100,
            paper_trials=paper_a1,
            own=Sample(hits=own_a2, trials=own_a1),
            digits=2,
            why=WHY_RATE,
        )
        count_of_result = share_figure(
            f"A1 satisfied with {result}",
            printed=(paper_a1,),
            unit=COMPARATIVE_TRIALS,
            paper_trials=COMPARATIVE_TRIALS,
            own=Sample(hits=own_a1, trials=finished_run.deals),
            determined=False,
            why=WHY_COUNT,
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
    table = counts[1:].reshape(SHAPE).tolist()
    named: dict[str, int] = {}
    for result, (both_hold, b_fails, a_fails) in zip(RESULTS, table, strict=True):
        named[f"{result}_a1_satisfied"] = both_hold + b_fails + a_fails
        named[f"{result}_a2_satisfied"] = both_hold
        named[f"{result}_a2_not_satisfied"] = b_fails + a_fails
        named[f"{result}_p2_failure"] = b_fails
    return named


STUDY: Final = Study(
    Job("comparative", count),
    "Algorithm 1 against Algorithm 2",
    1_000_000,
    _named_counts,
    fields,
)
simulate: Final = STUDY.simulate
