"""Screens in a real terminal: bold titles, colours, progress, and missing letters."""

import contextlib
import os
import pty
import re
import signal
import subprocess

import pytest

from bayesbridge.cli.screens import say, show_table
from bayesbridge.display.markup import Table
from tests.cli.test_process import COMMAND, DUMMY, HAND, environment, run


def in_terminal(words, stream, until=None, **changes):
    """Run with ``stream`` ("stdout" or "stderr") on a terminal.

    It is interrupted once ``until`` is seen there. Gives the exit status, what the
    terminal showed, and what came on the other stream.
    """
    terminal, process_end = pty.openpty()
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: process_end}
    shown = b""
    with subprocess.Popen(
        [*COMMAND, *words], **pipes, env=environment(FORCE_COLOR=None, **changes)
    ) as process:
        os.close(process_end)
        # An error is how Linux says that the other end is closed.
        with contextlib.suppress(OSError):
            while piece := os.read(terminal, 65536):
                shown += piece
                if until and until in shown:
                    process.send_signal(signal.SIGINT)
                    until = None
        out, err = process.communicate()
    os.close(terminal)
    return (
        process.returncode,
        shown.decode(),
        (out if stream == "stderr" else err).decode(),
    )


BOLD = {"\x1b[1m", "\x1b[0m"}


@pytest.mark.parametrize(
    ("term", "plain", "escapes"),
    [("xterm-256color", "", BOLD), ("xterm-256color", "1", BOLD), ("dumb", "", set())],
)
def test_a_terminal_sees_bold_titles(term, plain, escapes):
    status, shown, err = in_terminal(["bid", HAND], "stdout", TERM=term, NO_COLOR=plain)
    assert (status, err) == (0, "")
    assert "Algorithm 1: the iterative bid" in shown
    assert set(re.findall(r"\x1b\[[\d;]*m", shown)) == escapes


def test_progress_is_shown_on_a_terminal_and_an_interrupt_ends_with_130_and_no_traceback():
    words = ["study", "captures", "--deals", "1e12", "--json"]
    status, shown, out = in_terminal(
        words, "stderr", until=b" of 1 000 000 000 000 deals"
    )
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
    # A bar of work without a count may follow where the machine is slow: it is wiped
    # out again. The cursor is there.
    assert re.search(r"\x1b\[\?25h(\r\x1b\[1A\x1b\[2K)?$", shown)
    assert "layouts" not in re.split(r"\r\n\x1b\[\?25h", shown)[-1]
    assert run(*words).stderr == ""


def test_an_ascii_terminal_gets_an_answer_too():
    few = ["--holds", "E:ST,S9,S8,HT,H9,H8,CK,CJ", "--trick", "W:S7", "--seat", "N"]
    for words, shown in (
        (["capture", HAND, DUMMY], b"T = 11"),
        (["play", *EVIDENCE, *few], b"#####"),
    ):
        ascii_only = environment(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
        done = subprocess.run([*COMMAND, *words], capture_output=True, env=ascii_only)
        assert (done.returncode, done.stderr) == (0, b"")
        assert shown in done.stdout


@pytest.mark.parametrize("columns", [80, 60, 40])
def test_tables_and_sentences_fit_the_terminal(columns, monkeypatch, capsys):
    """No figure is cut or left out; parts of a table begin with its first column."""
    monkeypatch.setenv("COLUMNS", str(columns))
    rows = []
    for i in range(3):
        cells = [f"{i}{j}.5 % ± 2.1 %" for j in range(6)]
        rows.append([f"row {i}", *cells])
    show_table(
        Table(
            "A title of so many words that it has no room on a narrow terminal",
            ["", *"abcdef"],
            rows,
        )
    )
    say(
        "And a sentence of so many words that it has no room on any terminal "
        "of a width that is usual"
    )
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= columns
    for row in rows:
        assert all(out.count(cell) == 1 for cell in row[1:])
    assert out.count("row 2") == {80: 2, 60: 2, 40: 3}[columns]


@pytest.mark.parametrize(
    "words",
    [
        pytest.param("play --seconds 4", marks=pytest.mark.slow),
        "contracts --contracts 3NT,2NT --seconds 1",
    ],
)
def test_a_first_ranking_is_told_on_a_terminal_while_more_is_solved(words):
    hand = "--observer W --hand Q8642.93.J84.K75 --players 4 --draws 200"
    position = (
        f"{hand} --contract 3NT --by S"
        if words.startswith("play")
        else f"--hand {HAND} --reveal N:{DUMMY}"
    )
    status, shown, out = in_terminal([*words.split(), *position.split()], "stderr")
    assert status == 0
    assert re.search(r"bayesbridge: so far.*: \S+", shown)
    assert "so far" not in out


@pytest.mark.parametrize(
    ("changes", "colours"),
    [({"NO_COLOR": ""}, {"31", "39"}), ({"NO_COLOR": "1"}, set())],
)
def test_red_suits_are_red_on_a_terminal_that_has_colours(changes, colours):
    words = ["capture", HAND, DUMMY]
    status, screen, _ = in_terminal(words, "stdout", TERM="xterm-256color", **changes)
    assert status == 0
    assert set(re.findall(r"\x1b\[(\d+)m", screen)) == {"0", "1"} | colours
    assert ("\x1b[31m♥\x1b[39m hearts" in screen) == bool(colours)
    assert "♠ spades" in screen
    piped = run(*words).stdout
    assert re.sub(r"\x1b\[\d+m", "", screen).replace("\r\n", "\n") == piped


def test_bars_are_blue_on_a_terminal_that_has_colours():
    words = ["bid", HAND, "--players", "4", "--no-values"]
    _, screen, _ = in_terminal(words, "stdout", TERM="xterm-256color", NO_COLOR="")
    assert re.search(r"%   \x1b\[34m█+[▏▎▍▌▋▊▉]?\x1b\[39m", screen)
    _, dumb, _ = in_terminal(words, "stdout", TERM="dumb", NO_COLOR="")
    assert "\x1b" not in dumb
