"""Ctrl-C: status 130 and one line; a file that was to be written is as it was."""

import os
import signal
import subprocess
import sys
import time

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
