"""Commands cut short by Ctrl-C or a full disk: one line, and no half-written file.

The old file stays whole, and the line says what is kept.
"""

import json
import os
import re
import resource
import shlex
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from pathlib import Path

import pytest

from bayesbridge.cli import main

PLUGIN = """
import time
from pathlib import Path
from bayesbridge.plugins import estimator, hookimpl

@estimator("slow")
def slow(deal, question):
    Path("begun").touch()
    time.sleep(600)

@hookimpl
def bayesbridge_estimators():
    return [slow]
"""

PATIENCE = 600  # seconds after which a process is taken to hang


def interrupt(words, folder, begun, path):
    """Interrupt a command, run in a folder, once it has begun; gives its stderr.

    ``path`` is where it imports from.
    """
    process = subprocess.Popen(
        [sys.executable, "-m", "bayesbridge", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join([str(path), *filter(None, sys.path)]),
        },
    )
    while process.poll() is None and not list(folder.glob(begun)):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    return err


def test_an_interrupt_is_one_line_and_leaves_no_half_file(install, tmp_path):
    install("slow", PLUGIN)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "page.html").write_text("old")
    words = [
        "report",
        "--observer",
        "S",
        "--hand",
        "AKQ2.KJ3.A54.Q32",
        "--draws",
        "50",
        "--estimator",
        "slow",
    ]
    words += ["--no-history", "--out", "page.html"]
    assert interrupt(words, folder, "begun", tmp_path) == "bayesbridge: interrupted\n"
    assert sorted(path.name for path in folder.iterdir()) == ["begun", "page.html"]
    assert (folder / "page.html").read_text() == "old"


ROOT = Path(__file__).parents[2]
SLOW_READER = """
import time

class Slow:
    def read(self, seen):
        time.sleep(1.0)
"""
LONG = {
    "study": (["study", "captures", "--deals", "1e12"], "deals", 1 << 19, 10**12),
    "score": (
        [
            "score",
            str(ROOT / "examples/boards.pbn"),
            "--reader",
            "slow:Slow",
            "--workers",
            "2",
        ],
        "boards",
        2,
        8,
    ),
}


@pytest.mark.parametrize(("words", "noun", "chunk", "total"), LONG.values(), ids=LONG)
def test_an_interrupt_tells_what_is_kept_and_how_to_go_on(
    tmp_path, words, noun, chunk, total
):
    (tmp_path / "slow.py").write_text(SLOW_READER)
    words = [*words, "--resume", "kept here"]
    err = interrupt(words, tmp_path, "kept here/*.npy", tmp_path)
    message = re.fullmatch(
        rf".*interrupted: kept in 'kept here': ([\d ]+) of ([\d ]+) {noun}; go on with: (.*)\n",
        err,
    )
    assert message, err
    done, of = (int(message[i].replace(" ", "")) for i in (1, 2))
    assert (done, of) == (chunk * len(list(tmp_path.glob("kept here/*.npy"))), total)
    assert shlex.split(message[3]) == ["bayesbridge", *words]


SOUTH = ["--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--draws", "200"]
OPEN = [*SOUTH, "--reveal", "N:J54.AQ2.KQ76.A54", "--reveal", "E:T963.9864.JT8.J7"]


@contextmanager
def disk_of(size):
    """Let no file grow beyond so many bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def test_a_page_that_finds_no_room(capsys, tmp_path):
    words = ["report", *OPEN, "--no-history", "--out"]
    old_page = tmp_path / "old.html"
    new_page = tmp_path / "new.html"
    # What is compiled is kept before the disk is full.
    assert main([*words, str(old_page)]) == 0
    old_bytes = old_page.read_bytes()
    for path in (old_page, new_page):
        capsys.readouterr()
        with disk_of(2000):
            assert main([*words, str(path)]) == 1
        err = capsys.readouterr().err
        assert err.startswith(
            f"bayesbridge: argument {words[-1]}: cannot write {str(path)!r} ("
        )
        assert err.count("\n") == 1
        assert [entry.name for entry in tmp_path.iterdir()] == ["old.html"]
    assert old_page.read_bytes() == old_bytes


def test_a_checkpoint_that_finds_no_room_continues_when_there_is(capsys, tmp_path):
    path = tmp_path / "study"
    words = [
        "study",
        "conditions",
        "--deals",
        "50",
        "--runs",
        "6",
        "--workers",
        "1",
        "--json",
        "--resume",
    ]
    assert main([*words, str(tmp_path / "truth")]) == 0
    undisturbed = json.loads(capsys.readouterr().out)
    with disk_of(200):  # room for what the run is, and for no chunk
        assert main([*words, str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"bayesbridge: checkpoint {str(path)!r} cannot be written (")
    assert err.endswith("make room and continue with --resume\n")
    assert err.count("\n") == 1
    assert [entry.name for entry in path.iterdir()] == ["run.json"]
    assert main([*words, str(path)]) == 0
    resumed = json.loads(capsys.readouterr().out)
    assert (resumed["counts"], resumed["runs"]) == (
        undisturbed["counts"],
        undisturbed["runs"],
    )
