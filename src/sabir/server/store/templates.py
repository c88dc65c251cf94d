"""Applications to begin environments with: Murano's templates."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, or_, select

from sabir.deployments.store.row_checks import stored
from sabir.server.store.clock import new_id, now
from sabir.server.store.rows import Rows, json_text
from sabir.server.store.tables import template as table

__all__ = ["TemplateInfo", "Templates"]


class TemplateInfo(Struct, frozen=True, kw_only=True):
    id: str
    name: str
    owner: str
    public: bool
    services: tuple[Any, ...] = ()
    created: str
    updated: str


class Templates:
    def __init__(self, engine: Engine) -> None:
        self._rows = Rows(engine, table, _template_info)

    def create(
        self, name: str, *, owner: str, public: bool = False, services: tuple[Any, ...] = ()
    ) -> TemplateInfo:
        time = now()
        info = TemplateInfo(
            id=new_id(), name=name, owner=owner, public=public, services=services, created=time, updated=time
        )
        row = {**msgspec.structs.asdict(info), "services": json_text(services)}
        self._rows.add(row, taken=_taken(name))
        return info

    def get(self, id_: str, *, owner: str) -> TemplateInfo | None:
        """One of the owner's, or a public one."""
        return self._rows.first(table.c.id == id_, or_(table.c.owner == owner, table.c.public))

    def all(self, *, owner: str) -> list[TemplateInfo]:
        """The owner's, and the public ones."""
        asked = select(table).where(or_(table.c.owner == owner, table.c.public)).order_by(table.c.name)
        return self._rows.all(asked)

    def rename(self, id_: str, name: str) -> None:
        self._update(id_, name=name)

    def set_services(self, id_: str, services: tuple[Any, ...]) -> None:
        self._update(id_, services=json_text(services))

    def remove(self, id_: str) -> None:
        self._rows.remove(table.c.id == id_)

    def _update(self, id_: str, **values: Any) -> None:
        self._rows.change(id_, {**values, "updated": now()}, taken=_taken(values.get("name")))


def _taken(name: str | None) -> str:
    return f"there is a template {name!r} already"


def _template_info(row: RowMapping) -> TemplateInfo:
    services = msgspec.json.decode(row["services"])
    return stored(row, TemplateInfo, f"template {row['name']!r}", services=services)
