"""Rows of a table as records, a cache for them, and new ids and timestamps.

Only one server uses a database at a time, so every change of these rows passes through this process, which
clears the cache. A missing row is not cached: `sabir serve --new-token` adds rows from another process.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from threading import Lock
from typing import Any, Generic, TypeVar
from uuid import uuid4

import msgspec
from sqlalchemy import Column, ColumnElement, Engine, Executable, RowMapping, Select, Table, select
from sqlalchemy.exc import IntegrityError

from sabir.errors import ServerError

Told = TypeVar("Told")


class AlreadyExistsError(ServerError):
    """A row with this name, or name and version, already exists."""


class Rows(Generic[Told]):
    """The rows of one table; `tell` converts a row to a record. Each call is a separate transaction."""

    def __init__(self, engine: Engine, table: Table, tell: Callable[[RowMapping], Told]) -> None:
        self._engine = engine
        self._table = table
        self._tell = tell

    def first(self, *conditions: ColumnElement[bool]) -> Told | None:
        with self._engine.connect() as connection:
            row = connection.execute(select(self._table).where(*conditions)).mappings().first()
        return None if row is None else self._tell(row)

    def get(self, id_: str) -> Told | None:
        return self.first(self._table.c.id == id_)

    def all(self, asked: Select[Any]) -> list[Told]:
        with self._engine.connect() as connection:
            return [self._tell(row) for row in connection.execute(asked).mappings()]

    def json(self, id_: str, column: Column[Any]) -> Any:
        """Return the decoded JSON of a column; None if there is no such row."""
        with self._engine.connect() as connection:
            text = connection.scalar(select(column).where(self._table.c.id == id_))
        return msgspec.json.decode(text or "null")

    def add(self, row: Mapping[str, Any], *, taken: str | None = None) -> None:
        """Insert a row. `taken` is the message if it already exists; None if that cannot happen."""
        self._write(self._table.insert().values(**row), taken)

    def change(self, id_: str, values: Mapping[str, Any], *, taken: str | None = None) -> None:
        self._write(self._table.update().where(self._table.c.id == id_).values(**values), taken)

    def remove(self, *conditions: ColumnElement[bool]) -> bool:
        """Delete rows; return whether there were any."""
        with self._engine.begin() as connection:
            return connection.execute(self._table.delete().where(*conditions)).rowcount > 0

    def _write(self, statement: Executable, taken: str | None) -> None:
        try:
            with self._engine.begin() as connection:
                connection.execute(statement)
        except IntegrityError as error:
            if taken is None:
                raise
            raise AlreadyExistsError(taken) from error


def json_text(data: Any) -> str:
    """Encode data as a JSON string for a text column."""
    return msgspec.json.encode(data).decode()


def utc_now() -> str:
    """Return the current time in UTC, in the format of all responses."""
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def new_id() -> str:
    """Return 32 hexadecimal digits: Murano's client takes anything else for a name."""
    return uuid4().hex


K = TypeVar("K")
V = TypeVar("V")


class RowCache(Generic[K, V]):
    """Records by key. A value read before a change is not stored after it."""

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
        """Clear the cache: a row has changed."""
        with self._lock:
            self._values.clear()
            self._changes += 1
