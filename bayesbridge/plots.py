"""Results as pictures. Nothing is computed here.

The colours are those of M. Okabe and K. Ito, "Color Universal Design" (2008), which
colour-blind readers tell apart. Where two meet in one picture they differ in lightness
too, or one of them is hatched.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from io import BytesIO
from itertools import cycle
from typing import TYPE_CHECKING, Any, Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter
from numpy.typing import NDArray

from bayesbridge.belief.belief import Belief
from bayesbridge.belief.posterior import Posterior
from bayesbridge.decisions.call_answer import CallValues, call_word
from bayesbridge.decisions.history import sharpening as steps_of
from bayesbridge.decisions.play import CardChoices
from bayesbridge.decisions.suit import SuitPlay
from bayesbridge.display.words import (
    RARE,
    SEATS,
    SYMBOLS,
    card_words,
    percent,
    share_error,
    short_percent,
    with_symbols,
)
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer_tables import scheme_words
from bayesbridge.estimators.contract_odds import ContractOdds
from bayesbridge.estimators.distribution import Distribution
from bayesbridge.estimators.intervals import shortest_interval
from bayesbridge.estimators.results import Result
from bayesbridge.evidence.kinds import Play
from bayesbridge.game.layouts import Floats
from bayesbridge.studies.auction.study import tenths

if TYPE_CHECKING:
    import pandas
    import xarray

    from bayesbridge.studies.match import MatchResult
    from bayesbridge.studies.study import Comparison

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

BLUE: Final = "#0072B2"
SKY: Final = "#56B4E9"
ORANGE: Final = "#E69F00"
VERMILION: Final = "#D55E00"
GREY: Final = "#999999"
PALE: Final = "#E5E5E5"

HATCH: Final = "////"
SUIT_COLOURS: Final = {"H": VERMILION, "D": VERMILION}
DPI: Final = 200


def _image(shown: Any) -> tuple[bytes, dict[str, int]]:
    """The figure of what is shown as PNG, with the size that it has on a page."""
    file, figure = BytesIO(), shown.figure
    figure.savefig(file, format="png", dpi=DPI)
    width, height = (round(96 * inches) for inches in figure.get_size_inches())
    return file.getvalue(), {"width": width, "height": height}


class Picture(Axes):
    """Axes that a notebook shows as the picture that they are part of."""

    _repr_png_ = _image


class Panels(np.ndarray[Any, Any]):
    """An array of Axes in one figure, which a notebook shows as their picture."""

    @property
    def figure(self) -> Any:
        return self.flat[0].figure

    _repr_png_ = _image

    def _display_(self) -> Any:
        """What marimo shows: it would take an array for numbers."""
        return self.figure


def ink() -> str:
    return str(matplotlib.rcParams["text.color"])


def new_axes(width: float, height: float) -> Axes:
    """One Axes in a figure of its own, in inches, that pyplot does not know."""
    ax: Axes = new_grid(width, height, 1, 1)[0, 0]
    return ax


def new_grid(
    width: float,
    height: float,
    rows: int,
    columns: int,
    figure: Figure | None = None,
    **options: Any,
) -> NDArray[Any]:
    """(rows, columns) Axes in the figure given, or in one of their own, which a
    notebook then shows.
    """
    if figure is None:
        figure = Figure((width, height), dpi=DPI, layout="constrained")
        options["subplot_kw"] = {"axes_class": Picture}
    axes: NDArray[Any] = figure.subplots(rows, columns, squeeze=False, **options)
    return axes.view(Panels)


def bare(ax: Axes, *, keep: tuple[str, ...] = ("left", "bottom")) -> None:
    """Take away the lines of the frame that say nothing."""
    for side, spine in ax.spines.items():
        spine.set_visible(side in keep)


def in_lines(title: str) -> str:
    """A title, in two lines where it is long, so that narrow pictures show it whole."""
    return (
        title.replace(": ", ":\n", 1)
        if max(map(len, title.splitlines())) > 50
        else title
    )


def percent_axis(axis: Axis) -> None:
    """Ticks as percentages with all their digits: 2.5 % does not read 2 %."""
    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g} %"))


def shaded_cell(ax: Axes, column: float, row: float, share: float) -> None:
    """A cell of a heat map, its lower left corner at (column, row): the likelier the
    bluer, with the percentage.
    """
    shade = to_rgba(BLUE, min(share, 1.0))
    # As an artist: as a patch each of hundreds would move the limits of the axes, which are set afterwards.
    ax.add_artist(
        Rectangle((column, row), 1, 1, facecolor=shade, edgecolor=GREY, linewidth=0.4)
    )
    colour = (
        ink() if share <= 0.8 else "white"
    )  # readable on paper and on a dark screen
    text = short_percent(share) if share else "·"
    ax.text(
        column + 0.5,
        row + 0.5,
        text,
        ha="center",
        va="center",
        fontsize=7,
        color=colour,
    )


def cards(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """P(seat holds card) for all 52 cards, a block for each suit and a row for each
    hidden hand, in percent.

    A known card whose hand has no row shows the letter of its seat. A line through a
    card: it has been played.

    >>> import bayesbridge as bb
    >>> cards(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)).get_title()
    'Where the cards lie, as South sees it:\\nP(seat holds card) in %'
    """
    chances = marginal(source, "card_probabilities")
    hidden = hidden_seats(chances)
    ax = new_axes(7.2, 1.0 + 1.05 * len(hidden)) if ax is None else ax
    top, played, ranks = 0.0, _played(source), "AKQJT98765432"
    table = chances.transpose("card", "seat").to_pandas()
    for suit, symbol in SYMBOLS.items():
        for row, seat in enumerate(hidden):
            ax.text(
                -0.2, top - row - 0.5, SEATS[seat], ha="right", va="center", fontsize=8
            )
        for column, rank in enumerate(ranks):
            shares = table.loc[f"{suit}{rank}"]
            if f"{suit}{rank}" in played:
                ax.plot(
                    [column, column + 1],
                    [top - len(hidden), top],
                    color=ink(),
                    linewidth=0.9,
                    zorder=1.5,
                )
            if not shares[hidden].any():
                holder, rows = shares.idxmax(), len(hidden)
                ax.add_patch(
                    Rectangle(
                        (column, top - rows),
                        1,
                        rows,
                        facecolor=GREY,
                        alpha=0.25,
                        linewidth=0.4,
                    )
                )
                ax.text(
                    column + 0.5,
                    top - rows / 2,
                    holder,
                    ha="center",
                    va="center",
                    fontsize=8,
                    style="italic",
                )
                continue
            for row, seat in enumerate(hidden):
                shaded_cell(ax, column, top - row - 1, shares[seat])
        colour = SUIT_COLOURS.get(suit, ink())
        ax.text(
            -2.9,
            top - len(hidden) / 2,
            symbol,
            ha="center",
            va="center",
            fontsize=17,
            color=colour,
        )
        top -= len(hidden) + 0.4
    _frame(ax, -3.4, 13.1, top + 0.3)
    ax.set_xticks(
        np.arange(13) + 0.5, ["10" if rank == "T" else rank for rank in ranks]
    )
    crossed = "; a line: played" if played else ""
    title = f"Where the cards lie, as {observer_of(source)} sees it: P(seat holds card) in %{crossed}"
    ax.set_title(in_lines(title), fontsize=10)
    return ax


def lengths(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """P(number of cards) in each suit of each hidden hand, in percent; the mean stands
    at the end of the row.

    >>> import bayesbridge as bb
    >>> ax = lengths(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1))
    >>> sorted({text.get_text() for text in ax.texts} & {"North", "East", "South", "West"})
    ['East', 'North', 'West']
    """
    chances = marginal(source, "length_probabilities")
    hidden = hidden_seats(marginal(source, "card_probabilities"))
    longest = max(
        7,
        int(
            np.flatnonzero(
                chances.sel(seat=hidden).max(("seat", "suit")).values >= RARE
            )[-1]
        ),
    )
    ax = new_axes(7.2, 1.0 + 1.05 * len(hidden)) if ax is None else ax
    top = 0.0
    for seat in hidden:
        for row, (suit, symbol) in enumerate(SYMBOLS.items()):
            shares = chances.sel(seat=seat, suit=suit).values.tolist()
            place = top - row - 0.5
            ax.text(
                -0.4,
                place,
                symbol,
                ha="center",
                va="center",
                fontsize=11,
                color=SUIT_COLOURS.get(suit, ink()),
            )
            for length in range(longest + 1):
                shaded_cell(ax, length, top - row - 1, shares[length])
            mean = sum(length * share for length, share in enumerate(shares))
            ax.text(
                longest + 1.2, place, f"{mean:.2f}", ha="left", va="center", fontsize=8
            )
        ax.text(-0.9, top - 2, SEATS[seat], ha="right", va="center", fontsize=10)
        top -= 4.4
    _frame(ax, -2.6, longest + 2.3, top + 0.3)
    ax.set_xticks(
        [*(np.arange(longest + 1) + 0.5), longest + 1.7],
        [*map(str, range(longest + 1)), "mean"],
    )
    title = f"Suit lengths of the hidden hands, as {observer_of(source)} sees it: P(number of cards) in %"
    ax.set_title(in_lines(title), fontsize=10)
    return ax


def marginal(source: xarray.DataTree | Posterior, name: str) -> xarray.DataArray:
    """Card, length or point probabilities of a posterior or of a result."""
    found = (
        getattr(source, name)()
        if isinstance(source, Posterior)
        else source["marginals"].to_dataset()[name]
    )
    # Sums of weights miss 0 and 1 by rounding, and a card is known only at 1.
    rounded: xarray.DataArray = found.round(9).clip(0.0, 1.0)
    return rounded


def hidden_seats(cards: xarray.DataArray) -> list[str]:
    """Seats of which some card is not certain; all where everything is known."""
    doubtful = ((cards > 0.0) & (cards < 1.0)).any("card").to_series()
    return list(doubtful.index[doubtful] if doubtful.any() else doubtful.index)


def observer_of(source: xarray.DataTree | Posterior) -> str:
    if isinstance(source, Posterior):
        return SEATS[source.belief.observer.name]
    return SEATS[str(source["constant_data"].to_dataset()["observer"].values)]


def _played(source: xarray.DataTree | Posterior) -> set[str]:
    if isinstance(source, Posterior):
        return {
            str(piece.card)
            for piece in source.belief.evidence
            if isinstance(piece, Play)
        }
    texts = map(str, source["observed_data"].to_dataset()["evidence"].values)
    return {
        found[1]
        for text in texts
        if (found := re.fullmatch(r"Play\('.', '(..)'\)", text))
    }


def _frame(ax: Axes, left: float, right: float, bottom: float) -> None:
    ax.set(xlim=(left, right), ylim=(bottom, 0.1))
    ax.xaxis.tick_top()
    ax.tick_params(top=False, left=False, labelleft=False, pad=0)
    bare(ax, keep=())


def tricks(
    result: xarray.DataTree,
    name: str = "T",
    *,
    level: int | None = None,
    ax: Axes | None = None,
    **where: Any,
) -> Axes:
    """How many tricks or captures: ``name`` is ``T`` or any other output that counts
    tricks.

    The dashed line stands before 6 + ``level`` tricks, by default those of the
    auction's contract, else 7; without ``level`` there is none for a pair that does not
    declare. Bars that reach the line are dark; conditions that fail stand apart,
    hatched. ``where`` picks one of several numbers, such as ``strain="NT"``.

    >>> import bayesbridge as bb
    >>> tricks(bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)), level=3).get_title()
    "T of S and N: captures by the paper's rule\\nT ≥ 9: 71 %"
    """
    ax = new_axes(6.4, 3.6) if ax is None else ax
    if level is not None and level not in range(1, 8):
        raise BayesBridgeError(
            f"level {level!r}: a contract is at level 1 to 7", level=level
        )
    tricks = Result.of(result).answer.number(name).tricks(**where)
    asked = tricks.asked
    goal = (
        7 if asked.contract is None else asked.contract.tricks_needed * asked.declares
    )
    goal = goal if level is None else 6 + level
    shown = np.array(tricks.occurring)
    _bars(
        ax,
        shown,
        [tricks.share(value) for value in tricks.occurring],
        color=np.where(shown >= goal, BLUE, SKY),
    )
    picked = "".join(
        f", {value}" for dim, value in where.items() if dim not in ("strain", "seat")
    )
    title = in_lines(f"{tricks.title}{picked}")
    if goal:
        needed = f" ({goal} tricks or more)" if tricks.is_contract_chance else ""
        title += (
            f"\n{tricks.goal(goal)}{needed}: {short_percent(tricks.at_least(goal))} %"
        )
    ax.set_title(title, fontsize=10)
    what = "tricks at the table" if tricks.count.at_table else tricks.output.title
    _axis(
        ax,
        shown,
        what if what and name == "tricks" else ", ".join(filter(None, (name, what))),
        goal,
        tricks,
    )
    return ax


def contract(source: xarray.DataTree | ContractOdds, *, ax: Axes | None = None) -> Axes:
    """Tricks of a contract that was asked about: dark bars make it, thin lines are one
    standard error each way.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> result = bb.estimate(belief.infer(draws=500, rng=1), contract="6S", solve=0)
    >>> contract(result).get_xlabel()
    'tricks of South, dummy North'
    """
    odds = source if isinstance(source, ContractOdds) else ContractOdds.of_tree(source)
    if odds is None:
        raise BayesBridgeError(
            "the result has no contract: ask for one, as in bb.estimate(posterior, contract='4S')"
        )
    ax = new_axes(6.4, 3.6) if ax is None else ax
    shares, errors = np.clip(odds.pmf, 0.0, 1.0), odds.pmf_error
    met = np.flatnonzero(shares >= RARE)
    shown = np.arange(met[0], met[-1] + 1)
    colours = [BLUE if odds.made[tricks] else SKY for tricks in shown]
    _bars(ax, shown, shares[shown], color=colours, yerr=errors[shown])
    how = {
        "network": "by the network alone",
        "corrected": f"corrected by {odds.solved} solved layouts",
    }
    told = how.get(odds.basis, f"all {odds.solved} layouts solved")
    ax.set_title(
        f"{odds.contract} makes: {percent(odds.make.mean)}{share_error(*odds.make)}, {told}",
        fontsize=10,
    )
    _axis(
        ax,
        shown,
        f"{'actual ' * odds.actual}tricks of {odds.whose}",
        odds.contract.tricks_needed,
    )
    return ax


def prior_posterior(
    prior: xarray.DataTree,
    posterior: xarray.DataTree,
    name: str = "T",
    *,
    ax: Axes | None = None,
    **where: Any,
) -> Axes:
    """One output before and after evidence, side by side; ``where`` picks one of
    several numbers, as ``suit="S"``.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32")
    >>> before, after = (bb.estimate(one.infer(rng=1)) for one in (belief, belief.given(bb.Void("E", "H"))))
    >>> prior_posterior(before, after, "delta", suit="H").get_xlabel()
    'delta, H'
    """
    ax = new_axes(6.4, 3.6) if ax is None else ax
    looks: tuple[dict[str, Any], ...] = (
        {"color": SKY, "hatch": HATCH, "label": "before"},
        {"label": "after"},
    )
    every: set[int] = set()
    for side, result, look in zip((-1, 1), (prior, posterior), looks, strict=True):
        number = Result.of(result).answer.number(name).at(**where)
        values, shares = number.values[number.met(0)], number.shares[number.met(0)]
        ax.bar(
            values + 0.2 * side,
            shares,
            0.4,
            edgecolor=ink(),
            linewidth=0.6,
            **({"color": BLUE} | look),
        )
        every |= set(values.tolist())
    label = ", ".join((name, *map(str, where.values())))
    _axis(ax, np.arange(min(every), max(every) + 1), label)
    ax.set_title(f"{label} before the evidence and after it", fontsize=10)
    ax.legend(frameon=False)
    return ax


def contracts(found: xarray.Dataset, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Expected scores of the ``most`` best contracts, thin lines two standard errors
    each way, with P(it makes).

    ``found`` is what :func:`bayesbridge.contracts` gives. Dark bars rest on solved
    layouts, light ones on the network.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> found = bb.contracts(belief.infer(draws=500, rng=1), "4S,6S,3NT", scheme="duplicate", solve=0)
    >>> [text.get_text() for text in contracts(found).get_yticklabels()]
    ['6S by S', '3NT by S', '4S by S']
    """
    shown = found.isel(contract=slice(0, most))
    labels, scores, errors, makes = (
        shown[name].values for name in ("contract", "score", "score_error", "make")
    )
    told = [
        f"{short_percent(make)} %" * (make == make) for make in makes.tolist()
    ]  # nan: it is passed out
    colours = [SKY if basis == "network" else BLUE for basis in shown["basis"].values]
    ax = _ranked(ax, labels.tolist(), scores, 2 * errors, told, color=colours)
    ax.axvline(0.0, color=ink(), linewidth=0.8)
    ax.set_xlabel(
        f"expected score, {scheme_words(found.attrs['scheme'], found.attrs['vulnerable'])}"
    )
    ax.set_title(
        "Contracts by expected score, with the chance that each makes", fontsize=10
    )
    return ax


