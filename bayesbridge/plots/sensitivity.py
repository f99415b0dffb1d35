"""One question under several bidder models, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from bayesbridge.errors import BayesBridgeError
from bayesbridge.plots.palette import BLUE, GREY, ORANGE, VERMILION, bare, ink, new_grid, percent_axis

if TYPE_CHECKING:
    import xarray
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

MARKS: Final[dict[str, tuple[str, str, int]]] = {
    "N": ("o", BLUE, 9),
    "E": ("s", VERMILION, 6),
    "S": ("D", GREY, 5),
    "W": ("^", ORANGE, 4),
}
"""Shape, colour and size of each seat's mark: open and of different sizes, so that equal points hide none."""


def plot_sensitivity(found: xarray.Dataset, *, level: int = 1, figure: Figure | None = None) -> NDArray[Any]:
    """Bayes factors, P(T ≥ 6 + level) and the points of the hidden hands: three Axes, a row for each model.

    ``found`` is what :func:`sensitivity` gives. Lines through marks are two standard errors either way.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Called("W", "1NT"))
    >>> evidence, captures, points = plot_sensitivity(bb.sensitivity(belief, slips=[0.02, 0.1]), level=3)
    >>> captures.get_xlabel()
    "P(T ≥ 9)\\ncaptures by the paper's rule"
    """
    if level not in range(1, 8):
        raise BayesBridgeError(f"level {level!r}: a contract is at level 1 to 7", level=level)
    labels = [str(label) for label in found["model"].values]
    axes: NDArray[Any] = new_grid(9.2, 1.3 + 0.34 * len(labels), 1, 3, figure=figure, sharey=True)[0]
    evidence, captures, points = axes
    rows = -np.arange(len(labels))
    factor = found["log_bayes_factor"].values / np.log(10.0)
    error = 2 * found["log_bayes_factor_error"].values / np.log(10.0)
    shown = np.isfinite(factor)
    evidence.barh(rows[shown], factor[shown], 0.6, xerr=error[shown], color=BLUE, ecolor=ink())
    evidence.axvline(0.0, color=ink(), linewidth=0.8)
    for row in rows[~shown]:
        evidence.text(0.0, row, " impossible", va="center", fontsize=8)
    evidence.set_xlabel("log₁₀ Bayes factor")
    chance, spread = found["T_at_least"].sel(tricks=6 + level).values, 2 * found["error"].values
    captures.errorbar(chance, rows, xerr=spread, fmt="o", color=BLUE, ecolor=ink(), markersize=5)
    captures.set_xlabel(f"P(T ≥ {6 + level})\ncaptures by the paper's rule")
    captures.set_xlim(-0.03, 1.03)
    percent_axis(captures.xaxis)
    doubtful = ((found["card_probabilities"] > 1e-9) & (found["card_probabilities"] < 1 - 1e-9)).any(("card", "model"))
    for seat in (str(name) for name in found["seat"].values if bool(doubtful.sel(seat=name))):
        mark, colour, size = MARKS[seat]
        hand = found["points"].sel(seat=seat).values
        points.plot(hand, rows, mark, color=colour, label=seat, markersize=size, mfc="none", mew=1.5)
    points.set_xlabel("mean points of the hidden hands")
    points.legend(frameon=False, fontsize=8, loc="upper left", bbox_to_anchor=(1.0, 1.0))
    for ax in axes:
        bare(ax)
        ax.grid(axis="x", linewidth=0.3, color=GREY)
        ax.set_ylim(rows[-1] - 0.6, 0.6)
        ax.tick_params(left=False, labelsize=8)
    evidence.set_yticks(rows, labels)
    return axes
