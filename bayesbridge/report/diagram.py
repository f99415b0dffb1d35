"""The position as a bridge diagram: four hands around a compass."""

from __future__ import annotations

from html import escape

from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import RANKS, Hand, Suit
from bayesbridge.deal import Seat
from bayesbridge.words import SEATS, SYMBOLS

AS_TEXT = "\ufe0e"
"""Asks for a suit symbol as text: phones would show a little picture."""


def diagram(posterior: Posterior, pair: tuple[Seat, Seat]) -> str:
    """Known cards as they are, hidden hands with what is certain and what is to be expected."""
    belief = posterior.belief
    known = belief.constraints
    roles = {belief.observer: "observer", **({} if belief.dummy is None else {belief.dummy: "dummy"})}
    hands = "".join(_hand(posterior, seat, Hand(known.must[seat]), roles.get(seat, ""), seat in pair) for seat in Seat)
    contract = None if belief.auction is None else belief.auction.contract
    strain = belief.contract_strain
    middle = str(contract) if contract else f"trumps: {strain.name}" if strain else ""
    compass = "".join(f'<span class="{seat.name.lower()}">{seat.name}</span>' for seat in Seat)
    return (
        f'<div class="table">{hands}<div class="compass" aria-hidden="true">{compass}'
        f"<b>{escape(middle)}</b></div></div>"
    )


def symbol(suit: Suit) -> str:
    """A suit in its colour."""
    red = ' class="red"' if suit in (Suit.H, Suit.D) else ""
    return f"<i{red}>{SYMBOLS[suit.name]}{AS_TEXT}</i>"


def _hand(posterior: Posterior, seat: Seat, sure: Hand, role: str, plays: bool) -> str:
    hidden = len(sure) < 13
    lengths = posterior.length_probabilities().sel(seat=seat.name)
    mean = (lengths * lengths["length"]).sum("length")
    rows = []
    for suit in reversed(Suit):
        cards = " ".join(_rank(rank) for rank in range(12, -1, -1) if sure.field(suit) >> rank & 1)
        expected = float(mean.sel(suit=suit.name))
        open_end = hidden and expected > sure.length(suit) + 1e-9
        # A suit of a hidden hand is void only if its length is certain to be 0.
        text = cards or ("" if open_end else "–")
        more = f' <small title="expected length">≈ {expected:.1f}</small>' if open_end else ""
        rows.append(f"<li>{symbol(suit)} <span>{text}{'' if not open_end or not cards else ' …'}</span>{more}</li>")
    points = posterior.point_probabilities().sel(seat=seat.name)
    average = float((points * points["points"]).sum())
    worth = f"≈ {average:.1f} points" if hidden else f"{sure.points} points"
    unknown = f", {13 - len(sure)} cards hidden" if hidden else ""
    marks = "".join(f" <em>{escape(word)}</em>" for word in (role,) if word)
    side = " pair" if plays else ""
    return (
        f'<section class="hand {seat.name.lower()}{side}"><h3>{SEATS[seat.name]}{marks}</h3><ul>{"".join(rows)}</ul>'
        f"<p>{worth}{unknown}</p></section>"
    )


def _rank(rank: int) -> str:
    return "10" if RANKS[rank] == "T" else RANKS[rank]
