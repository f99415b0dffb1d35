"""Jobs: every deal once, the same integers whatever the workers; checkpoints; failures
in one line.
"""

import os
import pickle
import signal

import numpy as np
import pytest

import bayesbridge
from bayesbridge.errors import BayesBridgeError, Unwritable
from bayesbridge.progress import watch_progress
from bayesbridge.studies import captures, comparative, headline, jobs
from bayesbridge.studies.jobs import CHUNK, Job, RunOptions


def tally(chunk, size):
    """A cheap job: how many deals, and a checksum of the stream that the chunk would
    use.
    """
    return np.array([size, 1, int(chunk.generate_state(1)[0])], dtype=np.int64)


TALLY = Job("tally", tally)


def values(chunk, size):
    """A chunk with a row for each deal."""
    return np.random.default_rng(chunk).random((size, 3))


def test_rows_come_in_the_order_of_the_chunks_whatever_the_workers(tmp_path):
    job = Job("values", values, chunk=10)

    def stop(_, done, deals):
        if done == 40:
            raise KeyboardInterrupt

    expected = np.concatenate(
        [values(child, min(10, 95 - 10 * i)) for i, child in enumerate(children(7, 10))]
    )
    with pytest.raises(KeyboardInterrupt), watch_progress(stop):
        jobs.rows(job, 95, 7, RunOptions(3, checkpoint=tmp_path))
    assert len(list(tmp_path.glob("chunk-*.npy"))) == 4
    for how in (
        RunOptions(1),
        RunOptions(2, "processes"),
        RunOptions(3, checkpoint=tmp_path),
    ):
        assert np.array_equal(jobs.rows(job, 95, 7, how), expected)
    assert jobs.rows(TALLY, 3 * CHUNK, 7).shape == (3, 3)


def test_the_package_is_pickled_by_its_name():
    """A function of a script that says ``bb`` can go to a cluster."""
    assert pickle.loads(pickle.dumps(bayesbridge)) is bayesbridge


def children(seed, number):
    """Seeds of chunks."""
    return np.random.SeedSequence(seed).spawn(number)


@pytest.mark.parametrize(
    "study", [captures, pytest.param(headline, marks=pytest.mark.slow)]
)
def test_the_same_integers_for_any_number_of_workers(study):
    job, deals = Job("some", study.count, chunk=5_000), 15_017
    ways = [*map(RunOptions, (1, 2, 5, None)), RunOptions(2, "processes")]
    runs = [jobs.run(job, deals, 5, 2, how) for how in ways]
    assert all(np.array_equal(run.by_run, runs[0].by_run) for run in runs)
    assert runs[0].deals == runs[0].fresh == 2 * deals


