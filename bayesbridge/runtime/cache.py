"""Tables that cost seconds to build, kept in the user's cache directory.

All that is kept, compiled kernels too, lies in a folder named for the package version
and a hash of the source, so an edit builds it anew. A file appears whole or not at all:
processes that start together build the same table twice and hurt nobody.
``BAYESBRIDGE_CACHE`` names another directory; deleting it is always safe.
"""

from __future__ import annotations

import functools
import hashlib
import multiprocessing
import os
import shutil
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from zipfile import BadZipFile

import platformdirs

import bayesbridge
from bayesbridge.display.words import tell
from bayesbridge.runtime.files import whole_file

if TYPE_CHECKING:
    import numpy as np

NOT_HASHED: Final = frozenset({"cli", "display", "plots", "views", "web"})
"""Folders of the package that no kernel or table needs."""

KEPT_DAYS: Final = 30
"""How long the folder of a source that nobody uses is kept."""

SECONDS_A_DAY: Final = 86_400


def cached_arrays(
    name: str, build: Callable[[], Mapping[str, np.ndarray[Any, Any]]]
) -> dict[str, np.ndarray[Any, Any]]:
    """Named arrays from the cache, read-only and in C order, built where they are not.

    The package's code alone decides what is in them.
    """
    import numpy as np

    path = cache_directory() / source_name() / f"{name}.npz"
    try:
        with path.open("rb") as file:
            arrays = dict(np.load(file, allow_pickle=False))
    # It is not there, or not as it was written.
    except (OSError, ValueError, EOFError, BadZipFile):
        arrays = {key: np.array(array, order="C") for key, array in build().items()}
        try:
            use_folder(path.parent)
            with whole_file(path) as unfinished, unfinished.open("wb") as file:
                np.savez(file, allow_pickle=False, **arrays)
        except OSError:
            say_unwritable(path.parent.parent)
    for array in arrays.values():
        array.flags.writeable = False
    return arrays


def cache_directory() -> Path:
    """Where the package keeps files it can rebuild; it may not exist yet."""
    folder = os.environ.get("BAYESBRIDGE_CACHE")
    if folder:
        return Path(folder)
    try:
        return platformdirs.user_cache_path("bayesbridge")
    except RuntimeError:
        # A user without a home directory: whoever tries to make this folder says so.
        return Path(os.devnull, "no home directory")


@functools.cache
def source_name() -> str:
    """The name of the folder for what is built from this source."""
    package = Path(__file__).parents[1]
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] not in NOT_HASHED:
            digest.update(f"{name.as_posix()}\0".encode() + path.read_bytes())
    return f"bayesbridge-{bayesbridge.__version__}-{digest.hexdigest()[:12]}"


def use_folder(folder: Path) -> bool:
    """Make the folder of a source (true), or mark it as in use.

    A new one ends those unused for :data:`KEPT_DAYS`.
    """
    is_new = not folder.is_dir()
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    folder.touch()
    if is_new:
        _remove_unused(folder.parent)
    return is_new


def _remove_unused(directory: Path) -> None:
    """Remove the folders of sources that nobody has used for :data:`KEPT_DAYS`."""
    for folder in directory.glob("bayesbridge-[0-9]*-*"):
        # Another process may remove it too, or its owner is another user.
        with suppress(OSError):
            unused_seconds = time.time() - folder.stat().st_mtime
            if unused_seconds > KEPT_DAYS * SECONDS_A_DAY:
                shutil.rmtree(folder)


@functools.cache
def say_unwritable(directory: Path) -> None:
    """Say on stderr, once, that nothing can be kept in a directory.

    Worker processes leave it to their parent.
    """
    if multiprocessing.parent_process() is None:
        tell(
            f"cannot write to the cache {str(directory)!r}, so every start is slow: "
            "make it writable or set BAYESBRIDGE_CACHE to a directory that is"
        )
