"""The workers: threads or processes of this machine, or a Dask cluster; all are ``concurrent.futures`` executors.

Kernels release the interpreter lock, so threads are the default and share tables; a process that crashes
does not end the run; a cluster has more cores than one machine.
"""

from __future__ import annotations

import multiprocessing
import os
import platform
import signal
import threading
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from typing import Any, Final, NamedTuple

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies.job import PROCESSES, THREADS

REACH_SECONDS: Final = 30
"""How long a scheduler may take to answer, and its first worker to appear."""


class Pool(NamedTuple):
    """An executor, and how many chunks it works on at a time."""

    executor: Executor
    size: int


@contextmanager
def open_executor(scheduler: str = THREADS, workers: int | None = None) -> Iterator[Pool]:
    """Workers for the time of the ``with``: ``threads``, ``processes``, or the address of a Dask scheduler.

    ``workers`` is by default one for each core that the process may use; a cluster has the workers it has.
    """
    if workers is not None and workers < 1:
        raise BayesBridgeError(f"{workers} workers: a study needs at least 1", workers=workers)
    if scheduler == THREADS:
        with ThreadPoolExecutor(workers or _cores()) as threads:
            yield Pool(threads, workers or _cores())
    elif scheduler == PROCESSES:
        # Spawned, not forked: a fork of a process with compiled threads may hang.
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers or _cores(), context, initializer=_serve) as processes:
            yield Pool(processes, workers or _cores())
    elif ":" in scheduler:
        with _cluster(scheduler) as pool:
            yield pool
    else:
        raise BayesBridgeError(
            f"unknown scheduler {scheduler!r}: write threads, processes, or an address such as tcp://10.0.0.1:8786",
            scheduler=scheduler,
        )


@contextmanager
def _cluster(address: str) -> Iterator[Pool]:
    try:
        from distributed import Client
    except ImportError:
        raise BayesBridgeError(
            f"scheduler {address!r} needs Dask, which is not installed: pip install 'bayesbridge-hands[cluster]'",
            scheduler=address,
        ) from None
    try:
        client = Client(address, timeout=REACH_SECONDS)
    except Exception as error:
        raise BayesBridgeError(
            f"no Dask scheduler answers at {address!r} ({type(error).__name__}): start one with 'dask scheduler', or "
            "correct the address",
            scheduler=address,
        ) from None
    with ExitStack() as stack:
        # A scheduler that is gone cannot be taken leave of: that must not hide why the run ended.
        stack.callback(_leave, client)
        try:
            client.wait_for_workers(1, timeout=REACH_SECONDS)
        except TimeoutError:
            raise BayesBridgeError(
                f"the Dask scheduler at {address!r} has no workers: start some with 'dask worker {address}'",
                scheduler=address,
            ) from None
        # Not pure: a chunk that failed is to be computed again, not to be looked up.
        yield Pool(client.get_executor(pure=False), sum(client.nthreads().values()))


def worker_name() -> str:
    """Who this process is, for whoever has to look after it: its address in a cluster, or its host and number."""
    try:
        from distributed import get_worker

        return str(get_worker().address)
    except (ImportError, ValueError):
        return f"{os.getpid()} on {platform.node()}"


def _leave(client: Any) -> None:
    with suppress(Exception):
        client.close()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _serve() -> None:
    """A worker process leaves interrupts to its parent, and does not outlive it however that ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    if (parent := multiprocessing.parent_process()) is not None:
        parent.join()
        os._exit(1)
