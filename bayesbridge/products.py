"""Matrix products of floating-point numbers, the same to the last bit however many threads the library may use.

A BLAS library cuts a long product into as many parts as it has threads and adds up part by part, so the last digits
depend on the machine and on ``OPENBLAS_NUM_THREADS``, ``MKL_NUM_THREADS`` or ``OMP_NUM_THREADS``; a sampler turns a
last digit into another draw. So every such product of the package goes through this module, on one thread. Batches are
small: more threads would mostly wait for each other.

Some libraries keep the number of threads for each thread of Python, others for the whole process. The first kind is
turned down by every thread that enters and put back when it leaves; the second kind is turned down by the first and put
back by the last.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

type Setting = list[tuple[Any, int]]
"""Libraries, and how many threads each had."""


class Libraries(NamedTuple):
    """The BLAS libraries of the process."""

    by_thread: list[Any]
    """Those that keep their setting for each thread of Python."""
    shared: list[Any]
    """Those that have one setting."""


class _Own(threading.local):
    """What one thread of Python has entered."""

    depth = 0
    before: Setting


_OWN: Final = _Own()
_LOCK: Final = threading.Lock()
_INSIDE: Final = [0]
"""How many threads of Python are inside."""
_BEFORE: Final[Setting] = []
"""The settings of the shared libraries, while somebody is inside."""


def matrix_product(first: NDArray[Any], second: NDArray[Any], out: NDArray[Any] | None = None) -> Any:
    """``first @ second`` on one thread, put into ``out`` where that is given.

    >>> matrix_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.float64(11.0)
    """
    with one_thread():
        return np.matmul(first, second, out=out)


@contextmanager
def one_thread() -> Iterator[None]:
    """Products on one thread for the time of the ``with``; it may be nested, which costs next to nothing."""
    if not _OWN.depth:
        _enter(_libraries("scipy.linalg" in sys.modules))
    _OWN.depth += 1
    try:
        yield
    finally:
        _OWN.depth -= 1
        if not _OWN.depth:
            _leave()


def _enter(found: Libraries) -> None:
    _OWN.before = _turned_down(found.by_thread)
    with _LOCK:
        _INSIDE[0] += 1
        if _INSIDE[0] == 1:
            _BEFORE.extend(_turned_down(found.shared))


def _leave() -> None:
    _put_back(_OWN.before)
    with _LOCK:
        _INSIDE[0] -= 1
        if not _INSIDE[0]:
            _put_back(_BEFORE)


def _turned_down(libraries: list[Any]) -> Setting:
    """Set libraries to one thread; those that had more, with their number."""
    before = [(library, library.num_threads) for library in libraries]
    before = [(library, threads) for library, threads in before if threads not in (1, None)]
    for library, _ in before:
        _set(library, 1)
    return before


def _put_back(before: Setting) -> None:
    while before:
        _set(*before.pop())


def _set(library: Any, threads: int) -> None:
    """Newer versions of threadpoolctl let one thread of Python set a shared library and ignore the others."""
    release = getattr(library, "clear_controlling_thread", lambda **_: None)
    release(force=True)
    library.set_num_threads(threads)
    release(force=True)


@cache
def _libraries(_with_scipy: bool) -> Libraries:
    """Found once, and again when SciPy has brought a library of its own."""
    from threadpoolctl import ThreadpoolController

    libraries = ThreadpoolController().select(user_api="blas").lib_controllers
    own = [one for one in libraries if one.internal_api == "mkl" or getattr(one, "threading_layer", "") == "openmp"]
    return Libraries(own, [one for one in libraries if one not in own])
