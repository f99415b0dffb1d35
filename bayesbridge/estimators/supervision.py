"""The process between us and a plugin: it ends the plugin, and all that the plugin started, when we do.

We start this process, and it forks the one that serves. A pipe that only we hold open tells it that we are done or
dead; it then kills the serving process, its group, and on Linux whatever they left behind, in other groups and sessions
too. It does no work that could hang, so it does not depend on what the plugin does.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from pathlib import Path
from typing import NoReturn

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36


def supervise(life: int) -> NoReturn:
    """Serve in a forked process until ``life``, a pipe to read from, ends; then end as that process ended."""
    _control(_PR_SET_CHILD_SUBREAPER, 1)  # what the plugin leaves behind becomes our child
    worker = os.fork()
    if worker == 0:
        _work(life)
    null = os.open(os.devnull, os.O_RDWR)
    for line in (0, 1, 2):  # the lines to the parent are the worker's alone
        os.dup2(null, line)
    threading.Thread(target=_wait_for_end, args=(life, worker), daemon=True).start()
    _, status = os.waitpid(worker, 0)
    _kill_group(worker)
    end_children()
    _end_alike(status)


def end_children() -> None:
    """Kill the children of this process until there are none, those that become so meanwhile among them (Linux)."""
    while children := _children():
        for child in children:
            with contextlib.suppress(OSError):
                os.kill(child, signal.SIGKILL)
        for child in children:
            with contextlib.suppress(OSError):
                os.waitpid(child, 0)


def _work(life: int) -> NoReturn:
    try:
        os.close(life)
        os.setpgid(0, 0)
        _control(_PR_SET_PDEATHSIG, signal.SIGKILL)
        from bayesbridge.estimators.serving import serve

        serve()
    except BaseException:
        sys.excepthook(*sys.exc_info())
    finally:
        os._exit(1)


def _wait_for_end(life: int, worker: int) -> None:
    os.read(life, 1)  # nobody writes: it returns when the other end is closed
    _kill_group(worker)
    with contextlib.suppress(OSError):
        os.kill(worker, signal.SIGKILL)  # it may not have its group yet


def _kill_group(worker: int) -> None:
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)


def _children() -> list[int]:
    found: list[int] = []
    with contextlib.suppress(OSError):
        for task in Path("/proc/self/task").iterdir():
            found += map(int, (task / "children").read_text("ascii").split())
    return found


def _end_alike(status: int) -> NoReturn:
    code = os.waitstatus_to_exitcode(status)
    if code < 0:
        with contextlib.suppress(ImportError, OSError, ValueError):
            import resource

            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))  # one core file is enough
        with contextlib.suppress(OSError, ValueError):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code if code >= 0 else 128 - code)


def _control(option: int, value: int) -> None:
    """Ask Linux for something about this process; elsewhere nothing is done."""
    if sys.platform == "linux":
        with contextlib.suppress(ImportError, OSError, AttributeError):
            import ctypes

            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)
