"""The rows of one table, told as records."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Generic, TypeVar

import msgspec
from sqlalchemy import Column, ColumnElement, Engine, Executable, RowMapping, Select, Table, select
from sqlalchemy.exc import IntegrityError

from sabir.errors import SabirError

__all__ = ["AlreadyThere", "Rows", "json_text"]

Told = TypeVar("Told")


class AlreadyThere(SabirError):
    """Something of this name, or of this name and version, exists."""


class Rows(Generic[Told]):
    """`tell` makes a record of a row. Each call is a transaction of its own."""

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
        """What a column of a row holds as JSON; None when there is no such row."""
        with self._engine.connect() as connection:
            text = connection.scalar(select(column).where(self._table.c.id == id_))
        return msgspec.json.decode(text or "null")

    def add(self, row: Mapping[str, Any], *, taken: str | None = None) -> None:
        """`taken`: what to say when the table has such a row already; None: it cannot have."""
        self._write(self._table.insert().values(**row), taken)

    def change(self, id_: str, values: Mapping[str, Any], *, taken: str | None = None) -> None:
        self._write(self._table.update().where(self._table.c.id == id_).values(**values), taken)

    def remove(self, *conditions: ColumnElement[bool]) -> bool:
        """Whether there was one."""
        with self._engine.begin() as connection:
            return connection.execute(self._table.delete().where(*conditions)).rowcount > 0

    def _write(self, statement: Executable, taken: str | None) -> None:
        try:
            with self._engine.begin() as connection:
                connection.execute(statement)
        except IntegrityError as error:
            if taken is None:
                raise
            raise AlreadyThere(taken) from error


def json_text(data: Any) -> str:
    return msgspec.json.encode(data).decode()
