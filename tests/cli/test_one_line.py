"""Odd requests end in one clear line, or answer; none in an error of another package."""

import os
import sys
import tracemalloc
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

import bayesbridge as bb
from bayesbridge import cli
from bayesbridge.bidders.fit import Styles
from bayesbridge.capture.literal import bid, capture
from bayesbridge.notation import Record, iter_lin
from bayesbridge.studies import benchmark, engine
from bayesbridge.studies.benchmark import Judged
from bayesbridge.studies.engine import Job, Pool, Setting
from bayesbridge.words import number
from tests.positions import EAST, NORTH, SOUTH, wide

PBN = f'[Board "1"]\n[Dealer "N"]\n[Deal "N:{NORTH} {EAST} {SOUTH} -"]\n[Auction "N"]\n1NT Pass Pass Pass\n'
LIN = "qx|o1|md|3SAKQ2HKJ3DA54CQ32,SJ54HAQ2DKQ76CA54,ST963H9864DJT8CJ7,|sv|n|mb|1N|mb|p|mb|p|mb|p|\n"


def ask(capsys, *words):
    """Exit status, and the one line on stderr."""
    status = cli.main(list(words))
    err = capsys.readouterr().err
    assert err.count("\n") <= 1
    return status, err


@pytest.mark.parametrize("words", [("comparative", "--deals", "10", "--runs", "3"), ("comparative", "--deals", "1")])
def test_a_study_of_too_few_deals_says_so(capsys, words):
    assert cli.main(["study", *words, "--seed", "1"]) == 0
    told = capsys.readouterr()
    assert told.err == ""
    assert "too few deals to tell" in told.out
    assert "reproduced" not in told.out


def test_a_checkpoint_is_a_folder(capsys):
    status, err = ask(capsys, "study", "comparative", "--deals", "10", "--resume", os.devnull)
    assert status == 2
    assert "is not the checkpoint of a study: it is left as it is; name another folder" in err


def test_a_deeply_nested_file_is_no_checkpoint(capsys, tmp_path):
    (tmp_path / "run.json").write_bytes(b'{"a":' * 100_000 + b"1" + b"}" * 100_000 + b"\n")
    status, err = ask(capsys, "study", "comparative", "--deals", "10", "--resume", str(tmp_path))
    assert status == 2
    assert "is not the checkpoint of a study" in err


class Dying(Executor):
    """A scheduler that goes after one chunk."""

    def __init__(self):
        self.taken = 0

    def submit(self, fn, /, *args, **named):
        future = Future()
        self.taken += 1
        if self.taken == 1:
            future.set_result(fn(*args, **named))
        else:
            future.cancel()
            future.set_running_or_notify_cancel()
        return future


@pytest.mark.parametrize("kept", [True, False])
def test_a_scheduler_that_dies_is_named_and_the_way_on_too(tmp_path, monkeypatch, kept):
    @contextmanager
    def pool(*_):
        yield Pool(Dying(), 1)

    monkeypatch.setattr(engine, "open_executor", pool)
    job = Job("toy", lambda seed, deals: np.array([deals], dtype=np.int64), chunk=5)
    path = tmp_path / "run"
    how = Setting(None, "tcp://10.0.0.1:8786", path if kept else None)
    with pytest.raises(bb.BayesBridgeError) as caught:
        engine.run(job, 50, 1, setting=how)
    assert "scheduler 'tcp://10.0.0.1:8786' ended before the work of study 'toy' was done: start it again" in str(
        caught.value
    )
    assert (f"--resume {path}" if kept else "--resume FOLDER") in str(caught.value)
    if kept:
        assert [one.name for one in path.glob("*.npy")] == ["chunk-00000000.npy"]


def test_hands_are_taken_as_text_where_they_are_meant():
    assert capture(SOUTH, NORTH) == capture(bb.Hand.of(SOUTH), bb.Hand.of(NORTH))
    assert bid(SOUTH) == bid(bb.Hand.of(SOUTH))
    assert bb.Hand.of(SOUTH).length("S") == 4


@pytest.mark.parametrize("content", [b"", b"no netCDF", None])
def test_styles_of_another_file(tmp_path, content):
    path = tmp_path / "styles.nc"
    if content is None:
        bb.estimate(wide().infer(draws=10, rng=1)).to_netcdf(path, engine="h5netcdf")
    else:
        path.write_bytes(content)
    with pytest.raises(bb.BayesBridgeError, match="holds no fitted styles: give a file that save wrote"):
        Styles.load(path)