GAIN_BINS: Final = 41


def call_values(values: CallValues, *, ax: Axes | None = None) -> Axes:
    """On how many layouts each call gains how much over the likeliest one.

    ``values`` is what :func:`bayesbridge.call_values` gives. Layouts on which both end
    alike are left out: the legend says how many differ, and the mean over all.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "KQ84.75.KJ73.A98").given(bb.Auction.of("E:1H"))
    >>> values = bb.call_values(belief, layouts=64, draws=500, rng=1)
    >>> call_values(values).get_xlabel()
    'IMPs beside Double'
    """
    ax = new_axes(6.4, 3.4) if ax is None else ax
    unit = f"{values.goal.unit} beside {call_word(values.reference.call)}"
    scale = 100.0 if values.goal.in_percent else 1.0
    gains = scale * values.gains
    widest = max(float(np.abs(gains).max()), 1.0)
    edges = np.linspace(-widest, widest, GAIN_BINS + 1).tolist()
    colours = cycle((BLUE, ORANGE, VERMILION, SKY, GREY))
    for column, row in enumerate(values.rows):
        if row.gain is None:
            continue
        differ = gains[:, column] != 0.0
        share = percent(float(values.weights[differ].sum()), 0)
        ax.hist(
            gains[differ, column],
            edges,
            weights=values.weights[differ],
            histtype="step",
            linewidth=1.6,
            color=next(colours),
            label=f"{call_word(row.call)} {values.gain_text(row.gain)}, {share} differ",
        )
    ax.axvline(0.0, color=ink(), linewidth=0.8)
    ax.set_xlabel(unit)
    ax.set_ylabel("share of the layouts")
    percent_axis(ax.yaxis)
    ax.set_title(values.sentence, fontsize=10, wrap=True)
    if len(values.rows) > 1:
        ax.legend(fontsize=8, frameon=False)
    return ax


