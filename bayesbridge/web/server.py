"""The server of the explorer: what a request must pass, who computes its answer, and
the routes.

The token in the address is the key: without it nothing answers. A request must name the
server as its host (so that no other name can be made to lead here), and one that asks
for work must come from our own page. A question belongs to a tab: when a tab asks
again, or goes away, its older question is interrupted.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import re
import signal
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from functools import cache
from secrets import compare_digest
from typing import Any, Final

import uvicorn
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bayesbridge.display.words import tell
from bayesbridge.errors import BayesBridgeError
from bayesbridge.web import fields, page_files
from bayesbridge.web.connections import REQUEST_SECONDS, Connection

HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""On every response: scripts, styles and connections of our own alone, no frame around
us, nothing kept.
"""

MOST_BYTES: Final = 2_000_000  # of a request: a file that was dropped
TOO_LONG: Final = f"a request has at most {MOST_BYTES} bytes"


def guarded(app: ASGIApp, token: str) -> ASGIApp:
    """The application behind what every request must pass, with what every response
    says.
    """

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [
                    (name.encode(), value.encode()) for name, value in HEADERS.items()
                ]
                message = {**message, "headers": [*message.get("headers", []), *more]}
            await send(message)

        try:
            await (_refusal(scope, token) or app)(scope, receive, with_headers)
        except Exception as error:
            tell(f"a request failed: {type(error).__name__}: {error}")

    return answer


def _refusal(scope: Scope, token: str) -> Response | None:
    """What a request is told that may not pass."""
    request = Request(scope)
    host = request.headers.get("host", "")
    if host.partition(":")[0].lower() not in ("127.0.0.1", "localhost"):
        return refused(
            421, "this server answers to its own address alone: open the one it printed"
        )
    first = f"{scope['path']}/".split("/")[1]
    if not compare_digest(first.encode("utf-8", "replace"), token.encode()):
        return refused(
            404,
            "nothing is here: open the address that 'bayesbridge serve' printed, with its token",
        )
    if request.method != "POST":
        return None
    site, origin = (
        request.headers.get("sec-fetch-site", "same-origin"),
        request.headers.get("origin"),
    )
    if site != "same-origin" or origin not in (f"http://{host}", f"https://{host}"):
        return refused(403, "questions come from the page of this server alone")
    if (
        request.headers.get("content-type", "").split(";")[0].strip()
        != "application/json"
    ):
        return refused(415, "send application/json")
    length = request.headers.get("content-length", "0")
    if (
        not length.isascii()
        or not length.isdigit()
        or len(length) > 12
        or int(length) > MOST_BYTES
    ):
        return refused(413, TOO_LONG)
    return None


def refused(status: int, reason: str) -> Response:
    """One line; a request that was not read to its end closes its connection."""
    headers = {"connection": "close"} if status in (408, 413, 503) else None
    return Response(f"{reason}\n", status, headers, "text/plain; charset=utf-8")


async def on_error(_request: Request, error: Exception) -> Response:
    """What is wrong with a request that was let through; what should not happen is said
    on the terminal.
    """
    if isinstance(error, HTTPException):
        return refused(error.status_code, error.detail)
    if isinstance(error, BayesBridgeError):
        return refused(400, str(error))
    return refused(500, "the server could not answer: its terminal says why")


# For one question, once a worker has it; for the next card of a review, the next
# ranking
SECONDS: Final = 60.0
RESTART_SECONDS: Final = (
    30.0  # until a process that could not be started is tried again
)
type Event = tuple[str, bytes]  # its name, and its document as JSON


