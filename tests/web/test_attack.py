"""Waves of hostile requests against a server of its own: everything is refused or served, and memory stays flat."""

import json
import re
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.web.pages import PATIENCE

POSITION = {"settings": {"observer": "S", "hand": "AKQ2.KJ3.A54.Q32"}, "evidence": [["call", "S:1NT"], ["void", "E:H"]]}
HUGE = b"x" * 10_000_000


class Attacked:
    """``bayesbridge serve`` as a process, its address and its memory."""

    def __init__(self):
        command = [sys.executable, "-m", "bayesbridge", "serve", "--no-browser", "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.host, self.token = re.search(r"http://([^/]+)/([^/\s]+)", self.process.stdout.readline()).groups()

    def status(self, body, path=None, origin=None, at_once=True):
        """The status of a raw request, 0 where the connection was closed on it."""
        host, port = self.host.split(":")
        head = (
            f"POST {path or f'/{self.token}/ask'} HTTP/1.1\r\nHost: {self.host}\r\nOrigin: {origin or f'http://{self.host}'}"
            f"\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
        )
        try:
            with socket.create_connection((host, int(port)), timeout=PATIENCE) as connection:
                connection.sendall(head.encode())
                if at_once:
                    connection.sendall(body)
                else:
                    connection.sendall(body[:1])
                    connection.settimeout(0.2)
                back = b""
                while more := connection.recv(65_536):
                    back += more
        except (ConnectionError, TimeoutError):
            return 0
        return int(back.split()[1])

    @property
    def kilobytes(self):
        """Resident memory of the server and of each process that computes."""
        pid = self.process.pid
        workers = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
        return [
            int(re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{one}/status").read_text())[1]) for one in (pid, *workers)
        ]

    def stop(self):
        self.process.terminate()
        return self.process.communicate(timeout=PATIENCE)[1]


def wave(server, number):
    """200 hostile requests and 200 good questions, 50 at a time; the statuses that came back."""
    good = json.dumps({"tab": f"tab-{number}", "question": POSITION}).encode()
    jobs = [
        *[(b"{}", {"path": "/wrong-token-wrong/ask"})] * 50,
        *[(good, {"origin": "http://evil.example"})] * 50,
        *[(b"[" * 60_000, {})] * 40,
        *[(HUGE, {})] * 20,
        *[(good, {"at_once": False})] * 20,
        *[(good, {"path": f"/{server.token}/../../etc/passwd"})] * 20,
        *[(json.dumps({"tab": f"crowd-{one}", "question": POSITION}).encode(), {}) for one in range(200)],
    ]
    found = []

    def work():
        while jobs:
            try:
                body, how = jobs.pop()
            except IndexError:
                return
            found.append(server.status(body, **how))

    threads = [threading.Thread(target=work) for _ in range(50)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(PATIENCE * 4)
    return found


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="memory is read from /proc")
def test_memory_stays_flat(web, capsys):
    server = Attacked()
    try:
        started = server.kilobytes
        statuses, after = [], []
        for number in range(6):
            statuses += wave(server, number)
            after.append(server.kilobytes)
        assert server.status(json.dumps({"tab": "last", "question": POSITION}).encode()) == 200
    finally:
        said = server.stop()
    assert set(statuses) <= {0, 200, 400, 403, 404, 413, 503}
    assert len(statuses) == 6 * 400
    assert {0, 200, 400, 403, 404} <= set(statuses)  # a body of 10 MB is cut off while it is sent
    assert "Traceback" not in said
    with capsys.disabled():
        print(f"\nkB at the start {started}, after each wave {after}")
    assert sum(after[-1]) < 1.1 * sum(after[1])
    assert after[-1][0] < 2 * started[0]
