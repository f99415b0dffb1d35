"""Who computes the answers of the explorer: processes, and questions that wait for them.

A question belongs to a tab: when a tab asks again, or goes away, its older question is
interrupted.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable
from contextlib import suppress
from typing import Any, Final

from starlette.exceptions import HTTPException

from bayesbridge.display.words import tell

SECONDS: Final = 60.0
"""For one question, once a worker has it; anew after each event of slow answers."""

SLOW_EVENTS: Final = ("judged", "leads", "values")
"""Events of answers that come bit by bit: a card of a review, a sharper ranking."""

RESTART_SECONDS: Final = 30.0
"""Until a process that could not be started is tried again."""

INTERRUPT_SECONDS: Final = 3.0
"""For a process to abandon its question, before it is ended."""

OWN_WORKER_SECONDS: Final = 0.1
"""For which a question waits for the worker that remembers its tab."""

MOST_QUESTIONS: Final = 16
"""Questions that are answered at once."""

MOST_EVENT_BYTES: Final = 1 << 24
"""Bytes of one event: a report has about one million."""

LAST_EVENTS: Final = ("end", "lost")
"""Events after which a worker gives no other to the same question."""

CANCELLED: Final = ("end", b'{"why":"cancelled"}')
"""The end of a question that was interrupted."""

SHARPEN: Final = " sharpen"
"""What ends the name of a tab's question that only sharpens an earlier answer."""

type Event = tuple[str, bytes]
"""Its name, and its document as JSON."""


class Worker:
    """One process, seen from the server."""

    def __init__(self) -> None:
        self.process: Any = None
        """Of asyncio, once it is started."""
        self.busy = False
        self.lost = False
        """Whether its process is gone; until another is warm."""
        self.idle = asyncio.Event()
        self.tab = ""
        """Whose question it answered last."""

    async def start(self) -> None:
        """Start it and wait until it is warm."""
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            "from bayesbridge.web.worker import work; work()"
        )
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            code,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=MOST_EVENT_BYTES,
            # A session of its own, so that Ctrl-C reaches the server alone.
            start_new_session=hasattr(os, "setsid"),
        )
        event, _ = await self.next()
        self.busy = self.lost = event != "ready"

    async def ask(self, request: dict[str, Any]) -> None:
        """Send it a question."""
        self.busy = True
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        # A process that is gone is noticed by what it does not answer.
        with suppress(ConnectionError):
            await self.process.stdin.drain()

    async def next(self) -> Event:
        """The next event; ``lost`` if the process is gone."""
        line = await self.process.stdout.readline()
        if not line:
            self.lost = True
            return "lost", b"{}"
        event, _, document = line.rstrip(b"\n").partition(b" ")
        if event == b"end":
            self.busy = False
        return event.decode(), document

    async def settle(self) -> None:
        """Make it ready for another question, by an interrupt or else by a new process."""
        if self.busy and not self.lost and os.name == "posix":
            with suppress(ProcessLookupError):
                self.process.send_signal(signal.SIGINT)
            with suppress(TimeoutError):
                async with asyncio.timeout(INTERRUPT_SECONDS):
                    await self._drop_events()
        if self.busy:
            await self.stop()
            await self.start()

    async def _drop_events(self) -> None:
        """Take the events of a question that is no longer asked."""
        event = ""
        while event not in LAST_EVENTS:
            event, _document = await self.next()

    async def stop(self) -> None:
        """End its process."""
        if self.process is not None and self.process.returncode is None:
            with suppress(ProcessLookupError):
                self.process.kill()
            await self.process.wait()


