"""The one module that imports numba: kernels compiled once and kept in the user's cache directory.

Beside the source, where numba keeps compiled code by default, an installed package is often read-only. And numba
recompiles a kernel when its own file changes, but not when a file that it calls or takes constants from does. So its
cache lies in the package's cache directory (under ``NUMBA_CACHE_DIR`` if that is set), in a folder named for the
package version and a hash of the source. ``NUMBA_DISABLE_JIT=1`` runs kernels as Python.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import inspect
import shutil
import sys
import threading
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, cast, overload

import numba
import numpy as np

import bayesbridge
from bayesbridge.cache import cache_directory, say_unwritable

NO_KERNELS: Final = frozenset({"cli", "markup.py", "plots.py", "views", "web"})
"""Folders and files that hold no kernel, nor anything that a kernel takes: an edit there recompiles nothing."""

KEPT_DAYS: Final = 30
"""How long a folder of kernels that nobody uses is kept."""

_decorating = threading.Lock()


def _without_blas() -> None:
    """Let numba load its array functions without SciPy's linear algebra, a quarter of a second in every process.

    It only asks whether that can be imported. No kernel here needs it; kernels that do import it when they compile.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    asked = linalg.ensure_blas
    try:
        linalg.ensure_blas = lambda: None
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = asked


if not numba.config.DISABLE_JIT:
    _without_blas()


@overload
def njit[**P, R](function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def njit[**P, R](**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def njit(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function at its first call and keep the code for later processes.

    ``options`` go to :func:`numba.njit`; kernels release the interpreter lock unless ``nogil=False`` is given.
    """
    if function is None:
        return functools.partial(njit, **options)
    if numba.config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # integers wrap round without a warning, as in machine code
    options = {"nogil": True} | options
    with _decorating:
        folder = _code_folder() if Path(inspect.getfile(function)).is_file() else None  # else typed at a prompt
        if folder is None:
            return numba.njit(**options)(function)
        other = numba.config.CACHE_DIR  # the kernels of other packages stay where they are
        try:
            numba.config.CACHE_DIR = str(folder)
            return numba.njit(cache=True, **options)(function)
        finally:
            numba.config.CACHE_DIR = other


def one_thread() -> AbstractContextManager[object]:
    """Matrix products on one thread for the time of the ``with``: an answer does not depend on the number of cores.

    Batches are small, so more threads would mostly wait for each other.
    """
    return cast(AbstractContextManager[object], _blas().limit(limits=1, user_api="blas"))


@functools.cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


@functools.cache
def _code_folder() -> Path | None:
    """Where the machine code of this source is kept; ``None``, and one line on stderr, if nothing can be written."""
    root = Path(numba.config.CACHE_DIR or cache_directory())
    folder = root / f"kernels-{bayesbridge.__version__}-{source_hash(Path(__file__).parent)}"
    fresh = not folder.is_dir()
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryFile(dir=folder) as probe:  # numba would fail at the first kernel that finds no room
            probe.write(bytes(1 << 20))
        folder.touch()  # in use, see :func:`_remove_unused`
    except OSError:
        say_unwritable(root)
        return None
    if fresh:
        _remove_unused(root)
        if sys.stderr.isatty():
            print("bayesbridge: compiling, on the first run only …", file=sys.stderr)
    return folder


def _remove_unused(root: Path) -> None:
    """Remove the kernels of other sources that no process used for :data:`KEPT_DAYS`."""
    for other in root.glob("kernels-*"):
        try:
            if time.time() - other.stat().st_mtime > KEPT_DAYS * 86_400:
                shutil.rmtree(other)
        except OSError:  # another process removes it too, or its owner is another
            continue


def source_hash(package: Path) -> str:
    """A hash of every file of the package that a kernel can lie in or take something from."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if name.parts[0] not in NO_KERNELS:
            digest.update(f"{name.as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:12]
