"""The other side of the wall: a process that holds one foreign estimator and answers for it."""

from __future__ import annotations

import contextlib
import os
import pickle
import threading
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.errors import PluginError
from bayesbridge.estimators.checked import blaming, run
from bayesbridge.estimators.protocol import Estimator, ExactEstimator, Question
from bayesbridge.estimators.registry import load
from bayesbridge.layouts import Layouts

MEGABYTE: Final = 1_000_000


def serve(parent: int) -> NoReturn:
    """Answer requests until there are no more."""
    requests, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    # What a plugin reads or prints must not get between requests and answers.
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    os.dup2(2, 1)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()
    while True:
        try:
            _answer(requests, answers)
        except (EOFError, BrokenPipeError):
            os._exit(0)


_WORKING: list[Estimator] = []
"""The one estimator of a serving process."""


def _answer(requests: BinaryIO, answers: BinaryIO) -> None:
    method, *args = pickle.load(requests)
    try:
        answer = pickle.dumps(("answer", _METHODS[method](*args)))
    except MemoryError:
        answer = pickle.dumps(("memory", None))
    except (Exception, SystemExit) as error:
        if isinstance(error.__cause__, MemoryError):
            answer = pickle.dumps(("memory", None))
        else:
            data = {key: str(value) for key, value in getattr(error, "data", {}).items()}
            message = str(error) if isinstance(error, PluginError) else f"{type(error).__name__}: {error}"
            answer = pickle.dumps(("failed", (message, data)))
    answers.write(answer)
    answers.flush()


def _load(source: tuple[str, str] | bytes, memory: int | None) -> None:
    if memory is not None:
        _limit(memory * MEGABYTE)
    if isinstance(source, bytes):
        _WORKING.append(pickle.loads(source))
    else:
        plugin, name = source
        _WORKING.append(load(only=plugin).estimator(name))


def _estimate(masks: NDArray[np.uint64], question: Question) -> dict[str, NDArray[Any]]:
    return run(_WORKING[0], Layouts.adopt(masks), question)


def _distribution(constraints: Constraints, question: Question) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
    estimator = _WORKING[0]
    assert isinstance(estimator, ExactEstimator)
    with blaming(estimator, "the distribution of all layouts"):
        return estimator.distribution(constraints, question)


_METHODS: Final[Mapping[str, Callable[..., Any]]] = {
    "load": _load,
    "estimate": _estimate,
    "distribution": _distribution,
}


def _limit(more: int) -> None:
    """Let this process take so many bytes more than it has; where the system does not tell, it is not limited."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        with open("/proc/self/statm", encoding="ascii") as told:
            taken = int(told.read().split()[0]) * resource.getpagesize()
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        wanted = taken + more
        resource.setrlimit(resource.RLIMIT_AS, (wanted if most == resource.RLIM_INFINITY else min(wanted, most), most))


def _end_with(parent: int) -> None:
    """A hung estimator must not outlive the one who asked."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
