"""A plugin in a process of its own, seen from here: started when first asked, with limits on time and on memory.

Requests go there as pickles, which we made. Answers come back as plain data (:mod:`.frames`): nothing that a plugin
sends is run. What it prints, on stdout or stderr, is shown line by line on our stderr with its name.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
import weakref
from dataclasses import dataclass
from typing import Any, BinaryIO, Final, NamedTuple

from bayesbridge.errors import BayesBridgeError
from bayesbridge.estimators import frames
from bayesbridge.notices import tell
from bayesbridge.words import printable

STARTING: Final = 600.0
"""Seconds in which our own code must be ready over there, however busy the machine is."""

LOADING: Final = 30.0
"""Seconds in which a plugin must be loaded, unless more is allowed."""

WORKING: Final = 600.0
"""Seconds for one answer, unless said otherwise."""

MOST_LINES: Final = 100
"""Lines shown of what a plugin prints."""

MOST_TEXT: Final = 1000
"""Characters kept of any text of a plugin."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a plugin in a process of its own may take; ``None`` is no limit."""

    timeout: float | None = None
    """Seconds for one answer: about a piece of layouts or of hands."""
    memory: int | None = None
    """Megabytes beyond what the process has before the plugin is loaded, where the system can limit it (Linux)."""
    loading: float | None = None
    """Seconds for loading; as ``timeout`` if nothing is said."""

    def __post_init__(self) -> None:
        for name, value in (("timeout", self.timeout), ("memory", self.memory), ("loading", self.loading)):
            if value is not None and not value > 0:
                raise BayesBridgeError(
                    f"{name} {value!r}: give a number above 0, or None for no limit", **{name: value}
                )

    def __bool__(self) -> bool:
        return self != Limits()


def usual_limits(timeout: float | None = None, memory: int | None = None) -> Limits:
    """The limits of plugins at the command line: those given, else 600 seconds and four fifths of the memory."""
    if memory is None:
        try:
            memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") * 4 // 5 // 1_000_000
        except (AttributeError, ValueError, OSError):
            memory = None
    return Limits(WORKING, memory, LOADING) if timeout is None else Limits(timeout, memory)


class Entry(NamedTuple):
    """An entry point of a distribution, as its metadata tells."""

    name: str
    value: str
    distribution: str
    version: str

    def __str__(self) -> str:
        return f"plugin {self.name!r} ({f'{self.distribution} {self.version}'.strip()})"


class Lost(Exception):
    """No answer: ``how`` it was lost, and how to ``fix`` it."""

    def __init__(self, how: str, fix: str = "fix it") -> None:
        super().__init__(how)
        self.how, self.fix = how, fix


class Failed(Exception):
    """The answer is an error of the plugin, in one line, with its data."""

    def __init__(self, message: str, data: dict[str, str]) -> None:
        super().__init__(message)
        self.data = data


class Isolated:
    """A process that holds one plugin, or one pickled estimator, and answers for what it offers.

    It is begun when first asked, and begun again if it was lost.
    """

    def __init__(self, source: Entry | bytes, limits: Limits, who: str) -> None:
        self.source, self.limits, self.who = source, limits, who
        self._lock = threading.RLock()
        self._running: _Running | None = None
        self._offers: dict[str, Any] = {}
        self._end: weakref.finalize[[], Isolated] | None = None

    def load(self) -> dict[str, Any]:
        """What it offers, as plain data."""
        with self._lock:
            if self._running is None:
                self._begin()
                limits = self.limits
                patience = limits.timeout if limits.loading is None else limits.loading
                source = (self.source,) if isinstance(self.source, bytes) else tuple(self.source)
                try:
                    self._offers = self._exchange(patience, 0, "load", source, limits.memory)[0]
                except Failed:
                    self.close()
                    raise
            return self._offers

    def ask(self, most: int, method: str, *args: Any) -> tuple[dict[str, Any], bytes]:
        """The JSON object and at most ``most`` bytes that answer a request."""
        with self._lock:
            self.load()
            return self._exchange(self.limits.timeout, most, method, *args)

    @property
    def pid(self) -> int | None:
        """The process that we started, if it runs."""
        return None if self._running is None else self._running.process.pid

    def close(self) -> None:
        """End the process, and whatever it has started."""
        self._running = None
        if self._end is not None:
            self._end()

    def _begin(self) -> None:
        try:
            self._running = _Running(self.who)
        except OSError as error:
            raise Lost(f"got no process ({error.strerror})", "make room for one") from None
        self._end = weakref.finalize(self, self._running.end)
        self._exchange(STARTING, 0)

    def _exchange(self, patience: float | None, most: int, *request: Any) -> tuple[dict[str, Any], bytes]:
        assert self._running is not None
        try:
            head, raw = self._running.exchange(patience, most, request)
        except BaseException:
            self.close()
            raise
        if head["kind"] == "answer":
            return head, raw
        if head["kind"] == "memory":
            self.close()
            limit = "" if self.limits.memory is None else f" than the {self.limits.memory} MB it may take"
            raise Lost(f"wanted more memory{limit}", "allow more with --memory (memory= in Python)")
        data = head.get("data")
        told = data if isinstance(data, dict) else {}
        kept = {key: clipped(told[key]) for key in ("plugin", "output", "expected", "got") if key in told}
        raise Failed(clipped(head.get("message")), kept)


