"""Checkpoints: what is kept continues to the same integers; what is damaged or foreign is refused and left alone."""

import json

import numpy as np
import pytest

import bayesbridge
from bayesbridge.errors import BayesBridgeError
from bayesbridge.studies import captures, checkpoint, engine
from bayesbridge.studies.checkpoint import Checkpoint, CheckpointError
from bayesbridge.studies.job import Job, Setting

JOB = Job("captures", captures.count, chunk=1_000)
DEALS, SEED, RUNS = 7_500, 3, 2


def run(path, resume=True, **changes):
    wanted = {"job": JOB, "deals": DEALS, "seed": SEED, "runs": RUNS} | changes
    return engine.run(setting=Setting(2, checkpoint=path, resume=resume), **wanted)


@pytest.fixture(scope="module")
def undisturbed():
    return engine.run(JOB, DEALS, SEED, RUNS).by_run


@pytest.fixture
def whole(tmp_path, undisturbed):
    path = tmp_path / "whole.jsonl"
    assert np.array_equal(run(path, resume=False).by_run, undisturbed)
    return path


def test_one_line_a_chunk_after_the_header(whole):
    header, *lines = map(json.loads, whole.read_text().splitlines())
    assert (header["study"], header["deals"], header["runs"], header["seed"]) == ("captures", DEALS, RUNS, SEED)
    assert sorted(line["chunk"] for line in lines) == list(range(16))
    assert sum(sum(line["cells"].values()) for line in lines) == DEALS * RUNS


def test_a_whole_file_answers_without_drawing(whole, undisturbed):
    before = whole.read_bytes()
    found = run(whole)
    assert np.array_equal(found.by_run, undisturbed)
    assert (found.fresh, found.deals_per_second) == (0, None)
    assert whole.read_bytes() == before


def test_cut_anywhere_it_continues_to_the_same_integers(whole, undisturbed, tmp_path):
    """A killed run leaves some first bytes of the file, whatever their number."""
    content = whole.read_bytes()
    header = content.index(b"\n") + 1
    for cut in [0, 1, header - 1, header, header + 1, header + 70, len(content) // 2, len(content) - 1]:
        path = tmp_path / f"cut-{cut}"
        path.write_bytes(content[:cut])
        assert np.array_equal(run(path).by_run, undisturbed)
        assert sorted(path.read_bytes().splitlines()) == sorted(content.splitlines())


def test_the_order_of_the_lines_does_not_matter(whole, undisturbed):
    header, *lines = whole.read_bytes().splitlines(keepends=True)
    whole.write_bytes(header + b"".join(reversed(lines[3:])))
    assert np.array_equal(run(whole).by_run, undisturbed)


def refused(path, match, **changes):
    before = path.read_bytes()
    with pytest.raises(CheckpointError, match=match) as caught:
        run(path, **changes)
    assert "\n" not in str(caught.value)
    assert path.read_bytes() == before


def test_every_kind_of_damage_is_refused_and_left_alone(whole):
    content = whole.read_bytes()
    lines = content.splitlines(keepends=True)
    for position in range(5, len(content) - 1, 97):
        if content[position : position + 1] == b"\n":
            continue
        whole.write_bytes(content[:position] + bytes([content[position] ^ 1]) + content[position + 1 :])
        refused(whole, "is damaged in line|not a checkpoint|belongs to another run")
    whole.write_bytes(b"".join([*lines[:4], b"\n", *lines[4:]]))
    refused(whole, "is damaged in line 5")
    whole.write_bytes(content + lines[-1])
    refused(whole, "is damaged in line 18, chunk .* stands there twice")
    whole.write_bytes(b"".join([lines[0], lines[1].replace(b'"cells"', b'"Cells"'), *lines[2:]]))
    refused(whole, "is damaged in line 2")
    whole.write_bytes(content[: len(content) // 2] + b"\0" * 50 + b"\n")
    refused(whole, "is damaged")


@pytest.mark.parametrize(
    ("changes", "what"),
    [
        ({"seed": 4}, "seed is 3 there and 4 here"),
        ({"deals": DEALS + 1}, "deals is 7500 there and 7501 here"),
        ({"runs": 3}, "runs is 2 there and 3 here"),
        ({"job": Job("captures", captures.count, chunk=999)}, "chunk is 1000 there and 999 here"),
        ({"job": Job("conditions", captures.count, chunk=1000)}, 'study is "captures" there and "conditions" here'),
        ({"job": Job("captures", captures.count, 1000, {"k": 1})}, "parameters is {} there"),
    ],
)
def test_another_run_is_refused_and_the_difference_named(whole, changes, what):
    refused(whole, f"belongs to another run: {what}.*give the same options, or name another file", **changes)


def other_code(monkeypatch):
    monkeypatch.setattr(engine, "code_of", lambda *functions: "0123456789abcdef")


def test_other_code_is_refused_though_the_version_is_the_same(whole, monkeypatch):
    other_code(monkeypatch)
    here = rf"here {bayesbridge.__version__}, 0123456789abcdef\)"
    refused(
        whole, rf"other code \(bayesbridge {bayesbridge.__version__}, code [0-9a-f]{{16}}; {here}.*: continue it with"
    )


def test_a_file_that_does_not_say_its_code_is_refused(whole):
    """So began files before the code was written down."""
    header = json.loads(whole.read_bytes().splitlines()[0])
    del header["code"], header["crc"]
    whole.write_bytes(checkpoint._line(header, 0))
    refused(whole, "was written by other code .*code None")


def test_another_version_with_the_same_code_goes_on(whole, monkeypatch):
    expected = run(whole)
    monkeypatch.setattr(bayesbridge, "__version__", "9.9.9")
    lines = whole.read_bytes().splitlines(keepends=True)
    whole.write_bytes(b"".join(lines[:5]))
    again = run(whole)
    assert again.fresh > 0
    assert np.array_equal(again.by_run, expected.by_run)
    assert np.array_equal(run(whole).by_run, expected.by_run)
    assert run(whole).fresh == 0


def test_lines_of_another_run_are_damage(whole, tmp_path):
    other = tmp_path / "other"
    run(other, seed=99)
    mine, theirs = whole.read_bytes().splitlines(keepends=True), other.read_bytes().splitlines(keepends=True)
    whole.write_bytes(b"".join([*mine[:5], theirs[-1]]))
    refused(whole, "is damaged in line 6, its checksum is wrong")


@pytest.mark.parametrize(
    "content", [b"hello\n", b"hello", b"\x89PNG\r\n\x1a\n\0\0", b"{}\n", b"[1]\n", b'{"crc": 1}\n']
)
def test_a_foreign_file_is_refused_and_left_alone(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    refused(path, "is not a checkpoint of a study|is damaged in line 1|belongs to another run")


def test_a_new_checkpoint_never_overwrites(whole):
    refused(whole, "exists already: continue it with --resume, or name another file", resume=False)


def test_a_file_in_use_is_refused(tmp_path):
    path = tmp_path / "busy"
    with Checkpoint.create(path, {"study": "x"}, 1, 1), pytest.raises(BayesBridgeError, match="in use by another run"):
        run(path)


def test_a_file_that_cannot_be_made_is_one_line(tmp_path):
    with pytest.raises(CheckpointError, match="cannot be opened"):
        run(tmp_path / "nowhere" / "file")
    with pytest.raises(CheckpointError, match="cannot be opened"):
        run(tmp_path)
