"""Cost against size as pictures.

Axes are logarithmic, with one line an engine, told apart in grey print too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter, NullLocator
from page import UNBROKEN, Cell, Table
from timing import once

from bayesbridge.display.words import number
from bayesbridge.plots import BLUE, GREY, ORANGE, SKY, VERMILION, bare

INK = "black"
RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
STYLES = {
    "counting": (GREY, "x", "--"),
    "counting, points in a range": (GREY, "*", "-."),
    "convolution": (INK, "+", ":"),
    "enumerate": (VERMILION, "s", "-"),
    "direct": (BLUE, "o", "-"),
    "likelihood-weighting": (SKY, "^", "-"),
    "resample-move": (ORANGE, "D", "-"),
    "importance": (INK, "v", "-"),
    "threads": (BLUE, "o", "-"),
    "processes": (ORANGE, "D", "-"),
}
"""Colour, mark and line of a curve, by its name or the first word of it."""

type Point = tuple[float, float]
"""Size and cost."""


class Guide(NamedTuple):
    """A line along which cost grows as size does."""

    start: Point
    end: float
    """The size where it ends."""


class Panel(NamedTuple):
    """What one pair of axes shows: for each curve its points (size, cost)."""

    title: str
    size: str
    cost: str
    curves: dict[str, list[Point]]
    guide: Guide | None = None


def grow(
    work: Callable[[int], Callable[[], object]], sizes: Sequence[int], most: float = 8.0
) -> list[Point]:
    """Seconds of processor time for each size, while none takes longer than ``most``.

    How long the next one takes is judged by how they grew. ``work(size)`` prepares and
    returns what is timed. The smallest size is done once beforehand, to compile.
    """
    work(sizes[0])()
    points: list[Point] = []
    for size in sizes:
        task = work(size)
        spent = once(task)
        if spent < most / 10:
            spent = min(spent, once(task), once(task))
        growth = spent / points[-1][1] if points else 1.0
        points.append((size, spent))
        if spent * max(growth, 1.0) > most:
            break
    return points


def table(name: str, title: str, panel: Panel) -> Table:
    """The points of a panel as a table: an engine a row, a size a column."""
    sizes = _sizes(panel)
    rows: list[tuple[Cell, ...]] = []
    for curve, points in panel.curves.items():
        cost_of_size = dict(points)
        rows.append((curve, *(cost_of_size.get(size) for size in sizes)))
    header = (panel.size, *(_short(size) for size in sizes))
    return Table(name, title, header, rows, figure=partial(draw, panel))


def _sizes(panel: Panel) -> list[float]:
    """All sizes of all curves, rising."""
    sizes: set[float] = set()
    for points in panel.curves.values():
        sizes.update(size for size, _ in points)
    return sorted(sizes)


def _short(size: float) -> str:
    """A size in a head of a column; large ones as a power of ten."""
    text = number(int(size))
    if size >= 1e6:
        digits, exponent = f"{size:.1e}".split("e")
        power = exponent.lstrip("+0").translate(RAISED)
        text = f"{digits.removesuffix('.0')} · 10{power}"
    return text.replace(" ", UNBROKEN)


def draw(panel: Panel) -> Figure:
    """The curves of a panel, their key at the right in the order of their ends."""
    figure = Figure((7.2, 4.0), layout="constrained")
    ax = figure.subplots()
    for name, points in sorted(panel.curves.items(), key=_falling_end):
        _draw_curve(ax, name, points)
    ax.set_xscale("log")
    ax.set_yscale("log")
    if panel.guide is not None:
        _draw_guide(ax, panel.guide)
    ax.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5)))
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.yaxis.set_major_formatter(FuncFormatter(_cost_text))
    sizes = _sizes(panel)
    if sizes[-1] < 1000:
        ax.set_xticks(sizes, [number(int(size)) for size in sizes])
        ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xlabel(panel.size)
    ax.set_ylabel(panel.cost)
    ax.set_title(panel.title, fontsize=10)
    ax.grid(alpha=0.3, lw=0.5)
    ax.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), frameon=False, fontsize=8)
    bare(ax)
    return figure


def _falling_end(curve: tuple[str, list[Point]]) -> float:
    """Orders curves by the cost of their last point, the highest first."""
    _, points = curve
    _, last_cost = points[-1]
    return -last_cost


def _draw_curve(ax: Axes, name: str, points: list[Point]) -> None:
    """One curve in its own style."""
    first_word = name.split()[0].strip(",")
    colour, mark, line = STYLES.get(name) or STYLES[first_word]
    sizes, costs = zip(*points, strict=True)
    ax.plot(sizes, costs, line, color=colour, marker=mark, ms=5, lw=1.4, label=name)


def _draw_guide(ax: Axes, guide: Guide) -> None:
    """A dotted line."""
    size, cost = guide.start
    ax.plot(
        [size, guide.end],
        [cost, cost * guide.end / size],
        label="twice the size, twice the value",
        color=GREY,
        lw=0.8,
        ls=(0, (1, 3)),
    )


def _cost_text(cost: float, _place: int | None) -> str:
    """A tick of the axis of costs."""
    return f"{cost:g}" if cost < 1000 else number(round(cost))
