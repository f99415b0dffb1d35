"""HTTP connections that nobody can hold open.

The header of a request has a limit of time, and a client has a limit of connections
that ask nothing.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

REQUEST_SECONDS: Final = 10.0
"""For the header of a request, and again for its body."""

MOST_IDLE: Final = 32
"""Connections of one client without a request; browsers have six."""


class Connection(H11Protocol):
    """A connection of uvicorn with limits.

    Uvicorn itself limits the time between two requests, but not that of a request which
    has begun to arrive.
    """

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._idle_since = 0.0
        self._deadline: asyncio.TimerHandle | None = None

    @property
    def is_idle(self) -> bool:
        """Whether no whole header of a request is there that is not answered yet."""
        return self.conn.their_state is h11.IDLE and not self.transport.is_closing()

    def connection_made(self, transport: Any) -> None:
        """Let the clock run for the first request."""
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._limit_header()
        self._close_surplus()

    def data_received(self, data: bytes) -> None:
        """Stop the clock, if a whole header has come."""
        super().data_received(data)
        self._limit_header()

    def on_response_complete(self) -> None:
        """Count the connection as idle from now on."""
        super().on_response_complete()
        self._idle_since = self.loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the clock."""
        self._stop_clock()
        super().connection_lost(exc)

    def _limit_header(self) -> None:
        """Let the clock run while a header is awaited."""
        if not self.is_idle:
            self._stop_clock()
        elif self._deadline is None:
            self._deadline = self.loop.call_later(REQUEST_SECONDS, self.transport.close)

    def _stop_clock(self) -> None:
        """Forget the limit of the header."""
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _close_surplus(self) -> None:
        """Close the client's connection that was idle longest, if there are too many."""
        idle = [
            connection
            for connection in self.connections
            if isinstance(connection, Connection)
            and connection.is_idle
            and _host(connection) == _host(self)
        ]
        if len(idle) > MOST_IDLE:
            longest_idle = min(idle, key=lambda connection: connection._idle_since)
            longest_idle.transport.close()


def _host(connection: Connection) -> str:
    if connection.client is None:
        return ""
    return connection.client[0]
