"""How a belief sharpens, event by event: entropy, captures, the chance of the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from bayesbridge.belief.belief import Belief
from bayesbridge.history import sharpening
from bayesbridge.plots.palette import BLUE, ORANGE, VERMILION, bare, new_grid, percent_axis, verify_axes

if TYPE_CHECKING:
    import pandas
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

MOST_LABELS = 30
"""Events that get a label each; of more, every second, third … one does."""


def plot_sharpening(
    source: pandas.DataFrame | Belief,
    *,
    figure: Figure | None = None,
    axes: NDArray[Any] | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Entropy, E[T], and the chances of T and of the contract after every event: three Axes, one above the other.

    ``source`` is the table of :func:`bayesbridge.sharpening`, or a belief, for which ``options`` (``pair``,
    ``contract``, ``level``, ``by_card``, ``draws``, ``rng``) make that table. Full marks are exact, open ones sampled.
    That the contract is made is double dummy by the network ``tricks``, and shown where there is a contract.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Void("E", "H"))
    >>> entropy, captures, chances = plot_sharpening(belief, level=3)
    >>> entropy.get_ylabel()
    'entropy, bits'
    """
    table = sharpening(source, **options) if isinstance(source, Belief) else source
    places = np.arange(len(table))
    if axes is None:
        axes = new_grid(max(6.4, 1.5 + 0.3 * min(len(table), MOST_LABELS)), 6.4, 3, 1, figure=figure, sharex=True)[:, 0]
    entropy, captures, chances = verify_axes(axes, 3)
    exact = table["exact"].to_numpy(dtype=bool)
    _line(entropy, places, table["entropy_bits"], exact, BLUE, "-", "o")
    entropy.set_ylabel("entropy, bits")
    entropy.set_ylim(0, 1.08 * max(1.0, float(table["entropy_bits"].max())))
    _line(captures, places, table["T_mean_qualified"], exact, BLUE, "-", "o", "given that the conditions hold")
    _line(captures, places, table["T_mean"], exact, VERMILION, "--", "s", "with 0 where they fail")
    captures.set_ylabel("mean of T, captures")
    captures.set_ylim(0, 13.5)
    level = table.attrs.get("level", 1)
    _line(chances, places, table["qualified"], exact, VERMILION, "--", "s", "the conditions hold")
    _line(chances, places, table["T_at_least"], exact, BLUE, "-", "o", f"T ≥ {6 + level}")
    if table["made"].notna().any():
        drawn = table["made_error"].to_numpy() == 0.0
        label = f"{table.attrs.get('contract') or 'contract'} made, double dummy by the network"
        _line(chances, places, table["made"], drawn, ORANGE, ":", "D", label)
    chances.set_ylabel("probability")
    chances.set_ylim(-0.03, 1.05)
    percent_axis(chances.yaxis)
    for ax in axes:
        bare(ax)
        ax.grid(axis="y", linewidth=0.3)
    for ax in (captures, chances):
        ax.legend(frameon=False, fontsize=8, loc="best")
    shown = places[:: -(-len(table) // MOST_LABELS)]
    chances.set_xticks(shown, [_short(str(table["event"].iloc[place])) for place in shown], rotation=60, fontsize=8)
    for label in chances.get_xticklabels():
        label.set_horizontalalignment("right")
        label.set_rotation_mode("anchor")
    return axes


def _line(
    ax: Axes,
    places: NDArray[np.int64],
    values: pandas.Series[Any],
    exact: NDArray[np.bool_],
    colour: str,
    style: str,
    marker: str,
    label: str | None = None,
) -> None:
    ax.plot(places, values, color=colour, linestyle=style, linewidth=1.4, marker=marker, markersize=4.5, label=label)
    sampled, inside = ~exact, ax.get_facecolor()
    ax.plot(places[sampled], values[sampled], color=colour, linestyle="", marker=marker, markersize=4.5, mfc=inside)


def _short(event: str) -> str:
    """A trick by its number, a hand laid open without its cards, anything else in full unless it is long."""
    if event.startswith("trick "):
        return event.partition(":")[0]
    if " shows " in event:
        return f"{event.partition(' shows ')[0]} shows its hand"
    return event if len(event) <= 24 else f"{event[:22]}…"
