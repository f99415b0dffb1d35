"""Table 2: how often the two pre-qualification conditions hold."""

from __future__ import annotations

from typing import Final

from bayesbridge.studies.captures import beside, count
from bayesbridge.studies.jobs import Counts, Job
from bayesbridge.studies.paper import CONDITIONS
from bayesbridge.studies.study import Comparison, Study


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    from bayesbridge.capture import exact

    truth = exact.conditions()
    fields = beside(CONDITIONS, tuple(truth.values()), exact.DEALS, exact=True)
    return Comparison(counts=truth, total=exact.DEALS, exact=True, **fields)


def _named(counts: Counts) -> dict[str, int]:
    return {
        "neither": int(counts[0]),
        "only A": int(counts[1]),
        "both": int(counts[2:].sum()),
    }


STUDY: Final = Study(
    Job("conditions", count),  # the deals of the captures study, with other categories
    "how often the two conditions hold",
    1_000_000,
    _named,
    lambda done: beside(CONDITIONS, tuple(_named(done.counts).values()), done.deals),
    count_exactly,
)
simulate: Final = STUDY.simulate
