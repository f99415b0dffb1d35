"""Two numbers of a layout together, as a shaded table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.errors import BayesBridgeError
from bayesbridge.plots.palette import bare, new_axes, shaded_cell, short_percent

if TYPE_CHECKING:
    import xarray


def plot_joint(joint: xarray.Dataset, *, ax: Axes | None = None) -> Axes:
    """P(both numbers) in percent, from :func:`joint_distribution` with two names; sums stand at the right and above.

    Rows and columns that no layout has are left out.

    >>> import bayesbridge as bb
    >>> joint = bb.joint_distribution(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1), "T", "length[N:H]")
    >>> ax = plot_joint(joint)
    >>> ax.get_ylabel(), ax.get_xlabel()
    ('T', 'length[N:H]')
    """
    shares = joint["probability"]
    if shares.ndim != 2:
        raise BayesBridgeError(f"{shares.ndim} numbers: a picture shows two, give joint_distribution two names")
    down, across = (str(dim) for dim in shares.dims)
    shares = shares.isel(
        {dim: np.flatnonzero(shares.sum(other) > 0) for dim, other in ((down, across), (across, down))}
    )
    rows, columns = shares.shape
    ax = new_axes(1.6 + 0.42 * columns, 1.2 + 0.3 * rows) if ax is None else ax
    values, darkest = shares.values, float(shares.max())
    for row in range(rows):
        for column in range(columns):
            shaded_cell(ax, column, -row - 1, float(values[row, column]), 7, darkest)
        ax.text(
            columns + 0.6, -row - 0.5, short_percent(float(values[row].sum())), ha="center", va="center", fontsize=7
        )
    for column in range(columns):
        total = short_percent(float(values[:, column].sum()))
        ax.text(column + 0.5, 0.6, total, ha="center", va="center", fontsize=7)
    ax.text(columns + 0.6, 0.6, "all", ha="center", va="center", fontsize=7, style="italic")
    ax.set_xlim(0, columns + 1.2)
    ax.set_ylim(-rows - 0.05, 1.2)
    ax.set_xticks(np.arange(columns) + 0.5, [str(label) for label in shares[across].values])
    ax.set_yticks(-np.arange(rows) - 0.5, [str(label) for label in shares[down].values])
    ax.tick_params(left=False, bottom=False, labelsize=8)
    bare(ax, keep=())
    ax.set_xlabel(across)
    ax.set_ylabel(down)
    how = "exact" if joint.attrs["exact"] else "estimated"
    ax.set_title(f"{down} and {across} together: P in % ({how})", fontsize=10)
    return ax
