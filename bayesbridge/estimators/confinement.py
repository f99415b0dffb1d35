"""Foreign estimators behind a wall: in a process of their own, with a limit on time and on memory.

An estimator that hangs, eats the memory or crashes the interpreter then ends alone: it is named in one line, and the
others go on. Layouts cross the wall in pieces, so that the limit of time is for a piece however many layouts there are;
every row of an answer stands for itself, which makes any pieces give the same answer.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NoReturn

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators import builtin
from bayesbridge.estimators.contract import Estimator, ExactEstimator, Question, blaming, run
from bayesbridge.estimators.registry import BUILTIN, Plugin, Registry, load
from bayesbridge.posterior.constraints import Constraints
from bayesbridge.posterior.layouts import Layouts

PIECE: Final = 1024
"""Layouts that cross the wall at a time."""

MEGABYTE: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Limits:
    """What an estimator behind a wall may take; ``None`` is no limit."""

    timeout: float | None = None
    """Seconds for a piece of layouts, and for loading."""
    memory: int | None = None
    """Megabytes beyond what the process has before the plugin is loaded, where the system can limit it (Linux)."""

    def __post_init__(self) -> None:
        for name, value in (("timeout", self.timeout), ("memory", self.memory)):
            if value is not None and not value > 0:
                raise BayesBridgeError(
                    f"{name} {value!r}: give a number above 0, or None for no limit", **{name: value}
                )


@contextmanager
def confined(
    estimators: Sequence[Estimator], limits: Limits, registry: Registry | None = None
) -> Iterator[list[Estimator]]:
    """The estimators, those that are not built in each behind a wall for the time of the ``with``.

    One that an installed plugin of the ``registry`` offers is loaded by name over there; one that comes from no plugin
    is sent pickled.
    """
    own = tuple(type(estimator) for estimator in builtin.bayesbridge_estimators())
    with ExitStack() as stack:
        ready: list[Estimator] = []
        for estimator in estimators:
            plugin = None if registry is None else registry.owner(estimator)
            trusted = isinstance(estimator, own) if plugin is None else plugin.name == BUILTIN or not plugin.installed
            if trusted or limits == Limits():
                ready.append(estimator)
                continue
            behind = ConfinedExact if isinstance(estimator, ExactEstimator) else Confined
            ready.append(stack.enter_context(contextlib.closing(behind(estimator, limits, plugin))))
        yield ready


class Confined:
    """An estimator whose work is done by a process of its own, begun when it is first asked."""

    def __init__(self, estimator: Estimator, limits: Limits, plugin: Plugin | None = None) -> None:
        self.name, self.outputs = estimator.name, estimator.outputs
        self._limits = limits
        self._origin = ""
        self._source: tuple[str, str] | bytes
        if plugin is None:
            self._source = _pickled(estimator)
        else:
            self._source = plugin.name, estimator.name
            self._origin = f" of plugin {plugin.name!r} ({plugin.distribution} {plugin.version})"
        self._process: subprocess.Popen[bytes] | None = None
        self._line: ThreadPoolExecutor | None = None

    def estimate(self, layouts: Layouts, question: Question) -> Mapping[str, NDArray[Any]]:
        """Piece by piece."""
        parts: list[dict[str, NDArray[Any]]] = []
        for begin in range(0, max(len(layouts), 1), PIECE):
            piece = layouts.masks[begin : begin + PIECE]
            parts.append(self._ask(f"about {len(piece)} layouts", "estimate", piece, question))
        return {output.name: np.concatenate([part[output.name] for part in parts]) for output in self.outputs}

    def close(self) -> None:
        """End the process, and whatever it has started."""
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
            process.wait()
        if self._line is not None:
            self._line.shutdown()
            self._line = None
        if process is not None:
            for pipe in (process.stdin, process.stdout):
                with contextlib.suppress(OSError):  # what was not read is lost with its reader
                    assert pipe is not None
                    pipe.close()

    def _ask(self, what: str, *request: Any) -> Any:
        if self._process is None:
            self._process = _start()
            self._line = ThreadPoolExecutor(1)
            self._ask("to load", "load", self._source, self._limits.memory)
        assert self._line is not None
        try:
            kind, answer = self._line.submit(_exchange, self._process, request).result(self._limits.timeout)
        except TimeoutError:
            self.close()
            limit = f"within {self._limits.timeout:g} s"
            raise self._lost(
                f"gave no answer {limit}", what, "allow more with --timeout (timeout= in Python)"
            ) from None
        except (EOFError, OSError, pickle.UnpicklingError):
            ended = _how_it_ended(self._process)
            self.close()
            raise self._lost(ended, what) from None
        if kind == "answer":
            return answer
        self.close()
        if kind == "memory":
            told = "" if self._limits.memory is None else f" than the {self._limits.memory} MB it may take"
            raise self._lost(f"wanted more memory{told}", what, "allow more with --memory (memory= in Python)")
        message, data = answer
        if data.get("plugin") == self.name:
            raise PluginError(message, **data)
        raise self._lost(f"failed ({message})", what)

    def _lost(self, how: str, what: str, mend: str = "mend it") -> PluginError:
        return PluginError(
            f"estimator {self.name!r}{self._origin} {how} when asked {what}: {mend}, or do without it",
            plugin=self.name,
            got=how,
        )


class ConfinedExact(Confined):
    """The same for an estimator that can count too."""

    def distribution(
        self, constraints: Constraints, question: Question
    ) -> Mapping[str, tuple[int, NDArray[Any]]] | None:
        """All at once."""
        found: Mapping[str, tuple[int, NDArray[Any]]] | None
        found = self._ask("about the distribution of all layouts", "distribution", constraints, question)
        return found


def _pickled(estimator: Estimator) -> bytes:
    try:
        return pickle.dumps(estimator)
    except Exception as error:
        raise BayesBridgeError(
            f"estimator {estimator.name!r} cannot be sent to a process of its own ({error}): define it in a module, "
            "install it as a plugin, or leave timeout and memory out",
            plugin=estimator.name,
        ) from None


def _start() -> subprocess.Popen[bytes]:
    """A process that serves, with our path to modules; in a session of its own, so that Ctrl-C reaches us alone."""
    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({os.getpid()})"
    return subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
    )


def _exchange(process: subprocess.Popen[bytes], request: tuple[Any, ...]) -> tuple[str, Any]:
    assert process.stdin is not None
    assert process.stdout is not None
    pickle.dump(request, process.stdin)
    process.stdin.flush()
    kind, answer = pickle.load(process.stdout)
    return kind, answer


def _how_it_ended(process: subprocess.Popen[bytes]) -> str:
    try:
        status = process.wait(10.0)
    except subprocess.TimeoutExpired:
        return "stopped listening"
    if status >= 0:
        return f"ended its process with status {status}"
    name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
    return f"was ended by {name}{', perhaps for want of memory,' if name == 'SIGKILL' else ''}"


def serve(parent: int) -> NoReturn:
    """The other side of the wall: answer requests until there are no more."""
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
