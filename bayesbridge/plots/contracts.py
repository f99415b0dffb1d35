"""Contracts side by side: expected score, and the chance that each makes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.decisions.contract_words import scheme_words
from bayesbridge.errors import BayesBridgeError
from bayesbridge.plots.palette import BLUE, GREY, SKY, bare, ink, new_axes, short_percent

if TYPE_CHECKING:
    import xarray


def plot_contracts(found: xarray.Dataset, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Expected scores of the ``most`` best contracts, thin lines two standard errors each way, with P(it makes).

    ``found`` is what :func:`contracts` gives. Dark bars were corrected by solved layouts, light ones are the network's.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> found = bb.contracts(belief.infer(draws=500, rng=1), "4S,6S,3NT", scheme="duplicate", solve=0)
    >>> [text.get_text() for text in plot_contracts(found).get_yticklabels()]
    ['6S by S', '3NT by S', '4S by S']
    """
    if "contract" not in found.dims or "score" not in found:
        raise BayesBridgeError("no contracts in there: give what bb.contracts answers", found=found)
    if most < 1:
        raise BayesBridgeError(f"most {most}: draw at least 1 contract", most=most)
    shown = found.isel(contract=slice(0, most))
    labels = [str(label) for label in shown["contract"].values]
    ax = new_axes(6.4, 1.2 + 0.3 * len(labels)) if ax is None else ax
    rows = np.arange(len(labels))
    scores, errors = shown["score"].values, 2 * shown["score_error"].values
    colours = [SKY if basis == "network" else BLUE for basis in shown["basis"].values]
    ax.barh(rows, scores, 0.62, color=colours, edgecolor=ink(), linewidth=0.6)
    ax.errorbar(scores, rows, xerr=errors, fmt="none", ecolor=ink(), elinewidth=0.8, capsize=2)
    ax.axvline(0.0, color=ink(), linewidth=0.8)
    ends = np.where(scores >= 0, scores + errors, np.maximum(scores + errors, 0.0))
    for row, end, chance in zip(rows, ends, shown["make"].values, strict=True):
        if not np.isnan(chance):  # of a deal that is passed out
            ax.annotate(
                f"{short_percent(float(chance))} %",
                (end, row),
                (4, 0),
                textcoords="offset points",
                va="center",
                fontsize=8,
            )
    ax.set_yticks(rows, labels)
    ax.invert_yaxis()
    ax.margins(x=0.12)
    ax.set_xlabel(f"expected score, {scheme_words(found.attrs['scheme'], found.attrs['vulnerable'])}")
    ax.set_title("Contracts by expected score, with the chance that each makes", fontsize=10)
    ax.grid(axis="x", linewidth=0.3, color=GREY)
    ax.set_axisbelow(True)
    ax.tick_params(left=False, labelsize=8)
    bare(ax)
    return ax
