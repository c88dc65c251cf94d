"""Sessions and templates of Murano's API: edits that are not deployed yet, and lists of applications."""

from __future__ import annotations

from enum import Enum
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, or_, select

from sabir.deployments.store.row_checks import convert_row
from sabir.server.store.rows import Rows, json_text, new_id, utc_now
from sabir.server.store.tables import session as session_table
from sabir.server.store.tables import template as template_table


class SessionState(Enum):
    """The state of a session; the job has the outcome of its deployment."""

    OPEN = "opened"
    DEPLOYING = "deploying"
    """It was deployed, or is; its job tells."""


class SessionInfo(Struct, frozen=True, kw_only=True):
    """A session without its model."""

    id: str
    environment: str
    owner: str
    state: SessionState
    revision: int
    """Of the environment that it began from."""
    created: str
    updated: str


class SessionStore:
    """Sessions and the models that they edit."""

    def __init__(self, engine: Engine) -> None:
        self._rows = Rows(engine, session_table, _session_info)

    def open(self, environment: str, *, owner: str, revision: int, model: Any) -> SessionInfo:
        time = utc_now()
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
        asked = (
            select(session_table)
            .where(session_table.c.environment == environment)
            .order_by(session_table.c.created)
        )
        return self._rows.all(asked)

    def model(self, id_: str) -> Any:
        return self._rows.json(id_, session_table.c.description)

    def set_model(self, id_: str, model: Any) -> None:
        self._update(id_, description=json_text(model))

    def set_state(self, id_: str, state: SessionState) -> None:
        self._update(id_, state=state.value)

    def remove(self, id_: str) -> None:
        self._rows.remove(session_table.c.id == id_)

    def remove_of(self, environment: str) -> None:
        self._rows.remove(session_table.c.environment == environment)

    def _update(self, id_: str, **values: Any) -> None:
        self._rows.change(id_, {**values, "updated": utc_now()})


def _session_info(row: RowMapping) -> SessionInfo:
    return convert_row(row, SessionInfo, f"session {row['id']!r}")


class TemplateInfo(Struct, frozen=True, kw_only=True):
    """A template with its applications."""

    id: str
    name: str
    owner: str
    public: bool
    services: tuple[Any, ...] = ()
    created: str
    updated: str


class TemplateStore:
    """Templates; each belongs to its owner and may be public."""

    def __init__(self, engine: Engine) -> None:
        self._rows = Rows(engine, template_table, _template_info)

    def create(
        self, name: str, *, owner: str, public: bool = False, services: tuple[Any, ...] = ()
    ) -> TemplateInfo:
        time = utc_now()
        info = TemplateInfo(
            id=new_id(), name=name, owner=owner, public=public, services=services, created=time, updated=time
        )
        row = {**msgspec.structs.asdict(info), "services": json_text(services)}
        self._rows.add(row, taken=_name_conflict(name))
        return info

    def get(self, id_: str, *, owner: str) -> TemplateInfo | None:
        """Return a template of the owner, or a public one."""
        return self._rows.first(
            template_table.c.id == id_, or_(template_table.c.owner == owner, template_table.c.public)
        )

    def all(self, *, owner: str) -> list[TemplateInfo]:
        """Return the owner's templates and the public ones."""
        asked = (
            select(template_table)
            .where(or_(template_table.c.owner == owner, template_table.c.public))
            .order_by(template_table.c.name)
        )
        return self._rows.all(asked)

    def rename(self, id_: str, name: str) -> None:
        self._update(id_, name=name)

    def set_services(self, id_: str, services: tuple[Any, ...]) -> None:
        self._update(id_, services=json_text(services))

    def remove(self, id_: str) -> None:
        self._rows.remove(template_table.c.id == id_)

    def _update(self, id_: str, **values: Any) -> None:
        self._rows.change(id_, {**values, "updated": utc_now()}, taken=_name_conflict(values.get("name")))


def _name_conflict(name: str | None) -> str:
    return f"there is a template {name!r} already"


def _template_info(row: RowMapping) -> TemplateInfo:
    services = msgspec.json.decode(row["services"])
    return convert_row(row, TemplateInfo, f"template {row['name']!r}", services=services)
