"""The one door to numba: kernels compiled once and kept in the user's cache directory.

Beside the source, where numba keeps compiled code by default, an installed package is often read-only. And numba
recompiles a kernel when its own file changes, but not when a file that it calls or takes constants from does. So the
code is kept in the package's cache directory (under ``NUMBA_CACHE_DIR`` if that is set), in a folder named for the
package version and for the text of every file that a kernel can see. ``NUMBA_DISABLE_JIT=1`` runs kernels as Python.
"""

from __future__ import annotations

import functools
import hashlib
import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, overload

import numba
import numpy as np

import bayesbridge
from bayesbridge.cache import cache_directory, say_unwritable

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
    options = {"nogil": True} | options
    folder = _code_folder()
    if folder is None:
        return numba.njit(**options)(function)
    # Numba fixes where code is kept while it decorates: other packages' kernels stay where they are.
    before, numba.config.CACHE_DIR = numba.config.CACHE_DIR, str(folder)
    try:
        kernel = numba.njit(cache=True, **options)(function)
    finally:
        numba.config.CACHE_DIR = before
    _guard(kernel._cache, folder)
    return kernel


def _guard(cache: Any, folder: Path) -> None:
    """Make numba's cache of one kernel forgiving: what cannot be read is compiled anew, what cannot be kept is not.

    Numba reads the index of a kernel, chooses a free name for new code and writes both back: of two processes that do
    so at once, one may find the other's code under its own signature. So they take turns.
    """
    load, save = cache.load_overload, cache.save_overload

    def load_overload(signature: Any, context: Any) -> Any:
        try:
            return load(signature, context)
        except Exception:  # whatever a damaged file makes of unpickling; the kernel's index begins anew
            with suppress(OSError), _turn(folder):
                cache.flush()
            return None

    def save_overload(signature: Any, code: Any) -> None:
        try:
            with _turn(folder):
                try:
                    save(signature, code)
                except BaseException:
                    for part in Path(cache.cache_path).glob("*.tmp.*"):  # numba leaves its own when interrupted
                        part.unlink(missing_ok=True)
                    raise
        except OSError:
            say_unwritable(folder.parent)

    cache.load_overload, cache.save_overload = load_overload, save_overload


@contextmanager
def _turn(folder: Path) -> Iterator[None]:
    """One process at a time, where the system has locks."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with open(folder / "lock", "ab") as file:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@functools.cache
def _code_folder() -> Path | None:
    """Where this version's machine code is kept; ``None`` if nothing can be written there."""
    root = Path(numba.config.CACHE_DIR or cache_directory())
    folder = root / f"kernels-{bayesbridge.__version__}-{_fingerprint(Path(__file__).parent)}"
    try:
        if not folder.is_dir():
            folder.mkdir(parents=True)
            if sys.stderr.isatty():
                print("bayesbridge: compiling, on the first run only …", file=sys.stderr)
        tempfile.TemporaryFile(dir=folder).close()
    except OSError:
        say_unwritable(root)
        return None
    return folder


def _fingerprint(package: Path) -> str:
    """A hash of the files that kernels live in and, transitively, of those they import from the package."""
    sources = {_module(package, path): path.read_bytes() for path in sorted(package.rglob("*.py"))}
    imports = {name: {m.decode() for m in _IMPORT.findall(source)} for name, source in sources.items()}
    seen: set[str] = set()
    reached = {name for name, targets in imports.items() if "bayesbridge.jit" in targets}
    while reached:
        seen |= reached
        targets = tuple(target for name in reached for target in imports[name])
        # Importing from a package counts as importing all of it: too much is safe, too little is not.
        reached = {n for n in sources for t in targets if n == t or n.startswith(f"{t}.")} - seen
    digest = hashlib.sha256()
    for name in sorted(seen):
        digest.update(name.encode() + b"\0" + sources[name] + b"\0")
    return digest.hexdigest()[:12]


_IMPORT: Final = re.compile(rb"^\s*(?:from|import)\s+(bayesbridge[\w.]*)", re.MULTILINE)


def _module(package: Path, path: Path) -> str:
    return ".".join([package.name, *path.relative_to(package).with_suffix("").parts]).removesuffix(".__init__")
