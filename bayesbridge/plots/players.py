"""A picture of players: how often each bids, as counted and as estimated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.plots.axes import (
    BLUE,
    GREY,
    VERMILION,
    ax_or_new,
    bare,
    ink,
    percent_axis,
)

if TYPE_CHECKING:
    import xarray

INTERVAL: Final = [0.055, 0.945]
"""The quantiles that bound the middle 89 % of the draws."""


def shrinkage(
    rates: xarray.DataArray,
    counts: Mapping[str, tuple[int, int]],
    truth: Mapping[str, float] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Draw raw rates and estimated ones, a row for each player, the most active on top.

    The open circle is the raw rate, the larger the more turns; the full mark is the
    posterior mean with its 89 % interval.

    Parameters
    ----------
    rates : DataArray
        Draws of each player's rate with a dimension ``player``, such as
        :meth:`~bayesbridge.bidders.fit.Styles.bid_rates` gives.
    counts : mapping of str to (int, int)
        Bids made and turns to bid, by player.
    truth : mapping of str to float, optional
        The true rate by player, where players are simulated.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import numpy as np, xarray
    >>> draws = np.random.default_rng(1).beta([8, 3], [4, 6], size=(500, 2))
    >>> rates = xarray.DataArray(draws, {"player": ["Anna", "Bert"]}, ("draw", "player"))
    >>> ax = shrinkage(rates, {"Anna": (7, 9), "Bert": (0, 2)}, {"Anna": 0.6, "Bert": 0.4})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bert (0 of 2)', 'Anna (7 of 9)']
    """
    samples = rates.stack(sample=[dim for dim in rates.dims if dim != "player"])
    by_mean_rate = np.argsort(samples.mean("sample").values)
    samples = samples.isel(player=by_mean_rate)
    means = samples.mean("sample").values
    players = [str(name) for name in samples["player"].values]
    bids_and_turns = [counts.get(name, (0, 0)) for name in players]
    rows = np.arange(len(players))
    ax = ax_or_new(ax, 6.4, 1.4 + 0.42 * len(players))
    overall = means.mean()
    ax.axvline(overall, color=GREY, linestyle="--", linewidth=1.0, label="mean of all")
    low, high = samples.quantile(INTERVAL, "sample").values
    ax.hlines(rows, low, high, color=BLUE, linewidth=2.2)
    ax.plot(means, rows, "o", color=BLUE, markersize=6, label="estimate, 89 % interval")
    _draw_raw_rates(ax, bids_and_turns)
    if truth:
        _draw_true_rates(ax, players, truth)
    row_names = [
        f"{name} ({bids} of {turns})"
        for name, (bids, turns) in zip(players, bids_and_turns, strict=True)
    ]
    ax.set_yticks(rows, row_names)
    ax.set_ylim(-0.6, len(players) - 0.4)
    percent_axis(ax.xaxis)
    bare(ax)
    ax.legend(
        frameon=False,
        fontsize=8,
        loc="upper center",
        bbox_to_anchor=(0.4, -0.1),
        ncols=2,
        labelspacing=0.9,
    )
    return ax


def _draw_raw_rates(ax: Axes, bids_and_turns: Sequence[tuple[int, int]]) -> None:
    """Open circles at bids / turns, the larger the more turns; none without a turn.

    The width of a circle (matplotlib takes its square) grows with the root of the turns.
    """
    bids, turns = np.array(bids_and_turns, dtype=np.float64).reshape(-1, 2).T
    rows = np.flatnonzero(turns)
    widths = 4 + 1.6 * np.sqrt(turns[rows])
    ax.scatter(
        bids[rows] / turns[rows],
        rows,
        widths**2,
        facecolors="none",
        edgecolors=ink(),
        zorder=3,
        label="raw rate",
    )


def _draw_true_rates(
    ax: Axes, players: Sequence[str], truth: Mapping[str, float]
) -> None:
    """Upright strokes at the true rates of the players whose rate is known."""
    rows = [row for row, name in enumerate(players) if name in truth]
    if not rows:
        return
    ax.plot(
        [truth[players[row]] for row in rows],
        rows,
        "|",
        color=VERMILION,
        markersize=14,
        markeredgewidth=2.2,
        label="truth",
    )
