"""The one door to numba: kernels compiled once and kept in the user's cache directory.

Beside the source, where numba keeps compiled code by default, an installed package is often read-only. And numba
recompiles a kernel when its own file changes, but not when a file that it calls or takes constants from does. So the
code is kept in the package's cache directory (under ``NUMBA_CACHE_DIR`` if that is set), in a folder named for the
package version and for the text of every file that a kernel can see. ``NUMBA_DISABLE_JIT=1`` runs kernels as Python.

What is loaded is unpickled and run, and numba's own files carry no checksum: a flipped bit there is a wrong count or a
crash. So each compiled signature is one file with a checksum, like all files of the cache, put in place in one step.
One that is not as it was written is compiled anew, and nothing is loaded from a place that others can write to.
"""

from __future__ import annotations

import functools
import hashlib
import inspect
import os
import pickle
import sys
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Final, cast, overload

import numba
import numpy as np
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps

import bayesbridge
from bayesbridge.cache import cache_directory, is_private, make_directory, read_sealed, say_unwritable, write_sealed
from bayesbridge.identity import kernel_text

prange: Final[type[range]] = numba.prange
"""``range`` whose turns may run in parallel, in kernels made with ``parallel=True``."""


@overload
def njit[**P, R](function: Callable[P, R], /) -> Callable[P, R]: ...
@overload
def njit[**P, R](**options: Any) -> Callable[[Callable[P, R]], Callable[P, R]]: ...
def njit(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function at its first call and keep the code for later processes.

    ``options`` go to :func:`numba.njit`; kernels release the interpreter lock unless told ``nogil=False``.
    """
    if function is None:
        return functools.partial(njit, **options)
    if numba.config.DISABLE_JIT:
        return np.errstate(over="ignore")(function)  # integers wrap round without a word, as they do in machine code
    kernel = numba.njit(**({"nogil": True} | options))(function)
    folder = _code_folder()
    if folder is not None and os.path.isfile(inspect.getfile(function)):  # not what was typed at a prompt
        kernel._cache = KernelCache(function, folder)
    return kernel


def one_thread() -> AbstractContextManager[object]:
    """Matrix products on one thread for the time of the ``with``: an answer does not depend on the number of cores.

    Batches are small, so more threads would mostly wait for each other.
    """
    return cast(AbstractContextManager[object], _blas().limit(limits=1, user_api="blas"))


@functools.cache
def _blas() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


class KernelCache:
    """The compiled signatures of one kernel, each in a file of its own; numba asks it before it compiles.

    No index: the name of a file says which kernel, signature and processor it is for, and the file says so again, so
    processes that compile at the same time need not wait for each other.
    """

    def __init__(self, function: Callable[..., Any], folder: Path) -> None:
        self._function, self._folder = function, folder

    @property
    def cache_path(self) -> str:
        """The folder, for numba's statistics."""
        return str(self._folder)

    def load_overload(self, signature: Any, context: Any) -> Any:
        """The compiled signature; ``None`` if it is not there, not as it was written or not to be trusted."""
        context.refresh()
        key = self._key(signature, context.codegen())
        payload = read_sealed(self._path(key), private=True)
        if payload is None:
            return None
        try:
            kept, reduced = pickle.loads(payload)
            return CompileResult._rebuild(context, *reduced) if kept == key else None
        except Exception:  # whole, but of a numba or a plugin that has changed since
            return None

    def save_overload(self, signature: Any, compiled: Any) -> None:
        """Keep a compiled signature, if it can be kept."""
        if compiled.library.has_dynamic_globals or any(not part.can_cache for part in compiled.lifted):
            name = self._function.__qualname__
            warnings.warn(f"kernel {name!r} cannot be kept: it uses large global arrays or pointers", stacklevel=2)
            return
        key = self._key(signature, compiled.codegen)
        try:
            write_sealed(self._path(key), dumps((key, compiled._reduce())), private=True)
        except OSError:
            say_unwritable(self._folder.parent)

    def flush(self) -> None:
        """Forget what is kept of the kernel; numba does so before it compiles anew."""
        for path in self._folder.glob(f"{self._name}-*.nbc"):
            path.unlink(missing_ok=True)

    @functools.cached_property
    def _name(self) -> str:
        """Of the kernel, as people know it; functions of the same name in other places have the same."""
        return self._function.__qualname__.replace("<", "").replace(">", "")

    @functools.cached_property
    def _kernel(self) -> tuple[str, ...]:
        """Who compiles, where the kernel stands, its bytecode, and what it has closed over."""
        code, closed = self._function.__code__, self._function.__closure__
        cells = dumps(tuple(cell.cell_contents for cell in closed)) if closed else b""
        digests = (hashlib.sha256(part).hexdigest() for part in (code.co_code, cells))
        file = os.path.abspath(inspect.getfile(self._function))
        return (numba.__version__, sys.version, file, self._function.__qualname__, str(code.co_firstlineno), *digests)

    def _key(self, signature: Any, codegen: Any) -> tuple[Any, ...]:
        return (signature, codegen.magic_tuple(), self._kernel, _text_of(inspect.getfile(self._function)))

    def _path(self, key: tuple[Any, ...]) -> Path:
        """The text of the file is left out: code of an older text is written over."""
        return self._folder / f"{self._name}-{hashlib.sha256(repr(key[:-1]).encode()).hexdigest()[:24]}.nbc"


@functools.cache
def _text_of(file: str) -> str:
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


@functools.cache
def _code_folder() -> Path | None:
    """Where this version's machine code is kept; ``None`` if there is no place that is safe to load code from."""
    root = Path(numba.config.CACHE_DIR or cache_directory())
    folder = root / f"kernels-{bayesbridge.__version__}-{kernel_text()}"
    fresh = not folder.is_dir()
    try:
        make_directory(root)
        make_directory(folder)
    except OSError:
        say_unwritable(root)
        return None
    if not (is_private(root) and is_private(folder)):
        return None
    if fresh and sys.stderr.isatty():
        print("bayesbridge: compiling, on the first run only …", file=sys.stderr)
    return folder
