"""Parts of an answer as tables, and HTML of hands, auctions and tables.

A piece takes the colours of the page that it stands in, so that light and dark themes
both work. Text is escaped here, whoever gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import zip_longest
from typing import Any, Final

from bayesbridge.display.words import SEATS, SYMBOLS, percent

# The class stands twice, so that these rules come before those that notebooks have for all tables.
_RULES: Final = {
    "": "color:inherit;color-scheme:light dark;font-size:13px;line-height:1.4;overflow-x:auto",
    "table": "border-collapse:collapse;border:0;width:auto;margin:.3em 0;color:inherit;background:none;font-size:13px",
    "tr": "background:none",
    "td|th": "border:0;padding:.05em .35em;text-align:left;vertical-align:top;font-weight:normal;color:inherit;"
    "background:none;white-space:nowrap",
    "table.diagram>tbody>tr>td": "padding:.3em .9em",
    "table.diagram>tbody>tr>td.middle": "border:1px solid;text-align:center;vertical-align:middle;padding:.3em 1.2em",
    "table.figures td": "border:1px solid rgba(128,128,128,.55);text-align:center;min-width:2.3em",
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
_ROOT: Final = "div.bayesbridge.bayesbridge"
STYLE: Final = "".join(
    f"{','.join(f'{_ROOT} {part}'.strip() for part in parts.split('|'))}{{{rule}}}"
    for parts, rule in _RULES.items()
)

# Share of blue where a cell is certain: text keeps its colour, and stays readable on it
DARKEST: Final = 0.55
AS_TEXT: Final = (
    "\ufe0e"  # asks for a suit symbol as text: phones would show a little picture
)


@dataclass(frozen=True, slots=True)
class Table:
    """A part of an answer: the terminal prints it, notebooks and pages show it as HTML."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | float]]
    """The first cell of a row names it; a cell that is a number is a probability."""
    notes: Sequence[str] = ()
    #: Whether a terminal draws the second column as bars; the columns after it are
    #: words.
    bars: bool = False
    left: int = 1  #: Columns of words, before those of figures.

    def html(self) -> str:
        """The table, which scrolls by itself where it is wider than the page, and its
        notes below.
        """
        heads = "".join(f'<th scope="col">{text(name)}</th>' for name in self.columns)
        body = "".join(
            f'<tr><th scope="row">{text(first)}</th>{"".join(map(_cell, row[1:], rest))}</tr>'
            for row, (first, *rest) in zip(self.rows, self.words, strict=True)
        )
        return (
            f'<div class="wide" tabindex="0" role="region" aria-label="{escape(self.title)}"><table class="figures">'
            f"<caption>{text(self.title)}</caption><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table></div>"
            f"{sentence(' '.join(self.notes))}"
        )

    @property
    def words(self) -> list[list[str]]:
        return [
            [cell if isinstance(cell, str) else percent(cell) for cell in row]
            for row in self.rows
        ]

    def __str__(self) -> str:
        (lines,) = in_columns(self.columns, self.words, self.left)
        return "\n".join(
            [self.title, "", *lines, *([""] if self.notes else []), *self.notes]
        )


class Displayable:
    """An answer made of tables: notebooks show them as HTML, ``print`` as text."""

    __slots__ = ()
    tables: Any

    def _repr_html_(self) -> str:
        return piece(*(table.html() for table in self.tables))

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.tables))


def in_columns(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: int = 1,
    width: int | None = None,
) -> list[list[str]]:
    """Lines of a table whose first ``left`` columns are words; too wide a one comes
    closer, or else in several parts.

    >>> in_columns(["suit", "cards"], [["S", "4"], ["H", "10"]])
    [['suit   cards', '────────────', 'S          4', 'H         10']]
    >>> in_columns(["suit", "cards"], [["S", "4"], ["H", "10"]], width=11)
    [['suit  cards', '───────────', 'S         4', 'H        10']]
    """
    columns = list(zip_longest(header, *rows, fillvalue=""))
    widths = [max(map(len, column)) for column in columns]
    whole = sum(widths) + 3 * len(widths) - 3
    gap = 3 if width is None or whole <= width else 2
    parts: list[list[int]] = [[]]
    for i, wide in enumerate(widths):
        if (
            width is not None
            and len(parts[-1]) > 1
            and sum(widths[j] + gap for j in parts[-1]) + wide > width
        ):
            parts.append([0])
        parts[-1].append(i)

    found = []
    for part in parts:
        cells = [
            [f"{cell:{'<' if i < left else '>'}{widths[i]}}" for cell in columns[i]]
            for i in part
        ]
        head, *body = (
            (" " * gap).join(row).rstrip() for row in zip(*cells, strict=True)
        )
        found.append(
            [head, "─" * (sum(widths[i] for i in part) + gap * (len(part) - 1)), *body]
        )
    return found


