"""Checkpoints: what is kept continues to the same integers; what belongs to another run is refused and left alone."""

import numpy as np
import pytest

from bayesbridge.errors import BayesBridgeError, Unwritable
from bayesbridge.studies import captures, engine
from bayesbridge.studies.engine import Job, Setting

pytestmark = pytest.mark.quick

JOB = Job("captures", captures.count, chunk=1_000)
DEALS, SEED, RUNS = 7_500, 3, 2


def run(path, **changes):
    requested = {"job": JOB, "deals": DEALS, "seed": SEED, "runs": RUNS} | changes
    return engine.run(setting=Setting(2, checkpoint=path), **requested)


@pytest.fixture(scope="module")
def undisturbed():
    return engine.run(JOB, DEALS, SEED, RUNS).by_run


@pytest.fixture
def whole(tmp_path, undisturbed):
    path = tmp_path / "whole"
    assert np.array_equal(run(path).by_run, undisturbed)
    return path


def contents(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_whole_checkpoint_answers_without_drawing(whole, undisturbed):
    before = contents(whole)
    found = run(whole)
    assert np.array_equal(found.by_run, undisturbed)
    assert (found.fresh, found.deals_per_second) == (0, None)
    assert contents(whole) == before


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
        ({"job": Job("captures", captures.count, chunk=999)}, "chunk is 1000 there and 999 here"),
        ({"job": Job("conditions", captures.count, chunk=1000)}, 'study is "captures" there and "conditions" here'),
        ({"job": Job("captures", captures.count, 1000, {"k": 1})}, "k is missing there and 1 here"),
    ],
)
def test_another_run_is_refused_and_the_difference_named(whole, changes, what):
    refused(whole, f"belongs to another run: {what}; give the same options, or name another folder", **changes)


@pytest.mark.parametrize("name", ["notes.txt", "run.json"])
def test_a_foreign_folder_is_refused_and_left_alone(tmp_path, name):
    (tmp_path / name).write_text("hello")
    refused(tmp_path, "is not the checkpoint of a study")


def test_a_folder_that_cannot_be_made_is_one_line(tmp_path):
    with pytest.raises(Unwritable, match="cannot be written"):
        run(tmp_path / ("x" * 300))
