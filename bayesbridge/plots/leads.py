"""Leads side by side: how often each beats the contract, or what it takes."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.decisions.lead_table import Leads
from bayesbridge.plots.palette import BLUE, GREY, PALE, bare, ink, new_axes, percent_axis
from bayesbridge.words import SEATS


def plot_leads(found: Leads, *, ax: Axes | None = None) -> Axes:
    """P(the contract is beaten) after each lead, or tricks where they are the goal, thin lines two standard errors.

    ``found`` is what :func:`leads` gives. Blue bars are the best lead and all that the test cannot tell from it; the
    test compares leads on the same layouts, so two bars may differ surely although their lines overlap.

    >>> from bayesbridge import Card, Contract, Seat
    >>> from bayesbridge.decisions.lead_table import Lead
    >>> none, told = (0.0, 0.0), {"H9": (0.4, 0.03), "CJ": (0.2, 0.02)}
    >>> rows = [Lead((Card.of(card),), told[card], (4.0, 0.1), none, none, card == "H9") for card in told]
    >>> found = Leads(Contract.of("3NT by S"), Seat.W, "beat", tuple(rows), 100, False)
    >>> plot_leads(found).get_title()
    'West leads against 3NT by S; blue: the best'
    """
    beat = found.goal == "beat"
    figures = np.array([choice.beaten if beat else choice.tricks for choice in found.choices])
    ax = new_axes(6.4, 1.2 + 0.3 * len(figures)) if ax is None else ax
    rows = np.arange(len(figures))
    colours = [BLUE if choice.close else PALE for choice in found.choices]
    ax.barh(rows, figures[:, 0], 0.62, color=colours, edgecolor=ink(), linewidth=0.6)
    if not found.exact:
        ax.errorbar(figures[:, 0], rows, xerr=2 * figures[:, 1], fmt="none", ecolor=ink(), elinewidth=0.8, capsize=2)
    ax.set_yticks(rows, [choice.name for choice in found.choices])
    ax.invert_yaxis()
    ax.set_xlim(left=0.0)
    if beat:
        percent_axis(ax.xaxis)
    ax.set_xlabel("P(beaten), double dummy" if beat else "tricks of the defence, double dummy")
    told = "the best" if found.clear else "too close to call"
    ax.set_title(f"{SEATS[found.leader.name]} leads against {found.contract}; blue: {told}", fontsize=10)
    ax.grid(axis="x", linewidth=0.3, color=GREY)
    ax.set_axisbelow(True)
    ax.tick_params(left=False, labelsize=8)
    bare(ax)
    return ax
