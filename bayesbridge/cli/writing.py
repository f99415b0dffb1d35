"""Files that commands write: whoever finds one finds it whole, and a failure leaves an old one as it was."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bayesbridge.cli.parsing import UsageError
from bayesbridge.errors import Unwritable


def verify_target(option: str, name: str, what: str, *endings: str) -> Path:
    """Find out before the work whether its result can be written; ``what`` the result is decides how names end."""
    path = Path(name)
    if path.suffix not in endings:
        raise UsageError(f"argument {option}: {name!r}: {what}, let its name end in {endings[0]}")
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"argument {option}: {name!r}: name a file in a folder that exists")
    return path


@contextmanager
def whole_file(option: str, path: Path) -> Iterator[Path]:
    """A place beside the file to write to; at the end what stands there takes the file's place in one step."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(path)
    except OSError as error:
        why = error.strerror or error
        raise Unwritable(
            f"argument {option}: cannot write {str(path)!r} ({why}): make room, or name another file", path=path
        ) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
