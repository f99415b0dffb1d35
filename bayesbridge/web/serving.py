"""The server itself: an address of its own, clients that must not dawdle, and an end without a trace."""

from __future__ import annotations

import asyncio
import logging
import socket
from collections.abc import Callable
from contextlib import ExitStack
from secrets import token_urlsafe
from typing import Any, Final

import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from bayesbridge.errors import BayesBridgeError
from bayesbridge.web.application import application
from bayesbridge.web.guard import ARRIVES, names_of

MOST_CONNECTIONS: Final = 256
"""At a time; more are told to come again."""

LARGEST_HEAD: Final = 32_768
"""Bytes of a request's head."""


class Prompt(H11Protocol):
    """Closes a connection whose request does not come: slow clients must not take the places of others."""

    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request, but not for ever."""
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        """Read on; a request that has come whole is waited for no more."""
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is waited for."""
        super().connection_lost(exc)
        self._forget()

    def _watch(self) -> None:
        if self._waits and self._patience is None:
            self._patience = self.loop.call_later(ARRIVES, self._lose_patience)
        elif not self._waits:
            self._forget()

    @property
    def _waits(self) -> bool:
        cycle: Any = self.cycle  # None before the first request
        return cycle is None or bool(cycle.response_complete)

    def _lose_patience(self) -> None:
        self._patience = None
        if self._waits:
            self.transport.close()

    def _forget(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None


def listen(host: str, port: int) -> socket.socket:
    """A socket at the address; port 0 takes any that is free."""
    with ExitStack() as opened:
        try:
            family, kind, proto, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
            listener = opened.enter_context(socket.socket(family, kind, proto))
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind(address)
            listener.listen(128)
        except OSError as error:
            raise _no_address(host, port, error) from None
        opened.pop_all()
    return listener


def _no_address(host: str, port: int, error: OSError) -> BayesBridgeError:
    why = error.strerror or error
    return BayesBridgeError(
        f"cannot listen at {host} port {port}: {why}; give another --port, 0 for any free one", host=host, port=port
    )


def new_token() -> str:
    """128 random bits for an address."""
    return token_urlsafe(16)


def explorer(host: str, token: str, workers: int, ready: Callable[[], None], seed: int = 1) -> uvicorn.Server:
    """The server, not yet started; ``ready`` is called when requests are taken, draws start from ``seed``."""
    for name in ("uvicorn.error", "uvicorn.access"):  # the token stands in every address
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    options: dict[str, Any] = {
        "http": Prompt,
        "ws": "none",
        "lifespan": "on",
        "log_config": None,
        "access_log": False,
        "server_header": False,
        "proxy_headers": False,
        "limit_concurrency": MOST_CONNECTIONS,
        "timeout_keep_alive": 5,
        "timeout_graceful_shutdown": 1,
        "h11_max_incomplete_event_size": LARGEST_HEAD,
    }
    return _Server(uvicorn.Config(application(token, names_of(host), workers, seed), **options), ready)


def serve(server: uvicorn.Server, listener: socket.socket) -> None:
    """Serve until an interrupt, or until ``server.should_exit`` is set."""
    with listener:
        asyncio.run(server.serve(sockets=[listener]))


class _Server(uvicorn.Server):
    """Says when it is there."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Take requests, and say so."""
        await super().startup(sockets)
        if self.started:
            self._ready()
