"""Runs the job of a study in chunks, so that the answer depends on the seed and on nothing else.

A job is a pure function (chunk seed, chunk size) → counts; counts of chunks add. Chunk i draws from the i-th spawned
child of the seed, so the result is the same integers for any number of workers, here or on a cluster, and any order of
completion. Several runs take the chunks one after the other: the first run of three is the run that stands alone.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Generator, Iterator
from concurrent.futures import FIRST_COMPLETED, BrokenExecutor, CancelledError, Future, wait
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

import bayesbridge
from bayesbridge.errors import BayesBridgeError
from bayesbridge.identity import code_of
from bayesbridge.studies.checkpoint import CODE, WRITTEN_BY, Cells, Checkpoint
from bayesbridge.studies.executors import Pool, open_executor, worker_name
from bayesbridge.studies.job import THREADS, Count, Counts, Job, Setting

CANCELLED = (CancelledError, asyncio.CancelledError)
"""What becomes of chunks whose scheduler has gone."""

ATTEMPTS = 3
"""How often a chunk is tried, and a broken pool of processes opened, before the run gives up."""


class OtherCode(BayesBridgeError):
    """A worker whose code is not that of the run."""


class ChunkFailed(RuntimeError):
    """A chunk that failed every time it was tried."""


class SchedulerLost(BayesBridgeError):
    """The scheduler of the workers went away; what a checkpoint holds is good."""


@dataclass(frozen=True, slots=True)
class Run:
    """What a study counted, and how long it took."""

    by_run: NDArray[np.int64]
    """(runs, k)"""
    deals: int
    """In all runs."""
    seconds: float
    fresh: int
    """Deals counted now; the others were in the checkpoint."""

    @property
    def counts(self) -> Counts:
        """(k,) all runs together."""
        return np.asarray(self.by_run.sum(axis=0))

    @property
    def deals_per_second(self) -> float | None:
        """``None`` when the checkpoint already had everything."""
        return self.fresh / self.seconds if self.fresh else None


class Chunk(NamedTuple):
    """One piece of work."""

    number: int
    run: int
    size: int


def run(job: Job, deals: int, seed: int, runs: int = 1, setting: Setting | None = None) -> Run:
    """Run a job over ``runs`` times ``deals`` deals."""
    how = setting or Setting()
    for name, value in (("deals", deals), ("runs", runs)):
        if value < 1:
            raise BayesBridgeError(f"{value} {name}: a study needs at least 1", **{name: value})
    per_run = -(-deals // job.chunk)
    chunks = per_run * runs
    sample = job.count(np.random.SeedSequence(0), 1)  # compiles and loads tables before the clock starts
    total = np.zeros((runs, len(sample)), dtype=np.int64)
    finished: set[int] = set()

    def chunk_at(index: int) -> Chunk:
        return Chunk(index, index // per_run, min(job.chunk, deals - index % per_run * job.chunk))

    def take(index: int, cells: Cells) -> None:
        finished.add(index)
        for place, count in cells.items():
            total[index // per_run, place] += count

    with ExitStack() as stack:
        keep: Checkpoint | None = None
        if how.checkpoint is not None:
            header = {
                WRITTEN_BY: bayesbridge.__version__,
                "study": job.name,
                "parameters": dict(job.parameters),
                "deals": deals,
                "runs": runs,
                "seed": seed,
                "chunk": job.chunk,
                CODE: code_of(count_chunk, job.count),
            }
            args = (how.checkpoint, header, chunks, len(sample))
            keep = stack.enter_context(Checkpoint.resume(*args, take) if how.resume else Checkpoint.create(*args))
        started = time.perf_counter()
        done = before = sum(chunk_at(index).size for index in finished)
        todo = (chunk_at(index) for index in range(chunks) if index not in finished)
        if done < deals * runs:
            work = stack.enter_context(closing(_work(job, seed, todo, how)))
            for chunk, counts in work:
                cells = {int(place): int(counts[place]) for place in np.flatnonzero(counts)}
                if keep:
                    keep.append(chunk.number, cells)
                total[chunk.run] += counts
                done += chunk.size
                if how.progress:
                    how.progress(done, deals * runs)
        return Run(total, deals * runs, time.perf_counter() - started, done - before)


def count_chunk(count: Count, code: str, seed: int, index: int, size: int) -> Counts:
    """One chunk, wherever it is computed; a worker with other code might give other numbers, so it says who it is.

    ``code``: that of the run, see :func:`~bayesbridge.identity.code_of`; empty for a thread, which shares it.
    """
    if code and code != (own := code_of(count_chunk, count)):
        raise OtherCode(
            f"worker {worker_name()} has other code than the run (bayesbridge {bayesbridge.__version__}, code {own}; "
            f"the run has {code}): install the same on both and start the worker again",
            code=code,
        )
    return count(np.random.SeedSequence(seed, spawn_key=(index,)), size)


def _work(job: Job, seed: int, todo: Iterator[Chunk], how: Setting) -> Generator[tuple[Chunk, Counts]]:
    """Every chunk with its counts, in any order; failures are tried again, a broken pool is opened again."""
    lost: list[Chunk] = []
    failures: dict[int, int] = {}
    breaks = 0
    code = "" if how.scheduler == THREADS else code_of(count_chunk, job.count)
    while True:
        with open_executor(how.scheduler, how.workers) as pool:
            pending: dict[Future[Counts], Chunk] = {}
            try:
                yield from _session(pool, job, code, seed, todo, lost, pending, failures)
                return
            except BrokenExecutor as error:
                breaks += 1
                if breaks >= ATTEMPTS:
                    raise ChunkFailed(
                        f"worker processes of study {job.name!r} ended {breaks} times before their work was done "
                        f"({error}): is there memory for {pool.size} of them?"
                    ) from None
                lost.extend(pending.values())
            except CANCELLED:
                kept = "give --checkpoint FILE next time, so that what is done stays"
                if how.checkpoint is not None:
                    kept = f"what is done is kept, continue with --resume {how.checkpoint}"
                raise SchedulerLost(
                    f"the scheduler {how.scheduler!r} ended before the work of study {job.name!r} was done: "
                    f"start it again; {kept}"
                ) from None
            except BaseException:
                for future in pending:
                    future.cancel()
                pool.executor.shutdown(wait=False)
                raise


def _session(
    pool: Pool,
    job: Job,
    code: str,
    seed: int,
    todo: Iterator[Chunk],
    lost: list[Chunk],
    pending: dict[Future[Counts], Chunk],
    failures: dict[int, int],
) -> Iterator[tuple[Chunk, Counts]]:
    """Work until nothing is left; two chunks for each worker at a time, so that none waits and memory stays bounded."""

    def submit(chunk: Chunk) -> None:
        try:
            future = pool.executor.submit(count_chunk, job.count, code, seed, chunk.number, chunk.size)
        except BrokenExecutor:
            lost.append(chunk)
            raise
        pending[future] = chunk

    while True:
        while lost and len(pending) < 2 * pool.size:
            submit(lost.pop())
        for chunk in islice(todo, 2 * pool.size - len(pending)):
            submit(chunk)
        if not pending:
            return
        # What is finished comes first: a scheduler that is gone must not take it along.
        for future in sorted(wait(pending, return_when=FIRST_COMPLETED).done, key=Future.cancelled):
            error = future.exception()
            if isinstance(error, (BrokenExecutor, OtherCode, *CANCELLED)):
                raise error
            chunk = pending.pop(future)
            if error is None:
                yield chunk, future.result()
                continue
            failures[chunk.number] = failures.get(chunk.number, 0) + 1
            if failures[chunk.number] >= ATTEMPTS:
                raise ChunkFailed(
                    f"chunk {chunk.number} of study {job.name!r} failed {ATTEMPTS} times: "
                    f"{type(error).__name__}: {error}"
                ) from error
            lost.append(chunk)
