"""Edits of environments that are not deployed yet: Murano's sessions."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, select

from sabir.deployments.store.row_checks import stored
from sabir.server.store.clock import new_id, now
from sabir.server.store.rows import Rows, json_text
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
        self._rows = Rows(engine, table, _session_info)

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
        row = {**msgspec.structs.asdict(info), "state": info.state.value, "description": json_text(model)}
        self._rows.add(row)
        return info

    def get(self, id_: str) -> SessionInfo | None:
        return self._rows.get(id_)

    def of(self, environment: str) -> list[SessionInfo]:
        asked = select(table).where(table.c.environment == environment).order_by(table.c.created)
        return self._rows.all(asked)

    def model(self, id_: str) -> Any:
        return self._rows.json(id_, table.c.description)

    def set_model(self, id_: str, model: Any) -> None:
        self._update(id_, description=json_text(model))

    def set_state(self, id_: str, state: SessionState) -> None:
        self._update(id_, state=state.value)

    def remove(self, id_: str) -> None:
        self._rows.remove(table.c.id == id_)

    def remove_of(self, environment: str) -> None:
        self._rows.remove(table.c.environment == environment)

    def _update(self, id_: str, **values: Any) -> None:
        self._rows.change(id_, {**values, "updated": now()})


def _session_info(row: RowMapping) -> SessionInfo:
    return stored(row, SessionInfo, f"session {row['id']!r}")
