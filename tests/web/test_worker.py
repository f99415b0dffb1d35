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
    listing = subprocess.run(
        ["pgrep", "-P", str(os.getpid()), "-f", "web.worker"],
        capture_output=True,
        text=True,
    )
    return set(map(int, listing.stdout.split()))


def kill_workers(server, other_workers):
    """Kill the processes of a server, and wait until they are gone."""
    numbers = workers() - other_workers
    for number in numbers:
        os.kill(number, signal.SIGKILL)
    while workers() & numbers:
        time.sleep(0.01)
    return numbers


def status_and_text(server):
    """The status of a question, and what it is told."""
    body = {"tab": "test", "question": POSITION}
    status, _, text = server.request("POST", f"/{TOKEN}/ask", body)
    return status, text


def test_a_worker_that_is_lost_is_replaced_before_it_is_asked(web):
    other_workers = workers()
    server = Server()
    try:
        server.ask(POSITION)
        numbers = kill_workers(server, other_workers)
        while not workers() - other_workers - numbers:
            time.sleep(0.01)
        while status_and_text(server)[0] == 503:
            time.sleep(0.1)
        assert server.ask(POSITION)[-1][0] == "end"
    finally:
        server.stop()


def test_while_no_worker_is_there_questions_are_told_to_ask_again(web, monkeypatch):
    other_workers = workers()
    server = Server(workers=2)
    try:
        server.ask(POSITION)
        while len(workers() - other_workers) < 2:
            time.sleep(0.01)

        async def never(worker):
            await asyncio.Event().wait()

        monkeypatch.setattr("bayesbridge.web.workers.Worker.start", never)
        kill_workers(server, other_workers)
        answers = [status_and_text(server) for _ in range(4)]
        assert all("ask again" in text for _, text in answers)
        assert answers[-1][0] == 503
    finally:
        server.stop()
