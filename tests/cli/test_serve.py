"""``serve`` says its address, ends when interrupted, and refuses in one line."""

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from tests.web.pages import PATIENCE, TOKEN


@pytest.mark.parametrize(
    ("signal_number", "status", "words", "pattern"),
    [
        (
            signal.SIGINT,
            130,
            (),
            r"The explorer is at http://127\.0\.0\.1:\d+/[\w-]{22}/\n",
        ),
        (
            signal.SIGTERM,
            -signal.SIGTERM,
            ("--json", "--token", TOKEN),
            rf'{{"address": "http.*/{TOKEN}/".*}}\n',
        ),
    ],
)
def test_it_says_its_address_and_an_interrupt_ends_it_without_a_word(
    web, signal_number, status, words, pattern
):
    command = [
        sys.executable,
        "-m",
        "bayesbridge",
        "serve",
        "--no-browser",
        "--port",
        "0",
        "--workers",
        "1",
        *words,
    ]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    process = subprocess.Popen(command, **pipes, cwd=Path(__file__).parents[2])
    assert re.fullmatch(pattern, process.stdout.readline())
    assert words or process.stdout.readline() == "Ctrl-C ends it.\n"
    process.send_signal(signal_number)
    assert process.communicate(timeout=PATIENCE) == ("", "")
    assert process.returncode == status


def test_the_command_says_what_is_wrong(web, complaint, monkeypatch):
    assert "16 to 64 letters" in complaint("serve", "--token", "short")
    with socket.create_server(("127.0.0.1", 0)) as listener:
        assert "give another --port" in complaint(
            "serve", "--port", str(listener.getsockname()[1])
        )
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    assert "pip install h11 starlette uvicorn" in complaint("serve")
