"""How long things take, in processor time: what the process itself used, so that other
work disturbs it little.
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
    """Items a second, ``work`` doing ``size`` at a time until ``least`` seconds are
    spent; a small batch warms up.
    """
    work(min(size, 1000))
    done, started = 0, time.process_time()
    while (spent := time.process_time() - started) < least:
        work(size)
        done += size
    return done / spent


def of_command(
    words: Sequence[str],
    text: str | None = None,
    environment: Mapping[str, str] | None = None,
) -> tuple[float, str]:
    """What a program used from start to end, and what it printed when fed ``text``."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    answer = subprocess.run(
        words,
        input=text,
        env=environment,
        check=True,
        stdout=subprocess.PIPE,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (
        after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime,
        answer.stdout,
    )
