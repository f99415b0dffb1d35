"""A worker that is lost is replaced."""

import os
import signal
import subprocess

from tests.web.pages import Server
from tests.web.test_server import POSITION


def workers():
    """The processes of all servers in this one."""
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "web.worker"],
        capture_output=True,
        text=True,
    )
    return set(map(int, found.stdout.split()))


def test_a_worker_that_is_lost_is_replaced(web):
    others = workers()
    own = Server()
    try:
        own.ask(POSITION)
        for number in workers() - others:
            os.kill(number, signal.SIGKILL)
        first = own.ask(POSITION)
        assert first[-1][0] in ("refused", "end")
        assert own.ask(POSITION)[-1][0] == "end"
    finally:
        own.stop()
