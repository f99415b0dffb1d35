"""Files that commands write: whether they can be is found out before the work, and what hinders it is one line."""

from __future__ import annotations

import errno
import os
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bayesbridge.cli.parsing import Once, Parser, UsageError
from bayesbridge.errors import Unwritable
from bayesbridge.files import advice, final_path, whole_file


def verify_target(option: str, name: str, what: str, *endings: str) -> Path:
    """Find out before the work whether its result can be written; ``what`` the result is decides how names end."""
    path = Path(name)
    if path.suffix not in endings:
        raise UsageError(f"argument {option}: {name!r}: {what}, let its name end in {endings[0]}")
    try:
        folder = final_path(path)[0].parent
        if not folder.is_dir():
            raise UsageError(f"argument {option}: {name!r}: name a file in a folder that exists")
        if not os.access(folder, os.W_OK):
            raise PermissionError(errno.EACCES, f"nothing may be written in {str(folder)!r}")
    except OSError as error:
        raise UsageError(f"argument {option}: cannot write {name!r} ({error.strerror}): {advice(error)}") from None
    return path


@contextmanager
def writing(option: str, path: Path) -> Iterator[Path]:
    """A place to write a file to that then appears whole; what hinders it is said with the option."""
    try:
        with whole_file(path) as part:
            yield part
    except OSError as error:
        why = error.strerror or error
        raise Unwritable(f"argument {option}: cannot write {str(path)!r} ({why}): {advice(error)}", path=path) from None


def add_picture(parser: Parser) -> None:
    """Let a command draw its answer."""
    parser.add_argument("--out", action=Once, metavar="FILE.png", help="draw a picture, as PNG, SVG or PDF")


def picture_target(args: Namespace) -> Path | None:
    """Where the picture goes, if one is asked for."""
    if args.out is None:
        return None
    return verify_target("--out", args.out, "the picture is a PNG, SVG or PDF file", ".png", ".svg", ".pdf")


def write_picture(path: Path, figure: Any) -> None:
    """Save a figure in the format that the name's ending says."""
    from bayesbridge.plots import DPI

    with writing("--out", path) as part:
        figure.savefig(part, format=path.suffix[1:], dpi=DPI)
