"""Colours that colour-blind readers tell apart, and that stay apart in grey print; axes without pyplot.

The colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008). Where two meet in one picture they
differ in lightness too, or one of them is hatched.
"""

from __future__ import annotations

from typing import Any, Final

import matplotlib
from matplotlib.axes import Axes
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from bayesbridge.errors import WrongArgument

BLUE: Final = "#0072B2"
SKY: Final = "#56B4E9"
ORANGE: Final = "#E69F00"
VERMILION: Final = "#D55E00"
GREY: Final = "#999999"
PALE: Final = "#E5E5E5"

HATCH: Final = "////"

SUIT_COLOURS: Final = {"H": VERMILION, "D": VERMILION}
"""The red suits; the black ones take the colour of text."""

INK_UP_TO: Final = 0.8
"""Share of blue up to which text keeps its colour: readable on paper and on a dark screen."""


def ink() -> str:
    """The colour of text and of lines that belong to it."""
    return str(matplotlib.rcParams["text.color"])


def new_axes(width: float, height: float) -> Axes:
    """One Axes in a figure of its own, in inches."""
    return Figure((width, height), layout="constrained").subplots()


def new_grid(
    width: float, height: float, rows: int, columns: int, figure: Figure | None = None, **options: Any
) -> NDArray[Any]:
    """(rows, columns) Axes in the figure given, or in one of their own."""
    if figure is None:
        figure = Figure((width, height), layout="constrained")
    axes: NDArray[Any] = figure.subplots(rows, columns, squeeze=False, **options)
    return axes


def verify_axes(axes: NDArray[Any], *shape: int) -> NDArray[Any]:
    """The axes that a user gave if they are Axes and as many as wanted; raises otherwise."""
    if axes.shape != shape or not all(isinstance(ax, Axes) for ax in axes.flat):
        raise WrongArgument(
            f"axes of shape {axes.shape} and type {axes.dtype}: give {shape} Axes", argument="axes", value=axes
        )
    return axes


def bare(ax: Axes, *, keep: tuple[str, ...] = ("left", "bottom")) -> None:
    """Take away the lines of the frame that say nothing."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)


def short_percent(share: float) -> str:
    """A probability in at most four characters, without the sign.

    >>> [short_percent(share) for share in (0, 0.0004, 0.004, 0.0449, 0.449, 0.9996, 1)]
    ['0', '<0.1', '0.4', '4.5', '45', '>99', '100']
    """
    hundredths = 100.0 * share
    if hundredths in (0.0, 100.0):
        return f"{hundredths:.0f}"
    if hundredths < 0.05:
        return "<0.1"
    if hundredths > 99.5:
        return ">99"
    return f"{hundredths:.1f}" if hundredths < 9.95 else f"{hundredths:.0f}"


def shaded_cell(ax: Axes, column: float, row: float, share: float, size: float, darkest: float = 1.0) -> None:
    """A cell of a heat map, its lower left corner at (column, row): the likelier the bluer, with the percentage.

    ``darkest`` is the share that is all blue.
    """
    shade = min(share / darkest, 1.0)
    ax.add_patch(Rectangle((column, row), 1, 1, facecolor=to_rgba(BLUE, shade), edgecolor=GREY, linewidth=0.4))
    colour = ink() if shade <= INK_UP_TO else "white"
    text = short_percent(share) if share else "·"
    ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=size, color=colour)
