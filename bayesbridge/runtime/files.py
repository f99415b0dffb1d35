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
    if error.errno == errno.ENOENT:
        return "make its folder first, or name another"
    if error.errno == errno.ENAMETOOLONG:
        return "choose a shorter name"
    return "name another file"


def final_path(path: Path) -> Path:
    """Where a file really goes, links followed.

    ``OSError`` for a folder, a device or what may not be changed.
    """
    target = Path(os.path.realpath(path))
    try:
        # Links in a circle are refused here.
        mode = os.stat(path).st_mode
    except FileNotFoundError:
        return target
    if stat.S_ISDIR(mode):
        raise OSError(errno.EINVAL, "it is a folder")
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is a device or a pipe")
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
    # Its name is short: beside a file whose name is as long as may be, it must do.
    unfinished = target.with_name(f".{token_hex(8)}.part")
    try:
        yield unfinished
        with suppress(FileNotFoundError):
            unfinished.chmod(stat.S_IMODE(target.stat().st_mode))
        _sync(unfinished)
        unfinished.replace(target)
        # Not every system lets a folder be opened.
        with suppress(OSError):
            _sync(target.parent)
    finally:
        with suppress(OSError):
            unfinished.unlink(missing_ok=True)


def _sync(path: Path) -> None:
    """Wait until a file or folder is on the disk as it is written."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
