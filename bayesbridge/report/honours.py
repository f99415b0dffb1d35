"""What a player asks first, as HTML: who holds the honours, and how strong and how long the hidden hands are."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bayesbridge.belief.posterior import CARDS, Posterior
from bayesbridge.cards import Suit
from bayesbridge.deal import Seat
from bayesbridge.documents import strength, told_bits
from bayesbridge.report.diagram import symbol
from bayesbridge.words import SEATS, STRAINS, percent

HONOURS = "AKQJT"
"""The ranks of the map."""

TICK = 5
"""Points between two marks of the axis."""


def honours_map(posterior: Posterior) -> str:
    """A table for each suit: the hidden hands by the five honours, in percent; known cards show who holds them."""
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    if not hidden:
        return ""
    chances = posterior.card_probabilities().values
    tables = []
    for suit in reversed(Suit):
        ranks = [CARDS.index(f"{suit.name}{rank}") for rank in HONOURS]
        known = {place: next((s for s in Seat if chances[place][s] > 1 - 1e-9), None) for place in ranks}
        head = "".join(f'<th scope="col">{"10" if rank == "T" else rank}</th>' for rank in HONOURS)
        rows = ""
        for line, seat in enumerate(hidden):
            cells = ""
            for place in ranks:
                holder = known[place]
                if holder is None or holder in hidden:
                    cells += heat_cell(float(chances[place][seat]))
                elif line == 0:
                    name = SEATS[holder.name]
                    cells += f'<td class="known" rowspan="{len(hidden)}" title="{name} holds it">{holder.name}</td>'
            rows += f'<tr><th scope="row">{SEATS[seat.name]}</th>{cells}</tr>'
        caption = f"{symbol(suit)} <span>{STRAINS[suit.name]}</span>"
        tables.append(
            f'<table class="heat"><caption>{caption}</caption><thead><tr><td></td>{head}</tr></thead>'
            f"<tbody>{rows}</tbody></table>"
        )
    return f'<div class="suits">{"".join(tables)}</div>'


def heat_cell(share: float) -> str:
    """A cell that is the darker the likelier, with its percentage."""
    text = percent(share, 0).replace(" %", "")
    strong = ' class="strong"' if share > 0.55 else ""
    return f'<td{strong} style="--p:{100 * share:.0f}%">{escape(text)}</td>'


def points_section(posterior: Posterior) -> str:
    """A histogram for each hidden hand, with its mean and the range of four cases in five."""
    chances = posterior.point_probabilities().values
    hidden = [Seat(seat) for seat in posterior.belief.constraints.hidden]
    last = max((i for seat in hidden for i, share in enumerate(chances[seat]) if share >= 0.0005), default=0)
    drawn = ""
    for seat in hidden:
        shares = [float(share) for share in chances[seat]]
        mean, low, high = strength(shares)
        words = f"{SEATS[seat.name]}: {mean:.1f} points on average, {low} to {high} in four cases of five"
        drawn += (
            f'<figure class="points"><figcaption>{words}</figcaption>{histogram(shares[: last + 1], words)}</figure>'
        )
    note = "" if posterior.counts_points else '<p class="worth">Points are estimated from the draws.</p>'
    return f"{drawn}{note}" if hidden else ""


def histogram(shares: Sequence[float], title: str) -> str:
    """Bars as SVG in the colours of the page, with a mark at every fifth number and the largest share."""
    wide, tall = 300, 60
    step, top = wide / max(len(shares), 1), max(shares, default=0.0) or 1.0
    bars = "".join(
        f'<rect x="{number * step + 0.6:.1f}" y="{tall * (1 - share / top) + 10:.1f}" width="{step - 1.2:.1f}" '
        f'height="{tall * share / top:.1f}"/>'
        for number, share in enumerate(shares)
        if share >= 0.0005
    )
    marks = "".join(
        f'<text x="{(number + 0.5) * step:.1f}" y="{tall + 21}">{number}</text>'
        for number in range(0, len(shares), TICK)
    )
    likeliest = max(range(len(shares)), key=shares.__getitem__, default=0)
    most = f'<text x="{(likeliest + 0.5) * step:.1f}" y="8">{escape(percent(top, 0))}</text>'
    return (
        f'<svg class="bars" role="img" viewBox="-8 0 {wide + 16} {tall + 24}"><title>{escape(title)}</title>'
        f'<line x1="0" x2="{wide}" y1="{tall + 10}" y2="{tall + 10}"/>{bars}{marks}{most}</svg>'
    )


def told_of_honours(posterior: Posterior) -> list[tuple[float, str, Seat, float]]:
    """Bits told of each missing ace, king and queen, the card, its likeliest hand and how likely; most first."""
    known = posterior.belief.constraints
    chances, bits = posterior.card_probabilities().values, told_bits(posterior)
    found = []
    for place, card in enumerate(CARDS):
        if card[1] in "AKQ" and known.unknown_mask >> (51 - place) & 1:
            shares = {Seat(seat): round(float(chances[place][seat]), 9) for seat in known.hidden}
            likeliest = max(shares, key=shares.__getitem__)
            found.append((bits[place], card, likeliest, shares[likeliest]))
    return sorted(found, key=lambda row: (-round(row[0], 4), CARDS.index(row[1])))
