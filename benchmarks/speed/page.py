"""What the benchmarks measured, as tables.

They are shown on the screen, as JSON, or in benchmarks.md and scaling.md of docs.
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
PAGE = DOCS / "benchmarks.md"
SCALING = DOCS / "scaling.md"


class Headline(NamedTuple):
    """One figure of those that stand first on the page."""

    words: str
    table: str
    row: str
    """The beginning of the row in that table."""
    column: str
    unit: str


HEADLINE = (
    Headline(
        "deals that come once in 102 000, beside rejection in C",
        table="dealing",
        row="dealer (C), rejection",
        column="ratio at C",
        unit="×",
    ),
    Headline(
        "33 points in two hands, 1 deal in 287, beside *dealer*",
        table="scripts",
        row="33 points in two hands",
        column="ratio",
        unit="×",
    ),
    Headline(
        "Algorithm 2 on random deals, beside the literal Python",
        table="capture",
        row="Algorithm 2 with dealing",
        column="ratio",
        unit="×",
    ),
    Headline(
        "T of all 5.16 · 10²¹ deals, exactly",
        table="all-deals",
        row="all 5.16",
        column="seconds",
        unit="s",
    ),
    Headline(
        "T and every card of all 10 400 600 layouts, dummy open",
        table="engines",
        row="enumeration: all",
        column="seconds",
        unit="s",
    ),
    Headline(
        "effective draws a second after an auction of four, beside uniform draws",
        table="boards",
        row="its draws",
        column="ratio",
        unit="×",
    ),
    Headline(
        "layouts to solve for P(make) ± 3 points, own hand",
        table="contracts",
        row="own hand alone, `tricks` c",
        column="solves ± 3",
        unit="",
    ),
    Headline(
        "the same without the network",
        table="contracts",
        row="own hand alone, plain",
        column="solves ± 3",
        unit="",
    ),
    Headline(
        "all contracts of a deal double dummy, beside endplay",
        table="solver",
        row="tables",
        column="ratio",
        unit="×",
    ),
    Headline(
        "a card after trick 1: posterior, and 100 layouts solved",
        table="play",
        row="after trick 1",
        column="seconds, median",
        unit="s",
    ),
    Headline(
        "`estimate --contract`, beside importing numba and NumPy",
        table="commands",
        row="estimate, a contract",
        column="ratio",
        unit="×",
    ),
    Headline(
        "explorer, a call of four: 95 of 100 heat maps within",
        table="explorer",
        row="calls, four",
        column="95 of 100 within, ms",
        unit="ms",
    ),
)
"""What stands first."""

type Cell = str | float | int | None


class Table(NamedTuple):
    """Measurements under a name that the page knows.

    Figures are shown with three digits that count.
    """

    name: str
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[Cell, ...]]
    words: int = 1
    """Leading columns of words; the others hold figures."""
    figure: Callable[[], Figure] | None = None
    """Draws a picture of the same.

    It is kept in docs/pictures under the table's name.
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
            show(table)
        if args.write:
            write(table)
    if args.json:
        print(json.dumps(document))


def show(table: Table) -> None:
    """Print a table."""
    rows = [list(map(shown, row)) for row in table.rows]
    show_table(markup.Table(table.title, table.header, rows, left=table.words))


def write(table: Table) -> None:
    """Put a table, its picture and the headline into docs/."""
    page = SCALING if table.name.startswith("scaling") else PAGE
    with_table = placed(page.read_text("utf-8"), table, origin())
    page.write_text(with_table, "utf-8")
    first_page = with_headline(PAGE.read_text("utf-8"))
    PAGE.write_text(first_page, "utf-8")
    if table.figure is not None:
        picture = DOCS / "pictures" / f"{table.name}.png"
        table.figure().savefig(picture, dpi=200)


def shown(cell: Cell) -> str:
    """A cell as people read it.

    >>> [shown(cell) for cell in (3204567.8, 6.4749, 0.07951, 1000, None, "not installed")]
    ['3 200 000', '6.47', '0.0795', '1 000', '–', 'not installed']
    """
    if isinstance(cell, str):
        return cell
    if cell is None or isinstance(cell, int):
        return number(cell)
    if abs(cell) < 99.95:
        return f"{cell:#.3g}"
    three_digits = float(f"{cell:.3g}")
    return number(int(three_digits))


def placed(text: str, table: Table, origin: str) -> str:
    """The page with a table, and where it comes from, between the marks of its name."""
    figures = len(table.header) - table.words
    rule = ["---"] * table.words + ["---:"] * figures
    rows = [list(table.header), rule]
    for row in table.rows:
        words = map(shown, row[: table.words])
        numbers = [shown(cell).replace(" ", UNBROKEN) for cell in row[table.words :]]
        rows.append([*words, *numbers])
    return _between(text, table.name, f"{_lines(rows)}\n\n{origin}")


def with_headline(text: str) -> str:
    """The page with what stands first, taken from its tables."""
    rows = [["", ""], ["---", "---:"]]
    for headline in HEADLINE:
        figure = f"{_figure(text, headline)}{UNBROKEN}{headline.unit}".strip()
        anchor = _section(text, headline.table)
        rows.append([f"[{headline.words}](#{anchor})", figure])
    return _between(text, "headline", _lines(rows))


def _figure(text: str, headline: Headline) -> str:
    """The figure of a headline, in the table that the page has."""
    body = text.partition(f"<!-- {headline.table} -->")[2].partition("<!-- end")[0]
    lines = [line for line in body.splitlines() if line.startswith("|")]
    header, _rule, *rows = (line.strip("| ").split(" | ") for line in lines)
    row = next(row for row in rows if row[0].startswith(headline.row))
    column = header.index(headline.column)
    return row[column]


def _section(text: str, table: str) -> str:
    """The anchor of the heading that a table stands under."""
    before = text.partition(f"<!-- {table} -->")[0]
    *_, heading = re.finditer(r"^## (.+)$", before, flags=re.M)
    return heading[1].lower().replace(" ", "-")


def _lines(rows: list[list[str]]) -> str:
    """Rows of a table in Markdown."""
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _between(text: str, name: str, body: str) -> str:
    """The page with something else between the marks of a name."""
    begin = f"<!-- {name} -->\n"
    end = f"<!-- end of {name} -->"
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
    command = f"`python benchmarks/speed/{Path(sys.argv[0]).name}`"
    day = time.strftime("%Y-%m-%d")
    load = f"load {os.getloadavg()[0]:.1f}"
    machine = f"{_processor()}, {os.cpu_count()} cores, {load}"
    return f"({command}, {day}, {machine}, Python {platform.python_version()})"


def _processor() -> str:
    """The processor's name, as far as the system tells it."""
    machine = platform.machine()
    if not shutil.which("lscpu"):
        return machine
    answer = subprocess.run(["lscpu"], capture_output=True, text=True, check=True)
    model = re.search(r"^Model name: *(.+)$", answer.stdout, flags=re.M)
    return machine if model is None else f"{machine} {model[1]}"
