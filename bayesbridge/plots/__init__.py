"""Results as pictures: one function for each picture, drawn on matplotlib Axes.

Nothing is computed here. The colours are those of M. Okabe and K. Ito, "Color Universal
Design" (2008), which colour-blind readers tell apart. Where two meet in one picture they
differ in lightness too, or one of them is hatched.
"""

from bayesbridge.plots.axes import BLUE as BLUE
from bayesbridge.plots.axes import DPI as DPI
from bayesbridge.plots.axes import GREY as GREY
from bayesbridge.plots.axes import ORANGE as ORANGE
from bayesbridge.plots.axes import PALE as PALE
from bayesbridge.plots.axes import SKY as SKY
from bayesbridge.plots.axes import VERMILION as VERMILION
from bayesbridge.plots.axes import Panels as Panels
from bayesbridge.plots.axes import Picture as Picture
from bayesbridge.plots.axes import bare as bare
from bayesbridge.plots.axes import ink as ink
from bayesbridge.plots.axes import new_axes as new_axes
from bayesbridge.plots.axes import new_grid as new_grid
from bayesbridge.plots.axes import percent_axis as percent_axis
from bayesbridge.plots.choices import call_values, contracts, play, suit_play
from bayesbridge.plots.experiments import auction, match, paper_runs, shift
from bayesbridge.plots.hands import cards, lengths, points
from bayesbridge.plots.outputs import contract, distribution, prior_posterior, tricks
from bayesbridge.plots.players import shrinkage
from bayesbridge.plots.steps import sharpening

__all__ = [
    "auction",
    "call_values",
    "cards",
    "contract",
    "contracts",
    "distribution",
    "lengths",
    "match",
    "paper_runs",
    "play",
    "points",
    "prior_posterior",
    "sharpening",
    "shift",
    "shrinkage",
    "suit_play",
    "tricks",
]
