"""Applications to begin environments with: Murano's templates."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, or_, select
from sqlalchemy.exc import IntegrityError

from sabir.server.store.catalogue import AlreadyThere
from sabir.server.store.clock import new_id, now
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
        self._engine = engine

    def create(
        self, name: str, *, owner: str, public: bool = False, services: tuple[Any, ...] = ()
    ) -> TemplateInfo:
        time = now()
        info = TemplateInfo(
            id=new_id(), name=name, owner=owner, public=public, services=services, created=time, updated=time
        )
        row = {**msgspec.structs.asdict(info), "services": _text(services)}
        try:
            with self._engine.begin() as connection:
                connection.execute(table.insert().values(**row))
        except IntegrityError as error:
            raise AlreadyThere(f"there is a template {name!r} already") from error
        return info

    def get(self, id_: str, *, owner: str) -> TemplateInfo | None:
        """One of the owner's, or a public one."""
        seen = or_(table.c.owner == owner, table.c.public)
        with self._engine.connect() as connection:
            row = connection.execute(select(table).where(table.c.id == id_, seen)).mappings().first()
        return None if row is None else _info(row)

    def all(self, *, owner: str) -> list[TemplateInfo]:
        """The owner's, and the public ones."""
        asked = select(table).where(or_(table.c.owner == owner, table.c.public)).order_by(table.c.name)
        with self._engine.connect() as connection:
            return [_info(row) for row in connection.execute(asked).mappings()]

    def rename(self, id_: str, name: str) -> None:
        self._update(id_, name=name)

    def set_services(self, id_: str, services: tuple[Any, ...]) -> None:
        self._update(id_, services=_text(services))

    def remove(self, id_: str) -> None:
        with self._engine.begin() as connection:
            connection.execute(table.delete().where(table.c.id == id_))

    def _update(self, id_: str, **values: Any) -> None:
        try:
            with self._engine.begin() as connection:
                connection.execute(table.update().where(table.c.id == id_).values(**values, updated=now()))
        except IntegrityError as error:
            raise AlreadyThere(f"there is a template {values.get('name')!r} already") from error


def _text(services: tuple[Any, ...]) -> str:
    return msgspec.json.encode(services).decode()


def _info(row: RowMapping) -> TemplateInfo:
    values = {str(name): value for name, value in row.items()}
    return msgspec.convert({**values, "services": msgspec.json.decode(row["services"])}, TemplateInfo)
