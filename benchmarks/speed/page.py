"""What the benchmarks measured, as tables: on the screen, as JSON, or in ``docs/benchmarks.md``."""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bayesbridge import markup
from bayesbridge.cli.screens import show_table
from bayesbridge.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNBROKEN = "\u00a0"
"""A space at which no line ends: between the thousands of a figure."""
PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"

type Cell = str | float | int | None


class Table(NamedTuple):
    """Measurements under a name that the page knows; figures are shown with three digits that count."""

    name: str
    title: str
    header: tuple[str, ...]
    rows: list[tuple[Cell, ...]]
    words: int = 1
    """Leading columns of words; the others hold figures."""
    figure: Callable[[], Figure] | None = None
    """Draws a picture of the same, which is kept in docs/pictures under the table's name."""


def run(description: str, *measures: Callable[[], Table]) -> None:
    """The whole of a benchmark: measure, and show each table as soon as it is there."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument("--json", action="store_true", help="print one JSON object and nothing else")
    ways.add_argument("--write", action="store_true", help="put tables and pictures into docs/ too")
    args = parser.parse_args()
    document = {}
    for measure in measures:
        table = measure()
        document[table.name] = [dict(zip(table.header, row, strict=True)) for row in table.rows]
        if not args.json:
            rows = [[shown(cell) for cell in row] for row in table.rows]
            show_table(markup.Table(table.title, table.header, rows, left=table.words))
        if args.write:
            PAGE.write_text(placed(PAGE.read_text("utf-8"), table, origin()), "utf-8")
            if table.figure is not None:
                table.figure().savefig(PAGE.parent / "pictures" / f"{table.name}.png", dpi=200)
    if args.json:
        print(json.dumps(document))


def shown(cell: Cell) -> str:
    """A cell as people read it.

    >>> [shown(cell) for cell in (3204567.8, 6.4749, 0.07951, 1000, None, "not installed")]
    ['3 200 000', '6.47', '0.0795', '1 000', '–', 'not installed']
    """
    if isinstance(cell, str):
        return cell
    if cell is None or isinstance(cell, int):
        return number(cell)
    return f"{cell:#.3g}" if abs(cell) < 99.95 else number(int(float(f"{cell:.3g}")))


def placed(text: str, table: Table, origin: str) -> str:
    """The page with a table, and where it comes from, between the marks of its name."""
    rule = ["---"] * table.words + ["---:"] * (len(table.header) - table.words)
    figures = [
        [shown(cell) if i < table.words else shown(cell).replace(" ", UNBROKEN) for i, cell in enumerate(row)]
        for row in table.rows
    ]
    rows = [list(table.header), rule, *figures]
    body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
    begin, end = f"<!-- {table.name} -->\n", f"<!-- end of {table.name} -->"
    replaced, times = re.subn(
        re.escape(begin) + ".*?" + re.escape(end), lambda _: f"{begin}\n{body}\n\n{origin}\n\n{end}", text, flags=re.S
    )
    if times != 1:
        raise ValueError(f"{PAGE.name} has the marks of table {table.name!r} {times} times: write them once")
    return replaced


def origin() -> str:
    """The command, the day, the machine and how busy it was."""
    machine = f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    command = f"`python benchmarks/speed/{Path(sys.argv[0]).name}`"
    return f"({command}, {time.strftime('%Y-%m-%d')}, {machine}, Python {platform.python_version()})"


def _processor() -> str:
    if shutil.which("lscpu"):
        listed = subprocess.run(["lscpu"], capture_output=True, text=True, check=True).stdout
        if found := re.search(r"^Model name: *(.+)$", listed, flags=re.M):
            return f"{platform.machine()} {found[1]}"
    return platform.machine()
