"""The pipes between sabir and a process of its own that runs foreign code: messages, each after its length."""

from __future__ import annotations

import os
from typing import BinaryIO, Final

HEAD: Final = 8
"""Bytes of the length."""


def private_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Standard input and output as they were. Code that reads or prints from now on cannot disturb them."""
    incoming, outgoing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return incoming, outgoing


def with_length(message: bytes) -> bytes:
    return len(message).to_bytes(HEAD, "big") + message


def read_message(pipe: BinaryIO) -> bytes | None:
    """The next message; None when the other side has closed the pipe."""
    head = pipe.read(HEAD)
    return pipe.read(int.from_bytes(head, "big")) if len(head) == HEAD else None
