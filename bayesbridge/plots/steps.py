"""A picture of how a belief sharpened, event after event."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.decisions.history import sharpening as steps_of
from bayesbridge.display.words import SEATS, with_symbols
from bayesbridge.plots.axes import (
    BLUE,
    ORANGE,
    SKY,
    VERMILION,
    bare,
    new_grid,
    percent_axis,
)

if TYPE_CHECKING:
    import pandas

MOST_EVENT_LABELS: Final = 30
"""Events up to which each has its label below the picture."""

LONGEST_EVENT: Final = 24
"""Characters of an event that its label shows whole."""


class Look(NamedTuple):
    """How a line and its marks look."""

    colour: str
    linestyle: str
    marker: str


FIRST_LOOK: Final = Look(BLUE, "-", "o")
SECOND_LOOK: Final = Look(VERMILION, "--", "s")
CONTRACT_LOOK: Final = Look(ORANGE, ":", "D")
SEAT_LOOKS: Final = {
    "N": Look(BLUE, "-", "o"),
    "E": Look(VERMILION, "--", "s"),
    "S": Look(ORANGE, ":", "D"),
    "W": Look(SKY, "-.", "^"),
}


def sharpening(
    source: pandas.DataFrame | Belief, *, figure: Figure | None = None, **options: Any
) -> NDArray[Any]:
    """Draw entropy, E[T], and the chances of T and of the contract after every event.

    T are the captures by the paper's rule, of the game of three. With four players the
    mean points of the hands that change stand in its place.
    Full marks are exact, open ones sampled. That the contract is made is double dummy
    from the deal by the network ``tricks``; where few layouts are left they are solved
    from there on.

    Parameters
    ----------
    source : DataFrame or Belief
        The table of :func:`bayesbridge.sharpening`, or a belief for which it is made.
    figure : matplotlib Figure, optional
        One to draw in, instead of one of its own.
    **options
        For a belief: what :func:`bayesbridge.sharpening` takes.

    Returns
    -------
    array of Axes, shape (3,)
        One above the other.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Void("E", "H"))
    >>> entropy, captures, chances = sharpening(belief, level=3)
    >>> entropy.get_ylabel()
    'entropy, bits'
    """
    table = steps_of(source, **options) if isinstance(source, Belief) else source
    width = max(6.4, 1.5 + 0.3 * min(len(table), MOST_EVENT_LABELS))
    grid = new_grid(width, 6.4, rows=3, columns=1, figure=figure, sharex=True)
    axes = grid[:, 0]
    entropy, means, chances = axes
    steps = Steps(table)
    _draw_entropy(entropy, steps)
    if table.attrs.get("players") == 4:
        _draw_mean_points(means, steps)
    else:
        _draw_captures(means, chances, steps)
    _draw_contract(chances, steps)
    chances.set(ylabel="probability", ylim=(-0.03, 1.05))
    percent_axis(chances.yaxis)
    for ax in axes:
        bare(ax)
        ax.grid(axis="y", linewidth=0.3)
    for ax in (means, chances):
        if ax.lines:
            ax.legend(frameon=False, fontsize=8, loc="best")
    _label_events(chances, table["event"])
    return axes


@dataclass(frozen=True)
class Steps:
    """The table of steps, a row for each event, whose columns are drawn as lines."""

    table: pandas.DataFrame

    def draw(
        self,
        ax: Axes,
        column: str,
        look: Look,
        label: str | None = None,
        exact: pandas.Series[bool] | None = None,
    ) -> None:
        """Draw a column as a line; ``exact`` are its full marks (default: the steps').

        Marks that are not exact are drawn over again, hollow.
        """
        values = self.table[column]
        places = np.arange(len(self.table))
        colour_and_marker: dict[str, Any] = {
            "color": look.colour,
            "marker": look.marker,
            "markersize": 4.5,
        }
        ax.plot(
            places,
            values,
            linewidth=1.4,
            linestyle=look.linestyle,
            label=label,
            **colour_and_marker,
        )
        if exact is None:
            exact = self.table["exact"]
        sampled = ~exact.to_numpy(dtype=bool)
        ax.plot(
            places[sampled],
            values[sampled],
            linestyle="",
            mfc=ax.get_facecolor(),
            **colour_and_marker,
        )


def _draw_entropy(ax: Axes, steps: Steps) -> None:
    """Draw the bits of uncertainty that are left."""
    steps.draw(ax, "entropy_bits", FIRST_LOOK)
    most_bits = max(1.0, float(steps.table["entropy_bits"].max()))
    ax.set(ylabel="entropy, bits", ylim=(0, 1.08 * most_bits))


def _draw_mean_points(ax: Axes, steps: Steps) -> None:
    """Draw the mean points of the hands whose points change."""
    for seat, look in SEAT_LOOKS.items():
        column = f"points_{seat}"
        if np.ptp(steps.table[column]) > 0:
            steps.draw(ax, column, look, SEATS[seat])
    ax.set_ylabel("mean points")


def _draw_captures(means: Axes, chances: Axes, steps: Steps) -> None:
    """Draw the mean of T, and the chances of its conditions and of the contract's T."""
    steps.draw(means, "T_mean_qualified", FIRST_LOOK, "given that the conditions hold")
    steps.draw(means, "T_mean", SECOND_LOOK, "with 0 where they fail")
    means.set(ylabel="mean of T, captures", ylim=(0, 13.5))
    steps.draw(chances, "qualified", SECOND_LOOK, "the conditions hold")
    tricks_needed = 6 + steps.table.attrs.get("level", 1)
    steps.draw(chances, "T_at_least", FIRST_LOOK, f"T ≥ {tricks_needed}")


def _draw_contract(ax: Axes, steps: Steps) -> None:
    """Draw the chance that the contract is made, if there is one."""
    table = steps.table
    if not table["made"].notna().any():
        return
    contract = table.attrs.get("contract") or "contract"
    label = f"{contract} made, double dummy"
    steps.draw(ax, "made", CONTRACT_LOOK, label, exact=table["made_error"] == 0.0)


def _label_events(ax: Axes, events: pandas.Series[str]) -> None:
    """Write what happened below its step; of very many events only every so many."""
    step = -(-len(events) // MOST_EVENT_LABELS)
    places = np.arange(len(events))[::step]
    labels = [_short_event(str(events.iloc[place])) for place in places]
    ax.set_xticks(
        places, labels, rotation=60, fontsize=8, ha="right", rotation_mode="anchor"
    )


def _short_event(event: str) -> str:
    """A trick by its number, a hand laid open without its cards, else its words, cut."""
    if event.startswith("trick "):
        return event.partition(":")[0]
    if " shows " in event:
        return f"{event.partition(' shows ')[0]} shows its hand"
    words = with_symbols(event)
    if len(words) <= LONGEST_EVENT:
        return words
    return f"{words[: LONGEST_EVENT - 2]}…"
