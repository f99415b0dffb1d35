"""What pictures are made of: axes that notebooks show, colours, bars, shaded cells."""

from __future__ import annotations

from collections.abc import Sequence
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

from bayesbridge.display.words import short_percent
from bayesbridge.game.layouts import Floats

BLUE: Final = "#0072B2"
SKY: Final = "#56B4E9"
ORANGE: Final = "#E69F00"
VERMILION: Final = "#D55E00"
GREY: Final = "#999999"
PALE: Final = "#E5E5E5"

HATCH: Final = "////"
SUIT_COLOURS: Final = {"H": VERMILION, "D": VERMILION}

DPI: Final = 200
CSS_PIXELS_PER_INCH: Final = 96

LONGEST_TITLE: Final = 50
"""Characters of a title that a narrow picture shows on one line."""

WHITE_FROM: Final = 0.8
"""Probability above which the figure in a shaded cell is white, to be readable."""

MOST_LABELLED_BARS: Final = 20
"""Bars up to which each has its percentage above it."""


def _png(picture: Any) -> tuple[bytes, dict[str, int]]:
    """The figure of Axes or of panels as PNG, with the size that it has on a page."""
    figure = picture.figure
    file = BytesIO()
    figure.savefig(file, format="png", dpi=DPI)
    width, height = (
        round(CSS_PIXELS_PER_INCH * inches) for inches in figure.get_size_inches()
    )
    return file.getvalue(), {"width": width, "height": height}


class Picture(Axes):
    """Axes that a notebook shows as the picture that they are part of."""

    _repr_png_ = _png


class Panels(np.ndarray[Any, Any]):
    """An array of Axes in one figure, which a notebook shows as their picture."""

    @property
    def figure(self) -> Any:
        """The figure that all the Axes are in."""
        return self.flat[0].figure

    _repr_png_ = _png

    def _display_(self) -> Any:
        """What marimo shows: it would take an array for numbers."""
        return self.figure


def ink() -> str:
    """The colour of text in the style that is set, also used for thin lines."""
    return str(matplotlib.rcParams["text.color"])


def new_axes(width: float, height: float) -> Axes:
    """One Axes in a figure of its own, in inches, that pyplot does not know."""
    ax: Axes = new_grid(width, height, 1, 1)[0, 0]
    return ax


def ax_or_new(ax: Axes | None, width: float, height: float) -> Axes:
    """The Axes to draw on: those that were given, else new ones of this size."""
    if ax is None:
        return new_axes(width, height)
    return ax


def new_grid(
    width: float,
    height: float,
    rows: int,
    columns: int,
    figure: Figure | None = None,
    **options: Any,
) -> NDArray[Any]:
    """Axes in rows and columns, in a new figure that a notebook shows.

    Parameters
    ----------
    width, height : float
        Size of the new figure in inches.
    rows, columns : int
        How many Axes there are below and beside each other.
    figure : matplotlib Figure, optional
        One to draw in, instead of a new one.
    **options
        Further options of ``Figure.subplots``, such as ``sharex``.

    Returns
    -------
    array of Axes, shape (rows, columns)
    """
    if figure is None:
        figure = Figure((width, height), dpi=DPI, layout="constrained")
        options["subplot_kw"] = {"axes_class": Picture}
    axes: NDArray[Any] = figure.subplots(rows, columns, squeeze=False, **options)
    return axes.view(Panels)


def bare(ax: Axes, *, keep: tuple[str, ...] = ("left", "bottom")) -> None:
    """Take away the lines of the frame, but for the sides that are kept."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)


def title_in_lines(title: str) -> str:
    """A title, in two lines where it is long, so that narrow pictures show it whole."""
    longest_line = max(map(len, title.splitlines()))
    if longest_line > LONGEST_TITLE:
        return title.replace(": ", ":\n", 1)
    return title


def percent_axis(axis: Axis) -> None:
    """Ticks as percentages with all their digits: 2.5 % does not read 2 %."""
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))


def centred_text(ax: Axes, x: float, y: float, words: str, **look: Any) -> None:
    """Text whose middle is at (x, y)."""
    ax.text(x, y, words, ha="center", va="center", **look)


def shaded_cell(ax: Axes, column: float, row: float, share: float) -> None:
    """Draw a cell of a heat map: the likelier the bluer, with the percentage.

    Its lower left corner is at (column, row).
    """
    shade = to_rgba(BLUE, min(share, 1.0))
    # As an artist: as a patch each of hundreds would move the limits of the axes, which
    # are set afterwards.
    ax.add_artist(
        Rectangle((column, row), 1, 1, facecolor=shade, edgecolor=GREY, linewidth=0.4)
    )
    colour = ink()
    if share > WHITE_FROM:
        colour = "white"
    words = "·"
    if share:
        words = short_percent(share)
    centred_text(ax, column + 0.5, row + 0.5, words, fontsize=7, color=colour)


def frame_cells(ax: Axes, left: float, right: float, bottom: float) -> None:
    """Set the limits of a heat map: no frame, the labels of its columns on top.

    Its rows hang down from 0 to ``bottom``; ``left`` and ``right`` leave room for what
    stands beside its cells.
    """
    ax.set(xlim=(left, right), ylim=(bottom, 0.1))
    ax.xaxis.tick_top()
    ax.tick_params(top=False, left=False, labelleft=False, pad=0)
    bare(ax, keep=())


def thin_errors() -> dict[str, Any]:
    """How bars look: a thin edge, and thin lines for standard errors."""
    return {
        "edgecolor": ink(),
        "linewidth": 0.6,
        "ecolor": ink(),
        "capsize": 2,
        "error_kw": {"elinewidth": 0.8},
    }


def upright_bars(
    ax: Axes, places: Any, shares: Any, width: float = 0.8, **look: Any
) -> None:
    """Bars with their percentages; 0 has none, and where bars are many none has."""
    bars = ax.bar(places, shares, width, **thin_errors(), **look)
    if len(shares) <= MOST_LABELLED_BARS:
        ax.bar_label(bars, percent_labels(shares), padding=1, fontsize=8)


def percent_labels(shares: Any) -> list[str]:
    """What stands above bars of probabilities; nothing above a bar of no height."""
    return [short_percent(float(share)) if share else "" for share in shares]


def ranked_bars(
    ax: Axes | None,
    names: Sequence[str],
    values: Floats,
    errors: Floats,
    figures: Sequence[str],
    colours: Sequence[str],
) -> Axes:
    """Bars to the right, the first on top.

    Parameters
    ----------
    ax : Axes or None
        Where to draw; ``None`` makes a new figure, as high as the bars need.
    names : sequence of str
        What stands to the left of each bar.
    values, errors : arrays of float, shape (bars,)
        The length of each bar, and of the thin line each way from its end; no lines are
        drawn where all errors are zero.
    figures : sequence of str
        What stands at the end of each bar.
    colours : sequence of str
        The colour of each bar.
    """
    ax = ax_or_new(ax, 6.4, 1.2 + 0.3 * len(names))
    rows = range(len(names))
    drawn_errors = errors if errors.any() else None
    bars = ax.barh(
        rows, values, 0.62, **thin_errors(), xerr=drawn_errors, color=colours
    )
    ax.bar_label(bars, figures, padding=4, fontsize=8)
    ax.margins(x=0.12)
    ax.set_yticks(rows, names)
    ax.invert_yaxis()
    ax.grid(axis="x", linewidth=0.3, color=GREY)
    ax.set_axisbelow(True)
    ax.tick_params(left=False, labelsize=8)
    bare(ax)
    return ax