def clipped(text: object) -> str:
    """Text of a plugin in one line that is not too long and holds no escapes."""
    line = printable(" ".join(str(text)[: 10 * MOST_TEXT].split()))
    return line if len(line) <= MOST_TEXT else f"{line[:MOST_TEXT]} …"


class _Running:
    """A process that runs, and the lines to it."""

    def __init__(self, who: str) -> None:
        self.number = -1
        self.process, self.life = _start()
        assert self.process.stderr is not None
        self.relay = threading.Thread(target=_relay, args=(self.process.stderr, who), daemon=True)
        self.relay.start()

    def exchange(self, patience: float | None, most: int, request: tuple[Any, ...]) -> tuple[dict[str, Any], bytes]:
        """Send a request (none to hear that the other side is ready) and wait for its answer."""
        self.number += 1
        message = pickle.dumps((self.number, *request)) if request else b""
        answer: queue.SimpleQueue[tuple[dict[str, Any], bytes] | Exception] = queue.SimpleQueue()
        threading.Thread(target=self._talk, args=(message, self.number, most, answer), daemon=True).start()
        try:
            found = answer.get(timeout=patience)
        except queue.Empty:
            fix = "allow more with --timeout (timeout= in Python)"
            raise Lost(f"gave no answer within {patience:g} s", fix) from None
        if isinstance(found, frames.Garbled):
            raise Lost(str(found))
        if isinstance(found, EOFError | OSError):
            raise Lost(self._how_it_ended())
        if isinstance(found, Exception):
            raise found
        return found

    def end(self) -> None:
        """End the process and all that it started, and close the lines."""
        if self.life is not None:
            os.close(self.life)
            self.life = None
        else:
            self.process.kill()
        try:
            self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.relay.join(10.0)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with contextlib.suppress(OSError, RuntimeError):  # what was not read is lost with its reader
                assert pipe is not None
                pipe.close()

    def _talk(self, message: bytes, number: int, most: int, answer: queue.SimpleQueue[Any]) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        try:
            self.process.stdin.write(message)
            self.process.stdin.flush()
            answer.put(frames.read(self.process.stdout, number, most))  # type: ignore[arg-type]
        except ValueError as error:  # the pipe was closed meanwhile
            answer.put(EOFError(str(error)))
        except Exception as error:
            answer.put(error)

    def _how_it_ended(self) -> str:
        try:
            status = self.process.wait(10.0)
        except subprocess.TimeoutExpired:
            return "stopped listening"
        if status >= 0:
            return f"ended its process with status {status}"
        name = signal.Signals(-status).name if -status in set(signal.Signals) else f"signal {-status}"
        return f"was ended by {name}{', perhaps for want of memory,' if name == 'SIGKILL' else ''}"


def _start() -> tuple[subprocess.Popen[bytes], int | None]:
    """A process that serves, with our path to modules, and the pipe whose end it waits for.

    It has a session of its own, so that Ctrl-C reaches us alone and a plugin finds no terminal.
    """
    begin = f"import sys; sys.path[:] = {sys.path!r}; from bayesbridge.estimators"
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    if not hasattr(os, "fork"):
        return subprocess.Popen([sys.executable, "-c", f"{begin}.serving import serve; serve()"], **pipes), None
    theirs, ours = os.pipe()
    try:
        process = subprocess.Popen(
            [sys.executable, "-c", f"{begin}.supervision import supervise; supervise({theirs})"],
            start_new_session=True,
            pass_fds=(theirs,),
            **pipes,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return process, ours


def _relay(stream: BinaryIO, who: str) -> None:
    """Show what a plugin prints, the first lines of it; the rest is read and dropped."""
    with contextlib.suppress(OSError, ValueError):
        for shown, line in enumerate(iter(lambda: stream.readline(4 * MOST_TEXT), b"")):
            if shown < MOST_LINES:
                tell(f"{who} prints: {clipped(line.decode(errors='replace').rstrip())}")
            elif shown == MOST_LINES:
                tell(f"{who} prints more, which is not shown")
