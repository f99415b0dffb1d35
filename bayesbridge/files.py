"""Files that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place beside ``path`` to write to; at the end what stands there takes its place in one step.

    A failure or an interrupt leaves an old file as it was, and nothing else behind.
    """
    part = path.with_name(f".{path.name}.{token_hex(4)}.part")
    try:
        yield part
        part.replace(path)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
