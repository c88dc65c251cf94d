"""The tables, the same on SQLite and PostgreSQL, and how an older database becomes one of this version.

Values are JSON texts, never pickled. The journal (`step`, `event`, `call`) only grows: a step changes its state along the
protocol, and nothing is taken out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from secrets import token_hex
from typing import Final

from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    inspect,
    select,
)

from sabir.errors import DeployError

__all__ = [
    "VERSION",
    "call",
    "deployment",
    "environment",
    "event",
    "is_current",
    "meta",
    "prepare",
    "resource",
    "step",
]

VERSION: Final = 1
"""Of the tables. A change of them needs a new number and a migration from the last one."""

_tables = MetaData()

meta = Table("sabir_meta", _tables, Column("name", String, primary_key=True), Column("value", Text))
"""`version` of the tables; `id` of this store, so that operations of a state that was thrown away are not taken for ours."""

environment = Table(
    "sabir_environment",
    _tables,
    Column("name", String, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("serial", Integer, nullable=False),
    Column("holder", Text),
)
"""`epoch` grows with each lock, and every write checks it: who lost the lock cannot write any more. `serial` counts the
states: a plan is made for one."""

deployment = Table(
    "sabir_deployment",
    _tables,
    Column("environment", String, nullable=False),
    Column("number", Integer, nullable=False),
    Column("verb", String, nullable=False),
    Column("state", String, nullable=False),
    Column("started", String, nullable=False),
    Column("ended", String),
    Column("audit", Text, nullable=False),
    Column("plan", Text, nullable=False),
    Column("graph", Text),
    PrimaryKeyConstraint("environment", "number"),
)

step = Table(
    "sabir_step",
    _tables,
    Column("environment", String, nullable=False),
    Column("deployment", Integer, nullable=False),
    Column("key", String, nullable=False),
    Column("position", Integer, nullable=False),
    Column("address", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("target", String, nullable=False),
    Column("driver", String, nullable=False),
    Column("action", String, nullable=False),
    Column("operation_id", String, nullable=False),
    Column("state", String, nullable=False),
    Column("attempt", Integer, nullable=False),
    Column("not_before", Float),
    Column("task", Text),
    Column("message", Text),
    PrimaryKeyConstraint("environment", "deployment", "key"),
)
"""`task` is what was to be done, written with the intent: enough to look for it, or do it, without the description."""

event = Table(
    "sabir_event",
    _tables,
    Column("environment", String, nullable=False),
    Column("deployment", Integer, nullable=False),
    Column("number", Integer, nullable=False),
    Column("at", String, nullable=False),
    Column("key", String),
    Column("state", String, nullable=False),
    Column("data", Text),
    PrimaryKeyConstraint("environment", "deployment", "number"),
)

resource = Table(
    "sabir_resource",
    _tables,
    Column("environment", String, nullable=False),
    Column("address", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("target", String, nullable=False),
    Column("driver", String, nullable=False),
    Column("status", String, nullable=False),
    Column("id", Text),
    Column("desired", Text, nullable=False),
    Column("fields", Text),
    Column("results", Text),
    Column("requires", Text, nullable=False),
    Column("deployment", Integer, nullable=False),
    Column("step", String, nullable=False),
    Column("origin", Text),
    PrimaryKeyConstraint("environment", "address"),
)

call = Table(
    "sabir_call",
    _tables,
    Column("operation_id", String, nullable=False),
    Column("position", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("effect", Text, nullable=False),
    Column("state", String, nullable=False),
    Column("outcome", Text),
    PrimaryKeyConstraint("operation_id", "position"),
)
"""Effects of programs, by the operation id of the step that runs the program and their place in it."""

Index("sabir_step_state", step.c.environment, step.c.state)

_MIGRATIONS: Final[Mapping[int, Callable[[Connection], None]]] = {}
"""By the version that they bring to the next one."""


def is_current(connection: Connection) -> bool:
    """Whether the tables are there, in this version. A database of a newer sabir is refused."""
    if not inspect(connection).has_table(meta.name):
        return False
    version = _version(connection)
    if version > VERSION:
        raise DeployError(
            f"this state was written by a newer sabir (its form is {version}, this sabir knows {VERSION}): upgrade sabir"
        )
    return version == VERSION


def prepare(connection: Connection) -> None:
    """Make the tables, or bring them to this version; the caller holds a lock against others who do."""
    if is_current(connection):
        return
    if not inspect(connection).has_table(meta.name):
        _tables.create_all(connection)
        connection.execute(
            meta.insert(),
            [{"name": "version", "value": str(VERSION)}, {"name": "id", "value": token_hex(8)}],
        )
        return
    for old in range(_version(connection), VERSION):
        _MIGRATIONS[old](connection)
    connection.execute(meta.update().where(meta.c.name == "version").values(value=str(VERSION)))


def _version(connection: Connection) -> int:
    return int(connection.scalar(select(meta.c.value).where(meta.c.name == "version")) or 0)
