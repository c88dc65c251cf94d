"""One connection to a broker: plans are sent, answers are given to whoever waits for them.

Frames of a broker within bounds.

A frame says how long it is, and a message how long it will be, before anything of it comes; the client makes room for whatever is
said. Both are looked at here, below the client.
"""

from __future__ import annotations

import asyncio
import ssl
from asyncio import StreamReader, StreamWriter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final, NamedTuple, Self

import aio_pika
from aio_pika.abc import AbstractChannel, AbstractIncomingMessage, AbstractRobustConnection
from aio_pika.exceptions import AMQPError, ChannelClosed, ChannelInvalidStateError, ChannelNotFoundEntity
from aio_pika.robust_connection import RobustConnection
from aiormq.connection import TCPTransportFactory, TLSTransportFactory

from sabir.deployments.drivers.amqp.messages import Message, answer_of
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError, UnreachableError

_LARGEST_FRAME: Final = 16 << 20
"""RabbitMQ agrees on 128 kB unless it is told otherwise."""
_LARGEST_MESSAGE: Final = 64 << 20
_HEADER: Final = 2
"""The type of a frame that begins a message, with its length after four bytes."""


class BoundedConnection(RobustConnection):
    def __init__(self, url: Any, **options: Any) -> None:
        super().__init__(url, **options)
        is_secure = self.url.scheme == "amqps"
        self.kwargs["transport_factory"] = _Transport(
            TLSTransportFactory() if is_secure else TCPTransportFactory()
        )


class _Transport:
    def __init__(self, inner: Any) -> None:
        self._inner = inner

    async def create(self, url: Any, **options: Any) -> tuple[Any, StreamWriter]:
        reader, writer = await self._inner.create(url, **options)
        return _Frames(reader), writer


class _Frames:
    """A stream as the client reads it: the type of a frame, its channel and length, its content."""

    def __init__(self, stream: StreamReader) -> None:
        self._stream = stream
        self._type = 0

    def at_eof(self) -> bool:
        return self._stream.at_eof()

    async def read(self, size: int = -1) -> bytes:
        return await self._stream.read(size if size >= 0 else _LARGEST_FRAME)

    async def readexactly(self, size: int) -> bytes:
        if size > _LARGEST_FRAME:
            raise OSError(f"it announces a frame of {size:,} bytes")
        data = await self._stream.readexactly(size)
        if size == 1:
            self._type = data[0]
        elif size > 12 and self._type == _HEADER:
            length = int.from_bytes(data[4:12], "big")
            if length > _LARGEST_MESSAGE:
                raise OSError(f"it announces a message of {length:,} bytes")
        return data


BrokerSettings = Mapping[str, Any]
"""`host`, `port`, `login`, `password`, `virtual_host`, `ssl`, `insecure`, `ca_certs`."""
_CONNECT_SECONDS: Final = 20.0
_SEND_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 5.0
_AWAY_SECONDS: Final = 300.0
_KEPT: Final = 1000
"""Answers that nobody waits for yet, at most."""
_RECORDED_SECONDS: Final = 60.0
"""By then an answer stands in the journal of whoever got it. The broker itself waits for half an hour."""


class AgentResponse(NamedTuple):
    content: dict[str, Any]
    message: AbstractIncomingMessage
    """Not acknowledged yet."""


