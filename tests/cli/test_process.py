"""The real process: what it loads, and how it behaves in pipes, without a terminal and when interrupted."""

import contextlib
import json
import os
import pty
import re
import signal
import subprocess
import sys

import pytest

from bayesbridge.cli import main

HAND = "AKQ2.KJ3.A54.Q32"
DUMMY = "J54.AQ2.KQ32.A54"
COMMAND = [sys.executable, "-m", "bayesbridge"]


def run(*words, **options):
    return subprocess.run([*COMMAND, *words], capture_output=True, text=True, encoding="utf-8", **options)


def environment(**changes):
    return {key: value for key, value in {**os.environ, **changes}.items() if value is not None}


COMPILED = {"numba", "arviz", "xarray", "pandas", "matplotlib"}
EVERYTHING = {"numpy", *COMPILED, "scipy", "shtab"}
POSITION = f"--observer S --hand {HAND} --void E:H --length W:S:5+ --call W:1NT --play W:D2".split()
LIGHT = {
    "help": (["--help"], EVERYTHING),
    "capture": (["capture", HAND, DUMMY], EVERYTHING),
    "bid": (["bid", HAND, "--json"], {*EVERYTHING, "rich"}),
    "exact study": (["study", "captures", "--exact"], EVERYTHING),
    "count": (["count", *POSITION, "--json"], {*COMPILED, "scipy", "pluggy", "rich"}),
    "estimate": (["estimate", *POSITION[:6]], COMPILED - {"numba"}),
    "estimate --json": (["estimate", *POSITION[:6], "--json"], {*COMPILED, "rich"} - {"numba"}),
}


@pytest.fixture(scope="module")
def kept():
    """Tables that every later command finds in the cache."""
    run("study", "conditions", "--exact", "--json", check=True)


@pytest.mark.parametrize(("words", "heavy"), LIGHT.values(), ids=LIGHT)
def test_commands_load_no_more_than_they_need(words, heavy, kept):
    """A quick start is a matter of what is not imported."""
    code = (
        "import sys; from bayesbridge.cli import main; status = main(sys.argv[1:]);"
        f"print({heavy!r} & sys.modules.keys() or 'none', file=sys.stderr); sys.exit(status)"
    )
    done = subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "none\n")


def in_terminal(words, stream, until=None, **changes):
    """Run with ``stream`` ("stdout" or "stderr") on a terminal, interrupted once ``until`` is seen there.

    Gives the exit status, what the terminal showed, and what came on the other stream.
    """
    ours, theirs = pty.openpty()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: theirs}
    shown = b""
    with subprocess.Popen([*COMMAND, *words], **pipes, env=environment(FORCE_COLOR=None, **changes)) as process:
        os.close(theirs)
        with contextlib.suppress(OSError):  # how Linux says that the other end is closed
            while piece := os.read(ours, 65536):
                shown += piece
                if until and until in shown:
                    process.send_signal(signal.SIGINT)
                    until = None
        out, err = process.communicate()
    os.close(ours)
    return process.returncode, shown.decode(), (out if stream == "stderr" else err).decode()


@pytest.mark.parametrize(("term", "escapes"), [("xterm-256color", {"\x1b[1m", "\x1b[0m"}), ("dumb", set())])
def test_a_terminal_sees_bold_titles_and_no_colours(term, escapes):
    status, shown, err = in_terminal(["bid", HAND], "stdout", TERM=term, NO_COLOR="1")
    assert (status, err) == (0, "")
    assert "Algorithm 1: the iterative bid" in shown
    assert set(re.findall(r"\x1b\[[\d;]*m", shown)) == escapes


def test_progress_is_shown_on_a_terminal_and_an_interrupt_ends_with_130_and_no_traceback():
    words = ["study", "captures", "--deals", "1e12", "--json"]
    status, shown, out = in_terminal(words, "stderr", until=b" of 1 000 000 000 000 deals")
    assert (status, out) == (130, "")
    assert "Traceback" not in shown
    line = "bayesbridge: interrupted: nothing is kept; with --resume FOLDER what is done stays"
    assert shown.endswith(f"\x1b[?25h\r\n{line}\r\n")  # the cursor is shown again


EVIDENCE = ["--observer", "S", "--hand", HAND, "--reveal", f"N:{DUMMY}"]


def test_estimate_shows_progress_on_a_terminal_only():
    """All layouts that fit are walked block by block."""
    words = ["estimate", *EVIDENCE, "--holds", "E:ST,HT,S9,H9"]
    status, shown, _ = in_terminal([*words, "--json"], "stderr")
    assert status == 0
    assert re.search(r"([\d ]+) of\1 layouts [^\n]*\r\n\x1b\[\?25h", shown)
    # A bar of work without a count may follow where the machine is slow: it is wiped out again. The cursor is there.
    assert re.search(r"\x1b\[\?25h(\r\x1b\[1A\x1b\[2K)?$", shown)
    assert "layouts" not in re.split(r"\r\n\x1b\[\?25h", shown)[-1]
    assert run(*words).stderr == ""


def test_an_ascii_terminal_gets_an_answer_too():
    done = subprocess.run(
        [*COMMAND, "capture", HAND, DUMMY],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0"),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"T = 11" in done.stdout
    done = subprocess.run(
        [*COMMAND, "play", *EVIDENCE, "--holds", "E:ST,S9,S8,HT,H9,H8,CK,CJ", "--trick", "W:S7", "--seat", "N"],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0"),
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"#####" in done.stdout


def test_a_closed_pipe_is_silent():
    read, write = os.pipe()
    os.close(read)
    for words in (["study", "captures", "--exact"], ["--help"], ["bid", HAND, "--json"]):
        done = subprocess.run([*COMMAND, *words], stdout=write, stderr=subprocess.PIPE)
        assert (done.returncode, done.stderr) == (0, b"")
    os.close(write)


def test_a_full_disk_is_one_line_and_status_1():
    with open("/dev/full", "w") as full:
        done = subprocess.run([*COMMAND, "bid", HAND], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr.startswith("bayesbridge: OSError: ")
    assert done.stderr.count("\n") == 1


def test_an_interrupt_wrapped_in_another_error_is_still_an_interrupt(monkeypatch, capsys):
    """As a compiler may do that is interrupted in the middle of its work."""

    def interrupted(_):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as error:
            raise SystemError("a result with an exception set") from error

    monkeypatch.setattr("bayesbridge.cli.capture.run_bid", interrupted)
    assert main(["bid", HAND]) == 130
    assert capsys.readouterr().err == "bayesbridge: interrupted\n"


@pytest.mark.slow
def test_commands_that_start_cold_together_do_not_hurt_each_other(tmp_path):
    words = ["estimate", "--observer", "S", "--hand", HAND, "--call", "W:1NT", "--draws", "300", "--json"]
    environment = {**os.environ, "BAYESBRIDGE_CACHE": str(tmp_path / "cache")}
    command = [sys.executable, "-m", "bayesbridge", *words]
    processes = [
        subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment)
        for _ in range(3)
    ]
    answers = [process.communicate(timeout=600) for process in processes]
    after = subprocess.run(command, capture_output=True, text=True, env=environment)
    assert {err for _, err in answers} == {""}
    assert {out for out, _ in answers} == {after.stdout}
    assert json.loads(after.stdout)["layouts"] == "84478098072866400"
    names = [path.name for path in (tmp_path / "cache").rglob("*")]
    assert not [name for name in names if ".part" in name or ".tmp." in name]
