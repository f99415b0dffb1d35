"""Results that cost seconds to build, kept in the user's cache directory.

Each file carries its own length and checksum and is put in place in one step, so a reader sees a whole file or none:
two cold processes build the same thing twice and hurt nobody, and a damaged file is rebuilt. Where nothing can be
written the result is built in memory and one line on stderr says so. ``BAYESBRIDGE_CACHE`` names another directory;
deleting it is always safe.
"""

from __future__ import annotations

import functools
import json
import os
import sys
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import platformdirs

from bayesbridge.files import whole_file

if TYPE_CHECKING:
    import numpy as np

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


@functools.cache
def say_unwritable(directory: Path) -> None:
    """Say on stderr, once, that nothing can be kept in a directory; worker processes leave it to their parent."""
    import multiprocessing

    if multiprocessing.parent_process() is None:
        print(
            f"bayesbridge: cannot write to the cache {str(directory)!r}, so every start is slow: "
            "make it writable or set BAYESBRIDGE_CACHE to a directory that is",
            file=sys.stderr,
        )


def _cached(filename: str, build: Callable[[], bytes]) -> bytes:
    path = cache_directory() / filename
    payload = _read(path)
    if payload is None:
        payload = build()
        try:
            _write(path, payload)
        except OSError:
            say_unwritable(cache_directory())
    return payload


def _seal(payload: bytes) -> bytes:
    """Sixteen bytes that a file's content must agree with."""
    return b"%08x%08x" % (len(payload), zlib.crc32(payload))


def _read(path: Path) -> bytes | None:
    """What was kept, or ``None`` if there is nothing or it is not as it was written."""
    try:
        with path.open("rb") as file:
            seal, payload = file.read(16), file.read()
    except OSError:
        return None
    return payload if seal == _seal(payload) else None


def _write(path: Path, payload: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as part:
        part.write_bytes(_seal(payload) + payload)


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
