"""The comparative table: Algorithm 1 on one hand for 7 tricks, and what Algorithm 2 says once the dummy is open.

A row is the number of captures that Algorithm 1 counts for a target of 7. Where that is enough, condition A and the
first hand's part of condition B hold for both hands together, so Algorithm 2 can fail by the second hand alone: the
columns "not satisfied" and "second-hand failure" are one and the same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from bayesbridge.studies.engine import Counts, Job, Setting, run
from bayesbridge.studies.paper import COMPARATIVE, COMPARATIVE_TITLE, COMPARATIVE_TRIALS
from bayesbridge.studies.study import (
    Comparison,
    Figure,
    Study,
    Test,
    compare_shares,
    homogeneity,
    two_proportions,
)

if TYPE_CHECKING:
    import numpy as np


RESULTS: Final = range(7, 14)
COLUMNS: Final = ("a2_satisfied", "p2_failure", "other_failure")


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(1 + 21,) random deals, then by Algorithm 1's count 7 … 13: both conditions, B fails, A fails in Algorithm 2."""
    import numpy as np

    from bayesbridge.capture.kernels import BOTH, bids, captures
    from bayesbridge.studies.deals import deal_blocks

    counts = np.zeros(1 + len(RESULTS) * 3, dtype=np.int64)
    counts[0] = deals
    for masks in deal_blocks(deals, seed):
        result = bids(masks[:, 0].copy()).counts[:, 0]
        met = np.flatnonzero(result >= 7)
        condition = captures(masks[met, 0], masks[met, 1]).condition
        counts[1:] += np.bincount((result[met] - 7) * 3 + (BOTH - condition), minlength=len(RESULTS) * 3)
    return counts


JOB: Final = Job("comparative", count)


def simulate(
    deals: int, seed: int, workers: int | None = None, runs: int = 1, how: Setting | None = None
) -> Comparison:
    """Monte Carlo over ``runs`` times ``deals`` random deals."""
    done = run(JOB, deals, seed, runs, how or Setting(workers))
    own = _named(done.counts)
    return Comparison.of_run(
        done,
        _named,
        title=COMPARATIVE_TITLE,
        unit="counts per 100 000 deals, rates in %",
        figures=_figures(own, done.deals),
        trials=COMPARATIVE_TRIALS,
        hypotheses=lambda: _tests(own, tuple(map(_named, done.by_run))),
    )


def _named(counts: Counts) -> dict[str, int]:
    table = counts[1:].reshape(len(RESULTS), 3)
    named: dict[str, int] = {}
    for result, row in zip(RESULTS, table, strict=True):
        named[f"{result}_a1_satisfied"] = int(row.sum())
        named[f"{result}_a2_satisfied"] = int(row[0])
        named[f"{result}_a2_not_satisfied"] = int(row[1:].sum())
        named[f"{result}_p2_failure"] = int(row[1])
    return named


def _figures(own: dict[str, int], deals: int) -> tuple[Figure, ...]:
    figures = []
    for result, (a1, a2) in COMPARATIVE.items():
        hits, trials = own[f"{result}_a2_satisfied"], own[f"{result}_a1_satisfied"]
        rate = hits * 100 / trials if trials else None
        z, spread = compare_shares((a2, a1), (hits, trials))
        figures.append(Figure(f"success rate at {result} (%)", (a2 * 100 / a1,), rate, z, 2, spread, why=_RATE))
    for result, (a1, _) in COMPARATIVE.items():
        trials = own[f"{result}_a1_satisfied"]
        z, _ = compare_shares((a1, COMPARATIVE_TRIALS), (trials, deals))
        per = trials * COMPARATIVE_TRIALS / deals
        figures.append(Figure(f"A1 satisfied with {result}", (a1,), per, z, 1, determined=False, why=_COUNT))
    return tuple(figures)


def _tests(own: dict[str, int], by_run: tuple[dict[str, int], ...]) -> list[Test]:
    tests = [
        two_proportions(
            f"the paper's success rate at {result} equals ours",
            (a2, own[f"{result}_a2_satisfied"]),
            (a1, own[f"{result}_a1_satisfied"]),
        )
        for result, (a1, a2) in COMPARATIVE.items()
        if own[f"{result}_a1_satisfied"]
    ]
    rates = [[own[f"{result}_a2_satisfied"], own[f"{result}_p2_failure"]] for result in RESULTS]
    tests.append(
        homogeneity("the success rate does not depend on what Algorithm 1 counts", [row for row in rates if sum(row)])
    )
    printed = [[a1 for a1, _ in COMPARATIVE.values()], [own[f"{result}_a1_satisfied"] for result in COMPARATIVE]]
    if sum(printed[1]):
        tests.append(homogeneity("the paper's counts 7 to 10 have the same proportions as ours", printed))
    if len(by_run) > 1:
        table = [[run[f"{result}_{column}"] for result in RESULTS for column in COLUMNS[:2]] for run in by_run]
        if all(map(sum, table)):
            tests.append(homogeneity("our runs agree with each other", table))
    return tests


_RATE: Final = "Algorithm 2 is satisfied when both conditions hold with the second hand."
_COUNT: Final = "100 000 deals give about twice the printed count, in the printed proportions: as if half had been run."


STUDY: Final = Study("comparative", "Algorithm 1 against Algorithm 2", 1_000_000, simulate)