def match(result: MatchResult, *, ax: Axes | None = None) -> Axes:
    """IMPs a board of the first entrant after so many boards, with a band of two
    standard errors.

    ``result`` is what :func:`bayesbridge.match` gives.

    >>> import bayesbridge as bb
    >>> from bayesbridge.studies import RunOptions
    >>> here = RunOptions(workers=1, scheduler="threads")
    >>> result = bb.match("learned", "learned", boards=3, solved=False, how=here)
    >>> match(result).get_title()
    'learned and learned are level on 3 boards: 0.00 ± 0.00 IMPs a board.'
    """
    ax = new_axes(6.4, 3.4) if ax is None else ax
    boards = range(2, len(result.boards) + 1)
    gains = np.array([result.after(n) for n in boards]).reshape(-1, 2)
    means, errors = gains.T
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


def play(found: CardChoices, *, ax: Axes | None = None) -> Axes:
    """P(the contract makes, or is beaten) after each card, or tricks where they are the
    goal, thin lines two errors.

    ``found`` is what :func:`bayesbridge.play` gives. Blue bars are the best card and
    all that the test cannot tell from it; the test compares cards on the same layouts,
    so two bars may differ surely although their lines overlap.

    >>> import bayesbridge as bb
    >>> from bayesbridge.decisions.play import CardChoice, turn_of
    >>> none, chance = (0.0, 0.0), {"H9": (0.4, 0.03), "CJ": (0.2, 0.02)}
    >>> rows = [CardChoice((bb.Card.of(card),), chance[card], (4.0, 0.1), none, card == "H9", 0.5) for card in chance]
    >>> turn = turn_of(bb.Belief("W", "Q8642.93.J84.K75", dummy=None), "3NT")
    >>> play(CardChoices(turn, "make", tuple(rows), 100, False)).get_title()
    'West leads against 3NT by S; blue: the best'
    """
    by = found.goal
    chance = "P(beaten)" if found.turn.defends else "P(makes)"
    what = {
        "make": chance,
        "tricks": "tricks of the side",
        "matchpoints": "matchpoints",
    }[by]
    values, errors = np.array(
        [getattr(choice, "chance" if by == "make" else by) for choice in found.choices]
    ).T
    told = [
        f"{value:.2f}" if by == "tricks" else f"{short_percent(value)} %"
        for value in values
    ]
    colours = [BLUE if choice.close else PALE for choice in found.choices]
    labels = [card_words(choice.name) for choice in found.choices]
    ax = _ranked(
        ax, labels, values, errors * (0 if found.exact else 2), told, color=colours
    )
    ax.set_xlim(left=0.0)
    if by != "tricks":
        percent_axis(ax.xaxis)
    ax.set_xlabel(f"{what}, {'one plan' if found.horizon else 'double dummy'}")
    verdict = "the best" if found.clear else "too close to call"
    ax.set_title(f"{found.turn.words}; blue: {verdict}", fontsize=10)
    return ax


