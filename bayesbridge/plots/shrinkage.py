"""What was counted for each player beside what is believed of them: how far an estimate moves towards the others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesbridge.plots.palette import BLUE, GREY, VERMILION, bare, ink, new_axes, percent_axis

if TYPE_CHECKING:
    import xarray
    from matplotlib.axes import Axes

INTERVAL = 0.89
"""Probability of the interval, as ArviZ has it."""


def plot_shrinkage(
    rates: xarray.DataArray,
    counts: Mapping[str, tuple[int, int]],
    truth: Mapping[str, float] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Raw rates and estimated ones, one row for each player, the most active on top.

    ``rates``: draws of each player's rate with a dimension ``player``, such as
    :meth:`~bayesbridge.bidders.styles.Styles.bid_rates` gives. ``counts``: player → (bids made, turns to bid). The open
    circle is the raw rate, bids / turns, the larger the more turns; the full mark is the posterior mean with its 89 %
    interval; an arrow leads from one to the other. The dashed line is the mean of all estimates. ``truth``: player →
    true rate, where players are simulated.

    >>> import numpy as np, xarray
    >>> draws = np.random.default_rng(1).beta([8, 3], [4, 6], size=(500, 2))
    >>> rates = xarray.DataArray(draws, {"player": ["Anna", "Bert"]}, ("draw", "player"))
    >>> ax = plot_shrinkage(rates, {"Anna": (7, 9), "Bert": (0, 2)}, {"Anna": 0.6, "Bert": 0.4})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bert (0 of 2)', 'Anna (7 of 9)']
    """
    samples = rates.stack(sample=[dim for dim in rates.dims if dim != "player"]).transpose("player", "sample")
    means = samples.mean("sample").values
    edges = np.quantile(samples.values, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2], axis=1)
    players = [str(name) for name in samples["player"].values]
    order = np.argsort(means)
    if ax is None:
        ax = new_axes(6.4, 1.4 + 0.42 * len(players))
    ax.axvline(means.mean(), color=GREY, linestyle="--", linewidth=1.0, label="mean of all")
    labels: dict[str, Any] = {"raw": "raw rate", "estimate": "estimate, 89 % interval", "truth": "truth"}
    for row, which in enumerate(order):
        name = players[which]
        bids, turns = counts.get(name, (0, 0))
        ax.plot(edges[:, which], [row, row], color=BLUE, linewidth=2.2, solid_capstyle="round")
        ax.plot(means[which], row, "o", color=BLUE, markersize=6, label=labels.pop("estimate", None))
        if turns:
            raw, size = bids / turns, 4 + 1.6 * turns**0.5
            head = {"arrowstyle": "->", "color": ink(), "linewidth": 0.8, "shrinkA": size / 2, "shrinkB": 3}
            ax.annotate("", (means[which], row), (raw, row + 0.3), arrowprops=head)
            style = {"mfc": "none", "mec": ink(), "markersize": size, "linestyle": ""}
            ax.plot(raw, row + 0.3, marker="o", label=labels.pop("raw", None), **style)
        if truth is not None and name in truth:
            style = {"color": VERMILION, "markersize": 14, "markeredgewidth": 2.2, "linestyle": ""}
            ax.plot(truth[name], row, marker="|", label=labels.pop("truth", None), **style)
    texts = ["{} ({} of {})".format(players[which], *counts.get(players[which], (0, 0))) for which in order]
    ax.set_yticks(range(len(players)), texts)
    ax.set_ylim(-0.6, len(players) - 0.2)
    shares = [bids / turns for bids, turns in counts.values() if turns]
    most = max([float(edges.max()), *shares, *(truth or {}).values()])
    ax.set_xlim(-0.04 * most, 1.06 * most)
    percent_axis(ax.xaxis)
    bare(ax)
    ax.legend(frameon=False, fontsize=8, loc="upper center", bbox_to_anchor=(0.4, -0.1), ncols=2, labelspacing=0.9)
    return ax
