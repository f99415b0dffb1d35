"""What a study found as tables of text, for a terminal or a page: all front ends show the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import isnan
from typing import TYPE_CHECKING

from bayesbridge.studies.study import Table
from bayesbridge.words import number

if TYPE_CHECKING:
    from bayesbridge.studies.comparison import Comparison, Figure
    from bayesbridge.studies.hypotheses import Test
    from bayesbridge.studies.study import Study


def all_tables(study: Study, found: Comparison, tests: Iterable[Test]) -> Iterator[Table]:
    """The figures of the paper, exact counts, the study's own tables, and the hypothesis tests; those that there are.

    >>> from bayesbridge.studies import STUDIES
    >>> found = STUDIES["conditions"].count_exactly()
    >>> [table.title for table in all_tables(STUDIES["conditions"], found, ())]
    ['Table 2: outcomes of the two pre-qualification conditions, per million deals', 'Every possible deal, counted']
    """
    if found.figures:
        yield figures_table(found)
    if found.exact:
        yield exact_table(found)
    yield from study.tables(found)
    if made := list(tests):
        yield hypotheses_table(made)


def figures_table(found: Comparison, *, reasons: bool = False) -> Table:
    """The printed figures beside the computed ones; with ``reasons`` why they agree or not, and no mean of the runs."""
    printed = len(found.figures[0].printed)
    runs = [f"run {i}" for i in range(1, printed + 1)] if printed > 1 else ["paper"]
    means = ["mean"] if printed > 1 and not reasons else []
    header = ["", *runs, *means, "exact" if found.exact else "ours", "z"]
    rows = [_figure_row(figure, bool(means)) for figure in found.figures]
    if reasons or not all(figure.determined for figure in found.figures):
        header.append("verdict")
        rows = [[*row, verdict] for row, verdict in zip(rows, found.verdicts(), strict=True)]
    if reasons:
        header.append("why")
        rows = [[*row, figure.why] for row, figure in zip(rows, found.figures, strict=True)]
    return Table(f"{found.title}, {found.unit}", header, rows)


def _figure_row(figure: Figure, with_mean: bool) -> list[str]:
    whole_numbers = all(isinstance(value, int) for value in figure.printed)
    mean = [number(figure.mean, 1 if whole_numbers else figure.digits)] if with_mean else []
    printed = [number(value, figure.digits) for value in figure.printed]
    return [figure.name, *printed, *mean, number(figure.own, figure.digits), number(figure.z, 2)]


def exact_table(found: Comparison) -> Table:
    """Every count of an exact comparison."""
    counts = {**found.counts, "total": found.total}
    rows = [[key, number(count), number(found.per_million(count), 4)] for key, count in counts.items()]
    return Table("Every possible deal, counted", ["", "deals", "per million"], rows)


def hypotheses_table(tests: Iterable[Test]) -> Table:
    """One row for each hypothesis."""
    rows = [
        [
            test.hypothesis,
            f"{test.statistic:.4g}",
            f"{test.effect:.4f}",
            "–" if test.interval is None else f"{test.interval[0]:.4f} … {test.interval[1]:.4f}",
            "–" if isnan(test.p) else f"{test.p:.3g}",
            "–" if test.p_holm is None else f"{test.p_holm:.3g}",
        ]
        for test in tests
    ]
    return Table("Hypothesis tests", ["hypothesis", "statistic", "effect", "95 % interval", "p", "p (Holm)"], rows)


def notes(found: Comparison, seed: int) -> Iterator[str]:
    """The sentences below the tables."""
    if not found.exact:
        yield f"{number(found.total)} deals, seed {seed}, {_speed(found.deals_per_second)}."
    if found.figures:
        of = "run 1 to 3 and mean" if len(found.figures[0].printed) > 1 else "paper"
        yield f"{of}: the paper. z: standard errors by which the paper's mean exceeds the column before it."


def _speed(deals: float | None) -> str:
    if deals is None:
        return "all from the checkpoint"
    return f"{number(deals / 1e6, 1)} million a second" if deals >= 1e5 else f"{number(deals, 1)} a second"
