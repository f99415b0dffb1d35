"""Pictures of what to bid and play: contracts, calls, cards, plans for a suit."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Final

import numpy as np
from matplotlib.axes import Axes

from bayesbridge.decisions.call_answer import CallValues, call_word
from bayesbridge.decisions.play import CardChoices
from bayesbridge.decisions.suit import SuitPlay
from bayesbridge.display.words import card_words, percent, short_percent
from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators.answer_tables import scheme_words
from bayesbridge.game.layouts import Floats
from bayesbridge.plots.axes import (
    BLUE,
    GREY,
    HATCH,
    ORANGE,
    PALE,
    SKY,
    VERMILION,
    ax_or_new,
    bare,
    ink,
    percent_axis,
    ranked_bars,
    upright_bars,
)

if TYPE_CHECKING:
    import xarray


def contracts(found: xarray.Dataset, *, most: int = 12, ax: Axes | None = None) -> Axes:
    """Draw the expected scores of the best contracts, with P(it makes).

    Thin lines are two standard errors each way. Dark bars rest on solved layouts, light
    ones on the network.

    Parameters
    ----------
    found : Dataset
        What :func:`bayesbridge.contracts` gives.
    most : int, default 12
        How many contracts are drawn, from the best on.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "AKQ32.KJ3.A54.Q2").given(bb.Reveal("N", "J54.AQ2.K763.A54"))
    >>> posterior = belief.infer(draws=500, rng=1)
    >>> found = bb.contracts(posterior, "4S,6S,3NT", scheme="duplicate", solve=0)
    >>> [text.get_text() for text in contracts(found).get_yticklabels()]
    ['6S by S', '3NT by S', '4S by S']
    """
    best = found.isel(contract=slice(0, most))
    by_network = best["basis"].values == "network"
    ax = ranked_bars(
        ax,
        names=best["contract"].values.tolist(),
        values=best["score"].values,
        errors=2 * best["score_error"].values,
        figures=[_make_text(chance) for chance in best["make"].values.tolist()],
        colours=np.where(by_network, SKY, BLUE).tolist(),
    )
    ax.axvline(0.0, color=ink(), linewidth=0.8)
    scheme = scheme_words(found.attrs["scheme"], found.attrs["vulnerable"])
    ax.set_xlabel(f"expected score, {scheme}")
    title = "Contracts by expected score, with the chance that each makes"
    ax.set_title(title, fontsize=10)
    return ax


def _make_text(chance: float) -> str:
    """The chance that a contract makes; nothing where the deal is passed out (nan)."""
    if np.isnan(chance):
        return ""
    return f"{short_percent(chance)} %"


GAIN_BINS: Final = 41


def call_values(values: CallValues, *, ax: Axes | None = None) -> Axes:
    """Draw on how many layouts each call gains how much over the likeliest one.

    Layouts on which both end alike are left out: the legend says how many differ, and
    the mean over all.

    Parameters
    ----------
    values : CallValues
        What :func:`bayesbridge.call_values` gives.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> belief = bb.Belief("S", "KQ84.75.KJ73.A98").given(bb.Auction.of("E:1H"))
    >>> values = bb.call_values(belief, layouts=64, draws=500, rng=1)
    >>> call_values(values).get_xlabel()
    'IMPs against Double'
    """
    ax = ax_or_new(ax, 6.4, 3.4)
    scale = 100.0 if values.goal.in_percent else 1.0
    gains = scale * values.gains
    widest = max(float(np.abs(gains).max()), 1.0)
    edges = np.linspace(-widest, widest, GAIN_BINS + 1).tolist()
    colours = cycle((BLUE, ORANGE, VERMILION, SKY, GREY))
    for column, row in enumerate(values.rows):
        if row.gain is None:
            continue
        differs = gains[:, column] != 0.0
        share = percent(float(values.weights[differs].sum()), 0)
        gain_text = values.gain_text(row.gain)
        ax.hist(
            gains[differs, column],
            edges,
            weights=values.weights[differs],
            histtype="step",
            linewidth=1.6,
            color=next(colours),
            label=f"{call_word(row.call)} {gain_text}, {share} differ",
        )
    ax.axvline(0.0, color=ink(), linewidth=0.8)
    ax.set_xlabel(f"{values.goal.unit} against {call_word(values.reference.call)}")
    ax.set_ylabel("share of the layouts")
    percent_axis(ax.yaxis)
    ax.set_title(values.sentence, fontsize=10, wrap=True)
    if len(values.rows) > 1:
        ax.legend(fontsize=8, frameon=False)
    return ax


def play(found: CardChoices, *, ax: Axes | None = None) -> Axes:
    """Draw what each card is worth: the chance of the contract, or the goal's tricks.

    Thin lines are two standard errors each way. Blue bars are the best card and all
    that a test cannot tell from it; the test compares cards on the same layouts, so
    two bars may differ surely although their lines overlap.

    Parameters
    ----------
    found : CardChoices
        What :func:`bayesbridge.play` gives.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    BayesBridgeError
        If the goal is matchpoints and a card has none.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> from bayesbridge.decisions.play import CardChoice, turn_of
    >>> nine = (bb.Card.of("H9"),)
    >>> jack = (bb.Card.of("CJ"),)
    >>> alike = dict(tricks=(4.0, 0.1), behind=(0.0, 0.0), wins=0.5)
    >>> best = CardChoice(nine, chance=(0.4, 0.03), close=True, **alike)
    >>> worse = CardChoice(jack, chance=(0.2, 0.02), close=False, **alike)
    >>> turn = turn_of(bb.Belief("W", "Q8642.93.J84.K75", dummy=None), "3NT")
    >>> choices = CardChoices(turn, "make", (best, worse), solved=100, exact=False)
    >>> play(choices).get_title()
    'West leads against 3NT by S; blue: the best'
    """
    values, standard_errors = _values_of_cards(found)
    in_tricks = found.goal == "tricks"
    if in_tricks:
        value_texts = [f"{value:.2f}" for value in values]
    else:
        value_texts = [f"{short_percent(value)} %" for value in values]
    errors_drawn = 0 if found.exact else 2
    ax = ranked_bars(
        ax,
        names=[card_words(choice.name) for choice in found.choices],
        values=values,
        errors=errors_drawn * standard_errors,
        figures=value_texts,
        # ``close``: the test cannot tell the card from the best.
        colours=[BLUE if choice.close else PALE for choice in found.choices],
    )
    ax.set_xlim(left=0.0)
    if not in_tricks:
        percent_axis(ax.xaxis)
    # For declarer one plan for all layouts may have been searched, over so many tricks.
    tricks_planned = found.horizon
    basis = "one plan" if tricks_planned > 0 else "double dummy"
    ax.set_xlabel(f"{_goal_words(found)}, {basis}")
    one_is_best = found.clear
    verdict = "the best" if one_is_best else "too close to call"
    ax.set_title(f"{found.turn.words}; blue: {verdict}", fontsize=10)
    return ax


def _values_of_cards(choices: CardChoices) -> tuple[Floats, Floats]:
    """(cards,) what each card is worth by the goal, and (cards,) its standard errors."""
    attribute = "chance" if choices.goal == "make" else choices.goal
    estimates = [getattr(choice, attribute) for choice in choices.choices]
    if None in estimates:
        raise BayesBridgeError(
            f"the cards have no {choices.goal}: ask bb.play with a field",
            goal=choices.goal,
        )
    values, standard_errors = np.array(estimates).T
    return values, standard_errors


def _goal_words(choices: CardChoices) -> str:
    """What the bars of cards measure."""
    if choices.goal == "tricks":
        return "tricks of the side"
    if choices.goal == "matchpoints":
        return "matchpoints"
    if choices.turn.defends:
        return "P(beaten)"
    return "P(makes)"


def suit_play(play: SuitPlay, *, ax: Axes | None = None) -> Axes:
    """Draw P(so many tricks or more) in a suit, for each number of tricks.

    Beside the best plan for that number stands the plan with most tricks on average.

    Parameters
    ----------
    play : SuitPlay
        What :func:`bayesbridge.suit_play` gives.
    ax : matplotlib Axes, optional
        Where to draw; by default in a new figure.

    Returns
    -------
    matplotlib Axes

    Examples
    --------
    >>> import bayesbridge as bb
    >>> suit_play(bb.suit_play("AQJ32", "654")).get_title()
    'AQJ32 opposite 654: 4.139 tricks on average'
    """
    highest_goal = max((line.goal or 0 for line in play.goals), default=play.sure)
    goals = range(play.sure, highest_goal + 1)
    chance_by_goal = {line.goal: line.chance for line in play.goals}
    ax = ax_or_new(ax, max(4.4, 1.6 + 0.9 * len(goals)), 3.4)
    places = np.arange(len(goals))
    upright_bars(
        ax,
        places - 0.2,
        [chance_by_goal.get(goal, 1.0) for goal in goals],
        0.38,
        label="the plan for so many tricks",
        color=BLUE,
    )
    upright_bars(
        ax,
        places + 0.2,
        [play.best.at_least.get(goal, 1.0) for goal in goals],
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
    holdings = f"{play.first} opposite {play.second}"
    mean = f"{play.best.tricks:.3f} tricks on average"
    ax.set_title(f"{holdings}: {mean}", fontsize=10)
    ax.legend(frameon=False, fontsize=8, loc="upper right")
    bare(ax)
    return ax
