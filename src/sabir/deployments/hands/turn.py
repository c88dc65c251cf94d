"""Whose turn it is to change a machine.

A connection may break while requests are still on their way. Who comes next must not look, or do anything, before the hands of
the broken connection have ended; and those must not begin anything once somebody else has had a turn. Else a step could be seen
as not done and be done a moment later.
"""

from __future__ import annotations

import fcntl
import os
import threading
import time
from typing import Any

from sabir.deployments.hands.place import HandError, make_private_directory

__all__ = ["Superseded", "Turn"]


class Superseded(Exception):
    """Somebody who came later has had a turn since."""


class Turn:
    """A lock on a file, taken when it is first needed and kept until the process ends. In the file stands who had it last."""

    def __init__(self, path: str, patience: float) -> None:
        self.path = path
        self.patience = patience
        self._last = self._holder()
        self._lock = threading.Lock()
        self._file: Any = None

    def take(self) -> None:
        with self._lock:
            if self._file is None:
                self._file = self._taken()

    def _holder(self) -> bytes:
        try:
            with open(self.path, "rb") as file:
                return file.read()
        except OSError:
            return b""

    def _taken(self) -> Any:
        try:
            make_private_directory(os.path.dirname(self.path))
            handle = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            file = os.fdopen(handle, "ab")  # it stays open: closing gives the lock back
        except OSError as error:
            raise HandError(f"{self.path} cannot be written: {error.strerror}") from error
        try:
            self._wait(file)
            if self._holder() != self._last:
                raise Superseded
            file.truncate(0)
            file.write(os.urandom(16).hex().encode("ascii"))
            file.flush()
        except BaseException:
            file.close()
            raise
        return file

    def _wait(self, file: Any) -> None:
        end = time.monotonic() + self.patience
        while True:
            try:
                return fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                if time.monotonic() >= end:
                    words = "an earlier connection of this environment is still at work on the host"
                    raise HandError(words, passing=True) from None
            if self._holder() != self._last:
                raise Superseded
            time.sleep(0.02)
