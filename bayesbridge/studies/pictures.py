"""Pictures of the studies of the paper: its printed runs beside the computed figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter

from bayesbridge.errors import BayesBridgeError
from bayesbridge.plots import (
    BLUE,
    HATCH,
    ORANGE,
    PALE,
    SKY,
    VERMILION,
    bare,
    ink,
    new_axes,
    new_grid,
    percent_axis,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from bayesbridge.studies.study import Comparison, Figure

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
    _grouped(ax, figures, "exact" if comparison.exact else "ours")
    for place, figure in enumerate(figures):
        if figure.z is not None:
            top = max(*figure.printed, figure.own or 0.0)
            ax.annotate(f"z {figure.z:+.1f}", (place, top), (0, 4), textcoords="offset points", ha="center", size=8)
    ax.set_xticks(range(len(figures)), [figure.name.replace("<=", "≤ ") for figure in figures])
    ax.set_ylabel(comparison.unit)
    ax.set_title(comparison.title, fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    return ax


def plot_algorithms(comparative: Comparison, captures: Comparison | None = None, *, ax: Axes | None = None) -> Axes:
    """What the bidder expects before and after the dummy opens: captures by Algorithm 1 and T by Algorithm 2.

    ``comparative`` is the study that runs both on random deals, ``captures`` that of T, its exact count by default.
    Bars are shares of all deals that come to at least 7 tricks, on a logarithmic scale, since one hand alone seldom
    does.

    >>> from bayesbridge.studies import comparative
    >>> plot_algorithms(comparative.simulate(50_000, seed=1)).get_xlabel()
    'captures counted'
    """
    if captures is None:
        from bayesbridge.studies.captures import count_exactly

        captures = count_exactly()
    ax = new_axes(7.2, 3.6) if ax is None else ax
    tricks = np.arange(7, 14)
    alone = [_count(comparative, f"{count}_a1_satisfied") / comparative.total for count in tricks]
    together = [_count(captures, str(count)) / captures.total for count in tricks]
    ax.bar(tricks - 0.2, alone, 0.4, color=SKY, hatch=HATCH, edgecolor=ink(), lw=0.6, label="Algorithm 1: own 13 cards")
    ax.bar(tricks + 0.2, together, 0.4, color=BLUE, edgecolor=ink(), lw=0.6, label="Algorithm 2: with the dummy")
    ax.set_yscale("log")
    ax.set_xticks(tricks)
    ax.set_xlabel("captures counted")
    ax.set_ylabel("share of all deals")
    percent_axis(ax.yaxis)
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=2, frameon=False)
    bare(ax)
    return ax


def plot_second_hand(comparative: Comparison, *, ax: Axes | None = None) -> Axes:
    """How often the second hand confirms what Algorithm 1 counts: stacked shares, the paper's rates as diamonds.

    >>> from bayesbridge.studies import comparative
    >>> plot_second_hand(comparative.simulate(50_000, seed=1)).get_xlabel()
    'captures that Algorithm 1 counts on one hand'
    """
    ax = new_axes(6.4, 3.6) if ax is None else ax
    results = [count for count in range(7, 14) if _count(comparative, f"{count}_a1_satisfied")]
    trials = np.array([_count(comparative, f"{count}_a1_satisfied") for count in results], dtype=float)
    confirmed = np.array([_count(comparative, f"{count}_a2_satisfied") for count in results]) / trials
    line: dict[str, Any] = {"edgecolor": ink(), "linewidth": 0.6}
    ax.bar(results, confirmed, color=BLUE, label="both conditions hold", **line)
    ax.bar(results, 1 - confirmed, bottom=confirmed, color=ORANGE, hatch=HATCH, label="the second hand fails", **line)
    printed = {figure.name: figure.printed[0] / 100 for figure in comparative.figures if "success" in figure.name}
    rates = [(count, printed[name]) for count in results if (name := f"success rate at {count} (%)") in printed]
    if rates:
        ax.plot(*zip(*rates, strict=True), "D", color="white", markeredgecolor="black", label="the paper's rate")
    for count, share, many in zip(results, confirmed, trials, strict=True):
        ax.text(count, 0.03, f"{share:.0%}\nof {many:,.0f}", ha="center", color="white", fontsize=8)
    ax.set_xticks(results)
    ax.set_xlabel("captures that Algorithm 1 counts on one hand")
    percent_axis(ax.yaxis)
    ax.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, 1.14), ncols=3, frameon=False)
    bare(ax)
    return ax


def plot_headline(
    comparison: Comparison, *, figure: Canvas | None = None, axes: NDArray[Any] | None = None
) -> NDArray[Any]:
    """The ten-million-deal runs: win rates, net points, deals with bidder and dummy both eligible; three Axes.

    >>> from bayesbridge.studies import headline
    >>> len(plot_headline(headline.simulate(50_000, seed=1)))
    3
    """
    if axes is None:
        axes = new_grid(9.0, 3.8, 1, 3, figure=figure)[0]
    panels = (
        ("win rate, %", {"win rate (%)": "all\ncontracts", "win rate, both eligible (%)": "both\neligible"}),
        (
            "net points, both eligible (our figure)",
            {
                "net points, old scheme (both eligible)": "old\nscheme",
                "net points, new scheme (both eligible)": "new\nscheme",
            },
        ),
        ("deals", {"both eligible": "both\neligible"}),
    )
    named = {each.name: each for each in comparison.figures}
    for ax, (title, names) in zip(axes, panels, strict=True):
        figures = [named[name] for name in names if name in named]
        if not figures:
            raise BayesBridgeError(f"{comparison.title!r} has no {', '.join(names)}: give the headline study")
        _grouped(ax, figures, "exact" if comparison.exact else "ours")
        ax.set_xticks(range(len(figures)), [names[each.name] for each in figures])
        ax.set_title(title, fontsize=10)
    axes[1].legend(frameon=False, fontsize=8, loc="upper left")
    return axes


def _grouped(ax: Axes, figures: Sequence[Figure], own: str) -> None:
    """A group of bars for each figure, one bar for each printed run, and our figure as a line across them."""
    runs = len(figures[0].printed)
    width = 0.75 / runs
    places = np.arange(len(figures))
    for run in range(runs):
        heights = [figure.printed[run] for figure in figures]
        at = places + (run - (runs - 1) / 2) * width
        label = f"paper, run {run + 1}" if runs > 1 else "paper"
        ax.bar(at, heights, width, color=RUNS[run % len(RUNS)], edgecolor=ink(), linewidth=0.4, label=label)
    known = [(place, figure.own) for place, figure in enumerate(figures) if figure.own is not None]
    ax.hlines(
        [value for _, value in known],
        [place - 0.45 for place, _ in known],
        [place + 0.45 for place, _ in known],
        color=VERMILION,
        linewidth=2.0,
        label=own,
    )
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " ")))
    bare(ax)


def _count(comparison: Comparison, key: str) -> int:
    if key not in comparison.counts:
        raise BayesBridgeError(f"{comparison.title!r} has no count {key!r}: give the study that counts it", key=key)
    return comparison.counts[key]
