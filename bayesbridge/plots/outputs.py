"""Pictures of what estimators give: tricks, captures, the tricks of a contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray

from bayesbridge.display.words import RARE, percent, share_error, short_percent
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.results import Result
from bayesbridge.game.layouts import Floats
from bayesbridge.plots.axes import (
    BLUE,
    HATCH,
    ORANGE,
    SKY,
    ax_or_new,
    bare,
    centred_text,
    frame_cells,
    ink,
    percent_axis,
    shaded_cell,
    title_in_lines,
    upright_bars,
)

if TYPE_CHECKING:
    import xarray

BOOK: Final = 6
"""Tricks that a contract needs beside those of its level."""

SIZE: Final = (6.4, 3.6)
"""Width and height of a new figure, in inches."""

COLUMN_WIDTH: Final = 0.42
ROW_HEIGHT: Final = 0.3
"""Inches of a cell of a shaded table."""

NARROWEST_TABLE: Final = 4.8
WIDEST_TABLE: Final = 14.0
BESIDE_COLUMNS: Final = 1.8
BESIDE_ROWS: Final = 1.0
"""Inches of a shaded table for its labels, beside and above the cells."""

TO_MEAN: Final = 0.8
"""Columns from the last value of a shaded table to the middle of its means."""

BEFORE_FIRST_BAR: Final = 2
"""Values that the bar of "it cannot be counted" stands before the others."""

MOST_TICKS: Final = 20
"""Values up to which each has its tick below the bars."""

LONGEST_DOC: Final = 72
"""Characters of an output's description that a title shows whole."""

BASIS_WORDS: Final = {
    "network": "by the network alone",
    "corrected": "corrected by {solved} solved layouts",
}
"""What the chance of a contract rests on; otherwise all layouts are solved."""


def tricks(
    result: xarray.DataTree,
    name: str = "T",
    *,
    level: int | None = None,
    ax: Axes | None = None,
    **where: Any,
) -> Axes:
    """Draw how many tricks or captures a pair gets.

    The dashed line stands before the tricks that are needed. Bars that reach it are
    dark; conditions that fail stand apart, hatched.

    Parameters
    ----------
    result : DataTree
        What :func:`bayesbridge.estimate` gives.
    name : str, default "T"
        An output that counts tricks or captures.
    level : int, optional
        Level of the contract, 1 to 7, by which 6 + ``level`` tricks are needed. By
        default that of the auction's contract, else 7 tricks; there is no line for a
        pair that does not declare.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    **where
        Which of several numbers, by dimension, such as ``strain="NT"``.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    BayesBridgeError
        If ``level`` is not from 1 to 7, or the result has no such output.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> tricks(result, level=3).get_title()
    "T of S and N: captures by the paper's rule\\nT ≥ 9: 71 %"
    """
    ax = ax_or_new(ax, *SIZE)
    if level is not None and level not in range(1, 8):
        raise BayesBridgeError(
            f"level {level!r}: a contract is at level 1 to 7", level=level
        )
    distribution = Result.of(result).answer.number(name).tricks(**where)
    goal = _tricks_needed(distribution, level)
    values = np.array(distribution.occurring)
    shares = [distribution.share(value) for value in distribution.occurring]
    upright_bars(ax, values, shares, color=np.where(values >= goal, BLUE, SKY))
    ax.set_title(_tricks_title(distribution, goal, where), fontsize=10)
    label = _tricks_label(distribution, name)
    _finish_values(ax, values, label, goal, distribution)
    return ax


def _tricks_needed(distribution: Distribution, level: int | None) -> int:
    """The number of tricks before which the dashed line stands; 0 for no line."""
    if level is not None:
        return BOOK + level
    contract = distribution.asked.contract
    if contract is None:
        return BOOK + 1
    if not distribution.asked.declares:
        return 0
    return contract.tricks_needed


def _tricks_title(distribution: Distribution, goal: int, where: dict[str, Any]) -> str:
    """What is counted, and on a line below how likely the goal is reached."""
    # The title of the distribution itself names the strain and the seat.
    picked = [value for dim, value in where.items() if dim not in ("strain", "seat")]
    title = title_in_lines(", ".join((distribution.title, *map(str, picked))))
    if not goal:
        return title
    in_tricks = ""
    if distribution.is_contract_chance:
        in_tricks = f" ({goal} tricks or more)"
    chance = short_percent(distribution.at_least(goal))
    return f"{title}\n{distribution.goal(goal)}{in_tricks}: {chance} %"


def _tricks_label(distribution: Distribution, name: str) -> str:
    """What stands below the values: the output's name and what it counts."""
    counted = distribution.output.title
    if distribution.count.at_table:
        counted = "tricks at the table"
    if not counted:
        return name
    if name == "tricks":
        return counted
    return f"{name}, {counted}"


