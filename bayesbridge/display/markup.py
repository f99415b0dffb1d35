"""Parts of an answer as tables, and HTML of hands, auctions and tables.

A piece takes the colours of the page that it stands in, so that light and dark themes
both work. Text is escaped here, whoever gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import batched
from typing import Any, Final

from bayesbridge.display.columns import in_columns
from bayesbridge.display.words import SEATS, SYMBOLS, percent

_RULES: Final = {
    "": "color:inherit;color-scheme:light dark;font-size:13px;line-height:1.4;"
    "overflow-x:auto",
    "table": "border-collapse:collapse;border:0;width:auto;margin:.3em 0;color:inherit;"
    "background:none;font-size:13px",
    "tr": "background:none",
    "td|th": "border:0;padding:.05em .35em;text-align:left;vertical-align:top;"
    "font-weight:normal;color:inherit;background:none;white-space:nowrap",
    "table.diagram>tbody>tr>td": "padding:.3em .9em",
    "table.diagram>tbody>tr>td.middle": "border:1px solid;text-align:center;"
    "vertical-align:middle;padding:.3em 1.2em",
    "table.figures td": "border:1px solid rgba(128,128,128,.55);text-align:center;"
    "min-width:2.3em",
    "table.figures thead th": "text-align:center",
    "table.calls td|table.calls th": "padding:.05em .7em",
    "table.calls th": "border-bottom:1px solid",
    ".suits": "display:flex;flex-wrap:wrap;gap:0 1.5em",
    "caption": "caption-side:top;text-align:left;color:inherit;padding:.2em 0",
    "i": "font-style:normal",
    "i.suit-H|i.suit-D": "color:#d55e00",
    "p|ol": "margin:.3em 0;max-width:60em",
    "small": "opacity:.8;font-size:inherit",
}
"""Declarations by the parts of a piece that they are for, with ``|`` between these."""

_ROOT: Final = "div.bayesbridge.bayesbridge"
"""Around every piece. The class stands twice, so that these rules come before those
that notebooks have for all tables.
"""


def _rule(places: str, declarations: str) -> str:
    """A rule of the style for places in a piece, with ``|`` between them."""
    selectors = [f"{_ROOT} {place}".strip() for place in places.split("|")]
    return f"{','.join(selectors)}{{{declarations}}}"


STYLE: Final = "".join(
    _rule(places, declarations) for places, declarations in _RULES.items()
)

DARKEST: Final = 0.55
"""Share of blue where a cell is certain, on which text in its colour is readable."""

AS_TEXT: Final = "\ufe0e"
"""Asks for a suit symbol as text: phones would show a little picture."""


@dataclass(frozen=True, slots=True)
class Table:
    """A part of an answer: the terminal prints it, notebooks and pages show it as HTML."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    """The first cell of a row names it; a cell that is a number is a probability."""
    notes: Sequence[str] = ()
    bars: bool = False
    """Whether a terminal draws the second column as bars; those after it are words."""
    left: int = 1
    """Columns of words, before those of figures."""

    def html(self) -> str:
        """The table with its notes below.

        It scrolls by itself where it is wider than the page.
        """
        heads = "".join(f'<th scope="col">{text(name)}</th>' for name in self.columns)
        rows = "".join(map(_html_row, self.rows, self.words))
        return (
            '<div class="wide" tabindex="0" role="region" '
            f'aria-label="{escape(self.title)}"><table class="figures">'
            f"<caption>{text(self.title)}</caption><thead><tr>{heads}</tr></thead>"
            f"<tbody>{rows}</tbody></table></div>"
            f"{sentence(' '.join(self.notes))}"
        )

    @property
    def words(self) -> list[list[str]]:
        """The rows with probabilities in percent."""
        return [list(map(_cell_words, row)) for row in self.rows]

    def __str__(self) -> str:
        (lines,) = in_columns(self.columns, self.words, self.left)
        text_lines = [self.title, "", *lines]
        if self.notes:
            text_lines += ["", *self.notes]
        return "\n".join(text_lines)


class Displayable:
    """An answer made of tables: notebooks show them as HTML, ``print`` as text."""

    __slots__ = ()
    tables: Any

    def _repr_html_(self) -> str:
        return piece(*(table.html() for table in self.tables))

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables))


def _html_row(row: Sequence[str | float], words: Sequence[str]) -> str:
    """A row whose first cell is its head; ``words`` is what its cells show."""
    cells = "".join(map(_html_cell, row[1:], words[1:]))
    return f'<tr><th scope="row">{text(words[0])}</th>{cells}</tr>'


def _html_cell(cell: str | float, words: str) -> str:
    """A cell, the bluer the likelier what it tells."""
    colour = ""
    if not isinstance(cell, str):
        blue = DARKEST * min(cell, 1.0)
        colour = f' style="background:rgba(0,114,178,{blue:.2f})"'
    return f"<td{colour}>{text(words)}</td>"


def _cell_words(cell: str | float) -> str:
    """A cell as people read it; a number is a probability."""
    if isinstance(cell, str):
        return cell
    return percent(cell)


def text(words: str) -> str:
    """Words with suit symbols in their colours.

    >>> text("a & b"), text("♥Q").replace(AS_TEXT, "")
    ('a &amp; b', '<i class="suit-H">♥</i>Q')
    """
    html = escape(words)
    for suit, symbol in SYMBOLS.items():
        coloured = f'<i class="suit-{suit}">{symbol}{AS_TEXT}</i>'
        html = html.replace(symbol, coloured)
    return html


def piece(*contents: str) -> str:
    """Contents in HTML, one after the other, as one piece with its style."""
    return f'<div class="bayesbridge"><style>{STYLE}</style>{"".join(contents)}</div>'


def sentence(words: str) -> str:
    """A paragraph; nothing for no words."""
    if not words:
        return ""
    return f"<p>{text(words)}</p>"


def side_by_side(tables: Iterable[Table]) -> str:
    """Small tables beside each other, as far as there is room."""
    tables_html = "".join(table.html() for table in tables)
    if not tables_html:
        return ""
    return f'<div class="suits">{tables_html}</div>'


def call(words: str) -> str:
    """A call or contract with the symbol of its suit.

    >>> call("1NT"), call("Pass")
    ('1NT', 'Pass')
    """
    if not words[:1].isdigit():
        return text(words)
    level = words[0]
    symbol = SYMBOLS.get(words[1:2])
    if symbol is None:
        return text(words)
    return text(f"{level}{symbol}{words[2:]}")


def hand(
    pbn: str,
    head: str = "",
    foot: str = "",
    possible_cards: Mapping[str, str] | None = None,
) -> str:
    """Four suits, one below the other, with a line of text above and one below.

    ``possible_cards`` says by suit, ``S`` to ``C``, what may be there beside the cards
    of ``pbn``.
    """
    if possible_cards is None:
        possible_cards = {}
    rows = []
    for (suit, symbol), ranks in zip(SYMBOLS.items(), pbn.split("."), strict=True):
        certain = " ".join(ranks).replace("T", "10")
        if suit in possible_cards:
            cards = f"{certain} {possible_cards[suit]}".strip()
        else:
            cards = certain or "–"
        rows.append(f"<tr><td>{text(symbol)}</td><td>{escape(cards)}</td></tr>")
    above = f"<b>{escape(head)}</b>" if head else ""
    below = f"<small>{escape(foot)}</small>" if foot else ""
    return f"{above}<table><tbody>{''.join(rows)}</tbody></table>{below}"


def compass(hands: Mapping[str, str], middle: str = "") -> str:
    """Four hands, by seat, around the letters of the seats; ``middle`` is HTML."""
    below_letters = f"<br>{middle}" if middle else ""
    letters = f"N<br>W&ensp;·&ensp;E<br>S{below_letters}"
    rows = (
        f"<td></td><td>{hands['N']}</td><td></td>",
        f'<td>{hands["W"]}</td><td class="middle">{letters}</td><td>{hands["E"]}</td>',
        f"<td></td><td>{hands['S']}</td><td></td>",
    )
    body = "".join(f"<tr>{row}</tr>" for row in rows)
    return f'<table class="diagram"><tbody>{body}</tbody></table>'


def calls(
    seats: Sequence[str], made: Sequence[tuple[str, str]], turn: str | None
) -> str:
    """An auction, with a column for each seat that bids, West first.

    Parameters
    ----------
    seats : sequence of str
        The letters of the seats that bid.
    made : sequence of (str, str)
        The calls so far, as pairs of seat and call.
    turn : str or None
        The seat that calls next, if the auction is not over.
    """
    columns = [seat for seat in "WNES" if seat in seats]
    first_seat = turn
    if made:
        first_seat, _ = made[0]
    cells: list[str] = []
    if first_seat in columns:
        cells += [""] * columns.index(first_seat)
    cells += [call(words) for _, words in made]
    if turn is not None:
        cells.append("?")
    cells += [""] * (-len(cells) % len(columns))
    rows = []
    for row in batched(cells, len(columns)):
        row_html = "".join(f"<td>{cell}</td>" for cell in row)
        rows.append(f"<tr>{row_html}</tr>")
    heads = "".join(f"<th>{SEATS[seat]}</th>" for seat in columns)
    return (
        f'<table class="calls"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{''.join(rows)}</tbody></table>"
    )


def listed(sentences: Iterable[str]) -> str:
    """A numbered list; nothing for no sentences."""
    items = "".join(f"<li>{escape(item)}</li>" for item in sentences)
    if not items:
        return ""
    return f"<ol>{items}</ol>"
