"""Worker processes and who is answered by which: a few that stay warm, and a newer question before an older one.

A question belongs to a tab. When a tab asks again, or goes away, its older question is interrupted; a worker that does
not stop within a moment is killed and another is started in its place.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any, Final

from bayesbridge.errors import BayesBridgeError
from bayesbridge.notices import tell

SECONDS: Final = 60.0
"""For one question, once a worker has it."""

GRACE: Final = 3.0
"""Seconds in which an interrupted worker must stop."""

MOST_QUESTIONS: Final = 16
"""Questions at a time, those that wait among them."""

LONGEST_LINE: Final = 1 << 24
"""Bytes of one event: a report has about one million."""

type Event = tuple[str, bytes]
"""Its name, and its document as JSON."""


class Busy(BayesBridgeError):
    """Too many questions at a time."""


class Worker:
    """One process, seen from the server."""

    def __init__(self) -> None:
        self.process: asyncio.subprocess.Process | None = None
        self.busy = False
        self.tab = ""
        """Whose question it answered last."""

    async def start(self) -> None:
        """Start it and wait until it is warm; it has a session of its own, so that Ctrl-C reaches the server alone."""
        begin = f"import sys; sys.path[:] = {sys.path!r}; from bayesbridge.web.worker import work; work()"
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            begin,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=LONGEST_LINE,
            start_new_session=hasattr(os, "setsid"),
        )
        event, _ = await self.next()
        self.busy = event != "ready"

    async def ask(self, request: dict[str, Any]) -> None:
        """Send a question; its answers come by :meth:`next`."""
        assert self.process is not None
        assert self.process.stdin is not None
        self.busy = True
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        with suppress(ConnectionError):  # one that is gone is noticed by what it does not answer
            await self.process.stdin.drain()

    async def next(self) -> Event:
        """The next event; ``lost`` if the process is gone."""
        assert self.process is not None
        assert self.process.stdout is not None
        line = await self.process.stdout.readline()
        if not line:
            return "lost", b"{}"
        event, _, document = line.rstrip(b"\n").partition(b" ")
        if event == b"end":
            self.busy = False
        return event.decode(), document

    async def settle(self) -> None:
        """Make it ready for another question, by an interrupt or else by a new process."""
        if self.busy and os.name == "posix" and self.process is not None:
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT)
            with suppress(TimeoutError):
                async with asyncio.timeout(GRACE):
                    while (await self.next())[0] not in ("end", "lost"):
                        pass
        if self.busy:
            await self.stop()
            await self.start()

    async def stop(self) -> None:
        """End the process."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()


class Desk:
    """The workers, and the questions that wait for them."""

    def __init__(self, workers: int) -> None:
        self._workers = [Worker() for _ in range(workers)]
        self._idle: list[Worker] = []
        self._free = asyncio.Semaphore(0)
        self._questions: dict[str, asyncio.Task[None]] = {}
        self._waiting = 0
        self._background: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Start the workers; questions wait for the first that is warm."""
        for worker in self._workers:
            self._later(self._started(worker))

    async def close(self) -> None:
        """End everything."""
        for task in [*self._background, *self._questions.values()]:
            task.cancel()
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    async def answers(self, tab: str, request: dict[str, Any]) -> AsyncIterator[Event]:
        """The events of an answer; the tab's older question, if any, ends with the event ``replaced``."""
        if (older := self._questions.get(tab)) is not None:
            older.cancel()
        elif self._waiting >= MOST_QUESTIONS:
            raise Busy(f"{self._waiting} questions are being answered: ask again in a moment")
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._answer(tab, request, events))
        self._questions[tab] = task
        self._waiting += 1
        task.add_done_callback(lambda done: self._ended(tab, done, events))
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            task.cancel()

    def _ended(self, tab: str, task: asyncio.Task[None], events: asyncio.Queue[Event | None]) -> None:
        """Also of a question that was replaced before it was begun."""
        self._waiting -= 1
        events.put_nowait(None)
        if self._questions.get(tab) is task:
            del self._questions[tab]

    async def _answer(self, tab: str, request: dict[str, Any], events: asyncio.Queue[Event | None]) -> None:
        """Get a worker, pass its events on, and give it back ready for another question."""
        worker: Worker | None = None
        last: Event = "replaced", b"{}"
        try:
            worker = await self._worker(tab)
            async with asyncio.timeout(SECONDS):
                for _ in range(2):
                    await worker.ask(request)
                    last = await self._pass_on(worker, events)
                    if last != ("end", b'{"why":"cancelled"}'):  # an interrupt that was meant for an earlier question
                        break
        except TimeoutError:
            last = _refused(f"no answer within {SECONDS:.0f} seconds: take a chip back, or ask for less")
        finally:
            events.put_nowait(last)
            if worker is not None:
                self._later(self._given_back(worker))

    async def _pass_on(self, worker: Worker, events: asyncio.Queue[Event | None]) -> Event:
        while True:
            event = await worker.next()
            if event[0] == "lost":
                return _refused("the process that computes was lost and is started again: ask again")
            if event[0] == "end":
                return event
            events.put_nowait(event)

    async def _worker(self, tab: str) -> Worker:
        """An idle worker, the one that answered this tab last if it is free."""
        await self._free.acquire()
        chosen = next((worker for worker in reversed(self._idle) if worker.tab == tab), self._idle[-1])
        self._idle.remove(chosen)
        chosen.tab = tab
        return chosen

    async def _started(self, worker: Worker) -> None:
        await worker.start()
        if worker.busy:
            tell("a process that computes could not be started: see the lines above")
            return
        self._idle.append(worker)
        self._free.release()

    async def _given_back(self, worker: Worker) -> None:
        await worker.settle()
        self._idle.append(worker)
        self._free.release()

    def _later(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _refused(message: str) -> Event:
    return "refused", json.dumps({"message": message}).encode()
