"""Pictures of the hidden hands: where cards lie, how long suits are, how strong hands."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle
from numpy.typing import NDArray

from bayesbridge.belief.posterior import Posterior
from bayesbridge.display.words import RARE, SEATS, SYMBOLS
from bayesbridge.estimators.intervals import shortest_interval
from bayesbridge.evidence.kinds import Play
from bayesbridge.game.layouts import Floats
from bayesbridge.plots.axes import (
    BLUE,
    GREY,
    SKY,
    SUIT_COLOURS,
    ax_or_new,
    bare,
    centred_text,
    frame_cells,
    ink,
    percent_labels,
    shaded_cell,
    title_in_lines,
)

if TYPE_CHECKING:
    import pandas
    import xarray

RANKS: Final = "AKQJT98765432"

SHORTEST_AXIS: Final = 7
"""Number of cards that the picture of suit lengths reaches at least."""

MOST_LABELLED_POINTS: Final = 24
"""Bars of points up to which each has its percentage, and its tick below."""

# The picture of suit lengths, in cells: where what stands beside the cells begins.
LEFT_OF_LENGTHS: Final = -2.6
SEAT_X: Final = -0.9
SYMBOL_X: Final = -0.4
LEFT_OF_MEANS: Final = 1.2  # to the right of the longest length, as those that follow
MIDDLE_OF_MEANS: Final = 1.7
RIGHT_OF_LENGTHS: Final = 2.3

GAP_BELOW_HAND: Final = 0.4
"""Rows between the suits of one hand and those of the next."""

FRAME_IN_GAP: Final = 0.3
"""How far above the next hand the frame below the last one is."""

PICTURE_WIDTH: Final = 7.2
"""Inches."""

INCHES_A_HAND: Final = 1.05
"""Height of the rows of a hidden hand."""

BAR_WIDTH: Final = 0.86
"""Width of a bar of points; the bars of neighbours are 1 apart."""

HIGHEST_BAR: Final = 0.78
"""Share of the height of a row that the highest of all bars of points takes."""

PLAY_REPR: Final = re.compile(r"Play\('.', '(..)'\)")
"""The card in a piece of evidence, as Python writes it."""


def cards(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """Draw P(seat holds card) in percent for all 52 cards.

    There is a block for each suit and in it a row for each hidden hand. A known card
    whose hand has no row shows the letter of its seat. A line through a card: it has
    been played.

    Parameters
    ----------
    source : Posterior or DataTree
        A posterior, or a result of :func:`bayesbridge.estimate`.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> cards(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)).get_title()
    'Where the cards lie, as South sees it:\\nP(seat holds card) in %'
    """
    chances = marginal(source, "card_probabilities")
    hidden = hidden_seats(chances)
    table = CardTable(
        chances.transpose("card", "seat").to_pandas(), hidden, played_cards(source)
    )
    ax = ax_or_new(ax, PICTURE_WIDTH, _height(hidden))
    top = 0.0
    for suit in SYMBOLS:
        _draw_suit(ax, top, suit, table)
        top -= len(hidden) + 0.4
    frame_cells(ax, left=-3.4, right=13.1, bottom=top + 0.3)
    ax.set_xticks(
        np.arange(13) + 0.5, ["10" if rank == "T" else rank for rank in RANKS]
    )
    about_lines = "; a line: played" if table.played else ""
    title = (
        f"Where the cards lie, as {observer_of(source)} sees it: "
        f"P(seat holds card) in %{about_lines}"
    )
    ax.set_title(title_in_lines(title), fontsize=10)
    return ax


@dataclass(frozen=True)
class CardTable:
    """What the picture of all cards shows."""

    shares: pandas.DataFrame
    """P(seat holds card): a row for each card, a column for each seat."""
    hidden: Sequence[str]
    """Letters of the seats that have a row in each suit."""
    played: set[str]
    """Cards that have been played."""


def _draw_suit(ax: Axes, top: float, suit: str, table: CardTable) -> None:
    """Draw the thirteen cards of a suit, in rows that hang down from ``top``."""
    for row, seat in enumerate(table.hidden):
        y = top - row - 0.5
        ax.text(-0.2, y, SEATS[seat], ha="right", va="center", fontsize=8)
    for column, rank in enumerate(RANKS):
        _draw_card(ax, column, top, f"{suit}{rank}", table)
    middle = top - len(table.hidden) / 2
    colour = SUIT_COLOURS.get(suit, ink())
    centred_text(ax, -2.9, middle, SYMBOLS[suit], fontsize=17, color=colour)


def _draw_card(ax: Axes, column: int, top: float, card: str, table: CardTable) -> None:
    """Draw the shares of one card, or its holder where that hand has no row."""
    shares = table.shares.loc[card]
    rows = len(table.hidden)
    bottom = top - rows
    if card in table.played:
        ax.plot(
            [column, column + 1],
            [bottom, top],
            color=ink(),
            linewidth=0.9,
            zorder=1.5,
        )
    if shares[table.hidden].any():
        for row, seat in enumerate(table.hidden):
            shaded_cell(ax, column, top - row - 1, shares[seat])
        return
    ax.add_patch(
        Rectangle((column, bottom), 1, rows, facecolor=GREY, alpha=0.25, linewidth=0.4)
    )
    holder = str(shares.idxmax())
    centred_text(ax, column + 0.5, top - rows / 2, holder, fontsize=8, style="italic")


def lengths(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """Draw P(number of cards) in percent for each suit of each hidden hand.

    The mean stands at the end of the row.

    Parameters
    ----------
    source : Posterior or DataTree
        A posterior, or a result of :func:`bayesbridge.estimate`.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> ax = lengths(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> sorted({text.get_text() for text in ax.texts} & {"North", "East", "South", "West"})
    ['East', 'North', 'West']
    """
    hidden = hidden_seats(marginal(source, "card_probabilities"))
    chances = marginal(source, "length_probabilities").sel(seat=hidden)
    longest = _longest_drawn(chances)
    ax = ax_or_new(ax, PICTURE_WIDTH, _height(hidden))
    # The rows of the first hand hang down from 0, those of the next one below them.
    top_of_hand = 0.0
    for seat in hidden:
        _draw_lengths_of_hand(ax, top_of_hand, chances.sel(seat=seat), longest)
        top_of_hand -= len(SYMBOLS) + GAP_BELOW_HAND
    _label_lengths(ax, longest, bottom=top_of_hand + FRAME_IN_GAP)
    title = (
        f"Suit lengths of the hidden hands, as {observer_of(source)} sees it: "
        "P(number of cards) in %"
    )
    ax.set_title(title_in_lines(title), fontsize=10)
    return ax


def _longest_drawn(chances: xarray.DataArray) -> int:
    """The longest length that has a cell: of those not rare in some suit of some hand.

    ``chances``: P(length) by seat, suit and length.
    """
    highest_chances = chances.max(("seat", "suit")).values  # by length
    (common_lengths,) = np.nonzero(highest_chances >= RARE)
    return max(SHORTEST_AXIS, int(common_lengths.max()))


def _draw_lengths_of_hand(
    ax: Axes, top: float, chances: xarray.DataArray, longest: int
) -> None:
    """Draw a row of height 1 for each suit, down from ``top``, and the seat's name.

    ``chances``: P(length) of one hand, by suit and length.
    """
    for row, suit in enumerate(SYMBOLS):
        shares = chances.sel(suit=suit).values.tolist()
        _draw_lengths(
            ax, bottom=top - row - 1, suit=suit, shares=shares, longest=longest
        )
    middle = top - len(SYMBOLS) / 2
    seat_name = SEATS[str(chances["seat"].values)]
    ax.text(SEAT_X, middle, seat_name, ha="right", va="center", fontsize=10)


def _label_lengths(ax: Axes, longest: int, bottom: float) -> None:
    """Set the limits of the picture of lengths, and name its columns above it.

    The cell of a length begins at that length and is 1 wide. The column of means stands
    to the right of the longest length.
    """
    frame_cells(
        ax, left=LEFT_OF_LENGTHS, right=longest + RIGHT_OF_LENGTHS, bottom=bottom
    )
    lengths_drawn = range(longest + 1)
    cell_middles = [length + 0.5 for length in lengths_drawn]
    ax.set_xticks(
        [*cell_middles, longest + MIDDLE_OF_MEANS], [*map(str, lengths_drawn), "mean"]
    )


def _draw_lengths(
    ax: Axes, bottom: float, suit: str, shares: Sequence[float], longest: int
) -> None:
    """Draw one row: the suit, a cell for each number of cards, the mean."""
    middle = bottom + 0.5
    colour = SUIT_COLOURS.get(suit, ink())
    centred_text(ax, SYMBOL_X, middle, SYMBOLS[suit], fontsize=11, color=colour)
    for length in range(longest + 1):
        shaded_cell(ax, length, bottom, shares[length])
    mean = sum(length * share for length, share in enumerate(shares))
    left_of_mean = longest + LEFT_OF_MEANS
    ax.text(left_of_mean, middle, f"{mean:.2f}", ha="left", va="center", fontsize=8)


def points(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """Draw P(number of high-card points) in percent for every hidden hand.

    Each hand is a row of bars, with its mean. Dark bars are the shortest range that
    holds at least half of the probability.

    Parameters
    ----------
    source : Posterior or DataTree
        A posterior, or a result of :func:`bayesbridge.estimate`.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> ax = points(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['North\\nmean 7.0', 'East\\nmean 7.0', 'West\\nmean 7.0']
    """
    hidden = hidden_seats(marginal(source, "card_probabilities"))
    chances = marginal(source, "point_probabilities").sel(seat=hidden)
    occurring = np.flatnonzero(chances.max("seat").values >= RARE)
    drawn_points = np.arange(occurring[0], occurring[-1] + 1)
    all_labelled = len(drawn_points) <= MOST_LABELLED_POINTS
    highest_share = float(chances.max())
    ax = ax_or_new(ax, PICTURE_WIDTH, 0.9 + INCHES_A_HAND * len(hidden))
    # The bars of hand number i stand on the line y = -i.
    for row, seat in enumerate(hidden):
        shares = chances.sel(seat=seat).values
        bars = ax.bar(
            drawn_points,
            HIGHEST_BAR * shares[drawn_points] / highest_share,
            BAR_WIDTH,
            bottom=-row,
            color=_point_colours(drawn_points, shares),
            edgecolor=ink(),
            linewidth=0.5,
        )
        if all_labelled:
            figures = percent_labels(shares[drawn_points])
            ax.bar_label(bars, figures, padding=1, fontsize=6.5)
        ax.axhline(-row, color=ink(), linewidth=0.6)
    means = (chances * chances["points"]).sum("points").values
    seat_labels = [
        f"{SEATS[seat]}\nmean {mean:.1f}"
        for seat, mean in zip(hidden, means, strict=True)
    ]
    ax.set_yticks(0.35 - np.arange(len(hidden)), seat_labels)
    ax.set_ylim(0.98 - len(hidden), 1.0)
    tick_step = 1 if all_labelled else 2
    ax.set(xlabel="high-card points", xticks=drawn_points[::tick_step])
    ax.set_xlim(drawn_points[0] - 0.8, drawn_points[-1] + 0.8)
    ax.tick_params(left=False, labelsize=8)
    bare(ax, keep=())
    title = f"Points of hidden hands, as {observer_of(source)} sees it: P in %"
    ax.set_title(title_in_lines(title), fontsize=10)
    return ax


def _point_colours(drawn_points: NDArray[np.int64], shares: Floats) -> list[str]:
    """Dark for the shortest range that holds half of a hand's probability, else light."""
    low, high = shortest_interval(np.arange(len(shares)), shares, 0.5)
    return [BLUE if low <= points <= high else SKY for points in drawn_points]


def _height(hidden: Sequence[str]) -> float:
    """Inches for a picture with rows for each hidden hand."""
    return 1.0 + INCHES_A_HAND * len(hidden)


def marginal(source: xarray.DataTree | Posterior, name: str) -> xarray.DataArray:
    """Card, length or point probabilities of a posterior or of a result.

    ``name`` is the method of a posterior that gives them.
    """
    if isinstance(source, Posterior):
        probabilities: xarray.DataArray = getattr(source, name)()
    else:
        probabilities = source["marginals"].to_dataset()[name]
    # Sums of weights miss 0 and 1 by rounding, and a card is known only at 1.
    return probabilities.round(9).clip(0.0, 1.0)


def hidden_seats(cards: xarray.DataArray) -> list[str]:
    """Seats of which some card is not certain; all where everything is known."""
    is_hidden = ((cards > 0.0) & (cards < 1.0)).any("card").to_series()
    if is_hidden.any():
        return list(is_hidden.index[is_hidden])
    return list(is_hidden.index)


def observer_of(source: xarray.DataTree | Posterior) -> str:
    """The seat from which everything is seen, as a word."""
    if isinstance(source, Posterior):
        return SEATS[source.belief.observer.name]
    return SEATS[str(source["constant_data"].to_dataset()["observer"].values)]


def played_cards(source: xarray.DataTree | Posterior) -> set[str]:
    """The cards that the evidence says were played."""
    if isinstance(source, Posterior):
        evidence = source.belief.evidence
        return {str(piece.card) for piece in evidence if isinstance(piece, Play)}
    texts = source["observed_data"].to_dataset()["evidence"].values
    plays = (PLAY_REPR.fullmatch(str(text)) for text in texts)
    return {play[1] for play in plays if play is not None}
