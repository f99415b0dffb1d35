"""Results that cost seconds to build, kept in the user's cache directory.

Each file carries a checksum of its name and content and is put in place in one step, so a reader sees a whole file or
none: two cold processes build the same thing twice and hurt nobody, and a damaged file is rebuilt. Where nothing can be
written the result is built in memory and one line on stderr says so. The checksum is against damage, not against an
attacker: tables are read as data only, and code is loaded only where nobody else can write. ``BAYESBRIDGE_CACHE`` names
another directory; deleting it is always safe.
"""

from __future__ import annotations

import functools
import hashlib
import json
import os
import shlex
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from bayesbridge.files import whole_file

if TYPE_CHECKING:
    import numpy as np

_SEAL = 16
"""Bytes of a checksum."""

_ALIGNMENT = 16
"""Arrays start at multiples of this many bytes: numba compiles other code for unaligned ones."""


def cached_arrays(
    name: str, version: str, build: Callable[[], Mapping[str, np.ndarray[Any, Any]]]
) -> dict[str, np.ndarray[Any, Any]]:
    """Load a set of named arrays, or build and keep it; change ``version`` whenever ``build`` would answer otherwise.

    The arrays are read-only and in C order, on the first call and on every later one.
    """
    return _unpack(_cached(f"{name}-{version}.arrays", lambda: _pack(build())))


def cached_json(name: str, version: str, build: Callable[[], Any]) -> Any:
    """Load a small JSON value, or build and keep it; integers of any size stay exact.

    What comes back has been through JSON on the first call too: tuples are lists and keys are text.
    """
    return json.loads(_cached(f"{name}-{version}.json", lambda: json.dumps(build()).encode()))


def cache_directory() -> Path:
    """Where the package keeps files it can rebuild; it may not exist yet."""
    return Path(os.environ.get("BAYESBRIDGE_CACHE") or platformdirs.user_cache_path("bayesbridge"))


def make_directory(directory: Path) -> None:
    """Make a directory that only the user can write to, unless it is there already, whatever its mode."""
    if not directory.is_dir():
        directory.mkdir(mode=0o700, parents=True, exist_ok=True)


@functools.cache
def is_private(directory: Path) -> bool:
    """Whether a directory is the user's own and nobody else can write to it; if not, one line on stderr says so.

    What is loaded as code comes from such a directory only. A link counts as what it leads to. On Windows nothing is
    looked at: owners and modes say nothing there, and the user's profile is closed to others by its access list.
    """
    if os.name == "nt":
        return True
    status = directory.stat()
    if _owned_and_closed(status):
        return True
    owned = status.st_uid == os.geteuid()
    _say(
        f"{'others can write to' if owned else 'another user owns'} the cache {str(directory)!r}, so no compiled code "
        f"is loaded from it and every start is slow: "
        + (f"run chmod go-w {shlex.quote(str(directory))}" if owned else "set BAYESBRIDGE_CACHE to one of your own")
    )
    return False


@functools.cache
def say_unwritable(directory: Path) -> None:
    """Say on stderr, once, that nothing can be kept in a directory."""
    _say(
        f"cannot write to the cache {str(directory)!r}, so every start is slow: "
        "make it writable or set BAYESBRIDGE_CACHE to a directory that is"
    )


def read_sealed(path: Path, *, private: bool = False) -> bytes | None:
    """What was kept, or ``None`` if there is nothing or it is not as it was written.

    With ``private`` a file that is another user's, or that others can write to, is as good as none.
    """
    try:
        with path.open("rb") as file:
            if private and os.name != "nt" and not _owned_and_closed(os.fstat(file.fileno())):
                return None
            seal, payload = file.read(_SEAL), file.read()
    except OSError:
        return None
    return payload if seal == _seal(path.name, payload) else None


def write_sealed(path: Path, payload: bytes, *, private: bool = False) -> None:
    """Keep bytes under a seal that names their file; the file appears whole or not at all."""
    make_directory(path.parent)
    with whole_file(path, own_rights=private) as part:
        access = os.open(
            part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600 if private else 0o666
        )
        with open(access, "wb") as file:
            file.write(_seal(path.name, payload))
            file.write(payload)


def _cached(filename: str, build: Callable[[], bytes]) -> bytes:
    path = cache_directory() / filename
    payload = read_sealed(path)
    if payload is None:
        payload = build()
        try:
            write_sealed(path, payload)
        except OSError:
            say_unwritable(cache_directory())
    return payload


def _seal(name: str, payload: bytes) -> bytes:
    """Bytes that a file's name and content must agree with."""
    digest = hashlib.blake2b(name.encode() + b"\0", digest_size=_SEAL)
    digest.update(payload)
    return digest.digest()


def _owned_and_closed(status: os.stat_result) -> bool:
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _say(line: str) -> None:
    """One line on stderr; worker processes leave it to their parent."""
    import multiprocessing

    if multiprocessing.parent_process() is None:
        print(f"bayesbridge: {line}", file=sys.stderr)


def _pack(arrays: Mapping[str, np.ndarray[Any, Any]]) -> bytes:
    """One line of JSON (name, dtype, shape and place of each array), then their bytes."""
    entries, blocks, offset = [], [], 0
    for name, array in arrays.items():
        if array.dtype.kind not in "biufc":
            raise TypeError(f"array {name!r} has dtype {array.dtype}, which the cache cannot keep: use plain numbers")
        block = array.tobytes()
        block += bytes(-len(block) % _ALIGNMENT)
        entries.append([name, array.dtype.str, array.shape, offset])
        blocks.append(block)
        offset += len(block)
    header = json.dumps(entries).encode()
    header += b" " * (-(len(header) + 1) % _ALIGNMENT) + b"\n"
    return b"".join([header, *blocks])


def _unpack(payload: bytes) -> dict[str, np.ndarray[Any, Any]]:
    import numpy as np  # here, so that a cached integer is read without the cost of importing it

    start = payload.index(b"\n") + 1
    arrays = {}
    for name, dtype, shape, offset in json.loads(payload[:start]):
        count = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(payload, np.dtype(dtype), count, start + offset).reshape(shape)
    return arrays