def contract(source: xarray.DataTree | ContractOdds, *, ax: Axes | None = None) -> Axes:
    """Draw the tricks of a contract that was asked about.

    Dark bars make it, thin lines are one standard error each way.

    Parameters
    ----------
    source : DataTree or ContractOdds
        A result of :func:`bayesbridge.estimate` that was asked with ``contract``, or
        the odds of a contract.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    BayesBridgeError
        If the result has no contract.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> result = bb.estimate(belief.infer(draws=500, rng=1), contract="6S", solve=0)
    >>> contract(result).get_xlabel()
    'tricks of South, dummy North'
    """
    if isinstance(source, ContractOdds):
        odds: ContractOdds | None = source
    else:
        odds = ContractOdds.of_tree(source)
    if odds is None:
        raise BayesBridgeError(
            "the result has no contract: ask for one, as in bb.estimate(posterior, contract='4S')"
        )
    ax = ax_or_new(ax, *SIZE)
    shares = np.clip(odds.pmf, 0.0, 1.0)
    occurring = np.flatnonzero(shares >= RARE)
    values = np.arange(occurring[0], occurring[-1] + 1)
    upright_bars(
        ax,
        values,
        shares[values],
        color=np.where(odds.made[values] > 0, BLUE, SKY),
        yerr=odds.pmf_error[values],
    )
    chance = percent(odds.make.mean) + share_error(odds.make.mean, odds.make.error)
    basis = BASIS_WORDS.get(odds.basis, "all {solved} layouts solved")
    title = f"{odds.contract} makes: {chance}, {basis.format(solved=odds.solved)}"
    ax.set_title(title, fontsize=10)
    label = f"tricks of {odds.whose}"
    if odds.actual:
        label = f"actual {label}"
    _finish_values(ax, values, label, odds.contract.tricks_needed)
    return ax


def prior_posterior(
    prior: xarray.DataTree,
    posterior: xarray.DataTree,
    name: str = "T",
    *,
    ax: Axes | None = None,
    **where: Any,
) -> Axes:
    """Draw one output before and after evidence, side by side.

    Parameters
    ----------
    prior, posterior : DataTree
        What :func:`bayesbridge.estimate` gives before the evidence and after it.
    name : str, default "T"
        An output with whole numbers that both results have.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    **where
        Which of several numbers, by dimension, as ``suit="S"``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> before = bb.estimate(belief.infer(rng=1))
    >>> after = bb.estimate(belief.given(bb.Void("E", "H")).infer(rng=1))
    >>> prior_posterior(before, after, "delta", suit="H").get_xlabel()
    'delta, H'
    """
    ax = ax_or_new(ax, *SIZE)
    values_before, shares_before = _occurring(prior, name, where)
    values_after, shares_after = _occurring(posterior, name, where)
    edge: dict[str, Any] = {"edgecolor": ink(), "linewidth": 0.6}
    ax.bar(
        values_before - 0.2,
        shares_before,
        0.4,
        color=SKY,
        hatch=HATCH,
        label="before",
        **edge,
    )
    ax.bar(values_after + 0.2, shares_after, 0.4, color=BLUE, label="after", **edge)
    lowest = min(values_before.min(), values_after.min())
    highest = max(values_before.max(), values_after.max())
    label = ", ".join((name, *map(str, where.values())))
    _finish_values(ax, np.arange(lowest, highest + 1), label)
    ax.set_title(f"{label} before the evidence and after it", fontsize=10)
    ax.legend(frameon=False)
    return ax


def _occurring(
    result: xarray.DataTree, name: str, where: dict[str, Any]
) -> tuple[NDArray[np.int64], Floats]:
    """The values of an output from the first to the last that occurs, and their shares."""
    number = Result.of(result).answer.number(name).at(**where)
    occurring = number.met(0)
    return number.values[occurring], number.shares[occurring]


def distribution(
    result: xarray.DataTree, name: str, *, ax: Axes | None = None, **where: Any
) -> Axes:
    """Draw how likely each value of an output is, whatever kind of output it is.

    One whole number is drawn as bars, tricks as :func:`tricks` draws them, another
    number as a histogram of its draws and their weights. An output with several
    numbers, as one for each suit, is a shaded table with the mean at the end of each
    row.

    Parameters
    ----------
    result : DataTree
        What :func:`bayesbridge.estimate` gives.
    name : str
        The output, as the result and its estimator call it.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.
    **where
        Which of several numbers, by dimension, as ``suit="S"``.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> result = bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> distribution(result, "delta").get_title()
    'delta of S and N: P in % (exact)'
    """
    answer = Result.of(result).answer
    number = answer.number(name)
    basis = "exact" if number.exact else "estimated"
    picked = [str(value) for value in where.values()]
    title = ", ".join((f"{name} of {answer.asked.names}", *picked))
    is_whole = len(number.values) > 0
    has_several_numbers = any(dim not in where for dim in number.labels)
    if is_whole and has_several_numbers:
        return _shaded_table(number, where, f"{title}: P in % ({basis})", ax)
    ax = ax_or_new(ax, *SIZE)
    if number.output.tricks is not None:
        return tricks(result, name, ax=ax, **where)
    single_number = number.at(**where)
    if is_whole:
        _draw_bars(ax, single_number)
    else:
        _draw_histogram(ax, single_number, answer.kept.weights)
    ax.set_title(f"{title} ({basis})\n{_short_doc(single_number)}", fontsize=10)
    return ax


