"""Pictures of what studies found: the paper's tables, the auction as a game, matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from bayesbridge.plots.axes import (
    BLUE,
    GREY,
    PALE,
    SKY,
    VERMILION,
    ax_or_new,
    bare,
    ink,
    new_grid,
    percent_axis,
)
from bayesbridge.studies.auction.study import tenths

if TYPE_CHECKING:
    from bayesbridge.studies.match import MatchResult
    from bayesbridge.studies.study import Comparison
    from bayesbridge.studies.study import Figure as Finding


def match(result: MatchResult, *, ax: Axes | None = None) -> Axes:
    """Draw the first entrant's IMPs a board after so many boards, with two errors.

    The band is two standard errors each way.

    Parameters
    ----------
    result : MatchResult
        What :func:`bayesbridge.match` gives.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> from bayesbridge.studies import RunOptions
    >>> here = RunOptions(workers=1, scheduler="threads")
    >>> result = bb.match("learned", "learned", boards=3, solved=False, how=here)
    >>> match(result).get_title()
    'learned and learned are level on 3 boards: 0.00 ± 0.00 IMPs a board.'
    """
    ax = ax_or_new(ax, 6.4, 3.4)
    boards = range(2, len(result.boards) + 1)
    # A row (mean, error) for each number of boards; of a single board an empty table.
    means_and_errors = np.array([result.after(count) for count in boards])
    means, errors = means_and_errors.reshape(-1, 2).T
    ax.fill_between(
        boards, means - 2 * errors, means + 2 * errors, color=SKY, alpha=0.4
    )
    ax.plot(boards, means, color=BLUE)
    ax.axhline(0.0, color=ink(), linewidth=0.8)
    ax.set_xlabel("boards")
    ax.set_ylabel(f"IMPs a board of {result.names[0]}")
    ax.set_title(result.sentence, fontsize=10)
    bare(ax)
    return ax


RUN_COLOURS: Final = (PALE, SKY, BLUE)


def paper_runs(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """Draw the printed runs of a table as grouped bars, beside our figures.

    Our figure or the exact one is a line across each group, with z above it.

    Parameters
    ----------
    comparison : Comparison
        What the study ``conditions`` or ``captures`` found: each figure has the same
        unit.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> from bayesbridge.studies import conditions
    >>> paper_runs(conditions.count_exactly()).get_title()
    'Table 2: outcomes of the two pre-qualification conditions'
    """
    ax = ax_or_new(ax, 7.2, 3.8)
    figures = [
        figure for figure in comparison.figures if figure.own or any(figure.printed)
    ]
    places = np.arange(len(figures))
    _draw_printed_runs(ax, figures)
    _write_z_values(ax, figures)
    ax.hlines(
        np.array([figure.own for figure in figures], dtype=np.float64),
        places - 0.45,
        places + 0.45,
        color=VERMILION,
        linewidth=2.0,
        label="exact" if comparison.exact else "ours",
    )
    ax.set_xticks(places, [figure.name.replace("<=", "≤ ") for figure in figures])
    ax.yaxis.set_major_formatter(FuncFormatter(_spaced_thousands))
    ax.set_ylabel(comparison.unit)
    ax.set_title(comparison.title, fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
    return ax


def _draw_printed_runs(ax: Axes, figures: Sequence[Finding]) -> None:
    """Draw what the paper prints of each figure, a bar for each of its runs."""
    places = np.arange(len(figures))
    runs = len(figures[0].printed)
    width = 0.75 / runs
    for run in range(runs):
        ax.bar(
            places + (run - (runs - 1) / 2) * width,
            [figure.printed[run] for figure in figures],
            width,
            color=RUN_COLOURS[run % len(RUN_COLOURS)],
            edgecolor=ink(),
            linewidth=0.4,
            label=f"paper, run {run + 1}" if runs > 1 else "paper",
        )


def _write_z_values(ax: Axes, figures: Sequence[Finding]) -> None:
    """Write z above each group of bars that has one.

    A group has what the paper prints of a figure for each run, and our ``own`` figure.
    """
    for place, figure in enumerate(figures):
        if figure.z is None:
            continue
        highest = max(*figure.printed, figure.own or 0.0)
        ax.annotate(
            f"z {figure.z:+.1f}",
            (place, highest),
            (0, 4),
            textcoords="offset points",
            ha="center",
            size=8,
        )


def _spaced_thousands(value: float, _place: int) -> str:
    """A whole number with blanks between its thousands."""
    return f"{value:,.0f}".replace(",", " ")


def shift(comparison: Comparison, *, figure: Figure | None = None) -> NDArray[Any]:
    """Draw the conditions and the captures by Algorithm 1 beside those by Algorithm 2.

    Algorithm 1 sees one hand, Algorithm 2 both. Their conditions decide whether captures
    (tricks by the paper's count) are counted at all.

    Parameters
    ----------
    comparison : Comparison
        What the study ``shift`` found, exact or not.
    figure : matplotlib Figure, optional
        One to draw in, instead of one of its own.

    Returns
    -------
    array of Axes, shape (2,)
        The conditions, the captures.

    Examples
    --------
    >>> from bayesbridge.studies import STUDIES
    >>> [ax.get_title() for ax in shift(STUDIES["shift"].simulate(1000, 1))]
    ['Conditions', 'Captures where both conditions hold']
    """
    grid = new_grid(9.6, 3.8, rows=1, columns=2, figure=figure, width_ratios=[3, 8])
    axes: NDArray[Any] = grid[0]
    shares = comparison.answers["shares"]
    _draw_algorithms(axes[0], shares["conditions"])
    axes[0].set_title("Conditions", fontsize=10)
    axes[0].set_ylabel("of all deals")
    _draw_algorithms(axes[1], shares["captures"])
    axes[1].set_title("Captures where both conditions hold", fontsize=10)
    axes[1].legend(frameon=False, fontsize=8)
    return axes


def _draw_algorithms(ax: Axes, shares: Mapping[str, tuple[float, float]]) -> None:
    """Draw the shares of each outcome by Algorithm 1 and by Algorithm 2."""
    places = np.arange(len(shares))
    one_hand, both_hands = zip(*shares.values(), strict=True)
    edge: dict[str, Any] = {"edgecolor": ink(), "linewidth": 0.4}
    ax.bar(
        places - 0.2, one_hand, 0.4, color=SKY, label="Algorithm 1: one hand", **edge
    )
    ax.bar(
        places + 0.2,
        both_hands,
        0.4,
        color=BLUE,
        label="Algorithm 2: with the dummy",
        **edge,
    )
    ax.set_xticks(range(len(shares)), list(shares))
    percent_axis(ax.yaxis)
    bare(ax)


WAY_COLOURS: Final = {"algorithm 1": GREY, "best response": SKY, "equilibrium": BLUE}
"""The ways of bidding in the study of the auction."""

OPENING_COLOURS: Final = {"pass": PALE, "1NT": SKY, "2NT": BLUE, "higher": VERMILION}
"""Pass and the two lowest bids, by their columns in the study; then all other bids."""


def auction(comparison: Comparison, *, figure: Figure | None = None) -> NDArray[Any]:
    """Draw the auction as a game: a row of three panels for each scheme and price.

    Parameters
    ----------
    comparison : Comparison
        What the study ``auction`` found.
    figure : matplotlib Figure, optional
        One to draw in, instead of one of its own.

    Returns
    -------
    array of Axes, shape (games, 3)
        What the first seat opens with hands from weak to strong, points by seat, and
        what the seats could still gain by number of iterations.

    Examples
    --------
    >>> from bayesbridge.studies import STUDIES
    >>> study = STUDIES["auction"].with_settings({"types": 4, "iterations": 2})
    >>> [ax.get_title() for ax in auction(study.simulate(32, 1))[:, 1]]
    ['Points by seat, old scheme', 'Points by seat, new scheme']
    """
    games = comparison.answers["games"]
    height = 3.4 * len(games)
    axes = new_grid(11.0, height, rows=len(games), columns=3, figure=figure)
    for row, game in zip(axes, games, strict=True):
        _draw_openings(row[0], game)
        _draw_points_by_seat(row[1], game)
        _draw_gains_by_iterations(row[2], game)
    return axes


def _draw_openings(ax: Axes, game: Mapping[str, Any]) -> None:
    """Draw what the first seat opens, by tenths of all hands, as stacked bars."""
    # A row for each tenth, a column for each call.
    chances = np.array([tenth["calls"] for tenth in tenths(game["opening"])])
    higher_bids = chances[:, 3:].sum(axis=1, keepdims=True)
    shares = np.hstack([chances[:, :3], higher_bids])
    bottom = np.zeros(len(shares))
    middles = np.arange(len(shares)) + 0.5
    for column, (label, colour) in enumerate(OPENING_COLOURS.items()):
        ax.bar(
            middles,
            shares[:, column],
            1.0,
            bottom,
            color=colour,
            edgecolor=ink(),
            linewidth=0.4,
            label=label,
        )
        bottom = bottom + shares[:, column]
    ax.set_xlabel("hands, weak to strong, in tenths")
    ax.set_xticks([])
    ax.set_title(f"First seat in equilibrium, {game['scheme']} scheme", fontsize=10)
    ax.legend(frameon=True, fontsize=8, loc="lower left")
    percent_axis(ax.yaxis)
    bare(ax)


def _draw_points_by_seat(ax: Axes, game: Mapping[str, Any]) -> None:
    """Draw points with two standard errors, by seat and way of bidding."""
    seats = np.arange(3)
    for number, (way, colour) in enumerate(WAY_COLOURS.items()):
        points = [seat["points"] for seat in game["bidding"][way]["by_seat"]]
        ax.bar(
            seats + 0.27 * (number - 1),
            [point["mean"] for point in points],
            0.27,
            yerr=[2 * point["standard_error"] for point in points],
            color=colour,
            edgecolor=ink(),
            linewidth=0.4,
            label=way,
        )
    ax.axhline(0.0, color=ink(), linewidth=0.6)
    ax.set_xticks(seats, ["speaks first", "second", "third"])
    ax.set_ylabel("points a deal")
    ax.set_title(f"Points by seat, {game['scheme']} scheme", fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    bare(ax)


def _draw_gains_by_iterations(ax: Axes, game: Mapping[str, Any]) -> None:
    """Draw what the seats together could still gain, on two logarithmic axes."""
    steps = game["gains from the equilibrium"]
    iterations = [step["iterations"] for step in steps]
    ax.errorbar(
        iterations,
        [step["nash_conv"]["mean"] for step in steps],
        [2 * step["nash_conv"]["standard_error"] for step in steps],
        color=BLUE,
        marker="o",
        label="learned strategies",
    )
    control = game["gains from algorithm 1"]["nash_conv"]["mean"]
    ax.axhline(control, color=GREY, linestyle="--", label="Algorithm 1")
    ax.set_xscale("log")
    ax.set_xticks(iterations, [str(number) for number in iterations])
    ax.set_xticks([], minor=True)
    ax.set_yscale("symlog", linthresh=0.1)
    ax.set_xlabel("iterations")
    ax.set_ylabel("points that seats could still gain")
    ax.set_title(f"Gains on fresh deals, {game['scheme']} scheme", fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
