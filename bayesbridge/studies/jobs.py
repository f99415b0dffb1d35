"""Runs the job of a study in chunks, so that the answer depends on the seed and on
nothing else.

Chunk i draws from the i-th spawned child of the seed, and counts of chunks add: the
result is the same integers for any number of workers and any order of completion. The
first run of three is the run that stands alone.
"""

from __future__ import annotations

import asyncio
import hashlib
import inspect
import json
import multiprocessing
import os
import platform
import signal
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import bayesbridge
from bayesbridge.display.words import number
from bayesbridge.errors import (
    BayesBridgeError,
    Unwritable,
    WrongArgument,
    raised,
    shorten,
)
from bayesbridge.runtime.files import whole_file
from bayesbridge.runtime.progress import report_progress

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

type Counts = NDArray[np.int64]
type Count = Callable[..., Any]

CHUNK: Final = 1 << 19
"""Deals in a chunk unless the job says otherwise: a fraction of a second, so that an
interrupt is obeyed at once.
"""

SOURCE: Final = "the counting function"
"""Key of a checkpoint: a digest of the function's source. Those made before it was kept
have none, and are read.
"""

THREADS: Final = "threads"
PROCESSES: Final = "processes"

REACH_SECONDS: Final = 30  # until a scheduler answers, and its first worker appears


@dataclass(frozen=True, slots=True)
class Job:
    """What the engine counts, chunk by chunk.

    Parameters
    ----------
    name : str
        What messages and checkpoints call it.
    count : callable
        ``count(seed, deals)`` or, with ``given``, ``count(seed, deals, subject)``: the
        (k,) counts of one chunk, always so many, or for :func:`rows` any number of
        rows. Other processes find it by its name, so it stands at the top of its
        module.
    chunk : int
        Deals in a chunk.
    parameters : mapping of str to int or str
        What else the answer depends on. A checkpoint made with others is refused.
    given : callable, optional
        ``given(number)``: the subject of chunk ``number``, counted from 0, such as its
        boards. It is called in the process that starts the run, with rising numbers,
        and what it returns goes to the worker. A checkpoint does not look at it: say in
        ``parameters`` what it depends on.
    noun : str
        What is counted, for progress and messages.

    Examples
    --------
    >>> import bayesbridge as bb
    >>> def points(seed, size, hands):
    ...     return [[bb.Hand.of(hand).points] for hand in hands]
    >>> hands = ["AKQ2.KJ3.A54.Q32", "T98.764.J32.T987", "A432.K43.J54.Q32"]
    >>> job = Job(
    ...     "points", points, chunk=2, given=lambda number: hands[2 * number :][:2]
    ... )
    >>> rows(job, len(hands)).tolist()
    [[19], [1], [10]]
    """

    name: str
    count: Count
    chunk: int = CHUNK
    parameters: Mapping[str, int | str] = field(default_factory=dict)
    given: Callable[[int], Any] | None = None
    noun: str = "deals"

    @classmethod
    def over(
        cls,
        positions: Sequence[Any],
        ask: Callable[..., Any],
        *,
        name: str = "",
        chunk: int = 1,
        parameters: Mapping[str, int | str] | None = None,
    ) -> Job:
        """A study over positions: one question, asked of each in turn.

        A position that fails ends the run with a line that names it; finished chunks
        are in the checkpoint.

        Parameters
        ----------
        positions : sequence
            Beliefs, hands, boards or anything else that processes can be sent.
        ask : callable
            ``ask(seed, position)``: a row of numbers, or a structured scalar where its
            columns have names. It stands at the top of its module.
        name : str
            What messages and checkpoints call it (default: the name of ``ask``).
        chunk : int
            Positions in a chunk. What is kept after a failure are whole chunks.
        parameters : mapping of str to int or str, optional
            As of the class. A digest of the positions is added to them.

        Returns
        -------
        Job
            For :func:`rows`, with as many deals as there are positions.

        Examples
        --------
        >>> import bayesbridge as bb
        >>> def points(seed, hand):
        ...     return [bb.Hand.of(hand).points]
        >>> hands = ["AKQ2.KJ3.A54.Q32", "T98.764.J32.T9"]
        >>> rows(Job.over(hands[:1], points), 1).tolist()
        [[19]]
        """

        def subject(number: int) -> Subject:
            first = number * chunk
            return Subject(number, first, tuple(positions[first : first + chunk]))

        digest = hashlib.sha256(repr(list(positions)).encode()).hexdigest()[:12]
        return cls(
            name or ask.__name__,
            AskEach(ask),
            chunk,
            {**(parameters or {}), "positions": digest},
            subject,
            "positions",
        )


