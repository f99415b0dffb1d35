"""Interrupts that come where Python can only ignore errors, as in a destructor or a callback of C, are not lost."""

from __future__ import annotations

import _thread
import signal
import sys
import threading

_ignored = threading.Event()


def watch() -> None:
    """From now on an ignored interrupt comes again a moment later."""
    sys.unraisablehook = _again


def was_ignored() -> bool:
    """Whether there was one: an error that follows it may be its doing."""
    return _ignored.is_set()


def _again(ignored: sys.UnraisableHookArgs) -> None:
    if issubclass(ignored.exc_type, KeyboardInterrupt):
        _ignored.set()
        threading.Timer(0.01, _interrupt).start()
    else:
        sys.__unraisablehook__(ignored)


def _interrupt() -> None:
    main_thread = threading.main_thread().ident
    if main_thread is not None and hasattr(signal, "pthread_kill"):  # also wakes one that waits for the system
        signal.pthread_kill(main_thread, signal.SIGINT)
    else:
        _thread.interrupt_main()
