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
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbridge.constraints import Constraints
from bayesbridge.errors import BayesBridgeError, PluginError
from bayesbridge.estimators import builtin, serving
from bayesbridge.estimators.protocol import Estimator, ExactEstimator, Question
from bayesbridge.estimators.registry import BUILTIN, Plugin, Registry
from bayesbridge.layouts import Layouts

PIECE: Final = 1024
"""Layouts that cross the wall at a time."""


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

    def _lost(self, how: str, what: str, mend: str = "fix it") -> PluginError:
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
    code = f"import sys; sys.path[:] = {sys.path!r}; from {serving.__name__} import serve; serve({os.getpid()})"
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
