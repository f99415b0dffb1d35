"""The printed runs of the paper as a picture, beside the computed figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from bayesbridge.plots import BLUE, PALE, SKY, VERMILION, bare, ink, new_axes

if TYPE_CHECKING:
    from bayesbridge.studies.study import Comparison

RUNS: Final = (PALE, SKY, BLUE)
"""One colour for each printed run; they differ in lightness."""


def plot_runs(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """The printed runs of a table as grouped bars, our figure or the exact one as a line across each group, z above it.

    ``comparison`` is the study of conditions or of captures: each figure has the same unit.

    >>> from bayesbridge.studies import conditions
    >>> plot_runs(conditions.count_exactly()).get_title()
    'Table 2: outcomes of the two pre-qualification conditions'
    """
    ax = new_axes(7.2, 3.8) if ax is None else ax
    figures = [figure for figure in comparison.figures if figure.own or any(figure.printed)]
    runs = len(figures[0].printed)
    width = 0.75 / runs
    for run in range(runs):
        at = [place + (run - (runs - 1) / 2) * width for place in range(len(figures))]
        heights = [figure.printed[run] for figure in figures]
        label = f"paper, run {run + 1}" if runs > 1 else "paper"
        ax.bar(at, heights, width, color=RUNS[run % len(RUNS)], edgecolor=ink(), linewidth=0.4, label=label)
    for place, figure in enumerate(figures):
        if figure.z is not None:
            top = max(*figure.printed, figure.own or 0.0)
            ax.annotate(f"z {figure.z:+.1f}", (place, top), (0, 4), textcoords="offset points", ha="center", size=8)
    known = {place: figure.own for place, figure in enumerate(figures) if figure.own is not None}
    starts, ends = ([place + step for place in known] for step in (-0.45, 0.45))
    own = "exact" if comparison.exact else "ours"
    ax.hlines(list(known.values()), starts, ends, color=VERMILION, linewidth=2.0, label=own)
    ax.set_xticks(range(len(figures)), [figure.name.replace("<=", "≤ ") for figure in figures])
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " ")))
    ax.set_ylabel(comparison.unit)
    ax.set_title(comparison.title, fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
    return ax
