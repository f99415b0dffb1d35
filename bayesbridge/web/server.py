"""The server of the explorer: the routes, and what a request must pass.

The token in the address is the key: without it nothing answers. A request must name the
server as its host (so that no other name can be made to lead here), and one that asks
for work must come from our own page.
"""

from __future__ import annotations

import asyncio
import json
import logging
import re
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cached_property
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
from bayesbridge.web.workers import Desk, Event

HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; "
    "style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""On every response: scripts, styles and connections of our own alone, no frame around
us, nothing kept.
"""

MOST_BYTES: Final = 2_000_000
"""Bytes of a request: a file that was dropped."""

MOST_LENGTH_DIGITS: Final = 12
"""Digits of a length that a request states: more are no number worth reading."""

TOO_LONG: Final = f"a request has at most {MOST_BYTES} bytes"
NOTHING_HERE: Final = "nothing is here"
OUR_NAMES: Final = ("127.0.0.1", "localhost")
UNREAD: Final = (408, 413, 503)
"""Statuses of requests that were not read to their end: the connection closes."""

LONGEST_NAME: Final = 200
"""Characters of the name of a document that are passed on."""

PAGE: Final = {
    "index.html": "text/html",
    "explorer.js": "text/javascript",
    "explorer.css": "text/css",
}
"""The files of the page: no other file can be asked for."""

TAB: Final = re.compile(r"[A-Za-z0-9-]{1,40}")

SEVERAL_EVENTS: Final = ("ask", "review", "sharpen", "values")
"""Kinds of questions that are answered by a stream of events."""

ONE_EVENT: Final = ("layouts", "toml", "report", "entry", "fact")
"""Kinds of questions that are answered by one document."""


def guarded(app: ASGIApp, token: str) -> ASGIApp:
    """The application behind what every request must pass.

    Every response has the headers of ours.
    """
    headers = [(name.encode(), value.encode()) for name, value in HEADERS.items()]

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                all_headers = [*message.get("headers", []), *headers]
                message = {**message, "headers": all_headers}
            await send(message)

        try:
            response = _refusal(scope, token) or app
            await response(scope, receive, send_with_headers)
        except Exception as error:
            tell(f"a request failed: {type(error).__name__}: {error}")

    return answer


def _refusal(scope: Scope, token: str) -> Response | None:
    """What a request is told that may not pass; ``None`` for one that may."""
    request = Request(scope)
    host = request.headers.get("host", "")
    host_name, _, _port = host.partition(":")
    if host_name.lower() not in OUR_NAMES:
        return refused(
            421, "this server answers to its own address alone: open the one it printed"
        )
    first_part = f"{scope['path']}/".split("/")[1]
    if not compare_digest(first_part.encode("utf-8", "replace"), token.encode()):
        return refused(
            404,
            f"{NOTHING_HERE}: open the address that 'bayesbridge serve' printed, with "
            "its token",
        )
    if request.method == "POST":
        return _work_refusal(request, host)
    return None


def _work_refusal(request: Request, host: str) -> Response | None:
    """What a request is told that may not ask for work; ``None`` for one that may."""
    site = request.headers.get("sec-fetch-site", "same-origin")
    origin = request.headers.get("origin")
    if site != "same-origin" or origin not in (f"http://{host}", f"https://{host}"):
        return refused(403, "questions come from the page of this server alone")
    content_type, _, _parameters = request.headers.get("content-type", "").partition(
        ";"
    )
    if content_type.strip() != "application/json":
        return refused(415, "send application/json")
    if not _is_short(request.headers.get("content-length", "0")):
        return refused(413, TOO_LONG)
    return None


def _is_short(length: str) -> bool:
    """Whether the stated length of a request is a number, and none too large."""
    is_number = length.isascii() and length.isdigit()
    if not is_number or len(length) > MOST_LENGTH_DIGITS:
        return False
    return int(length) <= MOST_BYTES


def refused(status: int, reason: str) -> Response:
    """A response of one line."""
    headers = {"connection": "close"} if status in UNREAD else None
    return Response(f"{reason}\n", status, headers, "text/plain; charset=utf-8")


async def on_error(_request: Request, error: Exception) -> Response:
    """What is wrong with a request that was let through.

    What should not happen is said on the terminal.
    """
    if isinstance(error, HTTPException):
        return refused(error.status_code, error.detail)
    if isinstance(error, BayesBridgeError):
        return refused(400, str(error))
    return refused(500, "the server could not answer: its terminal says why")


class ExplorerPages:
    """What the routes lead to: the files of the page, and answers to its questions."""

    def __init__(self, desk: Desk, seed: int) -> None:
        self.desk = desk
        self.seed = seed
        """Where random numbers start from, unless the page names another seed."""

    @cached_property
    def files(self) -> dict[str, str]:
        """The files of the page by name."""
        return page_files()

    async def page(self, request: Request) -> Response:
        """A file of the page."""
        name = request.path_params.get("name", "index.html")
        if name not in PAGE:
            return refused(404, NOTHING_HERE)
        return Response(self.files[name], media_type=PAGE[name])

    async def stream(self, request: Request) -> Response:
        """The events of an answer, as they come."""
        events = await self._events(request, SEVERAL_EVENTS)
        # Python 3.12.1 takes no tuple as default of anext.
        first = await anext(events, None) or ("replaced", b"{}")
        frames = _frames(first, events)
        return StreamingResponse(frames, media_type="text/event-stream")

    async def once(self, request: Request) -> Response:
        """The one document of an answer."""
        kind = request.path_params["kind"]
        async for event, document in await self._events(request, ONE_EVENT):
            if event == kind:
                return Response(document, 200, media_type="application/json")
            if event == "refused":
                return Response(document, 400, media_type="application/json")
        return JSONResponse({"message": "a newer question took its place"}, 409)

    async def _events(
        self, request: Request, kinds: tuple[str, ...]
    ) -> AsyncIterator[Event]:
        """The events of a worker; kinds of questions that are not here are refused."""
        kind = request.path_params["kind"]
        if kind not in kinds:
            raise HTTPException(404, NOTHING_HERE)
        document = await json_of(request)
        tab = fields.required(document, "tab", str)
        if not TAB.fullmatch(tab):
            raise BayesBridgeError(
                "tab: send a name of 1 to 40 letters, digits and '-'"
            )
        question = fields.required(document, "question", dict)
        work = {"kind": kind, "question": {"seed": self.seed, **question}}
        return self.desk.answers(f"{tab} {kind}", work | _extra(kind, document))


def _extra(kind: str, document: dict[str, Any]) -> dict[str, Any]:
    """What questions of a kind have beside their position.

    A fact is one kind of evidence and its text; an entry and a review are of a document
    by name and text, a review of one of its boards.
    """
    if kind == "fact":
        (fact,) = fields.pairs_of_texts({"fact": [document.get("fact")]}, "fact")
        return {"fact": fact}
    if kind not in ("entry", "review"):
        return {}
    extra: dict[str, Any] = {
        "name": fields.required(document, "name", str)[:LONGEST_NAME],
        "text": fields.required(document, "text", str),
    }
    if kind == "review":
        extra["board"] = fields.required(document, "board", int)
    return extra


def application(
    token: str, workers: int, seed: int, ready: Callable[[], None]
) -> ASGIApp:
    """The whole server as an ASGI application, whose paths begin with a secret token.

    Answers come as streams of events, or in one piece (``once``) where a page waits for
    a single one. Requests from other sites or without the token are turned away by the
    guard around it. ``ready`` is called when requests are taken.
    """
    desk = Desk(workers)
    explorer = ExplorerPages(desk, seed)

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        desk.open()
        ready()
        try:
            yield
        finally:
            await desk.close()

    routes = [
        Route(f"/{token}/", explorer.page, methods=["GET"]),
        Route(f"/{token}/{{kind}}", explorer.stream, methods=["POST"]),
        Route(f"/{token}/once/{{kind}}", explorer.once, methods=["POST"]),
        Route(f"/{token}/{{name}}", explorer.page, methods=["GET"]),
    ]
    handlers: Any = dict.fromkeys(
        (HTTPException, BayesBridgeError, Exception), on_error
    )
    app = Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers)
    return guarded(app, token)


async def json_of(request: Request) -> Any:
    """The body of a request as JSON."""
    try:
        return json.loads(await body_of(request))
    except (ValueError, RecursionError) as error:
        raise BayesBridgeError(f"not JSON: {str(error)[:100]}") from None


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


async def _frames(first: Event, later: AsyncIterator[Event]) -> AsyncIterator[bytes]:
    """Events as browsers take them, the first of which is there already."""
    yield _frame(first)
    async for event in later:
        yield _frame(event)


def _frame(event: Event) -> bytes:
    """One event as browsers take it."""
    name, document = event
    return b"event: " + name.encode() + b"\ndata: " + document + b"\n\n"


def listen(port: int) -> socket.socket:
    """A socket that this machine alone can reach; port 0 takes any that is free."""
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        reason = error.strerror or error
        raise BayesBridgeError(
            f"cannot listen at port {port}: {reason}; give another --port, 0 for any"
        ) from None


def explorer(
    token: str, workers: int, ready: Callable[[], None], seed: int = 1
) -> uvicorn.Server:
    """The server, not yet started.

    ``ready`` is called when requests are taken; draws start from ``seed``.
    """
    # The token stands in every address, so none may be written to a log.
    for name in ("uvicorn.error", "uvicorn.access"):
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
