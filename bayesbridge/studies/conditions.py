"""Table 2: how often the two pre-qualification conditions hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bayesbridge.studies import captures
from bayesbridge.studies.captures import compare_exact, compare_run
from bayesbridge.studies.engine import Counts, Job, Setting, run
from bayesbridge.studies.paper import CONDITIONS
from bayesbridge.studies.study import Comparison, Study

JOB: Final = Job("conditions", captures.count)
"""The deals of the captures study, with other categories."""


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    return compare_exact(CONDITIONS, _truth(), _binned)


def simulate(
    deals: int, seed: int, workers: int | None = None, runs: int = 1, how: Setting | None = None
) -> Comparison:
    """Monte Carlo over ``runs`` times ``deals`` random deals."""
    done = run(JOB, deals, seed, runs, how or Setting(workers))
    return compare_run(CONDITIONS, _truth(), _binned, done, _by_condition)


def _truth() -> dict[str, int]:
    from bayesbridge.capture import exact

    return exact.conditions()


def _by_condition(counts: Counts) -> dict[str, int]:
    return {"neither": int(counts[0]), "only A": int(counts[1]), "both": int(counts[2:].sum())}


def _binned(counts: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(counts.values())


STUDY: Final = Study("conditions", "how often the two conditions hold", 1_000_000, simulate, count_exactly)
