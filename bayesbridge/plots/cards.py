"""Where the cards lie and how long the suits are, as shaded tables."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patches import Rectangle

from bayesbridge.belief.posterior import Posterior
from bayesbridge.evidence.play import Play
from bayesbridge.plots.palette import GREY, SUIT_COLOURS, bare, in_lines, ink, new_axes, shaded_cell
from bayesbridge.words import SEATS, SYMBOLS

if TYPE_CHECKING:
    import xarray

RANKS: Final = "AKQJT98765432"


def plot_cards(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """P(seat holds card) for all 52 cards, a block for each suit and a row for each hidden hand, in percent.

    A card whose hand is known for certain shows the letter of that seat where the hand itself has no row. A line
    through a card says that it has been played.

    >>> import bayesbridge as bb
    >>> ax = plot_cards(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> ax.get_title()
    'Where the cards lie, as South sees it:\\nP(seat holds card) in %'
    >>> sorted({text.get_text() for text in ax.texts} & {"North", "East", "South", "West"})
    ['East', 'North', 'West']
    """
    chances = marginal(source, "card_probabilities")
    hidden = hidden_seats(chances)
    ax = new_axes(7.2, 1.0 + 1.05 * len(hidden)) if ax is None else ax
    top, played = 0.0, _played(source)
    for suit, symbol in SYMBOLS.items():
        for row, seat in enumerate(hidden):
            ax.text(-0.2, top - row - 0.5, SEATS[seat], ha="right", va="center", fontsize=8)
        for column, rank in enumerate(RANKS):
            shares = chances.sel(card=f"{suit}{rank}")
            if f"{suit}{rank}" in played:
                ax.plot([column, column + 1], [top - len(hidden), top], color=ink(), linewidth=0.9, zorder=1.5)
            if float(shares.sel(seat=hidden).max()) == 0.0:
                _mark_known(ax, column, top, len(hidden), str(shares["seat"].values[shares.values.argmax()]))
                continue
            for row, seat in enumerate(hidden):
                shaded_cell(ax, column, top - row - 1, float(shares.sel(seat=seat)), 7)
        colour = SUIT_COLOURS.get(suit, ink())
        ax.text(-2.9, top - len(hidden) / 2, symbol, ha="center", va="center", fontsize=17, color=colour)
        top -= len(hidden) + 0.4
    _frame(ax, -3.4, 13.1, top + 0.3)
    ax.set_xticks(np.arange(13) + 0.5, ["10" if rank == "T" else rank for rank in RANKS])
    crossed = "; a line: played" if played else ""
    title = f"Where the cards lie, as {observer_of(source)} sees it: P(seat holds card) in %{crossed}"
    ax.set_title(in_lines(title), fontsize=10)
    return ax


def plot_lengths(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """P(number of cards) in each suit of each hidden hand, in percent; the mean stands at the end of the row.

    >>> import bayesbridge as bb
    >>> ax = plot_lengths(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> sorted({text.get_text() for text in ax.texts} & {"North", "East", "South", "West"})
    ['East', 'North', 'West']
    """
    chances = marginal(source, "length_probabilities")
    hidden = hidden_seats(marginal(source, "card_probabilities"))
    longest = max(7, int(np.flatnonzero(chances.sel(seat=hidden).max(("seat", "suit")).values >= 0.0005)[-1]))
    ax = new_axes(7.2, 1.0 + 1.05 * len(hidden)) if ax is None else ax
    top = 0.0
    for seat in hidden:
        for row, (suit, symbol) in enumerate(SYMBOLS.items()):
            shares = chances.sel(seat=seat, suit=suit)
            place = top - row - 0.5
            ax.text(-0.4, place, symbol, ha="center", va="center", fontsize=11, color=SUIT_COLOURS.get(suit, ink()))
            for length in range(longest + 1):
                shaded_cell(ax, length, top - row - 1, float(shares.sel(length=length)), 7)
            mean = float((shares * shares["length"]).sum())
            ax.text(longest + 1.2, place, f"{mean:.2f}", ha="left", va="center", fontsize=8)
        ax.text(-0.9, top - 2, SEATS[seat], ha="right", va="center", fontsize=10)
        top -= 4.4
    _frame(ax, -2.6, longest + 2.3, top + 0.3)
    ax.set_xticks([*(np.arange(longest + 1) + 0.5), longest + 1.7], [*map(str, range(longest + 1)), "mean"])
    seen = f"as {observer_of(source)} sees it"
    ax.set_title(in_lines(f"Suit lengths of the hidden hands, {seen}: P(number of cards) in %"), fontsize=10)
    return ax


def marginal(source: xarray.DataTree | Posterior, name: str) -> xarray.DataArray:
    """Card, length or point probabilities of a posterior or of a result."""
    found = getattr(source, name)() if isinstance(source, Posterior) else source["marginals"].to_dataset()[name]
    # Sums of weights miss 0 and 1 by rounding, and a card is known only at 1.
    rounded: xarray.DataArray = found.round(9).clip(0.0, 1.0)
    return rounded


def hidden_seats(cards: xarray.DataArray) -> list[str]:
    """Seats of which some card is not certain; all where everything is known."""
    doubtful = ((cards > 0.0) & (cards < 1.0)).any("card")
    names = [str(name) for name in cards["seat"].values]
    return [name for name in names if bool(doubtful.sel(seat=name))] or names


def observer_of(source: xarray.DataTree | Posterior) -> str:
    """The seat whose belief it is, in a word."""
    if isinstance(source, Posterior):
        return SEATS[source.belief.observer.name]
    return SEATS[str(source["constant_data"].to_dataset()["observer"].values)]


def _played(source: xarray.DataTree | Posterior) -> set[str]:
    """Names of the cards that were played."""
    if isinstance(source, Posterior):
        return {str(piece.card) for piece in source.belief.evidence if isinstance(piece, Play)}
    texts = map(str, source["observed_data"].to_dataset()["evidence"].values)
    return {found[1] for text in texts if (found := re.fullmatch(r"Play\('.', '(..)'\)", text))}


def _mark_known(ax: Axes, column: int, top: float, rows: int, holder: str) -> None:
    """A card that lies in none of the rows: the letter of the hand that holds it."""
    ax.add_patch(Rectangle((column, top - rows), 1, rows, facecolor=GREY, alpha=0.25, edgecolor=GREY, linewidth=0.4))
    ax.text(column + 0.5, top - rows / 2, holder, ha="center", va="center", fontsize=8, style="italic")


def _frame(ax: Axes, left: float, right: float, bottom: float) -> None:
    ax.set_xlim(left, right)
    ax.set_ylim(bottom, 0.1)
    ax.xaxis.tick_top()
    ax.tick_params(top=False, left=False, labelleft=False, pad=0)
    bare(ax, keep=())