class Desk:
    """The workers, and the questions that wait for them."""

    def __init__(self, workers: int) -> None:
        self._workers = [Worker() for _ in range(workers)]
        self._idle: list[Worker] = []
        self._changed = asyncio.Condition()  # another worker is idle, or is lost
        self._questions: dict[str, asyncio.Task[None]] = {}
        self._closed = False
        self._background: set[asyncio.Task[None]] = set()

    def open(self) -> None:
        """Start the workers; questions wait for the first that is warm."""
        for worker in self._workers:
            self._later(self._ready(worker.start(), worker))

    async def close(self) -> None:
        """End everything; no process is started again."""
        self._closed = True
        for task in [*self._background, *self._questions.values()]:
            task.cancel()
        await asyncio.gather(*(worker.stop() for worker in self._workers))

    async def answers(self, tab: str, request: dict[str, Any]) -> AsyncIterator[Event]:
        """The events of an answer.

        The tab's older question, if any, ends with the event ``replaced``.
        """
        self._verify_workers()
        older = self._questions.get(tab)
        if older is not None:
            older.cancel()
        elif len(self._questions) >= MOST_QUESTIONS:
            raise HTTPException(
                503,
                f"{len(self._questions)} questions are being answered: ask again in a moment",
            )
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._answer(tab, request, events))
        self._questions[tab] = task
        task.add_done_callback(lambda done: self._forget(tab, done, events))
        try:
            while True:
                event = await events.get()
                if event is None:
                    break
                yield event
        finally:
            task.cancel()

    def _forget(
        self, tab: str, task: asyncio.Task[None], events: asyncio.Queue[Event | None]
    ) -> None:
        """Close the events of a question that has ended or was never begun."""
        events.put_nowait(None)
        if self._questions.get(tab) is task:
            del self._questions[tab]

    async def _answer(
        self, tab: str, request: dict[str, Any], events: asyncio.Queue[Event | None]
    ) -> None:
        """Get a worker, pass its events on, and give it back for another question."""
        worker: Worker | None = None
        last_event: Event = "replaced", b"{}"
        try:
            worker = await self._worker(tab)
            async with asyncio.timeout(SECONDS) as limit:
                ending = await _pass_on(worker, request, events, limit)
                if ending == CANCELLED:
                    # By an interrupt that was meant for an earlier question.
                    ending = await _pass_on(worker, request, events, limit)
            last_event = ending
            if ending[0] == "lost":
                last_event = _refused(
                    "the process that computes was lost and is started again: ask again"
                )
        except HTTPException as error:
            last_event = _refused(error.detail)
        except TimeoutError:
            last_event = _refused(
                f"no answer within {SECONDS:.0f} seconds: take a chip back, or ask for "
                "less"
            )
        finally:
            events.put_nowait(last_event)
            if worker is not None and not self._closed:
                self._later(self._ready(worker.settle(), worker))

    async def _worker(self, tab: str) -> Worker:
        """An idle worker, the one that answered this tab last if it is free.

        A question that only sharpens makes room for others.
        """
        if not self._idle:
            self._cancel_sharpening(tab)
        for worker in self._workers:
            if worker.tab == tab:
                # It was interrupted a moment ago.
                with suppress(TimeoutError):
                    await asyncio.wait_for(worker.idle.wait(), OWN_WORKER_SECONDS)
        async with self._changed:
            while not self._idle:
                self._verify_workers()
                await self._changed.wait()
            worker = self._best_idle(tab)
            self._take(worker)
        worker.tab = tab
        return worker

    def _cancel_sharpening(self, tab: str) -> None:
        """End one question of another tab that only sharpens an earlier answer."""
        for name, task in self._questions.items():
            if name.endswith(SHARPEN) and name != tab:
                task.cancel()
                return

    def _best_idle(self, tab: str) -> Worker:
        """The idle worker that remembers the tab, else the youngest one.

        Sharpening takes the one that waited longest, so that the next click finds its
        own worker free.
        """
        for worker in reversed(self._idle):
            if worker.tab == tab:
                return worker
        if tab.endswith(SHARPEN):
            return self._idle[0]
        return self._idle[-1]

    def _take(self, worker: Worker) -> None:
        """Let no other question have the worker."""
        self._idle.remove(worker)
        worker.idle.clear()

    def _verify_workers(self) -> None:
        """Refuse a question while no process is there to answer it, now or soon."""
        if all(worker.lost for worker in self._workers):
            raise HTTPException(
                503,
                "the processes that compute were lost and are started again: "
                "ask again in a moment",
            )

    async def _ready(self, work: Awaitable[None], worker: Worker) -> None:
        """Let a worker wait for a question, once the work of starting it is done."""
        await self._wake_questions()
        await work
        while worker.lost and not self._closed:
            tell("a process that computes could not be started: see the lines above")
            await self._wake_questions()
            await asyncio.sleep(RESTART_SECONDS)
            await worker.start()
        self._idle.append(worker)
        worker.idle.set()
        await self._wake_questions()
        self._later(self._restart(worker))

    async def _wake_questions(self) -> None:
        """Let the questions that wait see which workers are idle or lost now."""
        async with self._changed:
            self._changed.notify_all()

    async def _restart(self, worker: Worker) -> None:
        """Start it again if its process ends while it waits for a question."""
        process = worker.process
        await process.wait()
        async with self._changed:
            if (
                self._closed
                or worker not in self._idle
                or worker.process is not process
            ):
                return
            self._take(worker)
            worker.lost = True
        self._later(self._ready(worker.start(), worker))

    def _later(self, work: Any) -> None:
        """Let a coroutine run in the background."""
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


async def _pass_on(
    worker: Worker,
    request: dict[str, Any],
    events: asyncio.Queue[Event | None],
    limit: asyncio.Timeout,
) -> Event:
    """Ask a worker and pass its events on, all but the last, which is returned.

    Slow answers may take ``SECONDS`` for each event, by moving the limit.
    """
    await worker.ask(request)
    while True:
        event = await worker.next()
        if event[0] in LAST_EVENTS:
            return event
        if event[0] in SLOW_EVENTS:
            limit.reschedule(asyncio.get_running_loop().time() + SECONDS)
        events.put_nowait(event)


def _refused(message: str) -> Event:
    """The event of an answer that cannot be given."""
    return "refused", json.dumps({"message": message}).encode()