def _draw_bars(ax: Axes, number: Distribution) -> None:
    """Draw one whole number: P(each value), from the first to the last that occurs."""
    occurring = number.met(0)
    values = number.values[occurring]
    upright_bars(ax, values, number.shares[occurring], color=SKY)
    _finish_values(ax, values, number.name)


def _short_doc(number: Distribution) -> str:
    """What the estimator says of its output, cut where it is long for a title."""
    doc = number.output.doc.removesuffix(".")
    if len(doc) <= LONGEST_DOC:
        return doc
    return f"{doc[: LONGEST_DOC - 2]}…"


def _draw_histogram(ax: Axes, number: Distribution, weights: Floats) -> None:
    """Draw a number that is not whole: its weighted draws, and their mean."""
    ax.hist(
        number.drawn[:, 0].astype(np.float64),
        30,
        weights=weights,
        color=SKY,
        edgecolor=ink(),
        linewidth=0.5,
    )
    mean = float(number.mean[0])
    label = f"mean {mean:.3g}"
    ax.axvline(mean, color=BLUE, linestyle="--", linewidth=1.4, label=label)
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
    percent_axis(ax.yaxis)
    ax.set(xlabel=number.name, ylabel="probability")


def _shaded_table(
    number: Distribution, where: dict[str, Any], title: str, ax: Axes | None
) -> Axes:
    """Draw P(value) of several numbers of an output as a table, a row for each.

    Columns are values, from the first to the last that occurs; the means stand at the
    ends of the rows. Rows go down from 0, columns to the right, one unit each.
    """
    cells = number.places(**where)
    dims = [dim for dim in number.labels if dim not in where]
    occurring = number.met(*cells)
    values = number.values[occurring].tolist()
    width = BESIDE_COLUMNS + COLUMN_WIDTH * len(values)
    width = min(max(NARROWEST_TABLE, width), WIDEST_TABLE)
    ax = ax_or_new(ax, width, BESIDE_ROWS + ROW_HEIGHT * len(cells))
    mean_column = len(values) + TO_MEAN
    for row, cell in enumerate(cells):
        bottom = -row - 1
        middle = -row - 0.5
        for column, share in enumerate(number.pmf[cell, occurring].tolist()):
            shaded_cell(ax, column, bottom, min(share, 1.0))
        mean = f"{number.mean[cell]:.2f}"
        centred_text(ax, mean_column, middle, mean, fontsize=8)
    frame_cells(ax, 0, mean_column + TO_MEAN, -len(cells) - 0.05)
    value_columns = np.arange(len(values)) + 0.5
    ax.set_xticks([*value_columns, mean_column], [*map(str, values), "mean"])
    row_names = [" ".join(number.cells[cell][dim] for dim in dims) for cell in cells]
    ax.set_yticks(-np.arange(len(cells)) - 0.5, row_names)
    ax.tick_params(labelleft=True, labelsize=8)
    ax.set_ylabel(", ".join(dims))
    ax.set_title(title, fontsize=10)
    return ax


def _finish_values(
    ax: Axes,
    values: NDArray[np.int64],
    label: str,
    goal: int = 0,
    tricks: Distribution | None = None,
) -> None:
    """Label the axes below bars of P(each of the values).

    A dashed line stands before the ``goal``, if there is one (0 for none). Where
    ``tricks`` may be impossible to count (as where the paper's conditions fail), the
    probability of that has its own bar, to the left of the first.
    """
    bare(ax)
    percent_axis(ax.yaxis)
    ax.set(xlabel=label, ylabel="probability")
    lowest = int(values[0])
    highest = int(values[-1])
    if goal:
        ax.axvline(goal - 0.5, color=ink(), linestyle="--", linewidth=1.2)
        lowest = min(lowest, goal)
        highest = max(highest, goal)
    ticks, tick_labels = _ticks_of(lowest, highest)
    if tricks is not None and tricks.count.undefined_value is not None:
        place = lowest - BEFORE_FIRST_BAR
        _draw_failing_bar(ax, tricks, place)
        ticks.insert(0, place)
        tick_labels.insert(0, tricks.count.failing.replace(" ", "\n"))
    ax.set_xticks(ticks, tick_labels)
    ax.set_xlim(ticks[0] - 0.8, highest + 0.8)


def _ticks_of(lowest: int, highest: int) -> tuple[list[int], list[str]]:
    """Values below the bars, and their texts: at most ``MOST_TICKS``, evenly spread."""
    count = highest - lowest + 1
    step = -(-count // MOST_TICKS)  # rounded up
    ticks = list(range(lowest, highest + 1, step))
    return ticks, [str(value) for value in ticks]


def _draw_failing_bar(ax: Axes, tricks: Distribution, place: int) -> None:
    """Draw P(tricks cannot be counted) as a hatched bar, apart from the others."""
    if tricks.fails:
        upright_bars(ax, [place], [tricks.fails], color=ORANGE, hatch=HATCH)
    ax.axvline(place + 1, color=ink(), linewidth=0.4)
