"""What a deal of each study costs, on one core.

    python benchmarks/speed/bench_studies.py [--json | --write]

One chunk of each study, in processor time; what a trillion deals would take follows
from it. Then what it costs to hand out chunks in which there is nothing to do. Dask is
left out if it is not installed.
"""

from __future__ import annotations

import tempfile
from dataclasses import replace
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
    rows = []
    for name, job in JOBS.items():
        spent = (
            seconds(lambda job=job: job.count(np.random.SeedSequence(1), job.chunk))
            / job.chunk
        )
        rows.append(
            (
                name,
                1e9 * spent,
                3e7 * spent,
                1e12 * spent / 3600,
                1e12 * spent / 3600 / 64,
            )
        )
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


def spent(setting: RunOptions, folder: Path | None = None) -> float:
    """Milliseconds of this process for each chunk, the start of workers left out;
    checkpoints go into the folder.
    """
    times = []
    for chunks in (4, 4 + CHUNKS):
        if folder is not None:
            setting = replace(setting, checkpoint=folder / f"{chunks}")
        times.append(
            once(
                lambda chunks=chunks, how=setting: run_study(
                    NOTHING, chunks, 1, how=how
                )
            )
        )
    return 1000 * (times[1] - times[0]) / CHUNKS


def handing_out() -> Table:
    """What a chunk costs besides its work."""
    rows: list[tuple[Cell, ...]] = [
        (where, spent(RunOptions(2, where))) for where in ("threads", "processes")
    ]
    try:
        from distributed import LocalCluster
    except ImportError:
        rows.append(("Dask: not installed", None))
    else:
        with LocalCluster(
            n_workers=1, threads_per_worker=2, dashboard_address=None
        ) as cluster:
            address = cluster.scheduler_address
            rows.append(
                (
                    "Dask, its scheduler in the same process",
                    spent(RunOptions(scheduler=address)),
                )
            )
    with tempfile.TemporaryDirectory() as folder:
        rows.append(("threads, with a checkpoint", spent(RunOptions(2), Path(folder))))
    return Table(
        "handing-out",
        "What a chunk costs besides its work",
        ("workers", "ms a chunk"),
        rows,
    )


if __name__ == "__main__":
    run(__doc__, studies, handing_out)
