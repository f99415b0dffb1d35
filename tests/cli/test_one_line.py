"""Odd requests end in one clear line, or answer; none in an error of another package."""

import os
import sys
import tracemalloc
from dataclasses import replace

import numpy as np
import pytest

from bayesbridge import cli
from bayesbridge.notation import Record, iter_lin
from bayesbridge.studies import benchmark
from bayesbridge.studies.benchmark import Judged
from bayesbridge.words import number
from tests.positions import EAST, NORTH, SOUTH

PBN = f'[Board "1"]\n[Dealer "N"]\n[Deal "N:{NORTH} {EAST} {SOUTH} -"]\n[Auction "N"]\n1NT Pass Pass Pass\n'
LIN = "qx|o1|md|3SAKQ2HKJ3DA54CQ32,SJ54HAQ2DKQ76CA54,ST963H9864DJT8CJ7,|sv|n|mb|1N|mb|p|mb|p|mb|p|\n"


def ask(capsys, *words):
    """Exit status, and the one line on stderr."""
    status = cli.main(list(words))
    err = capsys.readouterr().err
    assert err.count("\n") <= 1
    return status, err


@pytest.mark.parametrize("kind", ["folder", "device", "read-only"])
def test_what_hinders_a_report_is_said_before_the_work(capsys, tmp_path, kind, monkeypatch):
    path = tmp_path / "page.html"
    expected = {"folder": "it is a folder", "device": "it is a device"}
    if kind == "folder":
        path.mkdir()
    elif kind == "device":
        path.symlink_to(os.devnull)
    else:
        path.write_text("old")
        monkeypatch.setattr(os, "access", lambda *_: False)
    status, err = ask(capsys, "report", "--observer", "S", "--hand", SOUTH, "--out", str(path))
    assert status == 2
    assert err.startswith(f"bayesbridge: argument --out: cannot write {str(path)!r} (")
    assert expected.get(kind, "change the rights there") in err
    assert "make room" not in err


@pytest.mark.parametrize("odd", ["z{n}|x|", "pn|{n}|"])
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
        benchmark, "look", lambda reader, record, seen: benchmark.Looked(replace(one, values=np.ones(8)), True)
    )

    def peak(n, command, *words, status):
        path = tmp_path / f"{n}.{ending}"
        path.write_text("\n".join([board] * n))
        tracemalloc.start()
        try:
            assert cli.main([command, str(path), *words]) == status
            told = capsys.readouterr()
            assert "no board none" in told.err or number(n) in told.out
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    for asked in (("report", "--text", "--board", "none", 2), ("score", "--workers", "1", 0)):
        command, *words, status = asked
        peak(50, command, *words, status=status)  # loads what is loaded once
        # What other tests left behind may be collected, or anything loaded late, during one of the runs. A record that
        # is kept, 330 bytes where all boards are alike, would make it a third more.
        few = max(peak(100, command, *words, status=status) for _ in range(2))
        assert min(peak(700, command, *words, status=status) for _ in range(2)) < 1.15 * few, command
