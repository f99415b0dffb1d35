"""Jobs: every deal once, the same integers whatever the workers.

Checkpoints; failures in one line.
"""

import os
import signal
from collections import namedtuple
from concurrent import futures
from types import SimpleNamespace

import cloudpickle
import numpy as np
import pandas
import pytest

import bayesbridge
from bayesbridge import Hand
from bayesbridge.errors import BayesBridgeError, Unwritable
from bayesbridge.runtime.progress import watch_progress
from bayesbridge.studies import captures, comparative, headline, jobs
from bayesbridge.studies.jobs import CHUNK, Job, RunOptions


def tally(chunk, size):
    """A cheap job that counts deals.

    With a checksum of the stream that the chunk would use.
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


def named(chunk, size):
    """A chunk whose columns have names."""
    random = np.random.default_rng(chunk)
    rows = np.zeros(size, [("points", np.float64), ("longest", np.int64)])
    rows["points"] = random.random(size)
    rows["longest"] = random.integers(4, 14, size)
    return rows


def test_rows_keep_the_names_of_their_columns(tmp_path):
    job = Job("named", named, chunk=10)
    expected = np.concatenate([named(child, 10) for child in children(7, 3)])
    for _ in range(2):  # fresh, and from the checkpoint
        rows = jobs.rows(job, 30, 7, RunOptions(2, checkpoint=tmp_path))
        assert rows.dtype.names == ("points", "longest")
        assert np.array_equal(rows, expected)


Pair = namedtuple("Pair", "points longest")


@pytest.mark.parametrize(
    "answer",
    [
        {"points": 3.0},
        [{"points": 3.0}],
        Pair(3.0, 4),
        [Pair(3.0, 4)],
        pandas.DataFrame({"points": [3.0]}),
        np.array([None]),
    ],
)
def test_rows_whose_names_would_be_lost_are_refused(answer):
    with pytest.raises(BayesBridgeError, match="return an array of numbers") as caught:
        jobs.rows(Job("named", lambda *_: answer), 1)
    assert caught.value.data["value"] is answer


HANDS = ["AKQ2.KJ3.A54.Q32", "AKQJT98765432...", "T98.764.J32.T987", "A432.K43.J54.Q32"]


def suit_lengths(_, hand):
    return [len(suit) for suit in Hand.of(hand).pbn.split(".")]


@pytest.mark.parametrize("chunk", [1, 3, 9])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_study_over_positions_has_a_row_for_each(chunk, workers):
    job = Job.over(HANDS, suit_lengths, chunk=chunk)
    rows = jobs.rows(job, len(HANDS), 1, RunOptions(workers))
    assert rows.tolist() == [suit_lengths(None, hand) for hand in HANDS]


def test_a_position_that_fails_is_named_and_what_was_done_is_kept(tmp_path):
    hands = [*HANDS, HANDS[0], "AKQ2.KJ3", HANDS[1], HANDS[2]]
    job = Job.over(hands, suit_lengths, chunk=2)
    line = r"position 5 \(number 1 of chunk 2, counted from 0\), 'AKQ2.KJ3': NotationError: "
    with pytest.raises(BayesBridgeError, match=line) as caught:
        jobs.rows(job, len(hands), 1, RunOptions(1, checkpoint=tmp_path))
    assert caught.value.data["number"] == 5
    assert (
        "in chunk 2 of 'suit_lengths'; what is done is kept"
        in caught.value.__notes__[0]
    )
    kept = sorted(path.stem for path in tmp_path.glob("chunk-*.npy"))
    # A chunk after the one that failed may have been done before that was seen.
    assert kept[:2] == ["chunk-00000000", "chunk-00000001"]
    assert "chunk-00000002" not in kept


def test_a_chunk_that_ends_beside_one_that_fails_is_kept(tmp_path, monkeypatch):
    def wait(pending, **_):
        """Until all are done, and shows the one that failed first."""
        done = futures.wait(pending).done
        return SimpleNamespace(
            done=sorted(done, key=lambda future: not future.exception())
        )

    def count(chunk, _):
        if chunk.spawn_key == (0,):
            raise RuntimeError("in a chunk")
        return np.zeros(1, dtype=np.int64)

    shown = SimpleNamespace(**{**vars(futures), "wait": wait})
    monkeypatch.setattr(jobs, "futures", shown)
    job = Job("beside", count, chunk=1)
    with pytest.raises(RuntimeError, match="in a chunk"):
        jobs.rows(job, 2, 1, RunOptions(2, checkpoint=tmp_path))
    assert [path.stem for path in tmp_path.glob("chunk-*.npy")] == ["chunk-00000001"]


def test_other_positions_are_another_run(tmp_path):
    how = RunOptions(1, checkpoint=tmp_path)
    jobs.rows(Job.over(HANDS, suit_lengths), len(HANDS), 1, how)
    with pytest.raises(BayesBridgeError, match="belongs to another run: positions is"):
        jobs.rows(Job.over(HANDS[::-1], suit_lengths), len(HANDS), 1, how)


def test_the_package_is_pickled_by_its_name():
    """A function of a script that says ``bb`` can go to a cluster, as Dask sends it."""
    assert cloudpickle.loads(cloudpickle.dumps(bayesbridge)) is bayesbridge


def children(seed, number):
    """Seeds of chunks."""
    return np.random.SeedSequence(seed).spawn(number)


@pytest.mark.parametrize(
    "study", [captures, pytest.param(headline, marks=pytest.mark.slow)]
)
def test_the_same_integers_for_any_number_of_workers(study):
    job = Job("some", study.count, chunk=5_000)
    deals = 15_017
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
    ("deals", "runs", "workers", "complaint"),
    [
        (0, 1, 1, "0 deals"),
        (-5, 1, 1, "-5 deals"),
        (1, 0, 1, "0 runs"),
        (1, 1, 0, "0 workers"),
    ],
)
def test_nothing_to_do_is_an_error(deals, runs, workers, complaint):
    with pytest.raises(BayesBridgeError, match=complaint):
        jobs.run(TALLY, deals, 1, runs, RunOptions(workers))


JOB = Job("captures", captures.count, chunk=1_000)
DEALS = 7_500
SEED = 3
RUNS = 2


def run(path, **changes):
    requested = {"job": JOB, "deals": DEALS, "seed": SEED, "runs": RUNS} | changes
    return jobs.run(how=RunOptions(2, checkpoint=path), **requested)


@pytest.fixture(scope="module")
def undisturbed():
    return jobs.run(JOB, DEALS, SEED, RUNS).by_run


@pytest.fixture
def finished(tmp_path, undisturbed):
    path = tmp_path / "whole"
    assert np.array_equal(run(path).by_run, undisturbed)
    return path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.quick
def test_a_whole_checkpoint_answers_without_drawing(finished, undisturbed):
    before = contents(finished)
    answer = run(finished)
    assert np.array_equal(answer.by_run, undisturbed)
    assert (answer.fresh, answer.deals_per_second) == (0, None)
    assert contents(finished) == before


@pytest.mark.quick
def test_chunks_that_are_missing_or_unreadable_are_counted_again(finished, undisturbed):
    before = contents(finished)
    lost, emptied, truncated, *_ = sorted(finished.glob("*.npy"))
    lost.unlink()
    emptied.write_bytes(b"")
    truncated.write_bytes(truncated.read_bytes()[:-3])
    (finished / ".0123.part").write_bytes(b"of a run that was killed")
    answer = run(finished)
    assert np.array_equal(answer.by_run, undisturbed)
    assert answer.fresh == 3_000
    (finished / ".0123.part").unlink()
    assert contents(finished) == before


def refused(path, match, **changes):
    before = contents(path)
    with pytest.raises(BayesBridgeError, match=match) as caught:
        run(path, **changes)
    assert "\n" not in str(caught.value)
    assert contents(path) == before


@pytest.mark.parametrize(
    ("changes", "difference"),
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
def test_another_run_is_refused_and_the_difference_named(finished, changes, difference):
    refused(
        finished,
        f"belongs to another run: {difference}; give the same options, or name another folder",
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
