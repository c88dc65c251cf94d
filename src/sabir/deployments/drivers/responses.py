"""Answers of services, whoever speaks there: whole within a time and a size, and data that is neither too deep nor too much.

The timeouts of clients begin anew with each byte, and clients unpack whatever comes: one byte now and then would never end, and
a few packed kilobytes can be gigabytes.

Requests to services that failed.
"""

from __future__ import annotations

import asyncio
import threading
import zlib
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, ClassVar, Final, TypeVar, cast

import msgspec

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.errors import SabirError

if TYPE_CHECKING:
    import httpx2


T = TypeVar("T")

ENCODINGS: Final = "gzip"
"""For `Accept-Encoding`: what `Body` unpacks."""
_LARGEST: Final = 32 << 20
_MOST_VALUES: Final = 2_000_000
"""Of the smallest kind they take some 250 MB."""
_DEEPEST: Final = 200
"""Far below where functions that walk through data run out of stack."""


class InvalidResponseError(SabirError):
    """An answer came, or began to come, and cannot be taken."""


class InvalidJsonError(InvalidResponseError):
    """It is something else: a page for people."""


class ResponseTimeoutError(InvalidResponseError):
    """It did not end in time; another time it may."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"it did not end its answer within {seconds:g} seconds")


class ResponseBody:
    """The content of an answer as it comes in, unpacked, up to a size."""

    def __init__(self, encoding: str | None, largest: int = _LARGEST) -> None:
        match (encoding or "identity").strip().lower():
            case "identity":
                self._unpacker = None
            case "gzip":
                self._unpacker = zlib.decompressobj(wbits=31)
            case other:
                raise InvalidResponseError(f"it packs its answer as {other[:40]!r}, which nobody asked for")
        self._largest = largest
        self._content = bytearray()

    def add(self, piece: bytes) -> None:
        if self._unpacker is not None:
            try:
                piece = self._unpacker.decompress(piece, self._largest + 1 - len(self._content))
            except zlib.error as error:
                raise InvalidResponseError("its answer is packed, and cannot be unpacked") from error
        self._content += piece
        if len(self._content) > self._largest:
            raise InvalidResponseError(f"it answers with more than {self._largest >> 20} MB")

    def content(self) -> bytes:
        return bytes(self._content)


async def read_response(
    client: httpx2.AsyncClient, request: httpx2.Request, *, seconds: float, largest: int = _LARGEST
) -> tuple[httpx2.Response, bytes]:
    """The answer with its content; `AnswerRefused`, or what the client raises when nobody answers."""
    request.headers["Accept-Encoding"] = ENCODINGS
    try:
        async with asyncio.timeout(seconds):
            response = await client.send(request, stream=True)
            try:
                body = ResponseBody(response.headers.get("Content-Encoding"), largest)
                async for piece in response.aiter_raw():
                    body.add(piece)
            finally:
                await response.aclose()
    except TimeoutError as error:
        raise ResponseTimeoutError(seconds) from error
    return response, body.content()


def decode_json(content: bytes) -> Any:
    """The JSON of an answer; None when it is empty."""
    if not content.strip():
        return None
    check_amount(content)
    try:
        data = msgspec.json.decode(content)
    except UNDECODED as error:
        if isinstance(error, RecursionError):
            raise InvalidResponseError(_TOO_DEEP) from error
        raise InvalidJsonError(f"it answers with something that is no JSON: {content[:80]!r}") from error
    check_depth(data)
    return data


def check_amount(content: bytes) -> None:
    """Refuse JSON that would become more values than there is room for."""
    if sum(map(content.count, (b",", b"[", b"{"))) > _MOST_VALUES:
        raise InvalidResponseError(f"it answers with more than {_MOST_VALUES:,} values")


def check_depth(data: Any) -> None:
    if _is_deeper(data, _DEEPEST):
        raise InvalidResponseError(_TOO_DEEP)


_TOO_DEEP: Final = f"it answers with data that is nested more than {_DEEPEST} deep"


def _is_deeper(data: Any, levels: int) -> bool:
    items = [data]
    for _ in range(levels):
        items = [
            inner
            for item in items
            if isinstance(item, dict | list)
            for inner in (item.values() if isinstance(item, dict) else item)
        ]
        if not items:
            return False
    return True


def describe_mismatch(data: Any, shape: Any) -> str | None:
    """Why data has not this shape, with the place; None when it has."""
    try:
        msgspec.convert(data, shape)
    except UNDECODED as error:
        return explain_decode_error(error)
    return None


async def run_in_thread(work: Callable[[], T], *, seconds: float) -> T:
    """What blocks, in a thread that nobody waits for at the end: `AnswerRefused` when it takes longer."""
    loop = asyncio.get_running_loop()
    ended: asyncio.Future[T] = loop.create_future()

    def settle(result: T | None, error: BaseException | None) -> None:
        if ended.done():
            return
        if error is None:
            ended.set_result(cast("T", result))
        else:
            ended.set_exception(error)

    def run() -> None:
        result: T | None = None
        error: BaseException | None = None
        try:
            result = work()
        except BaseException as raised:  # noqa: BLE001  whoever waits is to meet it
            error = raised
        with suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(settle, result, error)

    threading.Thread(target=run, daemon=True).start()
    try:
        async with asyncio.timeout(seconds):
            return await ended
    except TimeoutError as error:
        raise ResponseTimeoutError(seconds) from error


class RequestError(SabirError):
    """A request that a service refused, or that it did not answer (status 0)."""

    PASSING: ClassVar = frozenset([429, 502, 503, 504])
    """Statuses whose cause may pass by itself."""

    def __init__(self, message: str, *, status: int = 0, was_sent: bool = False) -> None:
        super().__init__(message)
        self.message, self.status = message, status
        self.was_sent = was_sent
        """Nobody answered, but it may have been heard."""

    @property
    def passing(self) -> bool:
        """Whether the cause may pass by itself: nobody answered, or the server is busy."""
        return self.status == 0 or self.status in self.PASSING
