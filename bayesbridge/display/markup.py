"""Parts of an answer as tables, and HTML of hands, auctions and tables.

A piece takes the colours of the page that it stands in, so that light and dark themes
both work. Text is escaped here, whoever gives it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from itertools import batched, zip_longest
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


def _rule(parts: str, declarations: str) -> str:
    """A rule of the style for parts of a piece, with ``|`` between them."""
    selectors = [f"{_ROOT} {part}".strip() for part in parts.split("|")]
    return f"{','.join(selectors)}{{{declarations}}}"


STYLE: Final = "".join(_rule(*rule) for rule in _RULES.items())

DARKEST: Final = 0.55
"""Share of blue where a cell is certain: text keeps its colour, and stays readable on
it.
"""

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
    """Whether a terminal draws the second column as bars; the columns after it are
    words.
    """
    left: int = 1
    """Columns of words, before those of figures."""

    def html(self) -> str:
        """The table, which scrolls by itself where it is wider than the page, and its
        notes below.
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
        notes = ["", *self.notes] if self.notes else []
        return "\n".join([self.title, "", *lines, *notes])


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
    gap = WIDE_GAP
    if width is not None and _width(widths, WIDE_GAP) > width:
        gap = NARROW_GAP
    parts = [list(range(len(columns)))]
    if width is not None:
        parts = _columns_by_part(widths, gap, width)
    cells = [
        _aligned(column, widths[place], to_left=place < left)
        for place, column in enumerate(columns)
    ]
    blocks = []
    for part in parts:
        rows_of_part = zip(*(cells[place] for place in part), strict=True)
        head, *body = ((" " * gap).join(row).rstrip() for row in rows_of_part)
        line = "─" * _width([widths[place] for place in part], gap)
        blocks.append([head, line, *body])
    return blocks


WIDE_GAP: Final = 3
NARROW_GAP: Final = 2
"""Blanks between columns, and where they are too wide."""


def _width(widths: Sequence[int], gap: int) -> int:
    """The width of columns with gaps between them."""
    return sum(widths) + gap * (len(widths) - 1)


def _columns_by_part(widths: Sequence[int], gap: int, width: int) -> list[list[int]]:
    """The columns of each part of a table that is too wide; each has the first one."""
    parts: list[list[int]] = [[]]
    for place, column_width in enumerate(widths):
        part_widths = [widths[other] for other in parts[-1]]
        too_wide = _width([*part_widths, column_width], gap) > width
        if too_wide and len(part_widths) > 1:
            parts.append([0])
        parts[-1].append(place)
    return parts


def _aligned(column: Sequence[str], width: int, *, to_left: bool) -> list[str]:
    """Cells of one width."""
    if to_left:
        return [cell.ljust(width) for cell in column]
    return [cell.rjust(width) for cell in column]


def _html_row(row: Sequence[str | float], words: Sequence[str]) -> str:
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
    return cell if isinstance(cell, str) else percent(cell)


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
    """A paragraph; nothing for no words."""
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
    if not words[:1].isdigit():
        return text(words)
    level = words[0]
    suit = SYMBOLS.get(words[1:2], "")
    return text(f"{level}{suit}{words[2:]}" if suit else words)


def hand(
    pbn: str, head: str = "", foot: str = "", more: Mapping[str, str] | None = None
) -> str:
    """Four suits, one below the other, with a line of text above and one below.

    ``more`` says by suit, ``S`` to ``C``, what may be there beside the cards of
    ``pbn``.
    """
    rows = []
    for (suit, sign), ranks in zip(SYMBOLS.items(), pbn.split("."), strict=True):
        cards = " ".join(ranks).replace("T", "10")
        hidden = (more or {}).get(suit, "" if ranks else "–")
        cell = escape(f"{cards} {hidden}".strip())
        rows.append(f"<tr><td>{text(sign)}</td><td>{cell}</td></tr>")
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
    """An auction, a column for each of the ``seats`` that bid, West first; ``made`` are
    pairs (seat, call).
    """
    columns = [seat for seat in "WNES" if seat in seats]
    first_seat = made[0][0] if made else turn
    cells: list[str] = []
    if first_seat in columns:
        cells += [""] * columns.index(first_seat)
    cells += [call(words) for _, words in made]
    if turn is not None:
        cells.append("?")
    cells += [""] * (-len(cells) % len(columns))
    rows = "".join(
        f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>"
        for row in batched(cells, len(columns))
    )
    heads = "".join(f"<th>{SEATS[seat]}</th>" for seat in columns)
    return (
        f'<table class="calls"><thead><tr>{heads}</tr></thead>'
        f"<tbody>{rows}</tbody></table>"
    )


def listed(sentences: Iterable[str]) -> str:
    """A numbered list; nothing for no sentences."""
    items = "".join(f"<li>{escape(item)}</li>" for item in sentences)
    return f"<ol>{items}</ol>" if items else ""
