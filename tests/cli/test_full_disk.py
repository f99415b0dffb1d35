"""A disk that is full: one line, status 1, the old file whole, nothing half written.

The limit on the size of files that a process may write is real, and every system call meets it as it meets a full disk.
"""

import json
import resource
from contextlib import contextmanager

from bayesbridge.cli import main

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
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    assert main([*words, str(old)]) == 0  # compiled and kept before the disk is full
    before = old.read_bytes()
    for path in (old, new):
        capsys.readouterr()
        with disk_of(2000):
            assert main([*words, str(path)]) == 1
        err = capsys.readouterr().err
        assert err.startswith(f"bayesbridge: argument {words[-1]}: cannot write {str(path)!r} (")
        assert err.count("\n") == 1
        assert [entry.name for entry in tmp_path.iterdir()] == ["old.html"]
    assert old.read_bytes() == before


def test_a_checkpoint_that_finds_no_room_continues_when_there_is(capsys, tmp_path):
    path = tmp_path / "study"
    words = ["study", "conditions", "--deals", "50", "--runs", "6", "--workers", "1", "--json", "--resume"]
    assert main([*words, str(tmp_path / "truth")]) == 0
    truth = json.loads(capsys.readouterr().out)
    with disk_of(200):  # room for what the run is, and for no chunk
        assert main([*words, str(path)]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"bayesbridge: checkpoint {str(path)!r} cannot be written (")
    assert err.endswith("make room and continue with --resume\n")
    assert err.count("\n") == 1
    assert [entry.name for entry in path.iterdir()] == ["run.json"]
    assert main([*words, str(path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["counts"], found["runs"]) == (truth["counts"], truth["runs"])
