"""Numbers as HTML tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from bayesbridge import words
from bayesbridge.belief.posterior import Posterior
from bayesbridge.cards import Suit
from bayesbridge.report.diagram import symbol
from bayesbridge.trick_counts import Tricks

if TYPE_CHECKING:
    import pandas
    import xarray


def table(head: Sequence[str], rows: Iterable[Sequence[str]], caption: str, kind: str = "") -> str:
    """A table that scrolls by itself where it is wider than the page; cells are HTML, the first of a row its name."""
    top = "".join(f'<th scope="col">{cell}</th>' for cell in head)
    body = "".join(
        f'<tr><th scope="row">{first}</th>{"".join(f"<td>{cell}</td>" for cell in rest)}</tr>' for first, *rest in rows
    )
    label = escape(caption, quote=True)
    return (
        f'<div class="wide" tabindex="0" role="region" aria-label="{label}"><table class="{kind}">'
        f"<caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def goals(tricks: Tricks, goal: int | None) -> str:
    """P(exactly) and P(at least) for 7 to 13; a contract that makes is named only by tricks at the table."""
    rows = []
    for number, share in tricks.goals.items():
        marked = f"<mark>{number}</mark>" if number == goal else str(number)
        named = [escape(tricks.goal(number))] if tricks.judges else []
        rows.append([marked, percent(tricks.share(number)), percent(share), *named])
    name = escape(tricks.name)
    head = (name, f"P({name} is exactly that)", f"P({name} ≥ that)", *(["which is"] if tricks.judges else []))
    return table(head, rows, tricks.title, "narrow")


def distribution_of(name: str, pmf: xarray.DataArray) -> str:
    """P(value) for every label of an output that has several numbers, no trumps first."""
    flat = pmf.stack(label=list(pmf.dims[:-1])).transpose("label", pmf.dims[-1])
    met = (flat.values > 0).any(axis=0)
    values = [str(value) for value in pmf[pmf.dims[-1]].values[met]]
    rows = [
        [escape(" ".join(map(str, label))), *(percent(share) for share in shares[met])]
        for label, shares in zip(flat["label"].values, flat.values, strict=True)
    ]
    rows.sort(key=lambda row: not row[0].startswith("NT"))
    return table([", ".join(map(str, pmf.dims[:-1])), *values], rows, f"{name}: {pmf.attrs['long_name']}")


def summarised(summary: pandas.DataFrame) -> str:
    """The table of :func:`bayesbridge.summary`."""
    rows = [[escape(str(name)), *(number(value) for value in row)] for name, *row in summary.itertuples(name=None)]
    heads = ["quantity", *(escape(str(column)).replace("_", " ") for column in summary.columns)]
    return table(heads, rows, "All quantities: mean, spread, shortest interval, and how far to trust them")


def card_places(posterior: Posterior) -> str:
    """P(seat holds card) for every card that is not certain."""
    chances = posterior.card_probabilities()
    seats = [str(seat) for seat in chances["seat"].values]
    rows = []
    for card in map(str, chances["card"].values):
        shares = [float(share) for share in chances.sel(card=card).values]
        if max(shares) < 1.0 - 1e-9:
            rows.append([f"{symbol(Suit.of(card[0]))} {card[1:].replace('T', '10')}", *map(percent, shares)])
    return table(("card", *seats), rows, "Where the cards lie, as far as that is open", "narrow") if rows else ""


def percent(share: float) -> str:
    """A probability, as HTML.

    >>> [percent(share) for share in (0.0, 0.00001, 0.4883, 1.0)]
    ['0 %', '&lt;0.1 %', '48.8 %', '100 %']
    """
    return escape(words.percent(share))


def number(value: Any) -> str:
    """A figure of the summary; what is true or false becomes a word, and what has no meaning a dash.

    >>> number(True), number(float("nan")), number(9.0), number(0.48837), number(7)
    ('yes', '–', '9', '0.488', '7')
    """
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value != value:
        return "–"
    rounded = round(float(value), 9)  # sums of weights miss whole numbers by rounding
    if rounded.is_integer():
        return spaced(rounded)
    return f"{value:.2g}" if abs(value) < 0.01 else f"{value:.3f}"


def spaced(value: float) -> str:
    """A whole number with its thousands apart, by narrow spaces at which no line breaks.

    >>> spaced(84478098072866400).split("\u202f")
    ['84', '478', '098', '072', '866', '400']
    """
    return words.number(round(value)).replace(" ", "\u202f")
