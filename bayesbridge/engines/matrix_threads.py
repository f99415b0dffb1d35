"""Products of small matrices on one thread: more threads would only wait for each other."""

from __future__ import annotations

from contextlib import AbstractContextManager
from functools import cache
from typing import Any


def one_thread() -> AbstractContextManager[Any]:
    """A context in which matrix products use one thread.

    >>> with one_thread():
    ...     pass
    """
    limited: AbstractContextManager[Any] = _controller().limit(limits=1)
    return limited


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()
