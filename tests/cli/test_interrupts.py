"""Ctrl-C: status 130 and one line; a file that was to be written is as it was, and what is kept is told."""

import os
import re
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

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

PATIENCE = 600
"""Seconds after which a process is taken to hang."""


def test_an_interrupt_is_one_line_and_leaves_no_half_file(install, tmp_path):
    install("slow", PLUGIN)
    folder = tmp_path / "work"
    folder.mkdir()
    (folder / "page.html").write_text("old")
    words = ["report", "--observer", "S", "--hand", "AKQ2.KJ3.A54.Q32", "--draws", "50", "--estimator", "slow"]
    process = subprocess.Popen(
        [sys.executable, "-m", "bayesbridge", *words, "--no-history", "--out", "page.html"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])},
    )
    while process.poll() is None and not (folder / "begun").exists():
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE) == ("", "bayesbridge: interrupted\n")
    assert process.returncode == 130
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
    "score": (["score", str(ROOT / "examples/boards.pbn"), "--reader", "slow:Slow", "--workers", "2"], "boards", 2, 8),
}


@pytest.mark.parametrize(("words", "noun", "chunk", "total"), LONG.values(), ids=LONG)
def test_an_interrupt_tells_what_is_kept_and_how_to_go_on(tmp_path, words, noun, chunk, total):
    (tmp_path / "slow.py").write_text(SLOW_READER)
    words = [*words, "--resume", "kept here"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tmp_path), *filter(None, sys.path)])}
    process = subprocess.Popen(
        [sys.executable, "-m", "bayesbridge", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=tmp_path,
        env=environment,
    )
    while process.poll() is None and not list(tmp_path.glob("kept here/*.npy")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    told = re.fullmatch(rf".*interrupted: kept in 'kept here': ([\d ]+) of ([\d ]+) {noun}; go on with: (.*)\n", err)
    assert told, err
    done, of = (int(told[i].replace(" ", "")) for i in (1, 2))
    assert (done, of) == (chunk * len(list(tmp_path.glob("kept here/*.npy"))), total)
    assert shlex.split(told[3]) == ["bayesbridge", *words]