def _ranked(
    ax: Axes | None,
    labels: Sequence[str],
    values: Floats,
    errors: Floats,
    told: Sequence[str],
    **look: Any,
) -> Axes:
    """Bars to the right, the first on top, with thin lines of these lengths for errors,
    and a figure at the end.
    """
    ax = new_axes(6.4, 1.2 + 0.3 * len(labels)) if ax is None else ax
    rows = range(len(labels))
    thin: dict[str, Any] = {
        "ecolor": ink(),
        "capsize": 2,
        "error_kw": {"elinewidth": 0.8},
    }
    thin["xerr"] = errors if errors.any() else None
    drawn = ax.barh(rows, values, 0.62, edgecolor=ink(), linewidth=0.6, **thin, **look)
    ax.bar_label(drawn, told, padding=4, fontsize=8)
    ax.margins(x=0.12)
    ax.set_yticks(rows, labels)
    ax.invert_yaxis()
    ax.grid(axis="x", linewidth=0.3, color=GREY)
    ax.set_axisbelow(True)
    ax.tick_params(left=False, labelsize=8)
    bare(ax)
    return ax


def suit_play(play: SuitPlay, *, ax: Axes | None = None) -> Axes:
    """For each number of tricks: P(so many or more) by its own best plan, and by the
    plan with most on average.

    ``play`` is what :func:`bayesbridge.suit_play` gives.

    >>> import bayesbridge as bb
    >>> suit_play(bb.suit_play("AQJ32", "654")).get_title()
    'AQJ32 opposite 654: 4.139 tricks on average'
    """
    goals = range(
        play.sure, max((line.goal or 0 for line in play.goals), default=play.sure) + 1
    )
    own = {line.goal: line.chance for line in play.goals}
    each = [own.get(goal, 1.0) for goal in goals]
    on_average = [play.best.at_least.get(goal, 1.0) for goal in goals]
    ax = new_axes(max(4.4, 1.6 + 0.9 * len(goals)), 3.4) if ax is None else ax
    places = np.arange(len(goals))
    _bars(ax, places - 0.2, each, 0.38, label="the plan for so many tricks", color=BLUE)
    _bars(
        ax,
        places + 0.2,
        on_average,
        0.38,
        label="the plan for most tricks on average",
        color=PALE,
        hatch=HATCH,
    )
    ax.set_xticks(places, [f"{goal} or more" for goal in goals])
    ax.set(
        xlabel="tricks in the suit, against the best defence",
        ylim=(0, 1.32),
        yticks=np.linspace(0, 1, 5),
    )
    percent_axis(ax.yaxis)
    ax.set_title(
        f"{play.first} opposite {play.second}: {play.best.tricks:.3f} tricks on average",
        fontsize=10,
    )
    ax.legend(frameon=False, fontsize=8, loc="upper right")
    bare(ax)
    return ax


