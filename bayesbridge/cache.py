"""Tables that cost seconds to build, kept in the user's cache directory.

A file appears whole or not at all, so processes that start together build the same table twice and hurt nobody; a file
that cannot be read is built again. Where nothing can be written the table is built in memory and one line on stderr
says so.
``BAYESBRIDGE_CACHE`` names another directory; deleting it is always safe.
"""

from __future__ import annotations

import functools
import json
import multiprocessing
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

import platformdirs

from bayesbridge.files import whole_file
from bayesbridge.words import tell

if TYPE_CHECKING:
    import numpy as np


def cached_arrays(
    name: str, version: str, build: Callable[[], Mapping[str, np.ndarray[Any, Any]]]
) -> dict[str, np.ndarray[Any, Any]]:
    """Load a set of named arrays, or build and keep it; change ``version`` whenever ``build`` would answer otherwise.

    The arrays are read-only and in C order, on the first call and on every later one.
    """
    import numpy as np  # here, so that a cached integer is read without the cost of importing it

    def read(path: Path) -> dict[str, np.ndarray[Any, Any]]:
        with path.open("rb") as file:
            return dict(np.load(file, allow_pickle=False))

    def write(path: Path, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
        with path.open("wb") as file:
            np.savez(file, allow_pickle=False, **arrays)

    arrays = _cached(
        f"{name}-{version}.npz",
        lambda: {key: np.array(array, order="C") for key, array in build().items()},
        read,
        write,
    )
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def cached_json(name: str, version: str, build: Callable[[], Any]) -> Any:
    """Load a small JSON value, or build and keep it; integers of any size stay exact.

    What comes back has been through JSON on the first call too: tuples are lists and keys are text.
    """
    return _cached(
        f"{name}-{version}.json",
        lambda: json.loads(json.dumps(build())),
        lambda path: json.loads(path.read_bytes()),
        lambda path, value: path.write_text(json.dumps(value), "utf-8"),
    )


def cache_directory() -> Path:
    """Where the package keeps files it can rebuild; it may not exist yet."""
    return Path(os.environ.get("BAYESBRIDGE_CACHE") or platformdirs.user_cache_path("bayesbridge"))


@functools.cache
def say_unwritable(directory: Path) -> None:
    """Say on stderr, once, that nothing can be kept in a directory; worker processes leave it to their parent."""
    if multiprocessing.parent_process() is None:
        tell(
            f"cannot write to the cache {str(directory)!r}, so every start is slow: "
            "make it writable or set BAYESBRIDGE_CACHE to a directory that is"
        )


def _cached[T](
    filename: str, build: Callable[[], T], read: Callable[[Path], T], write: Callable[[Path, T], object]
) -> T:
    path = cache_directory() / filename
    try:
        return read(path)
    except (OSError, ValueError, EOFError, BadZipFile):  # not there, or not as it was written
        value = build()
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with whole_file(path) as part:
            write(part, value)
    except OSError:
        say_unwritable(path.parent)
    return value
