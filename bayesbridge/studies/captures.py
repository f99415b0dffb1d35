"""Tables 1 and 2: bins of deals, our counts or exact ones beside three printed runs; and Table 1, total captures T."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Final

from bayesbridge.studies.engine import Counts, Job, Setting, run
from bayesbridge.studies.paper import CAPTURES, PaperTable
from bayesbridge.studies.study import Comparison, Figure, Study, Test, goodness_of_fit, homogeneity

if TYPE_CHECKING:
    import numpy as np

    from bayesbridge.studies.engine import Run

type Binning = Callable[[Mapping[str, int]], tuple[int, ...]]
"""From counts by the finest key to the paper's bins."""


def compare_exact(table: PaperTable, truth: Mapping[str, int], binned: Binning) -> Comparison:
    """Every possible deal counted."""
    total = sum(truth.values())
    return Comparison(
        title=table.title,
        unit="per million deals",
        counts=truth,
        total=total,
        figures=_figures(table, binned(truth), total, exact=True),
        exact=True,
        trials=table.trials,
        hypotheses=lambda: _tests(table, truth, binned, []),
    )


def compare_run(
    table: PaperTable, truth: Mapping[str, int], binned: Binning, done: Run, named: Callable[[Counts], dict[str, int]]
) -> Comparison:
    """Random deals; ``named`` gives the counts their keys."""
    return Comparison.of_run(
        done,
        named,
        title=table.title,
        unit="per million deals",
        figures=_figures(table, binned(named(done.counts)), done.deals, exact=False),
        trials=table.trials,
        hypotheses=lambda: _tests(table, truth, binned, tuple(map(named, done.by_run))),
    )


def _figures(table: PaperTable, binned: tuple[int, ...], total: int, exact: bool) -> tuple[Figure, ...]:
    columns, scores = zip(*table.runs, strict=True), table.compare(binned, total, exact=exact)
    why = "The algorithm is printed in full; every possible deal is counted."
    return tuple(
        Figure(name, column, own * 1_000_000 / total, z, 4 if exact else 1, spread, why=why)
        for name, column, own, (z, spread) in zip(table.bins, columns, binned, scores, strict=True)
    )


def _tests(
    table: PaperTable, truth: Mapping[str, int], binned: Binning, runs: Sequence[Mapping[str, int]]
) -> list[Test]:
    """Bins may leave deals out: these are one more bin here."""

    def whole(bins: Sequence[int], total: int) -> list[int]:
        return [*bins, total - sum(bins)]

    deals = sum(truth.values())
    shares = [count / deals for count in whole(binned(truth), deals)]
    printed = [whole(run, table.trials) for run in table.runs]
    tests = [
        goodness_of_fit("the paper's runs follow the exact distribution", _columns(printed), shares),
        homogeneity("the paper's runs agree with each other", printed),
    ]
    own = [whole(binned(run), sum(run.values())) for run in runs]
    if own:
        tests.append(goodness_of_fit("our runs follow the exact distribution", _columns(own), shares))
    if len(own) > 1:
        tests.append(homogeneity("our runs agree with each other", own))
    return tests


def _columns(rows: Sequence[Sequence[int]]) -> list[int]:
    return [sum(column) for column in zip(*rows, strict=True)]


def count(seed: np.random.SeedSequence, deals: int) -> Counts:
    """(14,) random deals by T; at 0 condition A fails, at 1 only B fails."""
    from bayesbridge.capture.half_deals import draw_tricks

    return draw_tricks(deals, seed)


JOB: Final = Job("captures", count)


def count_exactly() -> Comparison:
    """All 5 157 850 293 780 050 462 400 deals."""
    return compare_exact(CAPTURES, _truth(), _binned)


def simulate(
    deals: int, seed: int, workers: int | None = None, runs: int = 1, how: Setting | None = None
) -> Comparison:
    """Monte Carlo over ``runs`` times ``deals`` random deals."""
    done = run(JOB, deals, seed, runs, how or Setting(workers))
    return compare_run(CAPTURES, _truth(), _binned, done, _named)


def _truth() -> dict[str, int]:
    from bayesbridge.capture import exact

    return {str(T): count for T, count in exact.tricks().items()}


def _named(counts: Counts) -> dict[str, int]:
    return {"0": int(counts[:2].sum())} | {str(T): int(counts[T]) for T in range(4, 14)}


def _binned(counts: Mapping[str, int]) -> tuple[int, ...]:
    low = sum(counts[str(T)] for T in range(4, 7))
    return (low, *(counts[str(T)] for T in range(7, 14)), sum(n for T, n in counts.items() if int(T) > 13))


STUDY: Final = Study("captures", "how many tricks are captured", 1_000_000, simulate, count_exactly)