def _bars(ax: Axes, places: Any, shares: Any, width: float = 0.8, **look: Any) -> None:
    """Bars with their percentages; 0 has no figure, and none has where they are too
    many.
    """
    thin: dict[str, Any] = {
        "ecolor": ink(),
        "capsize": 2,
        "error_kw": {"elinewidth": 0.8},
    }  # lines of standard errors
    bars = ax.bar(places, shares, width, edgecolor=ink(), linewidth=0.6, **thin, **look)
    if len(shares) <= 20:
        ax.bar_label(
            bars,
            [short_percent(share) if share else "" for share in shares],
            padding=1,
            fontsize=8,
        )


def _axis(
    ax: Axes,
    shown: NDArray[np.int64],
    label: str,
    goal: int = 0,
    tricks: Distribution | None = None,
) -> None:
    """The axis of values, with a dashed line before the goal; what stands for failing
    has its bar left of the first.
    """
    bare(ax)
    percent_axis(ax.yaxis)
    ax.set(xlabel=label, ylabel="probability")
    if goal:
        ax.axvline(goal - 0.5, color=ink(), linestyle="--", linewidth=1.2)
        shown = np.arange(min(int(shown[0]), goal), max(int(shown[-1]), goal) + 1)
    ticks = shown[:: -(-len(shown) // 20)].tolist()
    labels = list(map(str, ticks))
    if tricks is not None and tricks.count.undefined_value is not None:
        place = int(shown[0]) - 2
        if tricks.fails:
            _bars(ax, [place], [tricks.fails], color=ORANGE, hatch=HATCH)
        ticks, labels = (
            [place, *ticks],
            [tricks.count.failing.replace(" ", "\n"), *labels],
        )
        ax.axvline(place + 1, color=ink(), linewidth=0.4)
    ax.set_xticks(ticks, labels)
    ax.set_xlim(ticks[0] - 0.8, int(shown[-1]) + 0.8)


def distribution(
    result: xarray.DataTree, name: str, *, ax: Axes | None = None, **where: Any
) -> Axes:
    """How likely each value of an output is, whatever it is: ``name`` as the result and
    its estimator call it.

    One whole number is drawn as bars, tricks as :func:`tricks` draws them, another
    number as a histogram of its draws and their weights. An output with several
    numbers, as one for each suit, is a shaded table with the mean at the end of each
    row; ``where``, as ``suit="S"``, picks one of them.

    >>> import bayesbridge as bb
    >>> distribution(bb.estimate(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)), "delta").get_title()
    'delta of S and N: P in % (exact)'
    """
    answer = Result.of(result).answer
    number = answer.number(name)
    dims = [dim for dim in number.labels if dim not in where]
    how = "exact" if number.exact else "estimated"
    title = f"{name} of {answer.asked.names}{''.join(f', {value}' for value in where.values())}"
    if len(number.values) and dims:
        return _table(number, where, f"{title}: P in % ({how})", ax)
    ax = new_axes(6.4, 3.6) if ax is None else ax
    if number.output.tricks is not None:
        return tricks(result, name, ax=ax, **where)
    number = number.at(**where)
    if len(number.values):
        shown = number.values[number.met(0)]
        _bars(ax, shown, number.shares[number.met(0)], color=SKY)
        _axis(ax, shown, name)
    else:
        weights, mean = answer.kept.weights, float(number.mean[0])
        ax.hist(
            number.drawn[:, 0].astype(np.float64),
            30,
            weights=weights,
            color=SKY,
            edgecolor=ink(),
            linewidth=0.5,
        )
        ax.axvline(
            mean, color=BLUE, linestyle="--", linewidth=1.4, label=f"mean {mean:.3g}"
        )
        ax.legend(frameon=False, fontsize=8)
        bare(ax)
        percent_axis(ax.yaxis)
        ax.set(xlabel=name, ylabel="probability")
    said = number.output.doc.removesuffix(".")
    ax.set_title(
        f"{title} ({how})\n{said if len(said) <= 72 else f'{said[:70]}…'}", fontsize=10
    )
    return ax


def _table(
    number: Distribution, where: dict[str, Any], title: str, ax: Axes | None
) -> Axes:
    """Labels × values, from the first to the last that occurs, with the mean at the end
    of each row.
    """
    places, dims = (
        number.places(**where),
        [dim for dim in number.labels if dim not in where],
    )
    labels = [" ".join(number.cells[place][dim] for dim in dims) for place in places]
    met = number.met(*places)
    heads = number.values[met].tolist()
    last = len(heads) + 0.8
    ax = (
        new_axes(min(max(4.8, 1.8 + 0.42 * len(heads)), 14.0), 1.0 + 0.3 * len(labels))
        if ax is None
        else ax
    )
    for row, place in enumerate(places):
        for column, share in enumerate(number.pmf[place, met].tolist()):
            shaded_cell(ax, column, -row - 1, min(share, 1.0))
        ax.text(
            last,
            -row - 0.5,
            f"{number.mean[place]:.2f}",
            ha="center",
            va="center",
            fontsize=8,
        )
    _frame(ax, 0, last + 0.8, -len(labels) - 0.05)
    ax.set_xticks([*(np.arange(len(heads)) + 0.5), last], [*map(str, heads), "mean"])
    ax.set_yticks(-np.arange(len(labels)) - 0.5, labels)
    ax.tick_params(labelleft=True, labelsize=8)
    ax.set_ylabel(", ".join(dims))
    ax.set_title(title, fontsize=10)
    return ax


def points(source: xarray.DataTree | Posterior, *, ax: Axes | None = None) -> Axes:
    """P(number of high-card points) of every hidden hand, in percent: a row of bars for
    each, with its mean.

    Dark bars are the shortest range that holds at least half of the probability.

    >>> import bayesbridge as bb
    >>> [label.get_text() for label in points(bb.Belief("S", "AKQ2.KJ3.A54.Q32").infer(rng=1)).get_yticklabels()]
    ['North\\nmean 7.0', 'East\\nmean 7.0', 'West\\nmean 7.0']
    """
    chances = marginal(source, "point_probabilities")
    hidden = hidden_seats(marginal(source, "card_probabilities"))
    table = chances.sel(seat=hidden)
    met = np.flatnonzero(table.max("seat").values >= RARE)
    shown = np.arange(met[0], met[-1] + 1)
    step = (
        1 if len(shown) <= 24 else 2
    )  # every second tick, and no figures, where bars are many
    highest = float(table.max())
    ax = new_axes(7.2, 0.9 + 1.05 * len(hidden)) if ax is None else ax
    for row, seat in enumerate(hidden):
        shares = chances.sel(seat=seat).values
        low, high = shortest_interval(np.arange(len(shares)), shares, 0.5)
        colours = [BLUE if low <= points <= high else SKY for points in shown]
        heights = 0.78 * shares[shown] / highest
        bars = ax.bar(
            shown,
            heights,
            0.86,
            bottom=-row,
            color=colours,
            edgecolor=ink(),
            linewidth=0.5,
        )
        if step == 1:
            figures = [
                short_percent(float(share)) if share else "" for share in shares[shown]
            ]
            ax.bar_label(bars, figures, padding=1, fontsize=6.5)
        ax.axhline(-row, color=ink(), linewidth=0.6)
    means = (table * table["points"]).sum("points").values
    labels = [
        f"{SEATS[seat]}\nmean {mean:.1f}"
        for seat, mean in zip(hidden, means, strict=True)
    ]
    ax.set_yticks(0.35 - np.arange(len(hidden)), labels)
    ax.set(
        xlabel="high-card points", xticks=shown[::step], ylim=(0.98 - len(hidden), 1.0)
    )
    ax.set_xlim(shown[0] - 0.8, shown[-1] + 0.8)
    ax.tick_params(left=False, labelsize=8)
    bare(ax, keep=())
    ax.set_title(
        in_lines(f"Points of hidden hands, as {observer_of(source)} sees it: P in %"),
        fontsize=10,
    )
    return ax


def sharpening(
    source: pandas.DataFrame | Belief, *, figure: Figure | None = None, **options: Any
) -> NDArray[Any]:
    """Entropy, E[T], and the chances of T and of the contract after every event: three
    Axes, one above the other.

    With four players the mean points of the hands that change stand in the place of T. ``source`` is the table of
    :func:`bayesbridge.sharpening`, or a belief, for which ``options`` make that table. Full marks are exact, open ones
    sampled. That the contract is made is double dummy from the deal by the network
    ``tricks``; where few layouts are left they are solved from there on.

    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ2.KJ3.A54.Q32").given(bb.Void("E", "H"))
    >>> entropy, captures, chances = sharpening(belief, level=3)
    >>> entropy.get_ylabel()
    'entropy, bits'
    """
    table = steps_of(source, **options) if isinstance(source, Belief) else source
    places = np.arange(len(table))
    width = max(6.4, 1.5 + 0.3 * min(len(table), 30))
    entropy, captures, chances = axes = new_grid(
        width, 6.4, 3, 1, figure=figure, sharex=True
    )[:, 0]
    blue, red = (
        {"color": BLUE, "marker": "o"},
        {"color": VERMILION, "linestyle": "--", "marker": "s"},
    )

    def line(
        ax: Axes,
        column: str,
        exact: pandas.Series[bool],
        look: dict[str, Any],
        label: str | None = None,
    ) -> None:
        ax.plot(
            places, table[column], linewidth=1.4, markersize=4.5, label=label, **look
        )
        sampled, hollow = ~exact.to_numpy(dtype=bool), look | {"linestyle": ""}
        ax.plot(
            places[sampled],
            table[column][sampled],
            markersize=4.5,
            mfc=ax.get_facecolor(),
            **hollow,
        )

    line(entropy, "entropy_bits", table["exact"], blue)
    entropy.set(
        ylabel="entropy, bits",
        ylim=(0, 1.08 * max(1.0, float(table["entropy_bits"].max()))),
    )
    if table.attrs.get("players") == 4:
        looks = zip(
            "NESW",
            (BLUE, VERMILION, ORANGE, SKY),
            ("-", "--", ":", "-."),
            "osD^",
            strict=True,
        )
        for seat, colour, style, marker in looks:
            if np.ptp(table[f"points_{seat}"]) > 0:
                look = {"color": colour, "linestyle": style, "marker": marker}
                line(captures, f"points_{seat}", table["exact"], look, SEATS[seat])
        captures.set_ylabel("mean points")
    else:
        line(
            captures,
            "T_mean_qualified",
            table["exact"],
            blue,
            "given that the conditions hold",
        )
        line(captures, "T_mean", table["exact"], red, "with 0 where they fail")
        captures.set(ylabel="mean of T, captures", ylim=(0, 13.5))
        line(chances, "qualified", table["exact"], red, "the conditions hold")
        line(
            chances,
            "T_at_least",
            table["exact"],
            blue,
            f"T ≥ {6 + table.attrs.get('level', 1)}",
        )
    if table["made"].notna().any():
        label = f"{table.attrs.get('contract') or 'contract'} made, double dummy"
        look = {"color": ORANGE, "linestyle": ":", "marker": "D"}
        line(chances, "made", table["made_error"] == 0.0, look, label)
    chances.set(ylabel="probability", ylim=(-0.03, 1.05))
    percent_axis(chances.yaxis)
    for ax in axes:
        bare(ax)
        ax.grid(axis="y", linewidth=0.3)
    for ax in (captures, chances):
        if ax.lines:
            ax.legend(frameon=False, fontsize=8, loc="best")
    shown = places[:: -(-len(table) // 30)]
    texts = [_short(str(table["event"].iloc[place])) for place in shown]
    chances.set_xticks(
        shown, texts, rotation=60, fontsize=8, ha="right", rotation_mode="anchor"
    )
    return axes


def _short(event: str) -> str:
    """A trick by its number, a hand laid open without its cards, anything else in full
    unless it is long.
    """
    if event.startswith("trick "):
        return event.partition(":")[0]
    if " shows " in event:
        return f"{event.partition(' shows ')[0]} shows its hand"
    words = with_symbols(event)
    return words if len(words) <= 24 else f"{words[:22]}…"


def shrinkage(
    rates: xarray.DataArray,
    counts: Mapping[str, tuple[int, int]],
    truth: Mapping[str, float] | None = None,
    *,
    ax: Axes | None = None,
) -> Axes:
    """Raw rates and estimated ones, one row for each player, the most active on top.

    ``rates``: draws of each player's rate with a dimension ``player``, such as
    :meth:`~bayesbridge.bidders.fit.Styles.bid_rates` gives. ``counts``: player → (bids made, turns to bid). The open
    circle is the raw rate, the larger the more turns; the full mark is the posterior mean with its 89 % interval.
    ``truth``: player → true rate, where players are simulated.

    >>> import numpy as np, xarray
    >>> draws = np.random.default_rng(1).beta([8, 3], [4, 6], size=(500, 2))
    >>> rates = xarray.DataArray(draws, {"player": ["Anna", "Bert"]}, ("draw", "player"))
    >>> ax = shrinkage(rates, {"Anna": (7, 9), "Bert": (0, 2)}, {"Anna": 0.6, "Bert": 0.4})
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['Bert (0 of 2)', 'Anna (7 of 9)']
    """
    samples = rates.stack(sample=[dim for dim in rates.dims if dim != "player"])
    samples = samples.isel(player=np.argsort(samples.mean("sample").values))
    means, players = (
        samples.mean("sample").values,
        [str(name) for name in samples["player"].values],
    )
    rows, turns = (
        np.arange(len(players)),
        [counts.get(name, (0, 0)) for name in players],
    )
    ax = new_axes(6.4, 1.4 + 0.42 * len(players)) if ax is None else ax
    ax.axvline(
        means.mean(), color=GREY, linestyle="--", linewidth=1.0, label="mean of all"
    )
    ax.hlines(
        rows,
        *samples.quantile([0.055, 0.945], "sample").values,
        color=BLUE,
        linewidth=2.2,
    )
    ax.plot(means, rows, "o", color=BLUE, markersize=6, label="estimate, 89 % interval")
    raw = np.array(
        [(made / many, row, many) for row, (made, many) in enumerate(turns) if many]
    ).reshape(-1, 3)
    sizes = (4 + 1.6 * np.sqrt(raw[:, 2])) ** 2
    ax.scatter(
        raw[:, 0],
        raw[:, 1],
        sizes,
        facecolors="none",
        edgecolors=ink(),
        zorder=3,
        label="raw rate",
    )
    known = [
        (truth[name], row)
        for row, name in enumerate(players)
        if truth and name in truth
    ]
    if known:
        ax.plot(
            *zip(*known, strict=True),
            "|",
            color=VERMILION,
            markersize=14,
            markeredgewidth=2.2,
            label="truth",
        )
    ax.set_yticks(
        rows,
        [
            f"{name} ({made} of {many})"
            for name, (made, many) in zip(players, turns, strict=True)
        ],
    )
    ax.set_ylim(-0.6, len(players) - 0.4)
    percent_axis(ax.xaxis)
    bare(ax)
    ax.legend(
        frameon=False,
        fontsize=8,
        loc="upper center",
        bbox_to_anchor=(0.4, -0.1),
        ncols=2,
        labelspacing=0.9,
    )
    return ax


def paper_runs(comparison: Comparison, *, ax: Axes | None = None) -> Axes:
    """The printed runs of a table as grouped bars, our figure or the exact one as a
    line across each group, z above it.

    ``comparison`` is the study of conditions or of captures: each figure has the same
    unit.

    >>> from bayesbridge.studies import conditions
    >>> paper_runs(conditions.count_exactly()).get_title()
    'Table 2: outcomes of the two pre-qualification conditions'
    """
    ax = new_axes(7.2, 3.8) if ax is None else ax
    figures = [
        figure for figure in comparison.figures if figure.own or any(figure.printed)
    ]
    runs, places = len(figures[0].printed), np.arange(len(figures))
    width = 0.75 / runs
    for run in range(runs):
        at, heights = (
            places + (run - (runs - 1) / 2) * width,
            [figure.printed[run] for figure in figures],
        )
        label = f"paper, run {run + 1}" if runs > 1 else "paper"
        ax.bar(
            at,
            heights,
            width,
            color=(PALE, SKY, BLUE)[run % 3],
            edgecolor=ink(),
            linewidth=0.4,
            label=label,
        )
    for place, figure in enumerate(figures):
        if figure.z is not None:
            top = max(*figure.printed, figure.own or 0.0)
            ax.annotate(
                f"z {figure.z:+.1f}",
                (place, top),
                (0, 4),
                textcoords="offset points",
                ha="center",
                size=8,
            )
    own = np.array([figure.own for figure in figures], dtype=np.float64)
    label = "exact" if comparison.exact else "ours"
    ax.hlines(
        own, places - 0.45, places + 0.45, color=VERMILION, linewidth=2.0, label=label
    )
    ax.set_xticks(places, [figure.name.replace("<=", "≤ ") for figure in figures])
    ax.yaxis.set_major_formatter(
        FuncFormatter(lambda value, _: f"{value:,.0f}".replace(",", " "))
    )
    ax.set_ylabel(comparison.unit)
    ax.set_title(comparison.title, fontsize=10)
    ax.legend(frameon=False, fontsize=8)
    bare(ax)
    return ax


def shift(comparison: Comparison, *, figure: Figure | None = None) -> NDArray[Any]:
    """Two panels: the conditions and the captures by Algorithm 1, of one hand, beside
    those by Algorithm 2, of both.

    ``comparison`` is the study ``shift``, exact or not.

    >>> from bayesbridge.studies import STUDIES
    >>> [ax.get_title() for ax in shift(STUDIES["shift"].simulate(1000, 1))]
    ['Conditions', 'Captures where both conditions hold']
    """
    axes: NDArray[Any] = new_grid(9.6, 3.8, 1, 2, figure=figure, width_ratios=[3, 8])[0]
    titles = {
        "conditions": "Conditions",
        "captures": "Captures where both conditions hold",
    }
    looks = (
        (SKY, -0.2, "Algorithm 1: one hand"),
        (BLUE, 0.2, "Algorithm 2: with the dummy"),
    )
    for ax, (name, title) in zip(axes, titles.items(), strict=True):
        shares = comparison.answers["shares"][name]
        for heights, (colour, step, label) in zip(
            zip(*shares.values(), strict=True), looks, strict=True
        ):
            at = np.arange(len(shares)) + step
            ax.bar(
                at,
                heights,
                0.4,
                color=colour,
                edgecolor=ink(),
                linewidth=0.4,
                label=label,
            )
        ax.set_xticks(range(len(shares)), list(shares))
        ax.set_title(title, fontsize=10)
        percent_axis(ax.yaxis)
        bare(ax)
    axes[0].set_ylabel("of all deals")
    axes[1].legend(frameon=False, fontsize=8)
    return axes


WAYS: Final = {"algorithm 1": GREY, "best response": SKY, "equilibrium": BLUE}
OPENING_COLOURS: Final = (PALE, SKY, BLUE, VERMILION)


def auction(comparison: Comparison, *, figure: Figure | None = None) -> NDArray[Any]:
    """The auction as a game: a row of three panels for each scheme and price.

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
    axes = new_grid(11.0, 3.4 * len(games), len(games), 3, figure=figure)
    for row, game in zip(axes, games, strict=True):
        _openings(row[0], game)
        _points_by_seat(row[1], game)
        _gains_by_iterations(row[2], game)
    return axes


def _openings(ax: Axes, game: Mapping[str, Any]) -> None:
    """Bars of what the first seat opens, by tenths of all hands."""
    chances = np.array([part["calls"] for part in tenths(game["opening"])])
    labels = ("pass", "1NT", "2NT", "higher")
    shares = np.hstack([chances[:, :3], chances[:, 3:].sum(axis=1, keepdims=True)])
    bottom = np.zeros(len(shares))
    middles = np.arange(len(shares)) + 0.5
    for column, label in enumerate(labels):
        ax.bar(
            middles,
            shares[:, column],
            1.0,
            bottom,
            color=OPENING_COLOURS[column],
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


def _points_by_seat(ax: Axes, game: Mapping[str, Any]) -> None:
    """Bars of points with two standard errors, by seat and way of bidding."""
    seats = np.arange(3)
    for number, (way, colour) in enumerate(WAYS.items()):
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


def _gains_by_iterations(ax: Axes, game: Mapping[str, Any]) -> None:
    """What the seats together could still gain, on two logarithmic axes."""
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
