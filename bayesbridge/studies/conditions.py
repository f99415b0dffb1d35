"""Table 2: how often the two pre-qualification conditions hold."""

from __future__ import annotations

from typing import Any, Final

from bayesbridge.studies.captures import BOTH_HOLD, compare_with_paper, count
from bayesbridge.studies.jobs import Counts, Job, Run
from bayesbridge.studies.paper import CONDITIONS
from bayesbridge.studies.study import Comparison, Study


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    from bayesbridge.capture import exact

    counts = exact.conditions()
    bins = tuple(counts.values())
    fields = compare_with_paper(CONDITIONS, bins, exact.DEALS, exact=True)
    return Comparison(counts=counts, total=exact.DEALS, exact=True, **fields)


def _named_counts(counts: Counts) -> dict[str, int]:
    """Deals by the conditions that hold."""
    return {
        "neither": int(counts[0]),
        "only A": int(counts[1]),
        "both": int(counts[BOTH_HOLD:].sum()),
    }


def _fields(finished_run: Run) -> dict[str, Any]:
    """A run beside the paper."""
    bins = tuple(_named_counts(finished_run.counts).values())
    return compare_with_paper(CONDITIONS, bins, finished_run.deals)


STUDY: Final = Study(
    # the deals of the captures study, with other categories
    Job("conditions", count),
    "how often the two conditions hold",
    1_000_000,
    _named_counts,
    _fields,
    count_exactly,
)
simulate: Final = STUDY.simulate
