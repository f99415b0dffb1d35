"""Pieces of HTML: hands around a compass, shaded tables, auctions.

A piece takes the colours of the page that it stands in: text and lines have the colour of the text around, shades are
half transparent, so that light and dark themes both work, and every shade has its figure. Where a page drops the
style, tables remain. Text is escaped here, whoever gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Final

from bayesbridge.words import SEATS, SYMBOLS, short_percent

# The class stands twice, so that these rules come before those that notebooks have for all tables.
_RULES: Final = {
    "": "color:inherit;color-scheme:light dark;font-size:13px;line-height:1.4;overflow-x:auto",
    "table": "border-collapse:collapse;border:0;width:auto;margin:.3em 0;color:inherit;background:none;font-size:13px",
    "tr": "background:none",
    "td|th": "border:0;padding:.05em .35em;text-align:left;vertical-align:top;font-weight:normal;color:inherit;"
    "background:none;white-space:nowrap",
    "table.compass>tbody>tr>td": "padding:.3em .9em",
    "table.compass>tbody>tr>td.middle": "border:1px solid;text-align:center;vertical-align:middle;padding:.3em 1.2em",
    "table.shades td": "border:1px solid rgba(128,128,128,.55);text-align:center;min-width:2.3em",
    "table.shades thead th": "text-align:center",
    "table.calls td|table.calls th": "padding:.05em .7em",
    "table.calls th": "border-bottom:1px solid",
    "caption": "caption-side:top;text-align:left;color:inherit;padding:.2em 0",
    "i": "font-style:normal",
    "i.red": "color:#d55e00",
    "p|ol": "margin:.3em 0;max-width:60em",
    "small": "opacity:.8;font-size:inherit",
}
_ROOT: Final = "div.bayesbridge.bayesbridge"
STYLE: Final = "".join(
    f"{','.join(f'{_ROOT} {part}'.strip() for part in parts.split('|'))}{{{rule}}}" for parts, rule in _RULES.items()
)

DARKEST: Final = 0.55
"""Share of blue where a cell is certain: text keeps its colour, and stays readable on it."""

AS_TEXT: Final = "\ufe0e"
"""Asks for a suit symbol as text: phones would show a little picture."""


@dataclass(frozen=True, slots=True)
class Holding:
    """What is known of one suit in one hand."""

    ranks: str
    """Ranks of the cards that are certain, high ones first."""
    open: bool = False
    """Whether there may be more."""
    expected: float | None = None
    """Mean length, where it is known."""


def piece(*parts: str) -> str:
    """Parts of HTML as one piece with its style."""
    return f'<div class="bayesbridge"><style>{STYLE}</style>{"".join(parts)}</div>'


def sentence(text: str) -> str:
    """A line of text."""
    return f"<p>{escape(text)}</p>" if text else ""


def symbol(suit: str) -> str:
    """A suit, ``S`` to ``C``, in its colour."""
    red = ' class="red"' if suit in "HD" else ""
    return f"<i{red}>{SYMBOLS[suit]}{AS_TEXT}</i>"


def call(text: str) -> str:
    """A call with the symbol of its suit.

    >>> call("1NT"), call("Pass")
    ('1NT', 'Pass')
    """
    return f"{text[0]}{symbol(text[1])}{escape(text[2:])}" if text[0].isdigit() and text[1] in SYMBOLS else escape(text)


def known_hand(pbn: str) -> dict[str, Holding]:
    """A hand of which every card is known, from its PBN."""
    return {suit: Holding(ranks) for suit, ranks in zip(SYMBOLS, pbn.split("."), strict=True)}


def hand(holdings: Mapping[str, Holding], head: str = "", foot: str = "") -> str:
    """Four suits, one below the other, with a line of text above and one below."""
    rows = []
    for suit, held in holdings.items():
        ranks = " ".join("10" if rank == "T" else rank for rank in held.ranks)
        dots = "…" if held.open else "" if ranks else "–"
        mean = "" if held.expected is None or not held.open else f" <small>≈ {held.expected:.1f}</small>"
        rows.append(f"<tr><td>{symbol(suit)}</td><td>{f'{ranks} {dots}'.strip()}{mean}</td></tr>")
    above = f"<b>{escape(head)}</b>" if head else ""
    below = f"<small>{escape(foot)}</small>" if foot else ""
    return f"{above}<table><tbody>{''.join(rows)}</tbody></table>{below}"


def compass(hands: Mapping[str, str], middle: str = "") -> str:
    """Four hands, by seat, around the letters of the seats; ``middle`` is HTML."""
    letters = "N<br>W&ensp;·&ensp;E<br>S"
    centre = f'<td class="middle">{letters}{f"<br>{middle}" if middle else ""}</td>'
    rows = (
        f"<td></td><td>{hands['N']}</td><td></td>",
        f"<td>{hands['W']}</td>{centre}<td>{hands['E']}</td>",
        f"<td></td><td>{hands['S']}</td><td></td>",
    )
    return f'<table class="compass"><tbody>{"".join(f"<tr>{row}</tr>" for row in rows)}</tbody></table>'


def shades(
    caption: str, heads: Sequence[str], rows: Iterable[tuple[str, Sequence[float | str]]], darkest: float = 1.0
) -> str:
    """A table of probabilities, the likelier the bluer, with the percentage; text stays as it is.

    ``heads`` are HTML, one for each column after the first. ``darkest`` is the share that is bluest.
    """
    top = "".join(f"<th>{cell}</th>" for cell in ("", *heads))
    body = "".join(
        f"<tr><th>{escape(label)}</th>{''.join(_shade(cell, darkest) for cell in cells)}</tr>" for label, cells in rows
    )
    return (
        f'<table class="shades"><caption>{escape(caption)}</caption><thead><tr>{top}</tr></thead>'
        f"<tbody>{body}</tbody></table>"
    )


def _shade(cell: float | str, darkest: float) -> str:
    if isinstance(cell, str):
        return f"<td>{escape(cell)}</td>"
    blue = DARKEST * min(cell / darkest, 1.0) if darkest else 0.0
    share = min(round(cell, 9), 1.0)
    return f'<td style="background:rgba(0,114,178,{blue:.2f})">{escape(short_percent(share)) if share else "·"}</td>'


def calls(seats: Sequence[str], made: Sequence[tuple[str, str]], turn: str | None) -> str:
    """An auction, a column for each of the ``seats`` that bid, West first; ``made`` are pairs (seat, call)."""
    columns = [seat for seat in "WNES" if seat in seats]
    cells = [call(text) for _, text in made]
    start = made[0][0] if made else turn
    if turn is not None:
        cells.append("?")
    cells = [""] * (columns.index(start) if start in columns else 0) + cells
    cells += [""] * (-len(cells) % len(columns))
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells[at : at + len(columns)])}</tr>"
        for at in range(0, len(cells), len(columns))
    )
    heads = "".join(f"<th>{SEATS[seat]}</th>" for seat in columns)
    return f'<table class="calls"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def listed(sentences: Iterable[str]) -> str:
    """Sentences in order, numbered."""
    items = "".join(f"<li>{escape(one)}</li>" for one in sentences)
    return f"<ol>{items}</ol>" if items else ""
