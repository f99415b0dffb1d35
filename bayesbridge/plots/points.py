"""High-card points of the hidden hands, a row of bars for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.belief.posterior import Posterior
from bayesbridge.plots.cards import hidden_seats, marginal, observer_of
from bayesbridge.plots.palette import BLUE, SKY, bare, in_lines, ink, new_axes, short_percent
from bayesbridge.summaries import shortest_interval
from bayesbridge.words import SEATS

if TYPE_CHECKING:
    import xarray

RARE: Final = 0.0005
"""Share below which the ends of a distribution are left out."""

MOST_FIGURES: Final = 24
"""Bars in a row that each have room for their figure."""


def plot_points(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """P(number of high-card points) of every hidden hand, in percent: a row of bars for each, with its mean.

    Dark bars are the shortest range that holds at least half of the probability. Bars of all rows have one scale.

    >>> import bayesbridge as bb
    >>> ax = plot_points(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['North\\nmean 7.0', 'East\\nmean 7.0', 'West\\nmean 7.0']
    """
    chances = marginal(source, "point_probabilities")
    hidden = hidden_seats(marginal(source, "card_probabilities"))
    table = chances.sel(seat=hidden)
    met = np.flatnonzero(table.max("seat").values >= RARE)
    shown = np.arange(met[0], met[-1] + 1)
    highest = float(table.max())
    ax = new_axes(7.2, 0.9 + 1.05 * len(hidden)) if ax is None else ax
    for row, seat in enumerate(hidden):
        shares = chances.sel(seat=seat).values
        low, high = shortest_interval(np.arange(len(shares)), shares, 0.5)
        colours = [BLUE if low <= points <= high else SKY for points in shown]
        heights = 0.78 * shares[shown] / highest
        bars = ax.bar(shown, heights, 0.86, bottom=-row, color=colours, edgecolor=ink(), linewidth=0.5)
        if len(shown) <= MOST_FIGURES:
            figures = [short_percent(float(share)) if share else "" for share in shares[shown]]
            ax.bar_label(bars, figures, padding=1, fontsize=6.5)
        ax.axhline(-row, color=ink(), linewidth=0.6)
    means = [float((chances.sel(seat=seat) * chances["points"]).sum()) for seat in hidden]
    labels = [f"{SEATS[seat]}\nmean {mean:.1f}" for seat, mean in zip(hidden, means, strict=True)]
    ax.set_yticks(0.35 - np.arange(len(hidden)), labels)
    step = 1 if len(shown) <= MOST_FIGURES else 2
    ax.set_xticks(shown[::step])
    ax.set_xlim(shown[0] - 0.8, shown[-1] + 0.8)
    ax.set_ylim(0.98 - len(hidden), 1.0)
    ax.tick_params(left=False, labelsize=8)
    bare(ax, keep=())
    ax.set_xlabel("high-card points")
    ax.set_title(in_lines(f"Points of hidden hands, as {observer_of(source)} sees it: P in %"), fontsize=10)
    return ax
