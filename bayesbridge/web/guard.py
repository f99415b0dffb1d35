"""What every request must pass before anything looks at it, and what every response says to the browser.

The token in the address is the key: without it nothing answers. A request must name the server as its host (so that no
other name can be made to lead here), and one that asks for work must come from our own page.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import re
import socket
from collections.abc import Iterable
from contextlib import suppress
from secrets import compare_digest
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from bayesbridge.errors import BayesBridgeError
from bayesbridge.notices import tell

HEADERS: Final = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; "
    "img-src 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}
"""On every response: scripts, styles and connections of our own alone, no frame around us, nothing kept."""

LOOPBACK: Final = ("127.0.0.1", "localhost", "::1")

MOST_BYTES: Final = 2_000_000
"""Of a request: a file that was dropped."""

DEEPEST: Final = 6
"""Levels of JSON: a question has four."""

ARRIVES: Final = 10.0
"""Seconds in which a request must have come."""

_TEXT: Final = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)', re.DOTALL)
_BRACKET: Final = re.compile(rb"[][{}]")


class TooLarge(BayesBridgeError):
    """A request of too many bytes."""


class Guard:
    """The outermost layer of the application."""

    def __init__(self, app: ASGIApp, token: str, hosts: Iterable[str]) -> None:
        self.app, self.token = app, token
        self.hosts = frozenset(hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request through or refuse it in one line."""
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
            return
        if scope["type"] != "http":
            return

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message = {**message, "headers": [*message.get("headers", []), *more]}
            await send(message)

        refusal = self._refusal(scope)
        try:
            if refusal is not None:
                await refused(*refusal)(scope, receive, told)
            else:
                await self.app(scope, receive, told)
        except Exception as error:
            tell(f"a request failed: {type(error).__name__}: {error}")

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        """Status and reason; ``None`` for a request that may pass."""
        request = Request(scope)
        host = request.headers.get("host", "")
        if not self._is_ours(host):
            return 421, "this server answers to its own address alone: open the one it printed"
        if request.method not in ("GET", "HEAD", "POST"):
            return 405, "methods are GET and POST"
        first = scope["path"].split("/", 2)[1:2]
        if not first or not compare_digest(first[0].encode("utf-8", "replace"), self.token.encode()):
            return 404, "nothing is here: open the address that 'bayesbridge serve' printed, with its token"
        if request.method != "POST":
            return None
        site, origin = request.headers.get("sec-fetch-site", "same-origin"), request.headers.get("origin")
        if site != "same-origin" or origin not in (f"http://{host}", f"https://{host}"):
            return 403, "questions come from the page of this server alone"
        if request.headers.get("content-type", "").split(";")[0].strip() != "application/json":
            return 415, "send application/json"
        length = request.headers.get("content-length", "0")
        if not length.isascii() or not length.isdigit() or len(length) > 12 or int(length) > MOST_BYTES:
            return 413, f"a request has at most {MOST_BYTES} bytes"
        return None

    def _is_ours(self, host: str) -> bool:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        return name.strip("[]").lower() in self.hosts


def names_of(host: str) -> list[str]:
    """The names under which a server that listens at ``host`` may be asked for."""
    if is_loopback(host):
        return [*LOOPBACK, host]
    own = socket.gethostname().lower()
    names = [*LOOPBACK, host.lower(), own]
    with suppress(OSError):
        names += [str(info[4][0]) for info in socket.getaddrinfo(own, None)]
    return names


def is_loopback(host: str) -> bool:
    """Whether only programs of this machine can reach the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.lower() == "localhost"


def refused(status: int, reason: str) -> Response:
    """One line; a request that was not read to its end closes its connection."""
    headers = {"connection": "close"} if status in (413, 408, 503) else None
    return Response(f"{reason}\n", status, headers, "text/plain; charset=utf-8")


async def bad_request(_request: Request, error: Exception) -> Response:
    """What is wrong with a request that was let through."""
    return refused(413 if isinstance(error, TooLarge) else 400, str(error))


async def failed(_request: Request, _error: Exception) -> Response:
    """Something that should not happen; the terminal says what."""
    return refused(500, "the server could not answer: its terminal says why")


async def read_json(request: Request) -> dict[str, Any]:
    """The object that a request sends, of bounded size and depth, and in time."""
    body = bytearray()
    try:
        async with asyncio.timeout(ARRIVES):
            async for part in request.stream():
                body += part
                if len(body) > MOST_BYTES:
                    raise TooLarge(f"a request has at most {MOST_BYTES} bytes")
    except TimeoutError:
        raise BayesBridgeError(f"the request did not arrive within {ARRIVES:.0f} seconds: send it again") from None
    if _depth(body) > DEEPEST:
        raise BayesBridgeError(f"JSON of more than {DEEPEST} levels: a question has four")
    try:
        document = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise BayesBridgeError(f"not JSON: {str(error)[:100]}") from None
    if not isinstance(document, dict):
        raise BayesBridgeError("send one JSON object")
    return document


def _depth(body: bytearray) -> int:
    """How many brackets of JSON are open at most, as far as it matters; those inside texts do not count."""
    depth = 0
    for bracket in _BRACKET.finditer(_TEXT.sub(b"", body)):
        depth += 1 if bracket[0] in b"[{" else -1
        if depth > DEEPEST:
            return depth
    return 0
