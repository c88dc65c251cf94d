"""Length-prefixed messages between sabir and a child process that runs third-party code."""

from __future__ import annotations

import os
from typing import BinaryIO, Final

HEAD: Final = 8
"""Bytes of the length prefix, big-endian."""


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Return the current standard input and output, and detach the process from them.

    Code that reads afterwards finds an empty input, and code that prints writes to standard error, so neither can
    disturb the messages.
    """
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def with_length(message: bytes) -> bytes:
    """Return a message with its length in front."""
    return len(message).to_bytes(HEAD, "big") + message


def read_message(pipe: BinaryIO) -> bytes | None:
    """Read the next message; None when the other side has closed the pipe."""
    head = pipe.read(HEAD)
    return pipe.read(int.from_bytes(head, "big")) if len(head) == HEAD else None