class Broker:
    def __init__(self, connection: AbstractRobustConnection, channel: AbstractChannel) -> None:
        self._connection = connection
        self._channel = channel
        self._declared: set[str] = set()
        self._consuming: set[str] = set()
        self._waiting: dict[str, asyncio.Future[AgentResponse]] = {}
        self._early: dict[str, AgentResponse] = {}
        self._closing = asyncio.Event()
        self._leaving: set[asyncio.Task[None]] = set()
        """Answers that were given on; they leave their queue when they are recorded."""

    @classmethod
    async def open(cls, settings: BrokerSettings, target: str) -> Self:
        where = f"{settings['host']}:{settings['port']}"
        try:
            connection = await aio_pika.connect_robust(
                host=settings["host"],
                port=int(settings["port"]),
                login=settings["login"],
                password=settings["password"],
                virtualhost=settings["virtual_host"],
                ssl=bool(settings.get("ssl")),
                ssl_context=_build_tls_context(settings),
                timeout=float(settings.get("timeout_seconds") or _CONNECT_SECONDS),
                connection_class=BoundedConnection,
            )
        except (AMQPError, OSError, TimeoutError, ValueError) as error:
            raise UnreachableError(
                f"target {target!r}: the broker at {where} does not let us in: {explain_error(error)}"
            ) from error
        try:
            async with asyncio.timeout(_CONNECT_SECONDS):
                channel = await connection.channel(publisher_confirms=True)
        except (AMQPError, OSError, TimeoutError) as error:
            await connection.close()
            raise UnreachableError(
                f"target {target!r}: the broker at {where} opens no channel: {explain_error(error)}"
            ) from error
        return cls(connection, channel)

    async def close(self) -> None:
        """What nobody asked for goes back into its queue."""
        self._closing.set()
        await asyncio.gather(*self._leaving)
        await self._connection.close()

    async def send(self, message: Message) -> None:
        """It is with the broker when this returns."""
        async with asyncio.timeout(_SEND_SECONDS):
            await self._send(message)

    async def _send(self, message: Message) -> None:
        await self._declare(message.queue)
        await self._consume(message.reply_to)
        told = aio_pika.Message(
            message.body.encode(),
            content_type="application/json",
            headers=dict(message.headers),
            message_id=message.id,
            reply_to=message.reply_to,
            delivery_mode=aio_pika.DeliveryMode.PERSISTENT,
        )
        await self._channel.default_exchange.publish(told, routing_key=message.queue, mandatory=True)

    async def answer(self, id_: str, reply_to: str, timeout: float | None) -> dict[str, Any] | None:
        """The answer to a plan; None when it does not come in time."""
        async with asyncio.timeout(_SEND_SECONDS):
            await self._consume(reply_to)
        early = self._early.pop(id_, None)
        if early is not None:
            return self._forward_response(early)
        waiting: asyncio.Future[AgentResponse] = asyncio.get_running_loop().create_future()
        self._waiting[id_] = waiting
        try:
            async with asyncio.timeout(timeout):
                return self._forward_response(await self._wait_for_response(waiting))
        except TimeoutError:
            return None
        finally:
            self._waiting.pop(id_, None)

    async def _wait_for_response(self, waiting: asyncio.Future[AgentResponse]) -> AgentResponse:
        """The answer when it comes. A broker that stays away, or is none any more, brings none."""
        away = 0.0
        while not waiting.done() and away < _AWAY_SECONDS:
            await asyncio.wait([waiting], timeout=_LOOK_SECONDS)
            away = 0.0 if self._connection.connected.is_set() else away + _LOOK_SECONDS
        if not waiting.done():
            raise UnreachableError(f"the broker has been away for {_AWAY_SECONDS:g} seconds")
        return waiting.result()

    def _forward_response(self, answer: AgentResponse) -> dict[str, Any]:
        """The broker keeps an answer for a while: whoever is killed before it is recorded finds it again."""
        task = asyncio.create_task(self._acknowledge_later(answer.message))
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)
        return answer.content

    async def _acknowledge_later(self, message: AbstractIncomingMessage) -> None:
        with suppress(TimeoutError):
            async with asyncio.timeout(_RECORDED_SECONDS):
                await self._closing.wait()
        with suppress(AMQPError, ChannelInvalidStateError):  # a broken connection has given it back already
            await message.ack()

    async def _consume(self, queue: str) -> None:
        if queue in self._consuming:
            return
        self._consuming.add(queue)
        await self._declare(queue)
        await (await self._channel.get_queue(queue)).consume(self._take)

    async def _take(self, message: AbstractIncomingMessage) -> None:
        id_, content = answer_of(message.body, message.message_id)
        waiting = None if id_ is None else self._waiting.get(id_)
        if content is not None and waiting is not None and not waiting.done():
            waiting.set_result(AgentResponse(content, message))
        elif content is not None and id_ is not None and id_ not in self._early and len(self._early) < _KEPT:
            self._early[id_] = AgentResponse(content, message)
        else:
            if content is None and waiting is not None and not waiting.done():
                waiting.set_exception(
                    DeployError("its answer cannot be read: it is no JSON, or too much of it")
                )
            await message.ack()  # a plan that cannot be used is answered again and again

    async def _declare(self, name: str) -> None:
        """A queue that is there is used as it is: whoever made it said what it is like."""
        if name in self._declared:
            return
        look = await self._connection.channel()
        try:
            await look.declare_queue(name, passive=True)
        except (ChannelNotFoundEntity, ChannelClosed):
            await self._channel.declare_queue(name, durable=False)
        else:
            await look.close()
        self._declared.add(name)


def _build_tls_context(settings: BrokerSettings) -> ssl.SSLContext | None:
    if not settings.get("ssl"):
        return None
    context = ssl.create_default_context(cafile=settings.get("ca_certs") or None)
    if settings.get("insecure"):
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    return context
