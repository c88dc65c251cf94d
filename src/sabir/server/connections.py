"""Connections with deadlines and a maximum number.

uvicorn only limits the time between two requests. A client that sends half a request, or one byte now and
then, would keep its connection. So each connection is wrapped: headers must be complete within a deadline,
and a body must arrive at a minimum rate while the application waits for it. Responses may take any time.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from time import monotonic
from typing import Any, Final, cast

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from sabir.server.settings import ConnectionLimits

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[Any, Receive, Send], Awaitable[None]]

_STATE: Final = "sabir.connection"
_TIMED_OUT: Final = b"HTTP/1.1 408 Request Timeout\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
_TOO_MANY: Final = b"HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"


class _Pool:
    """All connections of a server."""

    def __init__(self, limits: ConnectionLimits) -> None:
        self.limits = limits
        self.open = 0
        self.waiting: dict[_Connection, None] = {}
        """Connections without a request under way, the longest waiting first."""

    def has_room(self) -> bool:
        """Tell whether one more connection fits, if necessary by closing an idle one."""
        if self.open < self.limits.most:
            return True
        oldest = next(iter(self.waiting), None)
        if oldest is not None:
            oldest.time_out()
        return oldest is not None


def bounded_protocol(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """The class of connections for `uvicorn.Config(http=…)`."""
    pool = _Pool(limits)

    class Bounded(_Connection):
        def __init__(self, **settings: Any) -> None:
            super().__init__(pool, settings)

    return Bounded


class _Connection(asyncio.Protocol):
    """Forwards everything to uvicorn's protocol, and closes the connection if a request takes too long to
    arrive.
    """

    def __init__(self, pool: _Pool, settings: dict[str, Any]) -> None:
        self.limits = pool.limits
        self._pool = pool
        self._inner: asyncio.Protocol = AutoHTTPProtocol(
            **{**settings, "app_state": {**settings["app_state"], _STATE: self}}
        )
        self._transport: asyncio.Transport | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._answering = 0
        self._has_more = False
        """Whether something was sent after the request that is answered."""

    # What asyncio calls

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        if not self._pool.has_room():
            self._transport.write(_TOO_MANY)
            self._transport.close()
            self._transport = None
            return
        self._pool.open += 1
        self._inner.connection_made(transport)
        self._pool.waiting[self] = None
        self._arm()

    def data_received(self, data: bytes) -> None:
        if self._transport is None:
            return
        if self._answering:
            self._has_more = True
        elif self._timer is None:
            self._arm()
        self._inner.data_received(data)

    def eof_received(self) -> bool | None:
        return self._inner.eof_received() if self._transport is not None else None

    def pause_writing(self) -> None:
        if self._transport is not None:
            self._inner.pause_writing()

    def resume_writing(self) -> None:
        if self._transport is not None:
            self._inner.resume_writing()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._transport is None:
            return
        self._transport = None
        self._pool.open -= 1
        self._pool.waiting.pop(self, None)
        self._disarm()
        self._inner.connection_lost(exc)

    # What the application tells

    def start_request(self) -> None:
        """Stop the header deadline: the headers are complete."""
        self._disarm()
        self._pool.waiting.pop(self, None)
        self._answering += 1
        self._has_more = False

    def end_body(self) -> None:
        """Note that the body is complete: further data belongs to the next request."""
        self._has_more = False

    def end_request(self, *, is_whole: bool) -> None:
        """Start the next deadline after the response: for the rest of an incomplete body, or for the next
        request.
        """
        self._answering -= 1
        if self._transport is not None and not self._answering:
            self._pool.waiting[self] = None
            if self._has_more or not is_whole:
                self._arm()

    def time_out(self) -> None:
        """Close the connection: the request took too long to arrive."""
        transport = self._transport
        self._pool.waiting.pop(self, None)
        self._disarm()
        if transport is not None and not transport.is_closing():
            transport.write(_TIMED_OUT)
            transport.close()

    def _arm(self) -> None:
        self._disarm()
        loop = asyncio.get_running_loop()
        self._timer = loop.call_later(self.limits.header_seconds, self.time_out)

    def _disarm(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def bounded_app(app: App) -> App:
    """The application, which tells its connection when a request begins and ends, and waits for bodies no longer than allowed."""

    async def answer(scope: Any, receive: Receive, send: Send) -> None:
        connection = scope.get("state", {}).pop(_STATE, None) if scope["type"] == "http" else None
        if connection is None:
            await app(scope, receive, send)
            return
        body = _Body(connection, receive, is_whole=not _has_body(scope))
        connection.start_request()
        try:
            await app(scope, body.receive, send)
        finally:
            connection.end_request(is_whole=body.is_whole)

    return answer


def _has_body(scope: Any) -> bool:
    return any(
        name == b"transfer-encoding" or (name == b"content-length" and value.strip(b"0 ") != b"")
        for name, value in scope["headers"]
    )


class _Body:
    """The body of one request as it arrives. Only the time that the application waits for it counts."""

    def __init__(self, connection: _Connection, receive: Receive, *, is_whole: bool) -> None:
        self._connection = connection
        self._receive = receive
        self._left = connection.limits.body_seconds
        self.is_whole = is_whole

    async def receive(self) -> Message:
        if self.is_whole:  # what comes now is the end of the connection, whenever that is
            return await self._receive()
        began = monotonic()
        try:
            async with asyncio.timeout(self._left):
                message = await self._receive()
        except TimeoutError:
            self._connection.time_out()
            return {"type": "http.disconnect"}
        self._left += len(message.get("body", b"")) / self._connection.limits.slowest - (monotonic() - began)
        if not message.get("more_body", False):
            self.is_whole = True
            self._connection.end_body()
        return message
