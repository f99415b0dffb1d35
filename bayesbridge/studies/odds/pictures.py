"""The reliability diagram of P(make): told beside observed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.plots.palette import BLUE, GREY, ORANGE, SKY, VERMILION, bare, ink, new_axes, percent_axis
from bayesbridge.studies.odds.scores import AT_TRUTH, CORRECTED, NETWORK, REACHED
from bayesbridge.words import counted

if TYPE_CHECKING:
    from bayesbridge.studies.odds import Odds

MARKS: Final = {NETWORK: (BLUE, "o"), REACHED: (VERMILION, "D"), CORRECTED: (ORANGE, "s"), AT_TRUTH: (SKY, "^")}

FEWEST: Final = 10
"""Boards that a mark stands for at least."""


def plot_odds(found: Odds, *, ax: Axes | None = None) -> Axes:
    """Share of contracts that make, against the chance told: on the diagonal if all is right.

    Bars are two standard errors of the share, by the chances told; a mark stands for ten boards at least.

    >>> from bayesbridge.studies.odds import Odds, Plan
    >>> import numpy as np
    >>> plot_odds(Odds.of(Plan("boards.pbn", 2), np.array([[1, 1, 0, 0, 0, 0, 0, 0, 0, 0]]))).get_ylabel()
    'share that make, double dummy'
    """
    ax = new_axes(5.2, 4.8) if ax is None else ax
    ax.plot([0, 1], [0, 1], color=GREY, linewidth=1.0)
    for one in found.forecasts:
        if one.name not in MARKS:
            continue
        colour, mark = MARKS[one.name]
        told, observed, many = np.array([bin_ for bin_ in one.bins if bin_.cards >= FEWEST], float).reshape(-1, 3).T
        errors = 2 * np.sqrt(told * (1 - told) / many)
        label = f"{one.name}: {counted(len(one.told), 'board')}, error {100 * one.error:.1f} points"
        ax.errorbar(told, observed, errors, fmt="none", ecolor=colour, elinewidth=0.8, capsize=2)
        ax.plot(told, observed, mark, color=colour, markeredgecolor=ink(), markeredgewidth=0.6, label=label)
    for axis in (ax.xaxis, ax.yaxis):
        percent_axis(axis)
    ax.set_xlim(-0.02, 1.02)
    ax.set_ylim(-0.02, 1.02)
    ax.set_aspect("equal")
    ax.set_xlabel("told: the contract makes")
    ax.set_ylabel("share that make, double dummy")
    ax.legend(fontsize=7, loc="lower center", bbox_to_anchor=(0.5, 1.0), frameon=False)
    bare(ax)
    return ax
