"""Ctrl-C at any moment: status 130 and at most one line; old files whole, new ones whole or not there."""

import json
import os
import random
import signal
import subprocess
import sys
import time

import pytest

from bayesbridge.cli import main

START = """
import sys
try:
    print("begun", file=sys.stderr, flush=True)
    from bayesbridge.__main__ import main
    status = main()
except KeyboardInterrupt:
    status = 130
sys.exit(status)
"""
"""The command as it is installed; before the first line an interrupt meets Python itself, which nobody can help."""

HAND = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32"]
PATIENCE = 600
"""Seconds after which a process is taken to hang."""

FEW_AND_MANY = [1, pytest.param(25, marks=pytest.mark.slow)]


def interrupted(words, seconds, folder, **environment):
    """Run a command and interrupt it so many seconds after it began; gives the status and stdout."""
    process = subprocess.Popen(
        [sys.executable, "-c", START, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, **environment},
    )
    assert process.stderr.readline() == "begun\n"
    time.sleep(seconds)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert err == ""
    # Its work done, a process has nothing left to protect and lets the signal end it.
    assert process.returncode in (130, 0, -signal.SIGINT)
    return process.returncode, out


def moments(count):
    """Seconds from a twentieth to twelve, as many short as long: import, work and end, whatever the machine's pace."""
    rng = random.Random(count)
    return [0.05 * 240 ** rng.random() for _ in range(count)]


@pytest.mark.parametrize("count", FEW_AND_MANY)
def test_a_study_continues_to_the_same_numbers(capsys, tmp_path, count):
    words = ["study", "conditions", "--deals", "1e6", "--runs", "3", "--workers", "1", "--json", "--resume"]
    assert main([*words, str(tmp_path / "truth")]) == 0
    truth = json.loads(capsys.readouterr().out)
    for number, moment in enumerate(moments(count)):
        name = f"file-{number}"
        status, out = interrupted([*words, name], moment, tmp_path)
        assert status == 0 or out == "" or json.loads(out)["counts"] == truth["counts"]
        assert main([*words, str(tmp_path / name)]) == 0
        found = json.loads(capsys.readouterr().out)
        assert (found["counts"], found["runs"]) == (truth["counts"], truth["runs"])


@pytest.mark.parametrize("count", FEW_AND_MANY)
def test_a_page_is_the_old_one_or_the_new_one(tmp_path, count):
    words = ["report", *HAND, "--draws", "300", "--void", "E:H", "--out", "page.html"]
    for moment in moments(count):
        (tmp_path / "page.html").write_text("old")
        status, _ = interrupted(words, moment, tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
        page = (tmp_path / "page.html").read_text("utf-8")
        assert page == "old" or (page.startswith("<!DOCTYPE html>") and page.endswith("</html>\n"))
        assert status != 0 or page != "old"


@pytest.mark.slow
def test_a_cold_start_leaves_a_cache_that_works(tmp_path):
    """While kernels are compiled and tables built."""
    words = ["estimate", *HAND, "--call", "W:1NT", "--draws", "300", "--save", "result.nc", "--json"]
    environment = {"BAYESBRIDGE_CACHE": str(tmp_path / "cache")}
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "result.nc").write_text("old")
    for moment in moments(12):
        status, _ = interrupted(words, moment, folder, **environment)
        names = [path.name for path in (tmp_path / "cache").rglob("*")]
        assert not [name for name in names if ".part" in name]
        assert [path.name for path in folder.iterdir()] == ["result.nc"]
        if status == 0:
            break
        assert (folder / "result.nc").read_bytes()[:4] in (b"old", b"\x89HDF")
    done = subprocess.run(
        [sys.executable, "-m", "bayesbridge", *words],
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["layouts"] == "84478098072866400"
    assert (folder / "result.nc").read_bytes()[:4] == b"\x89HDF"


@pytest.mark.slow
def test_commands_that_start_cold_together_do_not_hurt_each_other(tmp_path):
    words = ["estimate", *HAND, "--call", "W:1NT", "--draws", "300", "--json"]
    environment = {**os.environ, "BAYESBRIDGE_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "bayesbridge", *words]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=PATIENCE) for process in processes]
    after = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert {err for _, err in answers} == {""}
    assert {out for out, _ in answers} == {after.stdout}
    assert json.loads(after.stdout)["layouts"] == "84478098072866400"
    names = [path.name for path in (tmp_path / "cache").rglob("*")]
    assert not [name for name in names if ".part" in name]