class Worker:
    """One process, seen from the server."""

    def __init__(self) -> None:
        self.process: Any = None  # of asyncio, once it is started
        self.busy = False
        self.lost = False  # its process is gone, until another is warm
        self.idle = asyncio.Event()
        self.tab = ""  # whose question it answered last

    async def start(self) -> None:
        """Start it and wait until it is warm; it has a session of its own, so that
        Ctrl-C reaches the server alone.
        """
        begin = f"import sys; sys.path[:] = {sys.path!r}; from bayesbridge.web.worker import work; work()"
        self.process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-c",
            begin,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            limit=1 << 24,  # bytes of one event: a report has about one million
            start_new_session=hasattr(os, "setsid"),
        )
        event, _ = await self.next()
        self.busy = self.lost = event != "ready"

    async def ask(self, request: dict[str, Any]) -> None:
        self.busy = True
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        with suppress(
            ConnectionError
        ):  # one that is gone is noticed by what it does not answer
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
                async with asyncio.timeout(3.0):
                    while (await self.next())[0] not in ("end", "lost"):
                        pass
        if self.busy:
            await self.stop()
            await self.start()

    async def stop(self) -> None:
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
        """The events of an answer; the tab's older question, if any, ends with the
        event ``replaced``.
        """
        self._verify_workers()
        if (older := self._questions.get(tab)) is not None:
            older.cancel()
        elif len(self._questions) >= 16:
            raise HTTPException(
                503,
                f"{len(self._questions)} questions are being answered: ask again in a moment",
            )
        events: asyncio.Queue[Event | None] = asyncio.Queue()
        task = asyncio.create_task(self._answer(tab, request, events))
        self._questions[tab] = task
        task.add_done_callback(lambda done: self._ended(tab, done, events))
        try:
            while (event := await events.get()) is not None:
                yield event
        finally:
            task.cancel()

    def _ended(
        self, tab: str, task: asyncio.Task[None], events: asyncio.Queue[Event | None]
    ) -> None:
        """Also of a question that was replaced before it was begun."""
        events.put_nowait(None)
        if self._questions.get(tab) is task:
            del self._questions[tab]

    async def _answer(
        self, tab: str, request: dict[str, Any], events: asyncio.Queue[Event | None]
    ) -> None:
        """Get a worker, pass its events on, and give it back ready for another
        question.
        """
        worker: Worker | None = None
        last: Event = "replaced", b"{}"
        try:
            worker = await self._worker(tab)
            async with asyncio.timeout(SECONDS) as limit:
                for _ in range(2):
                    await worker.ask(request)
                    while (event := await worker.next())[0] not in ("end", "lost"):
                        if event[0] in ("judged", "leads", "values"):
                            limit.reschedule(
                                asyncio.get_running_loop().time() + SECONDS
                            )
                        events.put_nowait(event)
                    if event != (
                        "end",
                        b'{"why":"cancelled"}',
                    ):  # an interrupt that was meant for an earlier question
                        break
                lost = _refused(
                    "the process that computes was lost and is started again: ask again"
                )
                last = lost if event[0] == "lost" else event
        except HTTPException as error:
            last = _refused(error.detail)
        except TimeoutError:
            last = _refused(
                f"no answer within {SECONDS:.0f} seconds: take a chip back, or ask for less"
            )
        finally:
            events.put_nowait(last)
            if worker is not None and not self._closed:
                self._later(self._ready(worker.settle(), worker))

    async def _worker(self, tab: str) -> Worker:
        """An idle worker, the one that answered this tab last if it is free; what only
        sharpens makes room.
        """
        spare = [
            task
            for name, task in self._questions.items()
            if name.endswith(" sharpen") and name != tab
        ]
        if spare and not self._idle:
            spare[0].cancel()
        for own in (worker for worker in self._workers if worker.tab == tab):
            with suppress(TimeoutError):  # interrupted a moment ago
                await asyncio.wait_for(own.idle.wait(), 0.1)
        async with self._changed:
            while not self._idle:
                self._verify_workers()
                await self._changed.wait()
            # Sharpening takes the one that waited longest, so that the next click
            # finds its own, which remembers.
            other = self._idle[0 if tab.endswith(" sharpen") else -1]
            chosen = next(
                (worker for worker in reversed(self._idle) if worker.tab == tab), other
            )
            self._take(chosen)
        chosen.tab = tab
        return chosen

    def _take(self, worker: Worker) -> None:
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
        """After it was started, or settled again, it waits for a question."""
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
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)


def _refused(message: str) -> Event:
    return "refused", json.dumps({"message": message}).encode()


PAGE: Final = {
    "index.html": "text/html",
    "explorer.js": "text/javascript",
    "explorer.css": "text/css",
}
"""The files of the page: no other file can be asked for."""


