"""The distribution of any output of any estimator."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.errors import BayesBridgeError
from bayesbridge.plots.palette import BLUE, SKY, bare, ink, new_axes, percent_axis, shaded_cell
from bayesbridge.plots.tricks import plot_numbers, plot_tricks
from bayesbridge.trick_counts import Asked

if TYPE_CHECKING:
    import xarray
    from numpy.typing import NDArray

BINS: Final = 30
"""Bars of a number that is not whole."""

MOST_ROWS: Final = 52
"""Labels of an output that one table shows."""

WIDEST: Final = 20
"""Values that a table has columns for; of more, neighbours share one."""


def plot_distribution(result: xarray.DataTree, name: str, *, ax: Axes | None = None, **where: Any) -> Axes:
    """How likely each value of an output is, whatever it is: ``name`` as the result and its estimator call it.

    One whole number is drawn as bars, tricks as :func:`plot_tricks` draws them, another number as a histogram of its
    draws and their weights. An output with several numbers, as one for each suit, is a shaded table with the mean at
    the end of each row; ``where``, as ``suit="S"``, picks one of them.

    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> plot_distribution(result, "delta").get_title()
    'delta of S and N: P in % (exact)'
    >>> plot_distribution(result, "delta", suit="H").get_xlabel()
    'delta'
    """
    draws = _draws(result, name)
    pmfs = result["pmf"].to_dataset()
    dims = [str(dim) for dim in draws.dims if dim not in ("chain", "draw", f"{name}_value", *where)]
    whole = name in pmfs
    picked = "".join(f", {value}" for value in where.values())
    how = "exact" if draws.attrs["exact"] else "estimated"
    title = f"{name} of {Asked.of_result(result).names}{picked}"
    if whole and dims:
        return _table(pmfs[name].sel(where), name, f"{title}: P in % ({how})", ax)
    ax = new_axes(6.4, 3.6) if ax is None else ax
    if whole and pmfs[name].attrs.get("counts_tricks"):
        return plot_tricks(result, name, ax=ax, **where)
    if whole:
        plot_numbers(result, name, ax, **where)
    elif dims:
        raise BayesBridgeError(f"{name!r} has several numbers: pick one by {', '.join(dims)}", name=name)
    else:
        _histogram(result, draws.sel(where), name, ax)
    said = str(draws.attrs["long_name"]).removesuffix(".")
    ax.set_title(f"{title} ({how})\n{said if len(said) <= 72 else f'{said[:70]}…'}", fontsize=10)
    return ax


def _draws(result: xarray.DataTree, name: str) -> xarray.DataArray:
    known = result["posterior"].to_dataset()
    if name not in known:
        raise BayesBridgeError(f"the result has no output {name!r}: it has {', '.join(map(str, known))}", name=name)
    return known[name]


def _histogram(result: xarray.DataTree, draws: xarray.DataArray, name: str, ax: Axes) -> None:
    """Shares of the draws by their weights."""
    stats = result["sample_stats"].to_dataset()
    values = draws.values.ravel().astype(np.float64)
    logs = stats["log_weight"].values.ravel() if "log_weight" in stats else np.zeros(len(values))
    weights = np.exp(logs - logs.max())
    ax.hist(values, BINS, weights=weights / weights.sum(), color=SKY, edgecolor=ink(), linewidth=0.5)
    mean = (
        float(draws.attrs["mean"]) if np.ndim(draws.attrs["mean"]) == 0 else float(np.average(values, weights=weights))
    )
    ax.axvline(mean, color=BLUE, linestyle="--", linewidth=1.4, label=f"mean {mean:.3g}")
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
    percent_axis(ax.yaxis)
    ax.set_xlabel(name)
    ax.set_ylabel("probability")


def _table(pmf: xarray.DataArray, name: str, title: str, ax: Axes | None) -> Axes:
    """Labels × values, the likelier the bluer."""
    dims = [str(dim) for dim in pmf.dims[:-1]]
    flat = pmf.stack(label=dims).transpose("label", pmf.dims[-1])
    labels = [" ".join(map(str, label)) for label in flat["label"].values]
    if len(labels) > MOST_ROWS:
        raise BayesBridgeError(f"{name!r} has {len(labels)} numbers: pick some by {', '.join(dims)}", name=name)
    values, shares = pmf[pmf.dims[-1]].values, flat.values
    means = (shares * values).sum(axis=1)
    heads, shares = _grouped(values, shares)
    rows, columns = shares.shape
    ax = new_axes(max(4.8, 1.8 + 0.42 * columns), 1.0 + 0.3 * rows) if ax is None else ax
    for row in range(rows):
        for column in range(columns):
            shaded_cell(ax, column, -row - 1, float(shares[row, column]), 7)
        ax.text(columns + 0.8, -row - 0.5, f"{means[row]:.2f}", ha="center", va="center", fontsize=8)
    ax.set_xlim(0, columns + 1.6)
    ax.set_ylim(-rows - 0.05, 0.1)
    turned = 45 if max(map(len, heads)) > 4 else 0  # ranges of values have no room beside each other
    ax.set_xticks([*(np.arange(columns) + 0.5), columns + 0.8], [*heads, "mean"], rotation=turned)
    ax.set_yticks(-np.arange(rows) - 0.5, labels)
    ax.xaxis.tick_top()
    ax.tick_params(left=False, top=False, labelsize=8)
    bare(ax, keep=())
    ax.set_ylabel(", ".join(dims))
    ax.set_title(title, fontsize=10)
    return ax


def _grouped(values: NDArray[Any], shares: NDArray[np.float64]) -> tuple[list[str], NDArray[np.float64]]:
    """Columns from the first to the last value that occurs; of very many values, neighbours together."""
    met = np.flatnonzero((shares > 0).any(axis=0))
    values, shares = values[met[0] : met[-1] + 1], shares[:, met[0] : met[-1] + 1]
    step = -(-len(values) // WIDEST)
    starts = np.arange(0, len(values), step)
    ends = np.minimum(starts + step, len(values)) - 1
    heads = [
        str(values[first]) if first == last else f"{values[first]}–{values[last]}"
        for first, last in zip(starts, ends, strict=True)
    ]
    return heads, np.clip(np.add.reduceat(shares, starts, axis=1), 0.0, 1.0)
