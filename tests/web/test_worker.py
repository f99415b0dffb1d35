"""Workers that are lost are replaced, and meanwhile nobody waits for them."""

import asyncio
import os
import signal
import subprocess
import time

from tests.web.pages import TOKEN, Server
from tests.web.test_server import POSITION


def workers():
    """The processes of all servers in this one."""
    found = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "web.worker"],
        capture_output=True,
        text=True,
    )
    return set(map(int, found.stdout.split()))


def killed(server, others):
    """Kill the processes of a server, and wait until they are gone."""
    numbers = workers() - others
    for number in numbers:
        os.kill(number, signal.SIGKILL)
    while workers() & numbers:
        time.sleep(0.01)
    return numbers


def asked(server):
    """The status of a question, and what it is told."""
    body = {"tab": "test", "question": POSITION}
    status, _, text = server.request("POST", f"/{TOKEN}/ask", body)
    return status, text


def test_a_worker_that_is_lost_is_replaced_before_it_is_asked(web):
    others = workers()
    own = Server()
    try:
        own.ask(POSITION)
        numbers = killed(own, others)
        while not workers() - others - numbers:
            time.sleep(0.01)
        while asked(own)[0] == 503:
            time.sleep(0.1)
        assert own.ask(POSITION)[-1][0] == "end"
    finally:
        own.stop()


def test_while_no_worker_is_there_questions_are_told_to_ask_again(web, monkeypatch):
    others = workers()
    own = Server(workers=2)
    try:
        own.ask(POSITION)
        while len(workers() - others) < 2:
            time.sleep(0.01)

        async def never(worker):
            await asyncio.Event().wait()

        monkeypatch.setattr("bayesbridge.web.workers.Worker.start", never)
        killed(own, others)
        answers = [asked(own) for _ in range(4)]
        assert all("ask again" in text for _, text in answers)
        assert answers[-1][0] == 503
    finally:
        own.stop()