@pytest.mark.parametrize("deals", [1, CHUNK - 1, CHUNK, CHUNK + 1, 100 * CHUNK])
def test_chunks_cover_the_deals_with_the_seeds_that_spawn_gives(deals):
    chunks = -(-deals // CHUNK)
    children = np.random.SeedSequence(9).spawn(chunks)
    checksum = sum(int(child.generate_state(1)[0]) for child in children)
    assert jobs.run(TALLY, deals, 9, 1, RunOptions(3)).counts.tolist() == [
        deals,
        chunks,
        checksum,
    ]


def test_runs_are_further_chunks_and_the_first_run_is_the_run_alone():
    deals = 2 * CHUNK + 5
    children = np.random.SeedSequence(4).spawn(9)
    three = jobs.run(TALLY, deals, 4, 3, RunOptions(2))
    for run in range(3):
        checksum = sum(
            int(child.generate_state(1)[0]) for child in children[3 * run : 3 * run + 3]
        )
        assert three.by_run[run].tolist() == [deals, 3, checksum]
    assert jobs.run(TALLY, deals, 4).counts.tolist() == three.by_run[0].tolist()
    assert three.deals == 3 * deals


def test_a_chunk_that_fails_ends_the_run():
    sizes = []

    def failing(chunk, size):
        sizes.append(size)
        if size > 1:
            raise RuntimeError("in a chunk")
        return np.zeros(1, dtype=np.int64)

    with pytest.raises(RuntimeError, match="in a chunk"):
        jobs.run(Job("bad", failing), 1000 * CHUNK, 1, 1, RunOptions(2))
    assert len(sizes) <= 1 + 2 * 2


def deadly(chunk, size):
    """Kills the worker process at chunk 3."""
    if size > 1 and chunk.spawn_key == (3,):
        os.kill(os.getpid(), signal.SIGKILL)
    return headline.count(chunk, size)


def test_a_killed_worker_process_ends_the_run_in_one_line(tmp_path, monkeypatch):
    monkeypatch.setenv(
        "PYTHONPATH",
        os.pathsep.join([os.path.dirname(__file__), os.environ.get("PYTHONPATH", "")]),
    )
    monkeypatch.syspath_prepend(os.path.dirname(__file__))
    # Pytest calls this module otherwise, and a worker process must find it by name
    import test_jobs as by_name

    job = Job("headline", by_name.deadly, chunk=1_000)
    with pytest.raises(
        BayesBridgeError, match="a worker process ended before the work of 'headline'"
    ):
        jobs.run(job, 8_000, 1, 1, RunOptions(2, "processes", tmp_path / "kept"))


@pytest.mark.parametrize(
    ("deals", "runs", "workers", "what"),
    [
        (0, 1, 1, "0 deals"),
        (-5, 1, 1, "-5 deals"),
        (1, 0, 1, "0 runs"),
        (1, 1, 0, "0 workers"),
    ],
)
def test_nothing_to_do_is_an_error(deals, runs, workers, what):
    with pytest.raises(BayesBridgeError, match=what):
        jobs.run(TALLY, deals, 1, runs, RunOptions(workers))


JOB = Job("captures", captures.count, chunk=1_000)
DEALS, SEED, RUNS = 7_500, 3, 2


def run(path, **changes):
    requested = {"job": JOB, "deals": DEALS, "seed": SEED, "runs": RUNS} | changes
    return jobs.run(how=RunOptions(2, checkpoint=path), **requested)


@pytest.fixture(scope="module")
def undisturbed():
    return jobs.run(JOB, DEALS, SEED, RUNS).by_run


@pytest.fixture
def whole(tmp_path, undisturbed):
    path = tmp_path / "whole"
    assert np.array_equal(run(path).by_run, undisturbed)
    return path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.quick
def test_a_whole_checkpoint_answers_without_drawing(whole, undisturbed):
    before = contents(whole)
    found = run(whole)
    assert np.array_equal(found.by_run, undisturbed)
    assert (found.fresh, found.deals_per_second) == (0, None)
    assert contents(whole) == before


@pytest.mark.quick
def test_chunks_that_are_missing_or_unreadable_are_counted_again(whole, undisturbed):
    before = contents(whole)
    first, second, third, *_ = sorted(whole.glob("*.npy"))
    first.unlink()
    second.write_bytes(b"")
    third.write_bytes(third.read_bytes()[:-3])
    (whole / ".0123.part").write_bytes(b"of a run that was killed")
    found = run(whole)
    assert np.array_equal(found.by_run, undisturbed)
    assert found.fresh == 3_000
    (whole / ".0123.part").unlink()
    assert contents(whole) == before


def refused(path, match, **changes):
    before = contents(path)
    with pytest.raises(BayesBridgeError, match=match) as caught:
        run(path, **changes)
    assert "\n" not in str(caught.value)
    assert contents(path) == before


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": 4}, "seed is 3 there and 4 here"),
        ({"deals": DEALS + 1}, "deals is 7500 there and 7501 here"),
        ({"runs": 3}, "runs is 2 there and 3 here"),
        (
            {"job": Job("captures", captures.count, chunk=999)},
            "chunk is 1000 there and 999 here",
        ),
        (
            {"job": Job("conditions", captures.count, chunk=1000)},
            'study is "captures" there and "conditions" here',
        ),
        (
            {"job": Job("captures", captures.count, 1000, {"k": 1})},
            "k is missing there and 1 here",
        ),
        (
            {"job": Job("captures", comparative.count, chunk=1000)},
            'the counting function is "[0-9a-f]+" there and .*',
        ),
    ],
)
@pytest.mark.quick
def test_another_run_is_refused_and_the_difference_named(whole, changes, what):
    refused(
        whole,
        f"belongs to another run: {what}; give the same options, or name another folder",
        **changes,
    )


@pytest.mark.quick
@pytest.mark.parametrize("name", ["notes.txt", "run.json"])
def test_a_foreign_folder_is_refused_and_left_alone(tmp_path, name):
    (tmp_path / name).write_text("hello")
    refused(tmp_path, "is not the checkpoint of a study")


@pytest.mark.quick
def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    with pytest.raises(Unwritable, match="cannot be written"):
        run(tmp_path / ("x" * 300))