def application(
    token: str, workers: int, seed: int, ready: Callable[[], None]
) -> ASGIApp:
    """The whole server as an ASGI application; ``ready`` is called when requests are
    taken.
    """
    desk = Desk(workers)
    page = cache(page_files)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        desk.open()
        ready()
        try:
            yield
        finally:
            await desk.close()

    async def shown(request: Request) -> Response:
        name = request.path_params.get("name", "index.html")
        return (
            Response(page()[name], media_type=PAGE[name])
            if name in PAGE
            else refused(404, "nothing is here")
        )

    async def answered(request: Request, *kinds: str) -> AsyncIterator[Event]:
        """The events of a worker; random numbers start from the seed of the server
        unless the page names one.
        """
        kind = request.path_params["kind"]
        if kind not in kinds:
            raise HTTPException(404, "nothing is here")
        try:
            document = json.loads(await body_of(request))
        except (ValueError, RecursionError) as error:
            raise BayesBridgeError(f"not JSON: {str(error)[:100]}") from None
        tab = fields.required(document, "tab", str)
        if not re.fullmatch(r"[A-Za-z0-9-]{1,40}", tab):
            raise BayesBridgeError(
                "tab: send a name of 1 to 40 letters, digits and '-'"
            )
        sent = {
            "kind": kind,
            "question": {"seed": seed, **fields.required(document, "question", dict)},
        }
        if kind in ("entry", "review"):
            sent |= {
                "name": fields.required(document, "name", str)[:200],
                "text": fields.required(document, "text", str),
            }
        if kind == "fact":
            fact = fields.pairs_of_texts({"fact": [document.get("fact")]}, "fact")
            sent["fact"] = fact[0]
        if kind == "review":
            sent["board"] = fields.required(document, "board", int)
        return desk.answers(f"{tab} {kind}", sent)

    async def ask(request: Request) -> Response:
        events = await answered(request, "ask", "review", "sharpen", "values")
        first = await anext(events, None) or (
            "replaced",
            b"{}",
        )  # Python 3.12.1 takes no tuple as default
        return StreamingResponse(_frames(first, events), media_type="text/event-stream")

    async def once(request: Request) -> Response:
        kind = request.path_params["kind"]
        async for event, data in await answered(
            request, "layouts", "toml", "report", "entry", "fact"
        ):
            if event in (kind, "refused"):
                return Response(
                    data, 200 if event == kind else 400, media_type="application/json"
                )
        return JSONResponse({"message": "a newer question took its place"}, 409)

    routes = [
        Route(f"/{token}/", shown, methods=["GET"]),
        Route(f"/{token}/{{kind}}", ask, methods=["POST"]),
        Route(f"/{token}/once/{{kind}}", once, methods=["POST"]),
        Route(f"/{token}/{{name}}", shown, methods=["GET"]),
    ]
    handlers: Any = dict.fromkeys(
        (HTTPException, BayesBridgeError, Exception), on_error
    )
    return guarded(
        Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), token
    )


async def body_of(request: Request) -> bytes:
    """The body of a request, which must not be too long nor take too long."""
    body = bytearray()
    try:
        async with asyncio.timeout(REQUEST_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise HTTPException(413, TOO_LONG)
    except TimeoutError:
        reason = f"a request must be there within {REQUEST_SECONDS:.0f} seconds"
        raise HTTPException(408, reason) from None
    return bytes(body)


async def _frames(first: Event, rest: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    name, document = first
    yield b"event: " + name.encode() + b"\ndata: " + document + b"\n\n"
    async for name, document in rest:
        yield b"event: " + name.encode() + b"\ndata: " + document + b"\n\n"


def listen(port: int) -> socket.socket:
    """A socket that this machine alone can reach; port 0 takes any that is free."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        why = error.strerror or error
        raise BayesBridgeError(
            f"cannot listen at port {port}: {why}; give another --port, 0 for any"
        ) from None


def explorer(
    token: str, workers: int, ready: Callable[[], None], seed: int = 1
) -> uvicorn.Server:
    """The server, not yet started; ``ready`` is called when requests are taken, draws
    start from ``seed``.
    """
    for name in (
        "uvicorn.error",
        "uvicorn.access",
    ):  # the token stands in every address
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    config = uvicorn.Config(
        application(token, workers, seed, ready),
        loop="asyncio",
        http=Connection,
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=256,
        timeout_graceful_shutdown=1,
        h11_max_incomplete_event_size=32_768,
    )
    return uvicorn.Server(config)
