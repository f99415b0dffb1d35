"""How answers look: one JSON object for programs, tables and sentences for people."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

SUITS = {"C": "♣ clubs", "D": "♦ diamonds", "H": "♥ hearts", "S": "♠ spades"}


def print_json(document: dict[str, Any]) -> None:
    """One object on one line, in ASCII, so that it survives any terminal."""
    print(json.dumps(document, allow_nan=False))


def print_table(title: str, header: Sequence[str], rows: Iterable[Sequence[str]], *, left: int = 1) -> None:
    """A table with its first ``left`` columns of words and the others of figures.

    A figure is never cut or broken: the table may become wider than the terminal.
    """
    from rich import box
    from rich.console import Console
    from rich.measure import Measurement
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for i, name in enumerate(header):
        table.add_column(name, justify="left" if i < left else "right", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console = Console(markup=False, highlight=False, emoji=False)
    room = console.options.update(width=10_000)
    console.width = max(console.width, Measurement.get(console, room, table).maximum)
    console.print(title, style="bold", soft_wrap=True)
    console.print()
    console.print(table)
    console.print()


def number(value: float | None, digits: int = 0) -> str:
    """A figure with its thousands apart; a dash where there is none.

    >>> number(5157850293780050462400), number(145674.20244, 4), number(None)
    ('5 157 850 293 780 050 462 400', '145 674.2024', '–')
    """
    if value is None:
        return "–"
    text = f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
    return text.replace(",", " ")
