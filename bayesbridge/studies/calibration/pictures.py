"""Calibration as pictures: ranks of the truth, predicted against observed places of cards, coverage of intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.plots import (
    BLUE,
    GREY,
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
from bayesbridge.studies.calibration.ranks import EDGES, LEVELS, cells_for, ecdf_band, share_band

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from bayesbridge.studies.calibration import Calibration

MARKS: Final = dict(zip(LEVELS, ((SKY, "o"), (BLUE, "s"), (ORANGE, "D"), (VERMILION, "^")), strict=True))
"""Colour and shape of the mark of each level."""

FEWEST: Final = 10
"""Places that a mark of the reliability curve stands for at least."""


def plot_ranks(
    found: Calibration,
    names: Sequence[str] | str | None = None,
    *,
    figure: Figure | None = None,
    axes: NDArray[Any] | None = None,
) -> NDArray[Any]:
    """Ranks of the truth, a row for each number: their histogram, and how far their distribution is from uniform.

    If ranks are uniform, each bar ends between the dashed lines with probability 95 %, and the whole curve stays in the
    grey band with probability 95 %.
    Returns (names, 2) Axes.

    >>> from bayesbridge.studies.calibration import calibrate, scenario_for
    >>> found = calibrate(scenario_for("sample"), deals=20)
    >>> plot_ranks(found, found.names[:3]).shape
    (3, 2)
    """
    chosen = found.names if names is None else (names,) if isinstance(names, str) else tuple(names)
    rows = [found.ranks_of(name) for name in chosen]
    if axes is None:
        axes = new_grid(6.8, 0.5 + 1.5 * len(rows), len(rows), 2, figure=figure, sharex=True)
    for (left, right), name, counts in zip(axes, chosen, rows, strict=True):
        _histogram(left, counts, found.deals)
        _departure(right, counts, found.deals)
        left.set_ylabel(name)
    axes[0, 0].set_title("ranks, share of deals", fontsize=10)
    axes[0, 1].set_title("share of ranks below, less uniform", fontsize=10)
    for ax in axes[-1]:
        ax.set_xlabel("rank of the truth")
        ax.set_xlim(0, 1)
    return axes


def plot_reliability(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """Share of cards that lay in a seat, against the probability predicted: on the diagonal if all is right.

    Bars are two standard errors, from deal to deal; the area of a mark grows with the number of places that it stands
    for, at least ten.

    >>> from bayesbridge.studies.calibration import calibrate, scenario_for
    >>> plot_reliability(calibrate(scenario_for("sample"), deals=20)).get_xlabel()
    'predicted: the card lies there'
    """
    ax = new_axes(4.6, 4.4) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0)
    enough = [(one, error) for one, error in zip(found.reliability, found.errors, strict=True) if one.cards >= FEWEST]
    predicted, observed, many = np.array([one for one, _ in enough], dtype=float).reshape(-1, 3).T
    errors = np.array([error for _, error in enough])
    ax.errorbar(predicted, observed, 2 * errors, fmt="none", ecolor=ink(), elinewidth=0.8, capsize=2, zorder=2)
    sizes = 12 + 150 * many / many.max(initial=1.0)
    ax.scatter(predicted, observed, sizes, color=BLUE, edgecolor=ink(), linewidth=0.6, zorder=3)
    cards = f"{found.cards:,}".replace(",", " ")
    ax.set_title(
        f"{cards} cards: calibration error {found.card_error:.4f}\n({found.chance_error:.4f} by chance alone)",
        fontsize=10,
    )
    for axis in (ax.xaxis, ax.yaxis):
        percent_axis(axis)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("predicted: the card lies there")
    ax.set_ylabel("observed")
    bare(ax)
    return ax


def plot_coverage(found: Calibration, *, ax: Axes | None = None) -> Axes:
    """How often central intervals held the truth, a row for each number, a mark for each level.

    The thin line is the level itself; chance alone leaves the mark in the grey bar with probability 95 %.

    >>> from bayesbridge.studies.calibration import calibrate, scenario_for
    >>> plot_coverage(calibrate(scenario_for("sample"), deals=20)).get_xlabel()
    'intervals that held the truth, of 20 deals'
    """
    ax = new_axes(6.4, 0.9 + 0.5 * len(found.names)) if ax is None else ax
    places = np.arange(len(found.names))[::-1]
    for number, (level, (colour, mark)) in enumerate(MARKS.items()):
        rows = places + 0.2 * (1.5 - number)
        ax.axvline(level, color=GREY, linewidth=0.8, zorder=0)
        ax.hlines(rows, *share_band(found.deals, level), color=PALE, linewidth=6)
        shares = [found.coverage[name][level] for name in found.names]
        ax.plot(shares, rows, mark, color=colour, markeredgecolor=ink(), markeredgewidth=0.6, label=f"{level:.0%}")
    ax.set_yticks(places, found.names)
    percent_axis(ax.xaxis)
    ax.set_xlabel(f"intervals that held the truth, of {found.deals} deals")
    ax.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
    bare(ax)
    return ax


def _histogram(ax: Axes, counts: NDArray[np.int64], deals: int) -> None:
    cells = cells_for(deals)
    shares = counts.reshape(cells, -1).sum(axis=1) / deals
    ax.bar((np.arange(cells) + 0.5) / cells, shares, 1 / cells, color=SKY, edgecolor=ink(), linewidth=0.4)
    for height, style in zip((1 / cells, *share_band(deals, 1 / cells)), ("-", "--", "--"), strict=True):
        ax.axhline(height, color=ink(), linestyle=style, linewidth=1.0)
    percent_axis(ax.yaxis)
    bare(ax)


def _departure(ax: Axes, counts: NDArray[np.int64], deals: int) -> None:
    x = np.concatenate([[0.0], EDGES, [1.0]])
    low, high = (np.concatenate([[0.0], edge - EDGES, [0.0]]) for edge in ecdf_band(deals))
    ax.fill_between(x, low, high, color=PALE, linewidth=0)
    ax.axhline(0, color=GREY, linewidth=1.0)
    below = np.concatenate([[0.0], counts.cumsum() / deals])
    ax.plot(x, below - x, color=BLUE, linewidth=1.5)
    bare(ax)
