"""The engine: every deal once, the same integers whatever the workers; a failure ends the run in one line."""

import os
import signal

import numpy as np
import pytest

from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies import captures, engine, headline
from bayesbridge.studies.engine import CHUNK, Job, Setting


def tally(chunk, size):
    """A cheap job: how many deals, and a checksum of the stream that the chunk would use."""
    return np.array([size, 1, int(chunk.generate_state(1)[0])], dtype=np.int64)


TALLY = Job("tally", tally)


@pytest.mark.parametrize("job", [captures.STUDY.job, Job("headline", headline.count, chunk=5_000)])
def test_the_same_integers_for_any_number_of_workers(job):
    deals = 3 * job.chunk + 17
    runs = [engine.run(job, deals, 5, 1, Setting(workers)) for workers in (1, 2, 5, None)]
    assert all(np.array_equal(run.counts, runs[0].counts) for run in runs)
    assert runs[0].deals == runs[0].fresh == deals


def test_processes_give_the_same_integers_as_threads():
    job = Job("headline", headline.count, chunk=5_000)
    one, two = (engine.run(job, 23_456, 7, 2, Setting(2, scheduler)) for scheduler in ("threads", "processes"))
    assert np.array_equal(one.by_run, two.by_run)
    assert one.by_run.shape == (2, 1569)


@pytest.mark.parametrize("deals", [1, CHUNK - 1, CHUNK, CHUNK + 1, 100 * CHUNK])
def test_chunks_cover_the_deals_with_the_seeds_that_spawn_gives(deals):
    chunks = -(-deals // CHUNK)
    children = np.random.SeedSequence(9).spawn(chunks)
    checksum = sum(int(child.generate_state(1)[0]) for child in children)
    assert engine.run(TALLY, deals, 9, 1, Setting(3)).counts.tolist() == [deals, chunks, checksum]


def test_runs_are_further_chunks_and_the_first_run_is_the_run_alone():
    deals = 2 * CHUNK + 5
    children = np.random.SeedSequence(4).spawn(9)
    three = engine.run(TALLY, deals, 4, 3, Setting(2))
    for run in range(3):
        checksum = sum(int(child.generate_state(1)[0]) for child in children[3 * run : 3 * run + 3])
        assert three.by_run[run].tolist() == [deals, 3, checksum]
    assert engine.run(TALLY, deals, 4).counts.tolist() == three.by_run[0].tolist()
    assert three.deals == 3 * deals


def test_a_chunk_that_fails_ends_the_run():
    sizes = []

    def failing(chunk, size):
        sizes.append(size)
        if size > 1:
            raise RuntimeError("in a chunk")
        return np.zeros(1, dtype=np.int64)

    with pytest.raises(RuntimeError, match="in a chunk"):
        engine.run(Job("bad", failing), 1000 * CHUNK, 1, 1, Setting(2))
    assert len(sizes) <= 1 + 2 * 2


def deadly(chunk, size):
    """Kills the worker process at chunk 3."""
    if size > 1 and chunk.spawn_key == (3,):
        os.kill(os.getpid(), signal.SIGKILL)
    return headline.count(chunk, size)


def test_a_killed_worker_process_ends_the_run_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    import test_engine as by_name  # pytest calls this module otherwise, and a worker process must find it by name

    job = Job("headline", by_name.deadly, chunk=1_000)
    with pytest.raises(BayesBridgeError, match="a worker process ended before the work of 'headline'"):
        engine.run(job, 8_000, 1, 1, Setting(2, "processes", tmp_path / "kept"))


@pytest.mark.parametrize(
    ("deals", "runs", "workers", "what"),
    [(0, 1, 1, "0 deals"), (-5, 1, 1, "-5 deals"), (1, 0, 1, "0 runs"), (1, 1, 0, "0 workers")],
)
def test_nothing_to_do_is_an_error(deals, runs, workers, what):
    with pytest.raises(BayesBridgeError, match=what):
        engine.run(TALLY, deals, 1, runs, Setting(workers))
