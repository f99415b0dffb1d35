"""Tables on record in PBN and LIN, read as they are found.

There is a note for everything that was left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from bayesbridge.game.calls import Vulnerability
from bayesbridge.notation.formats import format_of
from bayesbridge.notation.lin import iter_lin, link_text, read_lin, write_lin
from bayesbridge.notation.pbn import iter_pbn, read_pbn, write_pbn
from bayesbridge.notation.reading import ParsedRecords, Skipped, Source
from bayesbridge.notation.record import Record, Tag, read_hands

__all__ = [
    "ParsedRecords",
    "Record",
    "Skipped",
    "Source",
    "Tag",
    "Vulnerability",
    "iter_lin",
    "iter_pbn",
    "iter_records",
    "open_records",
    "read_hands",
    "read_lin",
    "read_pbn",
    "write_lin",
    "write_pbn",
]


def open_records(path: str | os.PathLike[str]) -> ParsedRecords:
    """Read a file of records, PBN or LIN.

    By its name (``.pbn``, ``.lin``, also ``.gz``) or else by its content.

    Parameters
    ----------
    path : str or path-like
        The file, or a link of a hand viewer, which is not fetched.

    Returns
    -------
    ParsedRecords
        Its ``records``, and in ``skipped`` a note for each thing that was left out.

    Raises
    ------
    NotationError
        If the file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile("w", suffix=".pbn") as file:
    ...     _ = file.write('[Board "1"]\\n[Deal "N:AK.. ... ... ..."]\\n')
    ...     file.flush()
    ...     open_records(file.name).skipped[0].line
    2
    """
    return ParsedRecords.of(iter_records(path))


def iter_records(path: str | os.PathLike[str]) -> Iterator[Record | Skipped]:
    """As :func:`bayesbridge.open_records`, one by one.

    Also of a link of a hand viewer, which is not fetched.
    """
    if "lin=" in str(path) and not os.path.isfile(path):
        return iter_lin(f"{link_text(str(path))}\n")
    # A text with a bracket in it would be taken for a document.
    file = Path(path)
    return format_of(os.fspath(file), file).iter_records(file)