class Subject(NamedTuple):
    """The positions of one chunk, and their places among all."""

    chunk: int
    first: int  # number of the first position, counted from 0
    positions: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class AskEach:
    """Counts a chunk of positions: a row for each."""

    func: Callable[..., Any]  # ``ask(seed, position)``; a checkpoint keeps its source

    def __call__(
        self, seed: np.random.SeedSequence, _size: int, subject: Subject
    ) -> NDArray[Any]:
        import numpy as np

        answers = []
        seeds = seed.spawn(len(subject.positions))
        for place, position in enumerate(subject.positions):
            try:
                answers.append(self.func(seeds[place], position))
            except Exception as error:
                raise BayesBridgeError(
                    f"position {subject.first + place} (number {place} of chunk {subject.chunk}, counted from 0), "
                    f"{shorten(position)}: {raised(error)}",
                    position=position,
                    number=subject.first + place,
                ) from error
        return np.array(answers)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run a job. Nothing here changes the counts."""

    workers: int | None = None
    scheduler: str = THREADS  # or processes, or the address of a Dask scheduler
    checkpoint: Path | None = (
        None  # the folder of finished chunks, which are not counted again
    )


@dataclass(frozen=True, slots=True)
class Run:
    """What a study counted, and how long it took."""

    by_run: Counts  # (runs, k)
    deals: int  # in all runs
    seconds: float
    fresh: int  # deals counted now; the others were in the checkpoint

    @property
    def counts(self) -> Counts:
        """(k,) all runs together."""
        return self.by_run.sum(axis=0)

    @property
    def deals_per_second(self) -> float | None:
        """``None`` when the checkpoint already had everything."""
        return self.fresh / self.seconds if self.fresh else None


class Chunk(NamedTuple):
    """One piece of work."""

    number: int
    run: int
    size: int

    @classmethod
    def at(cls, deals: int, size: int, index: int) -> Chunk:
        """Chunk number ``index`` of runs of so many deals, in chunks of ``size``; the
        last of a run may be smaller.
        """
        run, place = divmod(index, -(-deals // size))
        return cls(index, run, min(size, deals - place * size))


def kept(folder: Path, noun: str) -> str:
    """How many of all deals, or of what the ``noun`` says, are in the finished chunks
    of a checkpoint.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        about = json.loads((folder / "run.json").read_text("utf-8"))
        indices = [
            int(path.stem.removeprefix("chunk-")) for path in folder.glob("chunk-*.npy")
        ]
        done = sum(
            Chunk.at(about["deals"], about["chunk"], index).size for index in indices
        )
        return f"{number(done)} of {number(about['deals'] * about['runs'])} {noun}"
    return f"no {noun} yet"


def run(
    job: Job, deals: int, seed: int, runs: int = 1, how: RunOptions | None = None
) -> Run:
    """Run a job over ``runs`` times ``deals`` deals."""
    import numpy as np

    for name, value in (("deals", deals), ("runs", runs)):
        if value < 1:
            raise BayesBridgeError(
                f"{value} {name}: a study needs at least 1", **{name: value}
            )
    sample = job.count(
        np.random.SeedSequence(0), 1
    )  # compiles and loads tables before the clock starts
    total = np.zeros((runs, len(sample)), dtype=np.int64)
    started, fresh = time.perf_counter(), 0
    for chunk, counts, new in results(job, deals, seed, runs, how):
        total[chunk.run] += counts
        fresh += chunk.size if new else 0
    return Run(total, deals * runs, time.perf_counter() - started, fresh)


