"""A real Dask cluster on the loopback gives the same integers as here.

Also when a worker is killed on the way.
"""

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import bayesbridge
from bayesbridge.errors import BayesBridgeError
from bayesbridge.runtime.progress import watch_progress
from bayesbridge.studies import headline, jobs
from bayesbridge.studies.jobs import Job, RunOptions

ROOT = Path(__file__).parents[2]
JOB = Job("headline", headline.count, chunk=2_000)
PATIENCE = 600  # seconds after which a process is taken to hang


def start(log, *words):
    command = [sys.executable, "-m", "dask", *words]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    with log.open("wb") as file:
        return subprocess.Popen(
            command, cwd=ROOT, env=environment, stdout=file, stderr=file
        )


def wait_for(ready, seconds=PATIENCE):
    deadline = time.monotonic() + seconds
    answer = ready()
    while not answer:
        assert time.monotonic() < deadline, "the cluster did not come up"
        time.sleep(0.05)
        answer = ready()
    return answer


def address_of(folder):
    """Once the scheduler has written it down whole."""

    def read():
        with contextlib.suppress(OSError, ValueError):
            return json.loads((folder / "scheduler.json").read_text())["address"]

    return wait_for(read)


@pytest.fixture
def cluster(tmp_path):
    """Address of a scheduler, and the processes of its two workers."""
    words = (
        "--host",
        "127.0.0.1",
        "--port",
        "0",
        "--no-dashboard",
        "--scheduler-file",
        "scheduler.json",
    )
    started = [
        start(
            tmp_path / "scheduler.log",
            "scheduler",
            *words[:-1],
            str(tmp_path / words[-1]),
        )
    ]
    try:
        address = address_of(tmp_path)
        started += [
            start(
                tmp_path / f"worker-{i}.log",
                *("worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard"),
                *("--local-directory", str(tmp_path / f"worker-{i}")),
            )
            for i in range(2)
        ]
        yield address, started[1:]
    finally:
        for process in reversed(started):
            process.kill()
            process.wait()


def test_a_cluster_does_not_become_the_scheduler_of_everything(cluster):
    import dask

    before = dask.config.get("scheduler", None)
    address, _ = cluster
    jobs.run(JOB, 2_000, 3, 1, RunOptions(scheduler=address))
    assert dask.config.get("scheduler", None) == before
    with pytest.raises(BayesBridgeError, match="no Dask scheduler answers"):
        jobs.run(JOB, 2_000, 3, 1, RunOptions(scheduler="tcp://127.0.0.1:1"))
    assert dask.config.get("scheduler", None) == before


def test_a_cluster_that_loses_a_worker_gives_the_serial_integers(
    cluster, tmp_path, monkeypatch
):
    from distributed import Client

    address, workers = cluster
    with Client(address, timeout=PATIENCE) as client:
        client.wait_for_workers(2)
    deals = 40_000
    killed = []

    def kill_one(_, done, wanted):
        if not killed and done >= wanted // 4:
            workers[0].send_signal(signal.SIGKILL)
            killed.append(done)

    with watch_progress(kill_one):
        result = jobs.run(JOB, deals, 3, 1, RunOptions(scheduler=address))
    assert 0 < killed[0] < deals
    assert workers[0].wait(PATIENCE) == -signal.SIGKILL
    assert workers[1].poll() is None
    serial = jobs.run(JOB, deals, 3, 1, RunOptions(workers=1))
    assert np.array_equal(result.by_run, serial.by_run)
    rows = [
        jobs.rows(JOB, 9_000, 3, how)
        for how in (RunOptions(scheduler=address), RunOptions(workers=1))
    ]
    assert np.array_equal(*rows)
    assert_a_killed_command_is_resumed(address, tmp_path / "kept")
    monkeypatch.setattr(bayesbridge, "__version__", "9.9.9")
    with pytest.raises(BayesBridgeError, match=r"a worker on .* has bayesbridge"):
        jobs.run(JOB, deals, 3, 1, RunOptions(scheduler=address))


def assert_a_killed_command_is_resumed(address, kept):
    command = [
        sys.executable,
        "-m",
        "bayesbridge",
        "study",
        "comparative",
        "--deals",
        "3e6",
        "--json",
    ]
    cluster = [*command, "--scheduler", address, "--resume", str(kept)]

    def counts(words):
        done = subprocess.run(
            words, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE
        )
        assert (done.returncode, done.stderr) == (0, "")
        return json.loads(done.stdout)["counts"]

    process = subprocess.Popen(
        cluster, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    wait_for(lambda: len(list(kept.glob("*.npy"))) > 1 or process.poll() is not None)
    process.send_signal(signal.SIGKILL)
    assert process.wait(PATIENCE) == -signal.SIGKILL
    assert 1 < len(list(kept.glob("*.npy"))) < 6
    assert counts(cluster) == counts([*command, "--workers", "1"])


def test_no_scheduler_at_the_address_is_one_line(monkeypatch):
    monkeypatch.setattr(jobs, "REACH_SECONDS", 1)
    with (
        pytest.raises(
            BayesBridgeError,
            match=r"no Dask scheduler answers at 'tcp://127\.0\.0\.1:9'",
        ) as caught,
        jobs.open_executor("tcp://127.0.0.1:9"),
    ):
        pass
    assert "\n" not in str(caught.value)


def test_without_dask_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with (
        pytest.raises(BayesBridgeError, match=r"pip install dask distributed"),
        jobs.open_executor("tcp://x:1"),
    ):
        pass
