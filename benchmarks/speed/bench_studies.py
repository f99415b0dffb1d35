"""What a deal of each study costs, on one core.

    python benchmarks/speed/bench_studies.py [--json | --write]

One chunk of each study, in processor time; what a trillion deals would take follows
from it. Then what it costs to hand out chunks in which there is nothing to do. Dask is
left out if it is not installed.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from page import Cell, Table, run
from timing import once, seconds

from bayesbridge.studies import captures, comparative, headline, opponents, strategies
from bayesbridge.studies.jobs import Job, RunOptions
from bayesbridge.studies.jobs import run as run_study

JOBS = {
    "captures, conditions": captures.STUDY.job,
    "comparative": comparative.STUDY.job,
    "headline, play-out included": headline.STUDY.job,
    "strategies, nine play-outs": strategies.STUDY.job,
    f"opponents, {4 * opponents.DRAWS} play-outs a contract": opponents.STUDY.job,
}


CHUNKS = 500


def count_nothing(seed: np.random.SeedSequence, deals: int) -> NDArray[np.int64]:
    """A chunk that is done at once."""
    return np.array([deals + 0 * len(seed.spawn_key)])


NOTHING = Job("nothing", count_nothing, chunk=1)


def studies() -> Table:
    """Nanoseconds a deal, and what they add up to."""
    rows: list[tuple[Cell, ...]] = []
    for name, job in JOBS.items():
        count = partial(job.count, np.random.SeedSequence(1), job.chunk)
        a_deal = seconds(count) / job.chunk
        core_hours = 1e12 * a_deal / 3600
        rows.append((name, 1e9 * a_deal, 3e7 * a_deal, core_hours, core_hours / 64))
    return Table(
        "studies",
        "What a study costs, processor time",
        (
            "study",
            "ns a deal",
            "3 · 10⁷ deals, seconds",
            "10¹² deals, core hours",
            "on 64 cores, hours",
        ),
        rows,
    )


FEW_CHUNKS = 4
"""Those of the run that is taken off, which is all start."""


def milliseconds(how: RunOptions, folder: Path | None = None) -> float:
    """Milliseconds of this process for each chunk, the start of workers left out.

    Checkpoints go into the folder.
    """
    times = []
    for chunks in (FEW_CHUNKS, FEW_CHUNKS + CHUNKS):
        if folder is not None:
            how = replace(how, checkpoint=folder / f"{chunks}")
        times.append(once(partial(run_study, NOTHING, chunks, 1, how=how)))
    few, many = times
    return 1000 * (many - few) / CHUNKS


def handing_out() -> Table:
    """What a chunk costs besides its work."""
    rows: list[tuple[Cell, ...]] = [
        (scheduler, milliseconds(RunOptions(2, scheduler)))
        for scheduler in ("threads", "processes")
    ]
    rows.append(dask_row())
    with tempfile.TemporaryDirectory() as folder:
        with_checkpoint = milliseconds(RunOptions(2), Path(folder))
        rows.append(("threads, with a checkpoint", with_checkpoint))
    return Table(
        "handing-out",
        "What a chunk costs besides its work",
        ("workers", "ms a chunk"),
        rows,
    )


def dask_row() -> tuple[Cell, ...]:
    """The same by Dask, if it is installed."""
    try:
        from distributed import LocalCluster
    except ImportError:
        return ("Dask: not installed", None)
    with LocalCluster(
        n_workers=1, threads_per_worker=2, dashboard_address=None
    ) as cluster:
        how = RunOptions(scheduler=cluster.scheduler_address)
        return ("Dask, its scheduler in the same process", milliseconds(how))


if __name__ == "__main__":
    run(__doc__, studies, handing_out)
