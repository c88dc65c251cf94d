"""One deployment of an environment at a time: who holds it is asked of the operating system, so that a lock never
outlives its holder."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from sabir.errors import DeployError
from sabir.graph.address import digest
from sabir.source.private import open_private, tighten

__all__ = ["FileLock", "Locked", "advisory_key", "holder_words", "waited"]

_PAUSE: Final = 0.05


class Locked(DeployError):
    """Somebody else is at it."""


def holder_words(session_clock: str) -> str:
    """What is said of the holder of a lock to others."""
    import getpass
    import socket

    try:
        who = getpass.getuser()
    except (KeyError, OSError):
        who = str(os.getuid())
    return f"{who} on {socket.gethostname()}, process {os.getpid()}, since {session_clock}"


def waited(attempt: Callable[[], bool], seconds: float) -> bool:
    """Try until it works or the time is over."""
    end = time.monotonic() + seconds
    while not attempt():
        if time.monotonic() >= end:
            return False
        time.sleep(_PAUSE)
    return True


class FileLock:
    """`flock` on a file beside the database; the kernel frees it when the process is gone."""

    def __init__(self, database: Path, environment: str) -> None:
        self._path = database.with_name(f"{database.name}.{digest(environment)}.lock")
        self._handle: int | None = None

    def acquire(self, seconds: float) -> bool:
        # Not inherited by what a step starts: a process that outlives us must not keep the lock.
        self._handle = open_private(self._path, os.O_RDWR | os.O_CREAT)
        tighten(self._path)
        if waited(self._try, seconds):
            return True
        os.close(self._handle)
        self._handle = None
        return False

    def _try(self) -> bool:
        assert self._handle is not None
        try:
            fcntl.flock(self._handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def release(self) -> None:
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None


def advisory_key(environment: str) -> int:
    """The number of an environment's lock in PostgreSQL."""
    return int(digest("sabir", environment, size=8), 16) - 2**63
