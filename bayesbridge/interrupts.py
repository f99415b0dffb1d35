"""Ctrl-C that does what it should wherever it comes.

In a destructor or a callback of C Python can only ignore it: there it comes again a moment later. In the middle of an
import it would leave half a module, which compiled ones report in their own ways, and while a kernel's answer becomes a
named tuple numba would crash: there it waits, but not for long.
"""

from __future__ import annotations

import _thread
import os
import signal
import sys
import threading
from types import FrameType
from typing import Final

MOMENT: Final = 0.01
"""Seconds after which a put-off interrupt comes again."""

MOST_PUT_OFF: Final = 300
"""Times that one waits for an import: a plugin that hangs in it can still be interrupted."""

_MAKE_TUPLES: Final = ("<string>", os.path.join("numba", "core", "serialize.py"))
"""Files of a named tuple's constructor, and of numba's way to it."""

_came = threading.Event()
_put_off = 0


def watch() -> None:
    """From now on interrupts are handled so, unless a shell that runs us in the background has them ignored."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    signal.signal(signal.SIGINT, _handle)
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, _handle)
    sys.unraisablehook = _ignored


def unwatch() -> None:
    """All is said and written: whoever interrupts now ends the process at once; one that was put off is forgotten."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        return
    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def came() -> bool:
    """Whether there was one: an error that follows it is its doing."""
    return _came.is_set()


def forget() -> None:
    """What came until now is dealt with: for a process that goes on with something else."""
    global _put_off
    _put_off = 0
    _came.clear()


def _handle(_signal: int, frame: FrameType | None) -> None:
    global _put_off
    _came.set()
    if _put_off < MOST_PUT_OFF and _delicate(frame):
        _put_off += 1
        _again()
    else:
        raise KeyboardInterrupt


def _ignored(error: sys.UnraisableHookArgs) -> None:
    if issubclass(error.exc_type, KeyboardInterrupt):
        _came.set()
        _again()
    else:
        sys.__unraisablehook__(error)


def _again() -> None:
    if hasattr(signal, "setitimer"):  # not a thread, which might wait for a lock that is held where we are
        signal.setitimer(signal.ITIMER_REAL, MOMENT)
    else:
        _thread.interrupt_main()


def _delicate(frame: FrameType | None) -> bool:
    """In an import, or where what a kernel gives becomes a named tuple: numba crashes if that fails."""
    if frame is not None and frame.f_code.co_filename.endswith(_MAKE_TUPLES):
        return True
    while frame is not None:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        frame = frame.f_back
    return False
