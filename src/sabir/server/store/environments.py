"""Environments: name, files or object model, permissions, and a revision number that counts edits."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from pathlib import Path
from threading import Lock
from typing import Any

import msgspec
from msgspec import Struct
from sqlalchemy import Engine, RowMapping, select

from sabir.deployments.store.row_checks import convert_row
from sabir.server.store.files import EnvironmentFiles
from sabir.server.store.rows import AlreadyExistsError, RowCache, Rows, json_text, new_id, utc_now
from sabir.server.store.tables import environment as table


class EnvironmentKind(Enum):
    """Where the definition of an environment comes from."""

    FILES = "files"
    """A folder with a description: a package, a model, a template, or `sabir.yaml`."""
    MURANO = "murano"
    """An object model over packages of the catalogue."""


class EnvironmentInfo(Struct, frozen=True, kw_only=True):
    """An environment without its files or model."""

    id: str
    name: str
    kind: EnvironmentKind
    owner: str
    revision: int
    """How often it was edited."""
    trust: tuple[str, ...]
    """What an administrator allows it beyond being read."""
    created: str
    updated: str


class EnvironmentStore:
    """Environments in the database and their files in directories named by id."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._rows = Rows(engine, table, _decode_environment)
        self._folder = folder
        self._editing = Lock()
        self._by_id: RowCache[str, EnvironmentInfo] = RowCache()

    def create(
        self,
        name: str,
        *,
        owner: str,
        kind: EnvironmentKind = EnvironmentKind.FILES,
        trust: tuple[str, ...] = (),
    ) -> EnvironmentInfo:
        time = utc_now()
        info = EnvironmentInfo(
            id=new_id(),
            name=name,
            kind=kind,
            owner=owner,
            revision=1,
            trust=trust,
            created=time,
            updated=time,
        )
        row = {**msgspec.structs.asdict(info), "kind": kind.value, "trust": json_text(trust)}
        self.files(info.id).folder.mkdir(parents=True, exist_ok=True)
        try:
            self._rows.add({**row, "description": json_text(None)}, taken=_name_conflict(name))
        except AlreadyExistsError:
            self.files(info.id).remove_all()
            raise
        return info

    def recall(self, id_: str) -> EnvironmentInfo | None:
        """Return a cached environment without a database query; None if it is not cached."""
        return self._by_id.recall(id_)

    def get(self, id_: str) -> EnvironmentInfo | None:
        return self._by_id.get(id_, lambda: self._rows.get(id_))

    def all(self, *, kind: EnvironmentKind | None = None) -> list[EnvironmentInfo]:
        asked = select(table).order_by(table.c.name, table.c.id)
        if kind is not None:
            asked = asked.where(table.c.kind == kind.value)
        return self._rows.all(asked)

    def rename(self, id_: str, name: str) -> None:
        self._update(id_, name=name)

    def allow(self, id_: str, trust: tuple[str, ...]) -> None:
        """Set the permissions. The evaluation depends on them, so this counts as an edit."""
        self._update(id_, trust=json_text(trust), revision=table.c.revision + 1)

    def model(self, id_: str) -> Any:
        return self._rows.json(id_, table.c.description)

    def set_model(self, id_: str, model: Any) -> None:
        self._update(id_, description=json_text(model), revision=table.c.revision + 1)

    def edit(self, id_: str, change: Callable[[EnvironmentFiles], None]) -> None:
        """Change files, one edit at a time; the revision increases when it is done."""
        with self._editing:
            try:
                change(self.files(id_))
            finally:  # a change that was cut short may have moved files as well
                self._update(id_, revision=table.c.revision + 1)

    def remove(self, id_: str) -> None:
        self._rows.remove(table.c.id == id_)
        self._by_id.forget()
        self.files(id_).remove_all()

    def files(self, id_: str) -> EnvironmentFiles:
        return EnvironmentFiles(self.folder(id_) / "files")

    def folder(self, id_: str) -> Path:
        """Return the directory of an environment: its files, and the events of its jobs."""
        return self._folder / id_

    def _update(self, id_: str, **values: Any) -> None:
        self._rows.change(id_, {**values, "updated": utc_now()}, taken=_name_conflict(values.get("name")))
        self._by_id.forget()


def _name_conflict(name: str | None) -> str:
    return f"there is an environment {name!r} already"


def _decode_environment(row: RowMapping) -> EnvironmentInfo:
    trust = msgspec.json.decode(row["trust"])
    return convert_row(row, EnvironmentInfo, f"environment {row['name']!r}", trust=trust)
