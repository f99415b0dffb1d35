"""Colours that colour-blind readers tell apart, and that stay apart in grey print; axes that show themselves.

The colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008). Where two meet in one picture they
differ in lightness too, or one of them is hatched.

New axes lie in a figure that pyplot does not know. They are a :class:`Picture`, or :class:`Panels` where there are
several, and draw themselves when a notebook shows the value of a cell. So a picture appears once: pyplot, which shows
its own figures at the end of a cell, has none of these.
"""

from __future__ import annotations

from io import BytesIO
from typing import Any, Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from bayesbridge.errors import WrongArgument
from bayesbridge.words import short_percent as short_percent

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


LONGEST_LINE: Final = 50
"""Letters of a title beyond which it takes two lines."""

DPI: Final = 200
"""Dots in an inch of a saved picture: sharp in print and on any screen."""

ON_SCREEN: Final = 96
"""Pixels of a page in an inch."""


class Picture(Axes):
    """Axes that a notebook shows as the picture that they are part of."""

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return _image(self.figure)


class Panels(np.ndarray[Any, Any]):
    """An array of Axes in one figure, which a notebook shows as their picture."""

    @property
    def figure(self) -> Any:
        """The figure that all of them are in."""
        return self.flat[0].figure

    def _repr_png_(self) -> tuple[bytes, dict[str, int]]:
        return _image(self.figure)

    def _display_(self) -> Any:
        """What marimo shows: it would take an array for numbers."""
        return self.figure


def _image(figure: Any) -> tuple[bytes, dict[str, int]]:
    """A figure as PNG, with the size that it has on a page."""
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DPI)
    width, height = (round(ON_SCREEN * inches) for inches in figure.get_size_inches())
    return file.getvalue(), {"width": width, "height": height}


def ink() -> str:
    """The colour of text and of lines that belong to it."""
    return str(matplotlib.rcParams["text.color"])


def new_axes(width: float, height: float) -> Axes:
    """One Axes in a figure of its own, in inches."""
    figure = Figure((width, height), dpi=DPI, layout="constrained")
    ax: Axes = figure.subplots(subplot_kw={"axes_class": Picture})
    return ax


def new_grid(
    width: float, height: float, rows: int, columns: int, figure: Figure | None = None, **options: Any
) -> NDArray[Any]:
    """(rows, columns) Axes in the figure given, or in one of their own, which a notebook then shows."""
    axes: NDArray[Any]
    if figure is not None:
        axes = figure.subplots(rows, columns, squeeze=False, **options)
        return axes
    figure = Figure((width, height), dpi=DPI, layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False, subplot_kw={"axes_class": Picture}, **options)
    return axes.view(Panels)


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


def in_lines(title: str) -> str:
    """A title, in two lines where it is long, so that narrow pictures show it whole.

    >>> in_lines("Where the cards lie, as South sees it: P(seat holds card) in %")
    'Where the cards lie, as South sees it:\\nP(seat holds card) in %'
    """
    return title.replace(": ", ":\n", 1) if max(map(len, title.splitlines())) > LONGEST_LINE else title


def percent_axis(axis: Axis) -> None:
    """Ticks as percentages with all their digits: 2.5 % does not read 2 %."""
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))


def shaded_cell(ax: Axes, column: float, row: float, share: float, size: float, darkest: float = 1.0) -> None:
    """A cell of a heat map, its lower left corner at (column, row): the likelier the bluer, with the percentage.

    ``darkest`` is the share that is all blue.
    """
    shade = min(share / darkest, 1.0)
    ax.add_patch(Rectangle((column, row), 1, 1, facecolor=to_rgba(BLUE, shade), edgecolor=GREY, linewidth=0.4))
    colour = ink() if shade <= INK_UP_TO else "white"
    text = short_percent(share) if share else "·"
    ax.text(column + 0.5, row + 0.5, text, ha="center", va="center", fontsize=size, color=colour)
