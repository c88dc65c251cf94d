"""Messages between a handler process and its parent: length-prefixed MessagePack."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import Place
from sabir.languages.inmanta.graph.agents import HandlerRun
from sabir.pipes import with_length
from sabir.session import Trust

_INTEGERS: Final = range(-(1 << 63), 1 << 64)
"""What MessagePack can hold."""


class SentModule(Struct):
    """A module with its Python: exactly the sources for which permission was granted."""

    name: str
    ours: bool
    shown: str
    files: dict[str, bytes]
    plugins: Path | None
    data: Path | None


class Begin(Struct, tag=True):
    """The first message: what to load, and the environment. It gets a response only if something fails."""

    modules: list[SentModule]
    root: Path | None
    import_path: list[str]
    trust: Trust
    environment: dict[str, str]
    files: dict[str, bytes]
    """What the export uploaded, by its hash."""


class HandlerRequest(Struct, tag=True):
    """One run of a handler."""

    number: int
    call: str
    """`dry_run`, `deploy` or `facts`"""
    agent: str
    place: Place | None
    resource: str
    """Its id; beside it its fields."""
    fields: dict[str, Any]
    requires: dict[str, str]
    """What it requires, with the state that is in."""
    reload: bool
    facts: list[tuple[str, str, str]]
    """What became known since the last question: resource, name, value."""


class HandlerResult(Struct, tag=True):
    """The result of a run, matched to its request by number."""

    number: int
    run: HandlerRun


class HandlerFailure(Struct, tag=True):
    """A run that is not possible, and the reason."""

    number: int | None
    message: str


Answer = HandlerResult | HandlerFailure


def _encode_value(value: Any) -> Any:
    return str(value) if isinstance(value, Path) else sendable_value(value)


def _decode_value(kind: type, value: Any) -> Any:
    return Path(value) if kind is Path else value


def encode_message(message: Begin | HandlerRequest | Answer) -> bytes:
    """Return a message with its length prefix."""
    body = msgspec.msgpack.encode(message, enc_hook=_encode_value)
    return with_length(body)


def message_decoder(kind: Any) -> Any:
    """Return a decoder for messages of a type, without the length prefix."""
    return msgspec.msgpack.Decoder(kind, dec_hook=_decode_value)


def sendable_value(value: Any) -> Any:
    """Return a value of a handler as data; anything that is not data becomes its string form."""
    if value is None or isinstance(value, str | float | bool | bytes):
        return value
    if isinstance(value, int):
        return value if value in _INTEGERS else str(value)
    if isinstance(value, dict):
        return {str(key): sendable_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [sendable_value(item) for item in value]
    return str(value)
