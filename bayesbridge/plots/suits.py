"""Plans for a suit: how often each number of tricks is reached."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.decisions.suit_play import SuitPlay
from bayesbridge.plots.palette import BLUE, HATCH, PALE, bare, ink, new_axes, percent_axis, short_percent


def plot_suit_play(play: SuitPlay, *, ax: Axes | None = None) -> Axes:
    """For each number of tricks: P(so many or more) by its own best plan, and by the plan with most on average.

    ``play`` is what :func:`suit_play` gives.

    >>> import bayesbridge as bb
    >>> plot_suit_play(bb.suit_play("AQJ32", "654")).get_title()
    'AQJ32 opposite 654: 4.139 tricks on average'
    """
    goals = range(play.sure, max((line.goal or 0 for line in play.goals), default=play.sure) + 1)
    own = {line.goal: line.chance for line in play.goals}
    bars: tuple[tuple[str, list[float], dict[str, Any]], ...] = (
        ("the plan for so many tricks", [own.get(goal, 1.0) for goal in goals], {"color": BLUE}),
        ("the plan for most tricks on average", [play.best.at_least.get(goal, 1.0) for goal in goals], {
            "color": PALE, "hatch": HATCH,
        }),
    )  # fmt: skip
    ax = new_axes(max(4.4, 1.6 + 0.9 * len(goals)), 3.4) if ax is None else ax
    places = np.arange(len(goals))
    for shift, (label, shares, look) in zip((-0.2, 0.2), bars, strict=True):
        ax.bar(places + shift, shares, 0.38, label=label, edgecolor=ink(), linewidth=0.6, **look)
        for place, share in zip(places, shares, strict=True):
            ax.annotate(short_percent(share), (place + shift, share), (0, 2), textcoords="offset points", ha="center",
                        fontsize=8)  # fmt: skip
    ax.set_xticks(places, [f"{goal} or more" for goal in goals])
    ax.set_ylim(0, 1.32)
    ax.set_yticks(np.linspace(0, 1, 5))
    percent_axis(ax.yaxis)
    ax.set_xlabel("tricks in the suit, against the best defence")
    ax.set_title(f"{play.first} opposite {play.second}: {play.best.tricks:.3f} tricks on average", fontsize=10)
    ax.legend(frameon=False, fontsize=8, loc="upper right")
    ax.tick_params(labelsize=8)
    bare(ax)
    return ax