def _cell(cell: str | float, words: str) -> str:
    blue = (
        ""
        if isinstance(cell, str)
        else f' style="background:rgba(0,114,178,{DARKEST * min(cell, 1.0):.2f})"'
    )
    return f"<td{blue}>{text(words)}</td>"


def text(words: str) -> str:
    """Words with suit symbols in their colours.

    >>> text("a & b"), text("♥Q").replace(AS_TEXT, "")
    ('a &amp; b', '<i class="suit-H">♥</i>Q')
    """
    shown = escape(words)
    for suit, sign in SYMBOLS.items():
        shown = shown.replace(sign, f'<i class="suit-{suit}">{sign}{AS_TEXT}</i>')
    return shown


def piece(*parts: str) -> str:
    """Parts of HTML as one piece with its style."""
    return f'<div class="bayesbridge"><style>{STYLE}</style>{"".join(parts)}</div>'


def sentence(words: str) -> str:
    return f"<p>{text(words)}</p>" if words else ""


def side_by_side(tables: Iterable[Table]) -> str:
    """Small tables beside each other, as far as there is room."""
    inside = "".join(table.html() for table in tables)
    return f'<div class="suits">{inside}</div>' if inside else ""


def call(words: str) -> str:
    """A call or contract with the symbol of its suit.

    >>> call("1NT"), call("Pass")
    ('1NT', 'Pass')
    """
    suit = SYMBOLS.get(words[1:2], "") if words[:1].isdigit() else ""
    return text(f"{words[0]}{suit}{words[2:]}" if suit else words)


def hand(
    pbn: str, head: str = "", foot: str = "", more: Mapping[str, str] | None = None
) -> str:
    """Four suits, one below the other, with a line of text above and one below.

    ``more`` says by suit, ``S`` to ``C``, what may be there beside the cards of
    ``pbn``.
    """
    rows = []
    for (suit, sign), ranks in zip(SYMBOLS.items(), pbn.split("."), strict=True):
        cards = " ".join("10" if rank == "T" else rank for rank in ranks)
        rest = (more or {}).get(suit, "" if ranks else "–")
        rows.append(
            f"<tr><td>{text(sign)}</td><td>{escape(f'{cards} {rest}'.strip())}</td></tr>"
        )
    above = f"<b>{escape(head)}</b>" if head else ""
    below = f"<small>{escape(foot)}</small>" if foot else ""
    return f"{above}<table><tbody>{''.join(rows)}</tbody></table>{below}"


def compass(hands: Mapping[str, str], middle: str = "") -> str:
    """Four hands, by seat, around the letters of the seats; ``middle`` is HTML."""
    centre = f'<td class="middle">N<br>W&ensp;·&ensp;E<br>S{f"<br>{middle}" if middle else ""}</td>'
    rows = (
        f"<td></td><td>{hands['N']}</td><td></td>",
        f"<td>{hands['W']}</td>{centre}<td>{hands['E']}</td>",
        f"<td></td><td>{hands['S']}</td><td></td>",
    )
    return f'<table class="diagram"><tbody>{"".join(f"<tr>{row}</tr>" for row in rows)}</tbody></table>'


def calls(
    seats: Sequence[str], made: Sequence[tuple[str, str]], turn: str | None
) -> str:
    """An auction, a column for each of the ``seats`` that bid, West first; ``made`` are
    pairs (seat, call).
    """
    columns = [seat for seat in "WNES" if seat in seats]
    cells = [call(words) for _, words in made]
    start = made[0][0] if made else turn
    cells += [] if turn is None else ["?"]
    cells = [""] * (columns.index(start) if start in columns else 0) + cells
    cells += [""] * (-len(cells) % len(columns))
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells[at : at + len(columns)])}</tr>"
        for at in range(0, len(cells), len(columns))
    )
    heads = "".join(f"<th>{SEATS[seat]}</th>" for seat in columns)
    return f'<table class="calls"><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>'


def listed(sentences: Iterable[str]) -> str:
    items = "".join(f"<li>{escape(one)}</li>" for one in sentences)
    return f"<ol>{items}</ol>" if items else ""
