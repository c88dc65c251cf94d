"""Between the editor and the server: messages of any length are announced, and of any shape sent.

What is too long is refused before room is made for it, and a request that does not fit is answered, so that nobody waits for it.
"""

from __future__ import annotations

import logging
from typing import Any, BinaryIO, Final

from lsprotocol.types import EXIT, INITIALIZE, SHUTDOWN, ErrorCodes, ResponseError
from pygls.protocol import LanguageServerProtocol

from sabir.diagnostics.reasons import explain_error
from sabir.errors import InputError

_LONGEST: Final = 64 << 20
"""Bytes of a message: a text is sent whole when it is opened."""
_LONGEST_HEADER: Final = 1 << 16
_LONGEST_LENGTH: Final = 60
_NOTHING: Final = object()
_logger = logging.getLogger(__name__)


class AnsweringProtocol(LanguageServerProtocol):
    """The protocol of editors; what cannot be read of it is told to who sent it."""

    _is_initialized = False
    _is_ending = False

    def structure_message(self, data: dict[str, Any]) -> Any:
        try:
            return super().structure_message(data)
        except Exception as error:  # noqa: BLE001  whatever a message is, the next one is read
            if isinstance(data.get("id"), int | str) and isinstance(data.get("method"), str):
                reason = f"the parameters of {data['method'][:100]} are not as the protocol has them"
                self._refuse(data["id"], ErrorCodes.InvalidParams, reason)
            _logger.warning("a message cannot be read: %s", explain_error(error))
            return _NOTHING

    def handle_message(self, message: Any) -> None:
        if message is _NOTHING or not hasattr(message, "jsonrpc"):
            return
        method = getattr(message, "method", None)
        refusal = self._untimely(method)
        if refusal is None:
            super().handle_message(message)
            if message.jsonrpc == self.VERSION:  # pygls ignores other messages
                self._is_initialized = self._is_initialized or method == INITIALIZE
                self._is_ending = self._is_ending or method == SHUTDOWN
        elif method is not None and hasattr(message, "id"):
            self._refuse(message.id, *refusal)

    def _untimely(self, method: str | None) -> tuple[ErrorCodes, str] | None:
        """Why a message comes too early or too late."""
        if method in (INITIALIZE, EXIT):
            return None
        if not self._is_initialized:
            return ErrorCodes.ServerNotInitialized, "the server was not initialized yet"
        return (ErrorCodes.InvalidRequest, "the server was told to end") if self._is_ending else None

    def _refuse(self, request: Any, code: ErrorCodes, reason: str) -> None:
        self._send_response(request, error=ResponseError(code=code, message=reason))


class BoundedInput:
    """Standard input that gives no message longer than the bound."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def readline(self) -> bytes:
        return _check_header(self._stream.readline(_LONGEST_HEADER + 1))

    def read(self, size: int) -> bytes:
        return self._stream.read(_check_size(size))


class PlainFormatter(logging.Formatter):
    """What the library has to say, in one line: where in its code that was helps nobody who wrote a message."""

    def format(self, record: logging.LogRecord) -> str:
        said = record.getMessage().partition("\n")[0]
        error = record.exc_info[1] if record.exc_info else None
        return f"sabir: {said}" if error is None else f"sabir: {said}: {explain_error(error)}"


def _check_header(line: bytes) -> bytes:
    if len(line) > _LONGEST_HEADER:
        raise InputError(f"the editor sent a header of more than {_LONGEST_HEADER >> 10} kB")
    if len(line) > _LONGEST_LENGTH and line.lower().startswith(b"content-length"):
        raise InputError(f"the editor announced a message of a length that nobody can count: {line[:60]!r}…")
    return line


def _check_size(size: int) -> int:
    if size > _LONGEST:
        raise InputError(
            f"the editor announced a message of {size:,} bytes; at most {_LONGEST >> 20} MB are taken"
        )
    return size
