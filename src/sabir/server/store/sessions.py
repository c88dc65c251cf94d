"""Edits of environments that are not deployed yet: Murano's sessions."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, select

from sabir.server.store.clock import new_id, now
from sabir.server.store.tables import session as table

__all__ = ["SessionInfo", "SessionState", "Sessions"]


class SessionState(Enum):
    OPEN = "opened"
    DEPLOYING = "deploying"
    """It was deployed, or is; its job tells."""


class SessionInfo(Struct, frozen=True, kw_only=True):
    id: str
    environment: str
    owner: str
    state: SessionState
    revision: int
    """Of the environment that it began from."""
    created: str
    updated: str


class Sessions:
    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def open(self, environment: str, *, owner: str, revision: int, model: Any) -> SessionInfo:
        time = now()
        info = SessionInfo(
            id=new_id(),
            environment=environment,
            owner=owner,
            state=SessionState.OPEN,
            revision=revision,
            created=time,
            updated=time,
        )
        row = {**msgspec.structs.asdict(info), "state": info.state.value}
        with self._engine.begin() as connection:
            connection.execute(table.insert().values(**row, description=_text(model)))
        return info

    def get(self, id_: str) -> SessionInfo | None:
        with self._engine.connect() as connection:
            row = connection.execute(select(table).where(table.c.id == id_)).mappings().first()
        return None if row is None else _info(row)

    def of(self, environment: str) -> list[SessionInfo]:
        asked = select(table).where(table.c.environment == environment).order_by(table.c.created)
        with self._engine.connect() as connection:
            return [_info(row) for row in connection.execute(asked).mappings()]

    def model(self, id_: str) -> Any:
        with self._engine.connect() as connection:
            return msgspec.json.decode(
                connection.scalar(select(table.c.description).where(table.c.id == id_)) or "null"
            )

    def set_model(self, id_: str, model: Any) -> None:
        self._update(id_, description=_text(model))

    def set_state(self, id_: str, state: SessionState) -> None:
        self._update(id_, state=state.value)

    def remove(self, id_: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(table.delete().where(table.c.id == id_))

    def remove_of(self, environment: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(table.delete().where(table.c.environment == environment))

    def _update(self, id_: str, **values: Any) -> None:
        with self._engine.begin() as connection:
            connection.execute(table.update().where(table.c.id == id_).values(**values, updated=now()))


def _text(data: Any) -> str:
    return msgspec.json.encode(data).decode()


def _info(row: RowMapping) -> SessionInfo:
    return msgspec.convert(
        {str(name): value for name, value in row.items() if name != "description"}, SessionInfo
    )
