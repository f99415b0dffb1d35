"""How answers look.

All that is written to stdout goes through here: no escape of a file reaches a terminal.
"""

from __future__ import annotations

import json
from argparse import Namespace
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from bayesbridge.cli.files import writing
from bayesbridge.cli.progress_bar import end_progress
from bayesbridge.cli.terminal import (
    bar,
    bold,
    can_show,
    coloured,
    in_lines,
    shown,
    terminal_width,
)
from bayesbridge.display.columns import in_columns
from bayesbridge.display.markup import Table
from bayesbridge.display.words import SEATS, number, with_symbols

if TYPE_CHECKING:
    from bayesbridge.belief.belief import Belief
    from bayesbridge.belief.posterior import Posterior
    from bayesbridge.position import Position

WIDEST_BAR: Final = 40
NARROWEST_BAR: Final = 5
PERCENT_WIDTH: Final = 8
"""Columns of the figures next to bars."""

GAP: Final = 3
"""Columns between the columns of a table."""

DELETE: Final = "\x7f"


@dataclass(frozen=True, slots=True)
class Hanging:
    """A sentence whose lines after the first are indented."""

    words: str
    indent: str


type Part = Table | Hanging | str
"""A part of an answer for people."""


def present(args: Namespace, document: dict[str, Any], *parts: Part) -> int:
    """Print an answer: one object for programs, its parts for people."""
    if args.json:
        print_json(document)
    else:
        print_parts(parts)
    return 0


def print_json(document: dict[str, Any]) -> None:
    """Print one object on one line, in ASCII, so that it survives any terminal."""
    end_progress()
    line = json.dumps(document, allow_nan=False)
    # Delete is ASCII, and json leaves it.
    print(line.replace(DELETE, "\\u007f"))


def print_parts(parts: Iterable[Part]) -> None:
    """Print parts of an answer, one below the other."""
    for part in parts:
        print_lines(part_lines(part))


def say(*sentences: str) -> None:
    """Print sentences in lines that the terminal has room for."""
    print_parts(sentences)


def say_whole(*lines: str) -> None:
    """Print lines that are never broken, whatever they hold."""
    print_lines(shown(line) for line in lines)


def show_table(table: Table) -> None:
    """Print a table and its notes."""
    print_lines(part_lines(table))


def print_lines(lines: Iterable[str]) -> None:
    """Print lines, with red suits and blue bars on a terminal."""
    end_progress()
    for line in lines:
        print(coloured(line))


def part_lines(part: Part) -> list[str]:
    """The lines of a part, as wide as the terminal; colours are not in them yet."""
    if isinstance(part, Table):
        return table_lines(part)
    if isinstance(part, Hanging):
        return [shown(line) for line in in_lines(part.words, part.indent)]
    return [shown(line) for line in in_lines(part)] or [""]


def table_lines(table: Table) -> list[str]:
    """The table, with bars where it wants them, and its notes.

    Columns that have no room follow below, each time with the first one.
    """
    if table.bars:
        table = with_bars(table)
    lines = [bold(line) for line in in_lines(shown(table.title))]
    lines.append("")
    header = [shown(name) for name in table.columns]
    rows = [[shown(cell) for cell in row] for row in table.words]
    for head, rule, *body in in_columns(
        header, rows, table.left, width=terminal_width()
    ):
        lines.append(bold(head))
        lines.append(rule if can_show("─") else "-" * len(rule))
        lines += [*body, ""]
    for note in table.notes:
        lines += part_lines(note)
    if table.notes:
        lines.append("")
    return lines


def with_bars(table: Table) -> Table:
    """The table with its second column, of shares, drawn as bars in a third one.

    ``table.rows`` has the shares as numbers, ``table.words`` all cells as texts. All
    columns are then set to the left, as the bars must be.
    """
    shares = [float(row[1]) for row in table.rows]
    largest = max(shares, default=0.0) or 1.0
    width = bar_width(table)
    rows = []
    for (name, percentage, *further_cells), share in zip(
        table.words, shares, strict=True
    ):
        drawn = bar(share / largest, width)
        rows.append([name, percentage.rjust(PERCENT_WIDTH), drawn, *further_cells])
    name_column, share_column, *further_columns = table.columns
    columns = [name_column, share_column.rjust(PERCENT_WIDTH), "", *further_columns]
    return replace(table, columns=columns, rows=rows, left=len(columns))


def bar_width(table: Table) -> int:
    """The columns that the other columns of the table leave to its bars."""
    columns = zip(table.columns, *table.words, strict=True)
    widths = [max(map(len, column)) for column in columns]
    widths[1] = max(PERCENT_WIDTH, len(table.columns[1]))
    room = terminal_width() - sum(widths) - GAP * len(widths)
    return max(NARROWEST_BAR, min(WIDEST_BAR, room))


def answer_first(table: Table, depends: str = "") -> list[Part]:
    """The first note of a table, which is the answer in words, before the table.

    ``depends``, if not empty, comes between them: what the answer depends on.
    """
    sentences = [table.notes[0]]
    if depends:
        sentences.append(depends)
    return [*sentences, "", replace(table, notes=table.notes[1:])]


def game_line(position: Position) -> list[str]:
    """The first line of an answer: which game is meant, where that was not said."""
    return [position.game_in_doubt] if position.game_in_doubt else []


def write_page(args: Namespace, path: Path, page: str, about: dict[str, Any]) -> None:
    """Write a page into a file, and say that it is there.

    For programs the line is an object, with what the page is ``about``.
    """
    with writing("--out", path) as part:
        part.write_text(page, "utf-8", newline="\n")
    size = path.stat().st_size
    if args.json:
        print_json({"file": str(path), "bytes": size, **about})
    else:
        say_whole(f"{path}: {number(size)} bytes, opens in any browser.")


def evidence_parts(belief: Belief) -> list[Part]:
    """The hand, the evidence in order, and the passes that nobody mentioned."""
    seat = SEATS[belief.observer.name]
    parts: list[Part] = [
        f"{seat} holds {belief.hand.pbn}, {belief.hand.points} points."
    ]
    if belief.evidence:
        pieces = "; ".join(map(with_symbols, belief.evidence))
        parts.append(Hanging(f"Seen: {pieces}.", indent="      "))
    parts += belief.assumptions
    if belief.dummy is None and belief.auction is not None and not belief.systems:
        parts.append("If you know what they play, say so: --system sayc, or --style.")
    if belief.assumed_passes:
        seats = ", ".join(seat.name for seat in belief.assumed_passes)
        parts.append(
            f"Taken to have passed, since no call of theirs was given: {seats}. The "
            f"auction is '{belief.auction}'."
        )
    return parts


def how_parts(
    posterior: Posterior, accuracy: Sequence[str] | None = None
) -> list[Part]:
    """What was seen, and how exact the answer is, in its own sentences if given."""
    from bayesbridge.belief.posterior import accuracy_document
    from bayesbridge.belief.posterior_page import accuracy_sentences

    if accuracy is None:
        accuracy = accuracy_sentences(accuracy_document(posterior))
    return [*evidence_parts(posterior.belief), *accuracy]
