"""What the benchmarks measured, as tables: on the screen, as JSON, or in benchmarks.md
and scaling.md of docs.
"""

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
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from bayesbridge.cli.screens import show_table
from bayesbridge.display import markup
from bayesbridge.display.words import number

if TYPE_CHECKING:
    from matplotlib.figure import Figure

UNBROKEN = "\u00a0"
"""A space at which no line ends: between the thousands of a figure."""
DOCS = Path(__file__).parents[2] / "docs"
PAGE, SCALING = DOCS / "benchmarks.md", DOCS / "scaling.md"

HEADLINE = (
    (
        "deals that come once in 102 000, beside rejection in C",
        "dealing",
        "dealer (C), rejection",
        "ratio at C",
        "×",
    ),
    (
        "33 points in two hands, 1 deal in 287, beside *dealer*",
        "scripts",
        "33 points in two hands",
        "ratio",
        "×",
    ),
    (
        "Algorithm 2 on random deals, beside the literal Python",
        "capture",
        "Algorithm 2 with dealing",
        "ratio",
        "×",
    ),
    ("T of all 5.16 · 10²¹ deals, exactly", "all-deals", "all 5.16", "seconds", "s"),
    (
        "T and every card of all 10 400 600 layouts, dummy open",
        "engines",
        "enumeration: all",
        "seconds",
        "s",
    ),
    (
        "effective draws a second after an auction of four, beside uniform draws",
        "boards",
        "its draws",
        "ratio",
        "×",
    ),
    (
        "layouts to solve for P(make) ± 3 points, own hand",
        "contracts",
        "own hand alone, `tricks` c",
        "solves ± 3",
        "",
    ),
    (
        "the same without the network",
        "contracts",
        "own hand alone, plain",
        "solves ± 3",
        "",
    ),
    (
        "all contracts of a deal double dummy, beside endplay",
        "solver",
        "tables",
        "ratio",
        "×",
    ),
    (
        "a card after trick 1: posterior, and 100 layouts solved",
        "play",
        "after trick 1",
        "seconds, median",
        "s",
    ),
    (
        "`estimate --contract`, beside importing numba and NumPy",
        "commands",
        "estimate, a contract",
        "ratio",
        "×",
    ),
    (
        "explorer, a call of four: 95 of 100 heat maps within",
        "explorer",
        "calls, four",
        "95 of 100 within, ms",
        "ms",
    ),
)
"""What stands first: words, a table, the beginning of a row, a column, and the unit."""

type Cell = str | float | int | None


class Table(NamedTuple):
    """Measurements under a name that the page knows; figures are shown with three
    digits that count.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    words: int = 1
    """Leading columns of words; the others hold figures."""
    figure: Callable[[], Figure] | None = None
    """Draws a picture of the same, which is kept in docs/pictures under the table's
    name.
    """


def run(description: str, *measures: Callable[[], Table]) -> None:
    """The whole of a benchmark: measure, and show each table as soon as it is there."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    ways = parser.add_mutually_exclusive_group()
    ways.add_argument(
        "--json", action="store_true", help="print one JSON object and nothing else"
    )
    ways.add_argument(
        "--write", action="store_true", help="put tables and pictures into docs/ too"
    )
    args = parser.parse_args()
    document = {}
    for measure in measures:
        table = measure()
        document[table.name] = [
            dict(zip(table.header, row, strict=True)) for row in table.rows
        ]
        if not args.json:
            rows = [[shown(cell) for cell in row] for row in table.rows]
            show_table(markup.Table(table.title, table.header, rows, left=table.words))
        if args.write:
            page = SCALING if table.name.startswith("scaling") else PAGE
            page.write_text(placed(page.read_text("utf-8"), table, origin()), "utf-8")
            PAGE.write_text(with_headline(PAGE.read_text("utf-8")), "utf-8")
            if table.figure is not None:
                table.figure().savefig(DOCS / "pictures" / f"{table.name}.png", dpi=200)
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
        [
            shown(cell) if i < table.words else shown(cell).replace(" ", UNBROKEN)
            for i, cell in enumerate(row)
        ]
        for row in table.rows
    ]
    rows = [list(table.header), rule, *figures]
    return _between(text, table.name, f"{_lines(rows)}\n\n{origin}")


def with_headline(text: str) -> str:
    """The page with what stands first, taken from its tables."""
    rows = [["", ""], ["---", "---:"]]
    for words, table, beginning, column, unit in HEADLINE:
        body = text.partition(f"<!-- {table} -->")[2].partition("<!-- end")[0]
        header, _, *figures = (
            line.strip("| ").split(" | ")
            for line in body.splitlines()
            if line.startswith("|")
        )
        row = next(row for row in figures if row[0].startswith(beginning))
        rows.append(
            [
                f"[{words}](#{_section(text, table)})",
                f"{row[header.index(column)]}{UNBROKEN}{unit}".strip(),
            ]
        )
    return _between(text, "headline", _lines(rows))


def _section(text: str, table: str) -> str:
    """The anchor of the heading that a table stands under."""
    *_, heading = re.finditer(
        r"^## (.+)$", text.partition(f"<!-- {table} -->")[0], flags=re.M
    )
    return heading[1].lower().replace(" ", "-")


def _lines(rows: list[list[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _between(text: str, name: str, body: str) -> str:
    """The page with something else between the marks of a name."""
    begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
    pattern = re.escape(begin) + ".*?" + re.escape(end)
    replaced, times = re.subn(
        pattern, lambda _: f"{begin}\n{body}\n\n{end}", text, flags=re.S
    )
    if times != 1:
        raise ValueError(
            f"the page has the marks of table {name!r} {times} times: write them once"
        )
    return replaced


def origin() -> str:
    """The command, the day, the machine and how busy it was."""
    machine = f"{_processor()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    command = f"`python benchmarks/speed/{Path(sys.argv[0]).name}`"
    return f"({command}, {time.strftime('%Y-%m-%d')}, {machine}, Python {platform.python_version()})"


def _processor() -> str:
    if shutil.which("lscpu"):
        listed = subprocess.run(
            ["lscpu"], capture_output=True, text=True, check=True
        ).stdout
        if found := re.search(r"^Model name: *(.+)$", listed, flags=re.M):
            return f"{platform.machine()} {found[1]}"
    return platform.machine()