def test_a_trick_that_is_no_evidence_is_refused_either_way():
    posterior, trick = wide().infer(draws=10, rng=1), bb.Trick.of("W:H5")
    for question in (lambda: bb.card_wins(posterior, trick), lambda: bb.estimate(posterior, "card_wins", trick=trick)):
        with pytest.raises(bb.errors.IllegalPlay, match="is not in the evidence"):
            question()


@pytest.mark.parametrize("kind", ["folder", "device", "circle", "long", "read-only"])
def test_what_hinders_a_report_is_said_before_the_work(capsys, tmp_path, kind, monkeypatch):
    path = tmp_path / "page.html"
    expected = {"folder": "it is a folder", "device": "it is a device", "circle": "circle", "long": "shorter name"}
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to(os.devnull)
    elif kind == "circle":
        path.symlink_to(path)
    elif kind == "long":
        path = tmp_path / f"{'n' * 300}.html"
    else:
        path.write_text("old")
        monkeypatch.setattr(os, "access", lambda *_: False)
    status, err = ask(capsys, "report", "--observer", "S", "--hand", SOUTH, "--out", str(path))
    assert status == 2
    assert err.startswith(f"bayesbridge: argument --out: cannot write {str(path)!r} (")
    assert expected.get(kind, "change the rights there") in err
    assert "make room" not in err


@pytest.mark.parametrize("odd", ["zq|x|", "z{n}|x|", "pn|{n}|", "mn|{n}|"])
def test_lin_takes_linear_time(odd):
    """Four times the keys and boards: four times the work, counted in calls of Python functions."""

    def work(n):
        text = "".join(odd.replace("{n}", str(i)) for i in range(n)) + LIN.strip() * (n // 8)
        calls = 0

        def count(frame, event, argument):
            nonlocal calls
            calls += event in ("call", "c_call")

        before = sys.getprofile()
        sys.setprofile(count)
        try:
            found = sum(isinstance(item, Record) for item in iter_lin(text + "\n"))
        finally:
            sys.setprofile(before)
        assert found == n // 8
        return calls

    assert work(1600) < 4.5 * work(400)


@pytest.mark.parametrize("ending", ["pbn", "lin"])
def test_memory_does_not_grow_with_the_boards(capsys, tmp_path, monkeypatch, ending):
    board = PBN if ending == "pbn" else LIN

    one = Judged(np.ones(8), np.full((4, 3), 1 / 3), np.zeros(4, dtype=np.int64), 1.0)
    monkeypatch.setattr(
        benchmark,
        "look",
        lambda reader, record, seen: benchmark.Looked(seen, None, replace(one, values=np.ones(8)), True),
    )

    def peak(n, command, *words, status):
        path = tmp_path / f"{n}.{ending}"
        path.write_text("\n".join([board] * n))
        tracemalloc.start()
        try:
            assert cli.main([command, str(path), *words]) == status
            told = capsys.readouterr()
            assert "no board none" in told.err or f"{number(n)} boards" in told.out
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    for asked in (("report", "--text", "--board", "none", 2), ("score", 0)):
        command, *words, status = asked
        peak(50, command, *words, status=status)  # loads what is loaded once
        # What other tests left behind may be collected, or anything loaded late, during one of the runs.
        many = min(peak(1200, command, *words, status=status) for _ in range(2))
        assert many < 1.3 * peak(300, command, *words, status=status), command


@pytest.mark.parametrize("seen", [True, False])
def test_nothing_left_to_score_is_one_line(capsys, tmp_path, monkeypatch, seen):
    nobody = np.empty((0, 3 - seen)), np.empty(0, dtype=np.int64)
    none = Judged(np.full(8, np.nan), *nobody, 1.0)
    monkeypatch.setattr(benchmark, "look", lambda reader, record, seen: benchmark.Looked(seen, None, none, True))
    path = tmp_path / "match.pbn"
    path.write_text(PBN)
    status, err = ask(capsys, "score", str(path))
    assert status == 2
    assert "nothing is left to score: no honour is in doubt on any of 1 board; take fewer cards" in err
