"""How long things take, in processor time.

That is what the process itself used, so that other work disturbs it little.
"""

from __future__ import annotations

import resource
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence


def seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least of several runs; one before them, which compiles, is not counted."""
    work()
    return min(once(work) for _ in range(times))


def once(work: Callable[[], object]) -> float:
    """One run, without any warming up."""
    started = time.process_time()
    work()
    return time.process_time() - started


def rate(work: Callable[[int], object], size: int, least: float = 1.0) -> float:
    """Items a second, ``work`` doing ``size`` at a time for ``least`` seconds.

    A small batch warms up.
    """
    work(min(size, 1000))
    items = 0
    spent = 0.0
    started = time.process_time()
    while spent < least:
        work(size)
        items += size
        spent = time.process_time() - started
    return items / spent


def of_command(
    words: Sequence[str],
    text: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[float, str]:
    """What a program used from start to end, and what it printed when fed ``text``."""
    before = _seconds_of_children()
    answer = subprocess.run(
        words,
        input=text,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    return _seconds_of_children() - before, answer.stdout


def _seconds_of_children() -> float:
    """What processes that have ended used, of user and system."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
