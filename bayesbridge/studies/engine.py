"""Runs a study in chunks, so that the answer depends on the seed and on nothing else.

A study is a pure function (chunk seed, chunk size) → counts; counts of chunks add. Chunk i draws from the i-th spawned
child of the seed, so the result is the same integers for any number of workers and any order of completion.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError

Counts = NDArray[np.int64]
Study = Callable[[np.random.SeedSequence, int], Counts]
Progress = Callable[[int, int], None]
"""Called with the deals done and the deals wanted, after every chunk."""

CHUNK = 1 << 19
"""Deals a chunk: some 50 ms of work, so that workers end together and an interrupt is obeyed at once."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a study counted, and how long it took."""

    counts: Counts
    deals: int
    seconds: float


def run(study: Study, deals: int, seed: int, workers: int | None = None, progress: Progress | None = None) -> Run:
    """Run a study over ``deals`` deals; kernels release the interpreter lock, so workers are threads.

    ``workers`` is by default one for each core that the process may use.
    """
    if deals < 1:
        raise BayesBridgeError(f"{deals} deals: a study needs at least 1", deals=deals)
    if workers is not None and workers < 1:
        raise BayesBridgeError(f"{workers} workers: a study needs at least 1", workers=workers)
    crew = workers or _cores()
    chunks = (
        (np.random.SeedSequence(seed, spawn_key=(i,)), min(CHUNK, deals - start))
        for i, start in enumerate(range(0, deals, CHUNK))
    )
    total = np.zeros_like(study(np.random.SeedSequence(0), 1))  # compiles and loads tables before the clock starts
    started = time.perf_counter()
    done = 0
    with ThreadPoolExecutor(crew) as pool:
        # Two chunks a worker at a time: nobody waits for work, and a run of any length needs no more memory.
        pending: dict[Future[Counts], int] = {}
        try:
            while True:
                for chunk, size in islice(chunks, 2 * crew - len(pending)):
                    pending[pool.submit(study, chunk, size)] = size
                if not pending:
                    break
                for future in wait(pending, return_when=FIRST_COMPLETED).done:
                    total += future.result()
                    done += pending.pop(future)
                if progress:
                    progress(done, deals)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return Run(total, deals, time.perf_counter() - started)


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