def results(
    job: Job, deals: int, seed: int, runs: int = 1, how: RunOptions | None = None
) -> Iterator[tuple[Chunk, Counts, bool]]:
    """Every chunk with what was counted in it, and whether that is new; those of the
    checkpoint first.
    """
    how = how or RunOptions()
    chunk_at = partial(Chunk.at, deals, job.chunk)
    about = {
        "study": job.name,
        "version": bayesbridge.__version__,
        "seed": seed,
        "deals": deals,
        "runs": runs,
    }
    about |= {"chunk": job.chunk, **job.parameters, SOURCE: _source_of(job.count)}
    keep = None if how.checkpoint is None else _Checkpoint(how.checkpoint, about)
    finished: set[int] = set()
    done = 0
    for index, counts in keep.read() if keep else ():
        finished.add(index)
        done += chunk_at(index).size
        yield chunk_at(index), counts, False
    if done == deals * runs:
        return
    todo = (
        chunk_at(index)
        for index in range(-(-deals // job.chunk) * runs)
        if index not in finished
    )
    with closing(_work(job, seed, todo, how)) as work:
        for chunk, counts in work:
            if keep:
                keep.write(chunk.number, counts)
            done += chunk.size
            report_progress(job.noun, done, deals * runs)
            yield chunk, counts, True


def in_order(
    job: Job, deals: int, seed: int, how: RunOptions | None = None
) -> Iterator[Counts]:
    """What a job says of each chunk, in their order, whoever was ready first."""
    waiting: dict[int, Counts] = {}
    turn = 0
    for chunk, values, _ in results(job, deals, seed, 1, how):
        waiting[chunk.number] = values
        while turn in waiting:
            yield waiting.pop(turn)
            turn += 1


def rows(
    job: Job, deals: int, seed: int = 1, how: RunOptions | None = None
) -> NDArray[Any]:
    """What a job says of all chunks, one below the other.

    Parameters
    ----------
    job : Job
        Its chunks give (m, k) numbers each, (k,) for a single row, or an (m,)
        structured array, whose fields keep their names.
    deals : int
        How many in all.
    seed : int
        Where random numbers start.
    how : RunOptions, optional
        Workers and a checkpoint; they do not change the answer.

    Returns
    -------
    array, shape (n, k), or (n,) with named fields
    """
    import numpy as np

    return np.concatenate(
        [
            np.atleast_1d(values) if values.dtype.names else np.atleast_2d(values)
            for values in in_order(job, deals, seed, how)
        ]
    )


def _source_of(count: Count) -> str | None:
    """A digest of the source of a function, without that of the functions it calls;
    ``None`` where there is none.
    """
    with suppress(OSError, TypeError):
        return hashlib.sha256(
            inspect.getsource(getattr(count, "func", count)).encode()
        ).hexdigest()[:12]
    return None


class _Checkpoint:
    """A folder: ``run.json`` says which run it belongs to, and each finished chunk is a
    file; a damaged one is none.
    """

    def __init__(self, folder: Path, options: Mapping[str, Any]) -> None:
        self.folder = folder
        about = folder / "run.json"
        here = json.loads(json.dumps(options))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            if not any(
                path.suffix != ".part" for path in folder.iterdir()
            ):  # that of a run killed at its start
                with whole_file(about) as part:
                    part.write_text(json.dumps(here, indent=1) + "\n", "utf-8")
            there = json.loads(about.read_text("utf-8"))
        except (
            FileExistsError,
            FileNotFoundError,
            NotADirectoryError,
            ValueError,
            RecursionError,
        ):
            raise BayesBridgeError(
                f"{str(folder)!r} is not the checkpoint of a study: it is left as it is; name another folder",
                path=folder,
            ) from None
        except OSError as error:
            raise self._unwritable(error) from None
        known = there if isinstance(there, dict) else {}
        for key in {**here, **known}:
            if here.get(key) != known.get(
                key, here.get(key) if key == SOURCE else None
            ):
                there, now = (
                    json.dumps(told[key]) if key in told else "missing"
                    for told in (known, here)
                )
                raise BayesBridgeError(
                    f"checkpoint {str(folder)!r} belongs to another run: {key} is {there} there and {now} here; "
                    "give the same options, or name another folder",
                    path=folder,
                    key=key,
                )

    def read(self) -> Iterator[tuple[int, Counts]]:
        import numpy as np

        for path in sorted(self.folder.glob("chunk-*.npy")):
            with suppress(OSError, ValueError, EOFError):
                yield (
                    int(path.stem.removeprefix("chunk-")),
                    np.load(path, allow_pickle=False),
                )

    def write(self, number: int, counts: Counts) -> None:
        """Keep a finished chunk; on return it is on the disk."""
        import numpy as np

        content = (
            BytesIO()
        )  # written to a file, NumPy would not notice that the disk is full
        np.save(content, counts, allow_pickle=False)
        try:
            with whole_file(self.folder / f"chunk-{number:08d}.npy") as part:
                part.write_bytes(content.getvalue())
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> Unwritable:
        return Unwritable(
            f"checkpoint {str(self.folder)!r} cannot be written ({error.strerror}): what it holds is good; "
            "make room and continue with --resume",
            path=self.folder,
        )


def count_chunk(
    count: Count, version: str, seed: int, index: int, size: int, *given: Any
) -> Counts:
    """One chunk, wherever it is computed; a worker of another version might give other
    numbers.
    """
    import numpy as np

    if version != bayesbridge.__version__:
        raise BayesBridgeError(
            f"a worker on {platform.node()} has bayesbridge {bayesbridge.__version__} and the run has {version}: "
            "install the same on both and start the worker again",
            version=version,
        )
    return as_array(
        count(np.random.SeedSequence(seed, spawn_key=(index,)), size, *given)
    )


def as_array(answer: Any) -> NDArray[Any]:
    """What a chunk gave, as numbers or as a structured array; refuses what would lose
    the names of its columns.
    """
    import numpy as np

    parts = [answer]
    if isinstance(answer, list | tuple):
        parts += answer[:1]
    array = np.asarray(answer)
    if array.dtype.hasobject or any(map(_names_columns, parts)):
        raise WrongArgument(
            f"a chunk gave {shorten(answer)}: return an array of numbers, a structured array where columns have names",
            argument="count",
            value=answer,
        )
    return array


def _names_columns(part: object) -> bool:
    """Whether it is a named tuple, a mapping or a table."""
    return (
        isinstance(part, Mapping)
        or hasattr(part, "_fields")
        or hasattr(part, "columns")
    )


def _work(
    job: Job, seed: int, todo: Iterator[Chunk], how: RunOptions
) -> Generator[tuple[Chunk, Counts]]:
    """Every chunk with its counts, in any order; two for each worker at a time: none
    waits, and memory is bounded.
    """
    kept = "give --resume FOLDER, or RunOptions(checkpoint=FOLDER), next time, so that what is done stays"
    if how.checkpoint is not None:
        kept = f"what is done is kept, continue with --resume {how.checkpoint}"
    with open_executor(how.scheduler, how.workers) as (executor, size):
        pending: dict[futures.Future[Counts], Chunk] = {}
        try:
            while True:
                for chunk in islice(todo, 2 * size - len(pending)):
                    given = () if job.given is None else (job.given(chunk.number),)
                    about = bayesbridge.__version__, seed, chunk.number, chunk.size
                    pending[executor.submit(count_chunk, job.count, *about, *given)] = (
                        chunk
                    )
                if not pending:
                    return
                # What is finished comes first: no chunk that fails and no scheduler that is gone takes it along.
                done = futures.wait(pending, return_when=futures.FIRST_COMPLETED).done
                for future in sorted(done, key=_has_failed):
                    where = f"chunk {pending[future].number} of {job.name!r}"
                    with _noting(f"This was in {where}; {kept}."):
                        counts = future.result()
                    yield pending.pop(future), counts
        except (futures.BrokenExecutor, futures.CancelledError, asyncio.CancelledError):
            who = (
                "a worker process"
                if how.scheduler == PROCESSES
                else f"the scheduler {how.scheduler!r}"
            )
            raise BayesBridgeError(
                f"{who} ended before the work of {job.name!r} was done: start it again; {kept}"
            ) from None
        except BaseException:
            for future in pending:
                future.cancel()
            executor.shutdown(wait=False)
            raise


@contextmanager
def _noting(note: str) -> Iterator[None]:
    """Add a note to what is raised."""
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise


def _has_failed(future: futures.Future[Counts]) -> bool:
    return future.cancelled() or future.exception() is not None


def cores() -> int:
    return (
        len(os.sched_getaffinity(0))
        if hasattr(os, "sched_getaffinity")
        else os.cpu_count() or 1
    )


@contextmanager
def open_executor(
    scheduler: str = THREADS, workers: int | None = None
) -> Iterator[tuple[futures.Executor, int]]:
    """Workers for the time of the ``with`` and how many, by default one for each core;
    a cluster has those it has.
    """
    if workers is not None and workers < 1:
        raise BayesBridgeError(
            f"{workers} workers: a study needs at least 1", workers=workers
        )
    size = workers or cores()
    if scheduler == THREADS:
        with futures.ThreadPoolExecutor(size) as threads:
            yield threads, size
    elif scheduler == PROCESSES:
        # Spawned, not forked: a fork of a process with compiled threads may hang.
        context = multiprocessing.get_context("spawn")
        with futures.ProcessPoolExecutor(
            size, context, initializer=_serve
        ) as processes:
            _start(processes)
            yield processes, size
    elif ":" in scheduler:
        with _cluster(scheduler) as pool:
            yield pool
    else:
        raise BayesBridgeError(
            f"unknown scheduler {scheduler!r}: write threads, processes, or an address such as tcp://10.0.0.1:8786",
            scheduler=scheduler,
        )


@contextmanager
def _cluster(address: str) -> Iterator[tuple[futures.Executor, int]]:
    try:
        from distributed import Client
    except ImportError:
        raise BayesBridgeError(
            f"scheduler {address!r} needs Dask, which is not installed: pip install dask distributed",
            scheduler=address,
        ) from None
    client = None
    try:
        try:
            client = Client(address, timeout=REACH_SECONDS)
            client.wait_for_workers(1, timeout=REACH_SECONDS)
        except Exception as error:
            what = (
                "no Dask scheduler answers"
                if client is None
                else "no worker of the Dask scheduler is"
            )
            raise BayesBridgeError(
                f"{what} at {address!r} ({type(error).__name__}): start 'dask scheduler', then 'dask worker {address}'",
                scheduler=address,
            ) from None
        # Not pure: the answer depends on the version of the workers too.
        yield client.get_executor(pure=False), sum(client.nthreads().values())
    finally:
        with suppress(
            Exception
        ):  # a scheduler that is gone must not hide why the run ended
            if client is not None:
                client.close()


def _start(processes: futures.Executor) -> None:
    """Start the workers with interrupts ignored, since one that comes while they are
    imported would be told by each.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    usual = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        processes.submit(os.getpid)
    finally:
        signal.signal(signal.SIGINT, usual)


def _serve() -> None:
    """A worker process leaves interrupts to its parent, and does not outlive it however
    that ends.
    """

    def end_with_parent() -> None:
        if (parent := multiprocessing.parent_process()) is not None:
            parent.join()
            os._exit(1)

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with_parent, daemon=True).start()
