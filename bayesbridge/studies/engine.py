"""Runs a study in chunks, so that the answer depends on the seed and on nothing else.

A study is a pure function (chunk seed, chunk size) → counts; counts of chunks add. Chunk seeds come from
``SeedSequence.spawn``, so the result is the same integers for any number of workers and any order of completion.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bayesbridge.errors import BayesBridgeError

Counts = NDArray[np.int64]
Study = Callable[[np.random.SeedSequence, int], Counts]

CHUNK = 1 << 21
"""Deals a chunk: a fraction of a second of work, so that progress is smooth and overhead small."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a study counted, and how long it took."""

    counts: Counts
    deals: int
    seconds: float


def run(study: Study, deals: int, seed: int, workers: int | None = None) -> Run:
    """Run a study over ``deals`` deals; kernels release the interpreter lock, so workers are threads."""
    if deals < 1:
        raise BayesBridgeError(f"{deals} deals: a study needs at least 1", deals=deals)
    if workers is not None and workers < 1:
        raise BayesBridgeError(f"{workers} workers: a study needs at least 1", workers=workers)
    sizes = [CHUNK] * (deals // CHUNK) + ([deals % CHUNK] if deals % CHUNK else [])
    seeds = np.random.SeedSequence(seed).spawn(len(sizes))
    study(np.random.SeedSequence(0), 1)  # compiles and loads tables before the clock starts
    started = time.perf_counter()
    total: Counts | None = None
    done = 0
    with ThreadPoolExecutor(workers or os.cpu_count()) as pool:
        futures = {pool.submit(study, chunk, size): size for chunk, size in zip(seeds, sizes, strict=True)}
        try:
            for future in as_completed(futures):
                counts = future.result()
                total = counts if total is None else total + counts
                done += futures[future]
                _show_progress(done, deals)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    assert total is not None
    return Run(total, deals, time.perf_counter() - started)


def _show_progress(done: int, deals: int) -> None:
    if sys.stderr.isatty():
        end = "\n" if done == deals else ""
        print(f"\r{done:,} of {deals:,} deals", end=end, file=sys.stderr, flush=True)
