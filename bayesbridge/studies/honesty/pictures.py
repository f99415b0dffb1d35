"""Honesty as a picture: the spread of answers in units of the errors that they state, position by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.plots import BLUE, GREY, ORANGE, PALE, SKY, VERMILION, bare, ink, new_axes
from bayesbridge.studies.honesty.answers import CONTROL
from bayesbridge.studies.honesty.scores import BAND, rms

if TYPE_CHECKING:
    from bayesbridge.studies.honesty import Honesty

MARKS: Final = {
    "auto": (BLUE, "o"),
    "sample": (SKY, "s"),
    "exact": (SKY, "D"),
    "tilted": (ORANGE, "^"),
    "smc": (VERMILION, "v"),
    "weights": (GREY, "P"),
    "joint": (ORANGE, "*"),
    "control": (VERMILION, "X"),
}
"""Colour and shape of the mark of each engine."""

HIGHEST: Final = 2.0
"""Where marks end: higher ones stand at the upper edge."""


def plot_honesty(found: Honesty, *, ax: Axes | None = None) -> Axes:
    """Root mean square of z by position, a mark for each engine, all numbers together; the band is honest.

    Bars are the intervals; engines whose answers are exact there have no mark.

    >>> from bayesbridge.studies.honesty import simulate
    >>> plot_honesty(simulate(1, 1, seeds=5, engine=("sample",)).source).get_ylabel()
    'root mean square of z'
    """
    cases = [one.answers.case for one in found.scores]
    names = list(dict.fromkeys(case.position.name for case in cases))
    ax = new_axes(max(4.8, 1.6 + 0.26 * len(names)), 4.2) if ax is None else ax
    ax.axhspan(*BAND, color=PALE, linewidth=0, zorder=0)
    ax.axhline(1.0, color=GREY, linewidth=0.8, zorder=1)
    for engine, (colour, mark) in MARKS.items():
        of_engine = [(names.index(one.answers.case.position.name), rms([one.told])) for one in found.scores
                     if one.answers.case.engine == engine]  # fmt: skip
        drawn = [(place, interval) for place, interval in of_engine if np.isfinite(interval.value)]
        if not drawn:
            continue
        shift = 0.09 * (list(MARKS).index(engine) - 3.5)
        x = np.array([place for place, _ in drawn]) + shift
        value, low, high = np.clip(np.array([interval for _, interval in drawn]).T, 0.0, HIGHEST)
        ax.vlines(x, low, high, color=colour, linewidth=0.9, zorder=2)
        label = "as if weights were equal" if engine == CONTROL else engine
        ax.plot(x, value, mark, color=colour, markeredgecolor=ink(), markeredgewidth=0.5, markersize=5, label=label)
    ax.set_xticks(range(len(names)), names, rotation=90, fontsize=7)
    ax.set_xlim(-0.7, len(names) - 0.3)
    ax.set_ylim(0.4, HIGHEST)
    ax.set_ylabel("root mean square of z")
    ax.legend(fontsize=8, loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=4, frameon=False)
    bare(ax)
    return ax
