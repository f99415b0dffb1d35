"""Files that appear whole or not at all, whatever happens while they are written."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from secrets import token_hex
from typing import Final

NO_ROOM: Final = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def advice(error: OSError) -> str:
    """What to do about a file that could not be written."""
    if error.errno in NO_ROOM:
        return "make room, or name another file"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "change the rights there, or name another file"
    known = {
        errno.ENOENT: "make its folder first, or name another",
        errno.ENAMETOOLONG: "choose a shorter name",
    }
    return known.get(error.errno or 0, "name another file")


def final_path(path: Path) -> Path:
    """Where a file really goes, links followed.

    ``OSError`` for a folder, a device or what may not be changed.
    """
    target = Path(os.path.realpath(path))
    try:
        found = os.stat(path).st_mode  # of links in a circle this says so
    except FileNotFoundError:
        return target
    if not stat.S_ISREG(found):
        raise OSError(
            errno.EINVAL,
            "it is a folder" if stat.S_ISDIR(found) else "it is a device or a pipe",
        )
    if not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, "it may only be read")
    return target


@contextmanager
def whole_file(path: Path) -> Iterator[Path]:
    """A place beside ``path`` to write to.

    At the end what stands there takes the place of ``path`` in one step.

    A failure or an interrupt leaves an old file as it was. A link stays, and the rights
    of the file that it leads to.
    """
    target = final_path(path)
    part = target.with_name(
        f".{token_hex(8)}.part"
    )  # short: a name that is long, but not too long, must do
    try:
        yield part
        with suppress(FileNotFoundError):
            part.chmod(stat.S_IMODE(target.stat().st_mode))
        _sync(part)
        part.replace(target)
        with suppress(OSError):  # not every system lets a folder be opened
            _sync(target.parent)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
