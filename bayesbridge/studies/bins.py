"""Tables 1 and 2 have one shape: bins of deals, our counts or exact ones beside three printed runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from bayesbridge.studies.comparison import Comparison, Figure
from bayesbridge.studies.paper import PaperTable

if TYPE_CHECKING:
    from bayesbridge.studies.engine import Counts, Run
    from bayesbridge.studies.hypotheses import Test

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
    columns, scores = zip(*table.runs, strict=True), table.z(binned, total, exact=exact)
    spreads = table.spread(binned, total, exact=exact)
    why = "The algorithm is printed in full; every possible deal is counted."
    return tuple(
        Figure(name, column, own * 1_000_000 / total, z, 4 if exact else 1, spread, why=why)
        for name, column, own, z, spread in zip(table.bins, columns, binned, scores, spreads, strict=True)
    )


def _tests(
    table: PaperTable, truth: Mapping[str, int], binned: Binning, runs: Sequence[Mapping[str, int]]
) -> list[Test]:
    """Bins may leave deals out: these are one more bin here."""
    from bayesbridge.studies.hypotheses import goodness_of_fit, homogeneity

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
