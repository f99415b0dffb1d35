"""What the instruments share: their options, and how results are printed."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbridge.cli.progress_bar import show_progress
from bayesbridge.cli.screens import print_json, say, show_table
from bayesbridge.display.markup import Table
from bayesbridge.runtime.progress import watch_progress
from bayesbridge.studies.jobs import RunOptions

type Floats = NDArray[np.float64]


def options(about: str | None) -> ArgumentParser:
    """A parser with what every instrument takes."""
    parser = ArgumentParser(
        description=about, formatter_class=RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument(
        "--json", action="store_true", help="one JSON object instead of tables"
    )
    parser.add_argument("--picture", metavar="FILE", help="draw what was found, too")
    parser.add_argument(
        "--workers", type=int, metavar="N", help="default: one for each core"
    )
    parser.add_argument(
        "--scheduler", default="threads", help="threads (default) or processes"
    )
    parser.add_argument(
        "--resume",
        metavar="FOLDER",
        help="keep every finished chunk, and count none of them again",
    )
    return parser


def setting(args: Namespace) -> RunOptions:
    """How to run, by the options."""
    folder = Path(args.resume) if args.resume else None
    return RunOptions(args.workers, args.scheduler, folder)


def show(
    args: Namespace, document: dict[str, Any], tables: Iterable[Table], *lines: str
) -> None:
    """Print the tables and the lines below them, or the document."""
    if args.json:
        print_json(document)
        return
    for table in tables:
        show_table(table)
    say(*lines)


def start(main: Callable[[], None]) -> None:
    """Run an instrument, with a bar on a terminal."""
    with watch_progress(show_progress):
        main()
