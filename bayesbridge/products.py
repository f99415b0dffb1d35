"""Matrix products of floating-point numbers, the same to the last bit however many threads the library may use.

A BLAS library cuts a long product into as many parts as it has threads and adds up part by part, so the last digits
depend on the machine and on ``OPENBLAS_NUM_THREADS``, ``MKL_NUM_THREADS`` or ``OMP_NUM_THREADS``; a sampler turns a
last digit into another draw. So every such product of the package goes through this module, on one thread. Batches are
small: more threads would mostly wait for each other. The setting belongs to the whole process, so it is put back only
when the last thread of Python that wanted it is done.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from threading import Lock
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

_LOCK: Final = Lock()
_BEFORE: Final[list[tuple[Any, int]]] = []
"""The libraries that were turned down, and how many threads each had."""
_INSIDE: Final = [0]
"""How many blocks are being worked on."""


def matrix_product(first: NDArray[Any], second: NDArray[Any]) -> Any:
    """``first @ second`` on one thread.

    >>> matrix_product(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    np.float64(11.0)
    """
    with one_thread():
        return np.matmul(first, second)


@contextmanager
def one_thread() -> Iterator[None]:
    """Products on one thread for the time of the ``with``, in all of the process; it may be nested."""
    with _LOCK:
        _INSIDE[0] += 1
        if _INSIDE[0] == 1:
            for library in _libraries("scipy.linalg" in sys.modules):
                threads = library.num_threads
                if threads != 1:
                    _BEFORE.append((library, threads))
                    library.set_num_threads(1)
    try:
        yield
    finally:
        with _LOCK:
            _INSIDE[0] -= 1
            if not _INSIDE[0]:
                while _BEFORE:
                    library, threads = _BEFORE.pop()
                    library.set_num_threads(threads)


@cache
def _libraries(_with_scipy: bool) -> list[Any]:
    """The BLAS libraries of the process; SciPy brings one of its own, which is loaded later."""
    from threadpoolctl import ThreadpoolController

    return list(ThreadpoolController().select(user_api="blas").lib_controllers)
