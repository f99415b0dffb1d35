"""The one module that imports numba.

Kernels are compiled once and kept in the user's cache directory.

Numba would keep code beside the source, often read-only, and not compile anew when a
file that a kernel calls changes. So its cache lies in the folder of this source
(:mod:`bayesbridge.runtime.cache`, or under ``NUMBA_CACHE_DIR`` if that is set).
"""

from __future__ import annotations

import functools
import importlib
import inspect
import sys
import threading
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any, Final, overload

import numba
import numpy as np
from numba.core import event
from numba.core.caching import FunctionCache

from bayesbridge.runtime.cache import (
    cache_directory,
    say_unwritable,
    source_name,
    use_folder,
)

_cache_folder_lock = threading.Lock()
"""Held while numba's folder for machine code, one for all threads, is another."""

ERASE_TO_END: Final = "\x1b[K"
"""What erases a terminal's line from the cursor on."""

ANY_ORDER: Final = {"reassoc", "contract", "nsz"}
"""Fastmath of a kernel whose sums may be added up in any order."""

PROBE_BYTES: Final = 1 << 20
"""Bytes that are written to see whether a folder has room for kernels."""


def _without_blas() -> None:
    """Let numba load its array functions without SciPy's linear algebra.

    To ask for it takes a quarter of a second each time.
    """
    linalg: Any = importlib.import_module("numba.np.linalg")
    ensure_blas = linalg.ensure_blas
    try:
        linalg.ensure_blas = lambda: None
        importlib.import_module("numba.np.arraymath")
    finally:
        linalg.ensure_blas = ensure_blas


if not numba.config.DISABLE_JIT:
    _without_blas()


@overload
def njit[**P, R](function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def njit[**P, R](**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def njit(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function at its first call, and keep its machine code on disk.

    With options alone it returns a decorator, as :func:`numba.njit` does. Compiled code
    runs without the interpreter lock, unless ``nogil=False``. Where numba is told not
    to compile (``NUMBA_DISABLE_JIT``), the function stays Python.
    """
    if function is None:
        return functools.partial(njit, **options)
    if numba.config.DISABLE_JIT:
        # Integers wrap round without a warning, as in machine code.
        return np.errstate(over="ignore")(function)
    options = {"nogil": True} | options
    with _cache_folder_lock:
        typed_at_a_prompt = not Path(inspect.getfile(function)).is_file()
        folder = None if typed_at_a_prompt else _code_folder()
        if folder is None:
            return numba.njit(**options)(function)
        return _kernel_kept_in(folder, function, options)


def _kernel_kept_in(
    folder: Path, function: Callable[..., Any], options: dict[str, Any]
) -> Any:
    """The function as numba compiles it, with its machine code kept in a folder.

    Numba takes the folder from a setting for all kernels as it decorates one. Those of
    other packages stay where they are: the setting is put back. The caller holds the
    lock, so that no other thread decorates meanwhile.
    """
    common_folder = numba.config.CACHE_DIR
    try:
        numba.config.CACHE_DIR = str(folder)
        kernel: Any = numba.njit(**options)(function)
        # In place of numba's own, which fails on damaged files and full disks.
        kernel._cache = _KernelCache(function)
        return kernel
    finally:
        numba.config.CACHE_DIR = common_folder


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Machine code of one kernel, in the folder of this source.

    What is damaged is compiled again, and what finds no room is not kept.
    """

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The code for a signature; ``None`` if it is not there or damaged."""
        try:
            return super().load_overload(signature, context)
        # A pickle that was emptied, zeroed or cut may raise anything.
        except Exception:
            self._write(self.flush)
            return None

    def save_overload(self, signature: Any, code: Any) -> None:
        """Keep the code for a signature, if there is room."""
        self._write(functools.partial(super().save_overload, signature, code))

    def _write(self, write: Callable[[], object]) -> None:
        """Write by calling ``write``; after a failure nothing more is kept."""
        try:
            write()
        except OSError:
            self.disable()
            say_unwritable(_root())


class _OneThread:
    """Matrix products on one thread while at least one ``with`` is open.

    In any thread: the first to enter sets the limit, the last to leave takes it away.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open = 0  # entered and not yet left
        self._limit: Any = None  # threadpoolctl's, which knows the former limits

    def __enter__(self) -> None:
        with self._lock:
            if self._open == 0:
                _obey_any_thread()
                self._limit = _blas().limit(limits=1, user_api="blas")
            self._open += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._open -= 1
            if self._open == 0:
                _obey_any_thread()
                self._limit.restore_original_limits()
                _obey_any_thread()


def _obey_any_thread() -> None:
    """Let whichever thread sets a limit next be obeyed.

    Threadpoolctl ignores all but the first.
    """
    from threadpoolctl import OpenBLASController

    OpenBLASController.clear_controlling_thread(force=True)


_one_thread: Final = _OneThread()


def one_thread() -> AbstractContextManager[None]:
    """Matrix products on one thread for the time of the ``with``.

    So an answer does not depend on the number of cores. Threads may enter and leave in
    any order.
    """
    return _one_thread


@functools.cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _root() -> Path:
    return Path(numba.config.CACHE_DIR or cache_directory())


@functools.cache
def _code_folder() -> Path | None:
    """Where the machine code of this source is kept.

    ``None``, and one line on stderr, if nothing can be written.
    """
    folder = _root() / source_name()
    try:
        use_folder(folder)
        # Where this fails, numba would keep kernels beside the source.
        with TemporaryFile(dir=folder) as probe:
            probe.write(bytes(PROBE_BYTES))
    except OSError:
        say_unwritable(_root())
        return None
    return folder


class _CompilingLine(event.Listener):  # type: ignore[misc]
    """On a terminal, the line that says which kernel is being compiled."""

    def __init__(self) -> None:
        self.compiled = 0
        self.open_kernels = 0  # a kernel compiles those that it calls

    def on_start(self, compilation: Any) -> None:
        """Name the kernel whose compilation starts, if it is of this package."""
        self.open_kernels += 1
        kernel = compilation.data["dispatcher"].py_func
        if kernel.__module__.startswith("bayesbridge."):
            self.compiled += 1
            words = f"compiling, on the first run only: {self.compiled} of about 40"
            self._show(f"bayesbridge: {words} kernels ({kernel.__name__})")

    def on_end(self, _: Any) -> None:
        """Erase the line once no kernel is being compiled."""
        self.open_kernels -= 1
        if self.open_kernels == 0:
            self._show("")

    def _show(self, line: str) -> None:
        """Put a line in the place of the last one; the next output begins there."""
        print(f"\r{line}{ERASE_TO_END}\r", end="", file=sys.stderr, flush=True)


if sys.stderr is not None and sys.stderr.isatty():
    event.register("numba:compile", _CompilingLine())
