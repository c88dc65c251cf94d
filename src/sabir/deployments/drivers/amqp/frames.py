"""Frames of a broker within bounds.

A frame says how long it is, and a message how long it will be, before anything of it comes; the client makes room for whatever is
said. Both are looked at here, below the client.
"""

from __future__ import annotations

from asyncio import StreamReader, StreamWriter
from typing import Any, Final

from aio_pika.robust_connection import RobustConnection
from aiormq.connection import TCPTransportFactory, TLSTransportFactory

__all__ = ["BoundedConnection"]

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
