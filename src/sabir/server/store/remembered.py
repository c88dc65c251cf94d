"""Rows that were read and have not changed since.

One service at a time uses a database, so every change of these rows comes through this process, and whoever makes one says so.
Something that is not there is asked for again each time: `sabir serve --new-token` adds from outside.
"""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Generic, TypeVar

__all__ = ["Remembered"]

K = TypeVar("K")
V = TypeVar("V")


class Remembered(Generic[K, V]):
    def __init__(self, most: int = 1000) -> None:
        self._most = most
        self._values: dict[K, V] = {}
        self._changes = 0
        self._lock = Lock()

    def recall(self, key: K) -> V | None:
        return self._values.get(key)

    def get(self, key: K, read: Callable[[], V | None]) -> V | None:
        with self._lock:
            if key in self._values:
                return self._values[key]
            changes = self._changes
        value = read()
        with self._lock:
            # What was read before a change is not what is there after it.
            if value is not None and changes == self._changes:
                if len(self._values) >= self._most:
                    self._values.clear()
                self._values[key] = value
        return value

    def forget(self) -> None:
        """A row was changed."""
        with self._lock:
            self._values.clear()
            self._changes += 1
