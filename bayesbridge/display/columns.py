"""Tables as lines of text: columns of one width, in parts where they are too wide."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest
from typing import Final

WIDE_GAP: Final = 3
"""Blanks between columns."""

NARROW_GAP: Final = 2
"""Blanks between columns that would be too wide together."""


def in_columns(
    header: Sequence[str],
    rows: Iterable[Sequence[str]],
    left: int = 1,
    width: int | None = None,
) -> list[list[str]]:
    """Lines of a table, in several parts where it is too wide.

    Parameters
    ----------
    header : sequence of str
        The heads of the columns.
    rows : iterable of sequences of str
        Their cells; a row that is too short ends with empty ones.
    left : int, default 1
        Columns of words, which stand to the left in their column; those after them are
        figures, which stand to the right.
    width : int, optional
        Characters of the widest line. Columns of a wider table come closer; if that is
        not enough, it is told in parts, each with the first column.

    Returns
    -------
    list of lists of str
        The lines of each part: heads, a rule, rows.

    Examples
    --------
    >>> in_columns(["suit", "cards"], [["S", "4"], ["H", "10"]])
    [['suit   cards', '────────────', 'S          4', 'H         10']]
    >>> in_columns(["suit", "cards"], [["S", "4"], ["H", "10"]], width=11)
    [['suit  cards', '───────────', 'S         4', 'H        10']]
    """
    columns = list(zip_longest(header, *rows, fillvalue=""))
    widths = [max(map(len, column)) for column in columns]
    gap = WIDE_GAP
    places_by_part = [list(range(len(columns)))]
    if width is not None:
        if _total_width(widths, WIDE_GAP) > width:
            gap = NARROW_GAP
        places_by_part = _columns_by_part(widths, gap, width)
    padded = []
    for place, column in enumerate(columns):
        padded.append(_padded(column, widths[place], to_left=place < left))
    lines_by_part = []
    for places in places_by_part:
        lines_by_part.append(_lines([padded[place] for place in places], gap))
    return lines_by_part


def _lines(padded: Sequence[Sequence[str]], gap: int) -> list[str]:
    """The heads, a rule and the rows of columns whose cells have one width."""
    between = " " * gap
    head, *body = (between.join(row).rstrip() for row in zip(*padded, strict=True))
    widths = [len(column[0]) for column in padded]
    return [head, "─" * _total_width(widths, gap), *body]


def _total_width(widths: Sequence[int], gap: int) -> int:
    """The width of columns with gaps between them."""
    return sum(widths) + gap * (len(widths) - 1)


def _columns_by_part(widths: Sequence[int], gap: int, width: int) -> list[list[int]]:
    """The columns of each part of a table that is too wide; each has the first one."""
    places_by_part: list[list[int]] = [[]]
    for place, column_width in enumerate(widths):
        part_widths = [widths[earlier] for earlier in places_by_part[-1]]
        too_wide = _total_width([*part_widths, column_width], gap) > width
        if too_wide and len(part_widths) > 1:
            places_by_part.append([0])
        places_by_part[-1].append(place)
    return places_by_part


def _padded(column: Sequence[str], width: int, *, to_left: bool) -> list[str]:
    """Cells of one width."""
    if to_left:
        return [cell.ljust(width) for cell in column]
    return [cell.rjust(width) for cell in column]
