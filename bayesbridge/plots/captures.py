"""The row quantities of Algorithm 2 suit by suit: small multiples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.plots.palette import BLUE, SUIT_COLOURS, bare, ink, new_grid, percent_axis, verify_axes
from bayesbridge.summaries import distribution
from bayesbridge.words import SEATS, SYMBOLS

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

QUANTITIES: Final = ("c1", "c2", "delta")


def plot_captures(
    result: xarray.DataTree, *, figure: Figure | None = None, axes: NDArray[Any] | None = None
) -> NDArray[Any]:
    """c₁, c₂ and δ of every suit: (4, 3) Axes, a row a suit and a column a quantity.

    They are drawn on the ``axes`` given, or in the ``figure`` given, or in a new one.

    >>> import bayesbridge as bb
    >>> plot_captures(bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))).shape
    (4, 3)
    """
    if axes is None:
        axes = new_grid(7.2, 6.0, 4, 3, figure=figure, sharex="col", sharey="col")
    verify_axes(axes, 4, 3)
    first, second = (SEATS[str(seat)] for seat in result["constant_data"].to_dataset()["pair"].values)
    heads = (f"$c_1$: cards of {first}", f"$c_2$: cards of {second}", "$\\delta$: leading gap")
    for column, (name, head) in enumerate(zip(QUANTITIES, heads, strict=True)):
        pmf = distribution(result, name)
        values = pmf[f"{name}_value"].values
        last = max(5, int(values[np.flatnonzero(pmf.max("suit").values >= 0.0005)[-1]]))
        for row, (suit, symbol) in enumerate(SYMBOLS.items()):
            ax = axes[row, column]
            ax.bar(values, pmf.sel(suit=suit).values, color=BLUE, edgecolor=ink(), linewidth=0.4)
            ax.set_xlim(-0.7, last + 0.7)
            ax.set_xticks(range(0, last + 1, 1 if last < 7 else 2))
            percent_axis(ax.yaxis)
            ax.tick_params(labelsize=8)
            bare(ax)
            if row == 0:
                ax.set_title(head, fontsize=10)
            if column == 0:
                ax.set_ylabel(symbol, rotation=0, fontsize=17, color=SUIT_COLOURS.get(suit, ink()), labelpad=12)
    return axes
