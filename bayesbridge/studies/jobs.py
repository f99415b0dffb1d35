"""Runs the job of a study in chunks, so that the answer depends on the seed alone.

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
from contextlib import AbstractContextManager, closing, contextmanager, suppress
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
"""Key of a checkpoint: a digest of the function's source.

Checkpoints made before it was kept have none, and are read.
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
            What else the answer depends on. A checkpoint made with others is refused;
            a digest of the positions is added, so that it is one for these positions.

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

        def positions_of_chunk(chunk_number: int) -> Subject:
            """The positions that a chunk asks about, and where they stand among all."""
            first = chunk_number * chunk
            return Subject(
                chunk=chunk_number,
                first=first,
                positions=tuple(positions[first : first + chunk]),
            )

        all_parameters = dict(parameters or {})
        all_parameters["positions"] = _digest(repr(list(positions)))
        return cls(
            name=name or ask.__name__,
            # Called for each chunk with what ``given`` returns: asks of each position.
            count=AskEach(ask),
            given=positions_of_chunk,
            chunk=chunk,
            parameters=all_parameters,
            noun="positions",
        )


def _digest(text: str) -> str:
    """Twelve digits that differ where texts differ."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


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
        """The answers for the positions of one chunk, a row each.

        An error names the position that failed.
        """
        import numpy as np

        answers = []
        seeds = seed.spawn(len(subject.positions))
        for index, position in enumerate(subject.positions):
            try:
                answers.append(self.func(seeds[index], position))
            except Exception as error:
                number_among_all = subject.first + index
                raise BayesBridgeError(
                    f"position {number_among_all} (number {index} of chunk "
                    f"{subject.chunk}, counted from 0), {shorten(position)}: "
                    f"{raised(error)}",
                    position=position,
                    number=number_among_all,
                ) from error
        return np.array(answers)


@dataclass(frozen=True, slots=True)
class RunOptions:
    """How to run a job. Nothing here changes the counts.

    Parameters
    ----------
    workers : int, optional
        Threads or processes (default: one for each core).
    scheduler : str
        ``threads``, ``processes``, or the address of a Dask scheduler.
    checkpoint : Path, optional
        The folder of finished chunks, which are not counted again.
    """

    workers: int | None = None
    scheduler: str = THREADS
    checkpoint: Path | None = None


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
        """Chunk number ``index`` of runs of so many deals, in chunks of ``size``.

        The last of a run may be smaller.
        """
        run, index_in_run = divmod(index, chunks_of_run(deals, size))
        deals_left_of_run = deals - index_in_run * size
        return cls(number=index, run=run, size=min(size, deals_left_of_run))


def chunks_of_run(deals: int, size: int) -> int:
    """How many chunks of ``size`` a run of so many deals has."""
    return -(-deals // size)


class CountedChunk(NamedTuple):
    """A chunk that is finished."""

    chunk: Chunk
    counts: Counts
    is_new: bool  # and not from the checkpoint


RUN_FILE: Final = "run.json"
CHUNK_FILES: Final = "chunk-*.npy"


def _chunk_number(path: Path) -> int:
    """The number of the chunk that a file of a checkpoint holds."""
    return int(path.stem.removeprefix("chunk-"))


def checkpoint_progress(folder: Path, noun: str) -> str:
    """How much of a run its checkpoint holds, such as "500 of 1 000 deals".

    ``noun`` says what is counted.
    """
    with suppress(OSError, ValueError, KeyError, TypeError):
        parameters = json.loads((folder / RUN_FILE).read_text("utf-8"))
        deals_of_run = parameters["deals"]
        deals_done = 0
        for path in folder.glob(CHUNK_FILES):
            # Chunks are numbered through all runs; the last of a run may be smaller.
            chunk = Chunk.at(deals_of_run, parameters["chunk"], _chunk_number(path))
            deals_done += chunk.size
        all_deals = deals_of_run * parameters["runs"]
        return f"{number(deals_done)} of {number(all_deals)} {noun}"
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
    # One deal compiles and loads tables before the clock starts.
    sample = job.count(np.random.SeedSequence(0), 1)
    by_run = np.zeros((runs, len(sample)), dtype=np.int64)
    fresh = 0
    started = time.perf_counter()
    for chunk, counts, is_new in results(job, deals, seed, runs, how):
        by_run[chunk.run] += counts
        if is_new:
            fresh += chunk.size
    seconds = time.perf_counter() - started
    return Run(by_run, deals * runs, seconds, fresh)


def results(
    job: Job, deals: int, seed: int, runs: int = 1, how: RunOptions | None = None
) -> Iterator[CountedChunk]:
    """Every chunk of a job as it is finished, those of the checkpoint first.

    A job has ``runs`` times ``deals`` deals; its chunks are numbered from 0 through all
    runs.
    """
    options = how or RunOptions()
    chunk_of_number = partial(Chunk.at, deals, job.chunk)
    checkpoint = None
    if options.checkpoint is not None:
        parameters = _run_parameters(job, deals, seed, runs)
        checkpoint = _Checkpoint(options.checkpoint, parameters)
    finished: set[int] = set()
    deals_done = 0
    if checkpoint is not None:
        for number_of_chunk, counts in checkpoint.read():
            finished.add(number_of_chunk)
            chunk = chunk_of_number(number_of_chunk)
            deals_done += chunk.size
            yield CountedChunk(chunk, counts, is_new=False)
    all_deals = deals * runs
    if deals_done == all_deals:
        return
    numbers = range(chunks_of_run(deals, job.chunk) * runs)
    remaining = (chunk_of_number(n) for n in numbers if n not in finished)
    # Closed at once where the caller stops early, so that no worker is left.
    with closing(_work(job, seed, remaining, options)) as work:
        for chunk, counts in work:
            if checkpoint is not None:
                checkpoint.write(chunk.number, counts)
            deals_done += chunk.size
            report_progress(job.noun, deals_done, all_deals)
            yield CountedChunk(chunk, counts, is_new=True)


def _run_parameters(job: Job, deals: int, seed: int, runs: int) -> dict[str, Any]:
    """All that the counts of a run depend on, for its checkpoint."""
    return {
        "study": job.name,
        "version": bayesbridge.__version__,
        "seed": seed,
        "deals": deals,
        "runs": runs,
        "chunk": job.chunk,
        **job.parameters,
        SOURCE: _source_digest(job.count),
    }


def in_order(
    job: Job, deals: int, seed: int, how: RunOptions | None = None
) -> Iterator[Counts]:
    """The counts of each chunk in the order of their numbers, whoever was ready first."""
    waiting: dict[int, Counts] = {}
    next_number = 0
    for chunk, counts, _is_new in results(job, deals, seed, 1, how):
        waiting[chunk.number] = counts
        while next_number in waiting:
            yield waiting.pop(next_number)
            next_number += 1


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

    blocks = []
    for values in in_order(job, deals, seed, how):
        has_fields = values.dtype.names is not None
        blocks.append(np.atleast_1d(values) if has_fields else np.atleast_2d(values))
    return np.concatenate(blocks)


def _source_digest(count: Count) -> str | None:
    """A digest of the source of a function, without that of the functions it calls.

    ``None`` where there is no source.
    """
    with suppress(OSError, TypeError):
        # Of a partial function, or of ``AskEach``, the function inside.
        return _digest(inspect.getsource(getattr(count, "func", count)))
    return None


# What Python raises where a path is no folder, or a folder has not the file asked for.
NO_FOLDER: Final = (FileExistsError, FileNotFoundError, NotADirectoryError)
# What it raises for a file that is no text or no JSON, or nested too deeply.
NO_JSON: Final = (ValueError, RecursionError)


class _Checkpoint:
    """A folder with the finished chunks of one run.

    ``run.json`` says which run it belongs to, and each chunk is a file; a damaged file
    is none.

    Parameters
    ----------
    folder : Path
        Made if it is missing. One that holds something else is refused.
    parameters : mapping
        All that the counts depend on. A folder made with others is refused.
    """

    def __init__(self, folder: Path, parameters: Mapping[str, Any]) -> None:
        self.folder = folder
        as_read = json.loads(json.dumps(parameters))
        self._verify_run(as_read, self._kept_parameters(as_read))

    def _kept_parameters(self, parameters: Mapping[str, Any]) -> dict[str, Any]:
        """What ``run.json`` says; into an empty folder these parameters are written.

        A folder without it, or in which it is no JSON, is no checkpoint.
        """
        path = self.folder / RUN_FILE
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            # A run that was killed at its start may have left a part of a file.
            files = self.folder.iterdir()
            is_empty = all(file.suffix == ".part" for file in files)
            if is_empty:
                text = json.dumps(parameters, indent=1)
                with whole_file(path) as unfinished:
                    unfinished.write_text(f"{text}\n", "utf-8")
            document = json.loads(path.read_text("utf-8"))
        except (*NO_FOLDER, *NO_JSON):
            raise BayesBridgeError(
                f"{str(self.folder)!r} is not the checkpoint of a study: it is left as "
                "it is; name another folder",
                path=self.folder,
            ) from None
        except OSError as error:
            raise self._unwritable(error) from None
        return document if isinstance(document, dict) else {}

    def _verify_run(
        self, parameters: Mapping[str, Any], kept: Mapping[str, Any]
    ) -> None:
        """Refuse the checkpoint of another run: ``kept`` is what it was made with."""
        for key in {**parameters, **kept}:
            # Checkpoints of older versions have no digest of the source.
            if key == SOURCE and key not in kept:
                continue
            if parameters.get(key) != kept.get(key):
                kept_value = _json_value(kept, key)
                own_value = _json_value(parameters, key)
                raise BayesBridgeError(
                    f"checkpoint {str(self.folder)!r} belongs to another run: {key} is "
                    f"{kept_value} there and {own_value} here; give the same options, or name "
                    "another folder",
                    path=self.folder,
                    key=key,
                )

    def read(self) -> Iterator[tuple[int, Counts]]:
        """The finished chunks: their numbers and counts."""
        import numpy as np

        for path in sorted(self.folder.glob(CHUNK_FILES)):
            with suppress(OSError, ValueError, EOFError):
                yield _chunk_number(path), np.load(path, allow_pickle=False)

    def write(self, number: int, counts: Counts) -> None:
        """Keep a finished chunk; on return it is on the disk."""
        import numpy as np

        # Written straight to a file, NumPy would not notice that the disk is full.
        content = BytesIO()
        np.save(content, counts, allow_pickle=False)
        try:
            with whole_file(self.folder / f"chunk-{number:08d}.npy") as unfinished:
                unfinished.write_bytes(content.getvalue())
        except OSError as error:
            raise self._unwritable(error) from None

    def _unwritable(self, error: OSError) -> Unwritable:
        return Unwritable(
            f"checkpoint {str(self.folder)!r} cannot be written ({error.strerror}): "
            "what it holds is good; make room and continue with --resume",
            path=self.folder,
        )


def _json_value(parameters: Mapping[str, Any], key: str) -> str:
    """A parameter as a message shows it."""
    return json.dumps(parameters[key]) if key in parameters else "missing"


def count_chunk(
    count: Count, version: str, seed: int, index: int, size: int, *subject: Any
) -> Counts:
    """One chunk, wherever it is computed.

    A worker of another version might give other numbers, and is refused.
    """
    import numpy as np

    if version != bayesbridge.__version__:
        raise BayesBridgeError(
            f"a worker on {platform.node()} has bayesbridge {bayesbridge.__version__} "
            f"and the run has {version}: install the same on both and start the worker "
            "again",
            version=version,
        )
    seed_of_chunk = np.random.SeedSequence(seed, spawn_key=(index,))
    return as_array(count(seed_of_chunk, size, *subject))


def as_array(answer: Any) -> NDArray[Any]:
    """What a chunk gave, as numbers or as a structured array.

    An answer that would lose the names of its columns is refused.
    """
    import numpy as np

    # The answer itself may name its columns, or each row of it.
    answer_and_first_row = [answer]
    if isinstance(answer, list | tuple):
        answer_and_first_row += answer[:1]
    array = np.asarray(answer)
    if array.dtype.hasobject or any(map(_names_columns, answer_and_first_row)):
        raise WrongArgument(
            f"a chunk gave {shorten(answer)}: return an array of numbers, a structured "
            "array where columns have names",
            argument="count",
            value=answer,
        )
    return array


def _names_columns(value: object) -> bool:
    """Whether it is a named tuple, a mapping or a table."""
    return (
        isinstance(value, Mapping)
        or hasattr(value, "_fields")
        or hasattr(value, "columns")
    )


CHUNKS_A_WORKER: Final = 2
"""Chunks that are handed out for each worker: none waits, and memory is bounded."""


def _work(
    job: Job, seed: int, chunks: Iterator[Chunk], how: RunOptions
) -> Generator[tuple[Chunk, Counts]]:
    """Every chunk with its counts, in the order in which workers finish them."""
    advice = _advice_on_what_is_done(how)
    with open_executor(how.scheduler, how.workers) as (executor, workers):
        pending: dict[futures.Future[Counts], Chunk] = {}
        try:
            yield from _finish_chunks(
                executor, job, seed, chunks, pending, CHUNKS_A_WORKER * workers, advice
            )
        except (futures.BrokenExecutor, futures.CancelledError, asyncio.CancelledError):
            # The executor is gone, and what is pending with it.
            who = f"the scheduler {how.scheduler!r}"
            if how.scheduler == PROCESSES:
                who = "a worker process"
            raise BayesBridgeError(
                f"{who} ended before the work of {job.name!r} was done: start it again; "
                f"{advice}"
            ) from None
        except BaseException:
            # A chunk failed, or nobody wants the others: they are called off.
            for future in pending:
                future.cancel()
            executor.shutdown(wait=False)
            raise


def _finish_chunks(
    executor: futures.Executor,
    job: Job,
    seed: int,
    chunks: Iterator[Chunk],
    pending: dict[futures.Future[Counts], Chunk],
    most_pending: int,
    advice: str,
) -> Generator[tuple[Chunk, Counts]]:
    """Hand out chunks, so many at a time, and yield each with its counts.

    ``pending`` has those that are handed out and not yet yielded. The error of a chunk
    that fails gets a note that names the chunk and gives ``advice``.
    """
    while True:
        for chunk in islice(chunks, most_pending - len(pending)):
            pending[_submit(executor, job, seed, chunk)] = chunk
        if not pending:
            return
        done = futures.wait(pending, return_when=futures.FIRST_COMPLETED).done
        # What is finished comes first: no chunk that fails and no scheduler that is
        # gone takes it along.
        for future in sorted(done, key=_has_failed):
            name = f"chunk {pending[future].number} of {job.name!r}"
            with _adding_note(f"This was in {name}; {advice}."):
                counts = future.result()
            yield pending.pop(future), counts


def _advice_on_what_is_done(how: RunOptions) -> str:
    """What becomes of finished chunks when a run fails."""
    if how.checkpoint is not None:
        return f"what is done is kept, continue with --resume {how.checkpoint}"
    return (
        "give --resume FOLDER, or RunOptions(checkpoint=FOLDER), next time, so that "
        "what is done stays"
    )


def _submit(
    executor: futures.Executor, job: Job, seed: int, chunk: Chunk
) -> futures.Future[Counts]:
    """Hand a chunk to the workers, with its subject, such as its boards, if it has one."""
    subject = () if job.given is None else (job.given(chunk.number),)
    return executor.submit(
        count_chunk,
        job.count,
        bayesbridge.__version__,
        seed,
        chunk.number,
        chunk.size,
        *subject,
    )


@contextmanager
def _adding_note(note: str) -> Iterator[None]:
    """Add a note to what is raised."""
    try:
        yield
    except Exception as error:
        error.add_note(note)
        raise


def _has_failed(future: futures.Future[Counts]) -> bool:
    return future.cancelled() or future.exception() is not None


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


type Pool = tuple[futures.Executor, int]
"""Workers, and how many they are."""


@contextmanager
def open_executor(
    scheduler: str = THREADS, workers: int | None = None
) -> Iterator[Pool]:
    """Workers for the time of the ``with``, and how many they are.

    Parameters
    ----------
    scheduler : str
        ``threads``, ``processes``, or the address of a Dask scheduler.
    workers : int, optional
        How many (default: one for each core); a cluster has those it has.
    """
    if workers is not None and workers < 1:
        raise BayesBridgeError(
            f"{workers} workers: a study needs at least 1", workers=workers
        )
    with _pool(scheduler, workers or cores()) as pool:
        yield pool


def _pool(scheduler: str, workers: int) -> AbstractContextManager[Pool]:
    if scheduler == THREADS:
        return _threads(workers)
    if scheduler == PROCESSES:
        return _processes(workers)
    if ":" in scheduler:
        return _cluster(scheduler)
    raise BayesBridgeError(
        f"unknown scheduler {scheduler!r}: write threads, processes, or an address "
        "such as tcp://10.0.0.1:8786",
        scheduler=scheduler,
    )


@contextmanager
def _threads(workers: int) -> Iterator[Pool]:
    with futures.ThreadPoolExecutor(workers) as executor:
        yield executor, workers


@contextmanager
def _processes(workers: int) -> Iterator[Pool]:
    # Spawned, not forked: a fork of a process with compiled threads may hang.
    context = multiprocessing.get_context("spawn")
    with futures.ProcessPoolExecutor(
        workers, context, initializer=_prepare_worker
    ) as executor:
        _start_workers(executor)
        yield executor, workers


@contextmanager
def _cluster(address: str) -> Iterator[Pool]:
    try:
        from distributed import Client
    except ImportError:
        raise BayesBridgeError(
            f"scheduler {address!r} needs Dask, which is not installed: pip install "
            "dask distributed",
            scheduler=address,
        ) from None
    try:
        # The default scheduler of whatever else uses Dask here stays what it is.
        client = Client(address, timeout=REACH_SECONDS, set_as_default=False)
    except Exception as error:
        raise _unreachable("no Dask scheduler answers", address, error) from None
    try:
        try:
            client.wait_for_workers(1, timeout=REACH_SECONDS)
        except Exception as error:
            problem = "no worker of the Dask scheduler is"
            raise _unreachable(problem, address, error) from None
        # Not pure: the answer depends on the version of the workers too.
        yield client.get_executor(pure=False), sum(client.nthreads().values())
    finally:
        # A scheduler that is gone must not hide why the run ended.
        with suppress(Exception):
            client.close()


def _unreachable(problem: str, address: str, error: Exception) -> BayesBridgeError:
    return BayesBridgeError(
        f"{problem} at {address!r} ({type(error).__name__}): start 'dask scheduler', "
        f"then 'dask worker {address}'",
        scheduler=address,
    )


def _start_workers(executor: futures.Executor) -> None:
    """Start worker processes with interrupts ignored.

    An interrupt that comes while they are imported would be told by each.
    """
    if threading.current_thread() is not threading.main_thread():
        return
    usual_handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        executor.submit(os.getpid)
    finally:
        signal.signal(signal.SIGINT, usual_handler)


def _prepare_worker() -> None:
    """Make a worker process leave interrupts to its parent, and end when it ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
