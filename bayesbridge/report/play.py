"""The sections of the page about the play: what to lead, and how to play each suit once dummy is seen."""

from __future__ import annotations

from html import escape
from typing import Final

from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import Suit
from bayesbridge.decisions.leads import Leads
from bayesbridge.decisions.suit import SuitLine, suit_play
from bayesbridge.errors import BayesBridgeError
from bayesbridge.report.diagram import symbol
from bayesbridge.report.tables import percent, table

WORK: Final = 100_000
"""Comparisons of the search in a suit, so that four suits take about a second."""


def leads_section(found: Leads | None) -> str:
    """Every lead with its chance to beat the contract; nothing where none was asked."""
    if found is None:
        return ""
    rows = [
        [
            escape(choice.name),
            percent(choice.beaten[0]) + _error(100 * choice.beaten[1], 1, " %"),
            f"{choice.tricks[0]:.2f}{_error(choice.tricks[1])}",
            "may be the best" if choice.close else "",
        ]
        for choice in found.choices
    ]
    words = f"{found.sentence} {found.caution}"
    heads = ("lead", "beats it", "tricks", "")
    return f"<p>{escape(words)}</p>{table(heads, rows, f'Leads against {found.contract}, the best first')}"


def suits_section(posterior: Posterior) -> str:
    """The best plan for most tricks in each suit, where the observer sees both hands of the pair."""
    belief = posterior.belief
    if belief.observer.partner in belief.constraints.hidden:
        return ""
    rows = []
    for suit in reversed(Suit):
        try:
            play = suit_play(posterior=posterior, suit=suit, work=WORK)
        except BayesBridgeError:  # too few of its cards are the pair's for a plan, which the note says
            continue
        held = f"{play.first} – {play.second}"
        mean = f"{play.best.tricks:.2f}{_error(play.best.error)}"
        rows.append([symbol(suit), held, str(play.sure), mean, _more(play.best), _first(play.best)])
    if not rows:
        return ""
    heads = ("suit", "hands", "sure", "mean", "so many or more", "begin with")
    first, second = belief.observer.partner.name, belief.observer.name
    caption = f"Tricks in each suit by itself, {first}'s cards first, then {second}'s; the plan with most on average"
    note = (
        "The defenders see all cards and know the plan. Entries, ruffs and blocked suits are left out, so the suits do "
        "not simply add up. A suit that is not there is one of which the pair holds too few cards to plan."
    )
    return f"{table(heads, rows, caption)}<p>{note}</p>"


def _error(error: float, digits: int = 2, unit: str = "") -> str:
    """One standard error; nothing where it is exact."""
    return f" ± {error:.{digits}f}{unit}" if error else ""


def _more(line: SuitLine) -> str:
    """The numbers of tricks in doubt, each with its chance."""
    told = [f"{goal}: {percent(share)}" for goal, share in line.at_least.items() if 0.0 < share < 1.0]
    return ", ".join(told) or "–"


def _first(line: SuitLine) -> str:
    """The first trick of the plan, where it can win more than what is sure."""
    return escape(line.text(1)[0]) if line.step is not None and any(line.at_least.values()) else "–"
