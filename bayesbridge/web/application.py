"""The routes: the page with its two files, a stream of answers to a question, and what is asked once."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from importlib.resources import files
from typing import Any, Final

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from bayesbridge import __version__
from bayesbridge.errors import BayesBridgeError
from bayesbridge.web.desk import Busy, Desk
from bayesbridge.web.guard import Guard, bad_request, failed, read_json, refused

PAGE: Final = {"": "text/html", "explorer.js": "text/javascript", "explorer.css": "text/css"}
"""The files of the page by their name in the address: no other file can be asked for."""

ONCE: Final = frozenset(("layouts", "toml", "pbn", "report", "records", "position"))
"""What is answered by one document."""

LONGEST_STREAM: Final = 180.0
"""Seconds for a whole answer, also to a client that reads slowly."""

LARGEST_QUESTION: Final = 40_000
"""Letters of a question; files are larger."""

_TAB: Final = re.compile(r"[A-Za-z0-9-]{1,40}")


def application(token: str, hosts: list[str], workers: int, seed: int = 1) -> ASGIApp:
    """The whole server as an ASGI application."""
    desk = Desk(workers)
    page = {name: _page_file(name or "index.html") for name in PAGE}

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        desk.open()
        try:
            yield
        finally:
            await desk.close()

    async def shown(request: Request) -> Response:
        name = request.path_params.get("name", "")
        if name not in PAGE:
            return refused(404, "nothing is here")
        return Response(page[name], media_type=PAGE[name])

    async def asked(request: Request) -> Response:
        document = await read_json(request)
        tab, question = _tab(document), _question(document, seed)
        events = desk.answers(tab, {"kind": "ask", "question": question})
        try:
            first = await anext(events)
        except StopAsyncIteration:
            first = ("replaced", b"{}")
        except Busy as busy:
            return refused(503, str(busy))
        return _Stream(_frames(first, events), media_type="text/event-stream")

    async def once(request: Request) -> Response:
        kind = request.path_params["kind"]
        if kind not in ONCE:
            return refused(404, "nothing is here")
        document = await read_json(request)
        order: dict[str, Any] = {"kind": kind}
        if kind in ("records", "position"):
            order |= {"name": _text(document, "name")[:200], "text": _text(document, "text")}
        else:
            order |= {"question": _question(document, seed)}
        try:
            async with asyncio.timeout(LONGEST_STREAM):
                async for event, data in desk.answers(f"{_tab(document)} {kind}", order):
                    if event == kind:
                        return Response(data, media_type="application/json")
                    if event == "refused":
                        return Response(data, 400, media_type="application/json")
        except (Busy, TimeoutError) as busy:
            return refused(503, str(busy) or "no answer in time: ask again")
        return JSONResponse({"message": "a newer question took its place"}, 409)

    async def about(_request: Request) -> Response:
        from bayesbridge.bidders.systems import system_names
        from bayesbridge.estimators.builtin import bayesbridge_bidders

        told = {"version": __version__, "bidders": list(bayesbridge_bidders()), "systems": list(system_names())}
        return JSONResponse(told)

    routes = [
        Route(f"/{token}/", shown, methods=["GET"]),
        Route(f"/{token}/about", about, methods=["GET"]),
        Route(f"/{token}/ask", asked, methods=["POST"]),
        Route(f"/{token}/once/{{kind}}", once, methods=["POST"]),
        Route(f"/{token}/{{name}}", shown, methods=["GET"]),
    ]
    handlers: Any = {BayesBridgeError: bad_request, Exception: failed}
    return Guard(Starlette(routes=routes, lifespan=lifespan, exception_handlers=handlers), token, hosts)


class _Stream(StreamingResponse):
    """An answer that a client may take its time to read, but not for ever."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(LONGEST_STREAM):
                await super().__call__(scope, receive, send)


async def _frames(first: tuple[str, bytes], rest: AsyncIterator[tuple[str, bytes]]) -> AsyncIterator[bytes]:
    """Server-sent events."""
    yield _frame(first)
    async for event in rest:
        yield _frame(event)


def _frame(event: tuple[str, bytes]) -> bytes:
    return b"event: " + event[0].encode() + b"\ndata: " + event[1] + b"\n\n"


def _page_file(name: str) -> bytes:
    return files("bayesbridge.web").joinpath("page", name).read_bytes()


def _tab(document: dict[str, Any]) -> str:
    """The name that a tab gave itself."""
    tab = document.get("tab")
    if not isinstance(tab, str) or not _TAB.fullmatch(tab):
        raise BayesBridgeError("tab: send a name of 1 to 40 letters, digits and '-'")
    return tab


def _question(document: dict[str, Any], seed: int) -> dict[str, Any]:
    """What is asked; random numbers start from the seed of the server unless the page names one."""
    question = document.get("question")
    if not isinstance(question, dict) or len(json.dumps(question)) > LARGEST_QUESTION:
        raise BayesBridgeError(f"question: send an object of at most {LARGEST_QUESTION} letters")
    return {"seed": seed, **question}


def _text(document: dict[str, Any], name: str) -> str:
    text = document.get(name)
    if not isinstance(text, str):
        raise BayesBridgeError(f"{name}: send a text")
    return text
