"""Records from a file, for the commands that take one."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from bayesbridge.cli.parsing import UsageError
from bayesbridge.notices import tell

if TYPE_CHECKING:
    from bayesbridge.notation import Record


def read_records(path: str) -> tuple[Record, ...]:
    """All records of a PBN or LIN file; what was left out is told on stderr, a line each, the first few."""
    from bayesbridge.notation import open_records

    if not os.path.exists(path):
        raise UsageError(f"argument FILE: there is no file {path!r}: give a PBN or LIN file")
    try:
        found = open_records(path)
    except OSError as error:
        raise UsageError(f"argument FILE: cannot read {path!r}: {error.strerror}") from None
    for note in found.skipped[:5]:
        tell(note)
    if len(found.skipped) > 5:
        tell(f"{len(found.skipped) - 5} more notes on what was left out")
    if not found.records:
        raise UsageError(f"argument FILE: {path!r} holds no record that can be read: give a PBN or LIN file")
    return found.records
