"""Tables of the state, the same on SQLite and PostgreSQL, and their migrations.

Values are JSON texts, never pickles. The journal (`step`, `event`, `call`) only grows: a step changes its
state along the protocol, and nothing is deleted from it.
"""

from __future__ import annotations

from secrets import token_hex
from typing import Any, Final

import msgspec
from sqlalchemy import (
    Column,
    Connection,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    PrimaryKeyConstraint,
    String,
    Table,
    Text,
    text,
)

from sabir.deployments.store.row_checks import decode_column
from sabir.deployments.store.versions import VersionedTables, meta

_tables = MetaData()

environment = Table(
    "sabir_environment",
    _tables,
    Column("name", String, primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("serial", Integer, nullable=False),
    Column("holder", Text),
)
"""`epoch` grows with each lock, and each write checks it: a process that lost the lock cannot write any more.
`serial` counts the versions of the state: a plan is made for one of them.
"""

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
    Column("wish", Text),
    Column("observed", Text),
    PrimaryKeyConstraint("environment", "number"),
)
"""`wish` is the request: project files by digest, and the inputs. `observed` holds the step outputs at its
end.
"""

blob = Table(
    "sabir_blob",
    _tables,
    Column("digest", String, primary_key=True),
    Column("data", LargeBinary, nullable=False),
)
"""Project files, each content once."""

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
"""`task` is the intent: enough to look a step up, or to repeat it, without the project."""

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
    Column("requires", Text, nullable=False),
    Column("deployment", Integer, nullable=False),
    Column("step", String, nullable=False),
    Column("origin", Text),
    PrimaryKeyConstraint("environment", "address"),
)

fact = Table(
    "sabir_fact",
    _tables,
    Column("environment", String, nullable=False),
    Column("name", String, nullable=False),
    Column("address", String, nullable=False),
    Column("value", Text, nullable=False),
    Column("deployment", Integer, nullable=False),
    Column("step", String, nullable=False),
    Column("position", Integer, nullable=False),
    Column("at", String, nullable=False),
    Column("expired", Integer, nullable=False),
    PrimaryKeyConstraint("environment", "name"),
)
"""Step outputs by the text of the attribute's address that each became; `address` is the resource it belongs
to.
"""

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
"""Effects of programs, by the operation id of the step that runs the program and their position in it."""

Index("sabir_step_state", step.c.environment, step.c.state)


def _facts_of_their_own(connection: Connection) -> None:
    """Migrate version 1, which stored step outputs with their resources and nothing of the project."""
    blob.create(connection)
    fact.create(connection)
    for column in ("wish", "observed"):
        connection.execute(text(f"ALTER TABLE sabir_deployment ADD COLUMN {column} TEXT"))
    connection.execute(text("ALTER TABLE sabir_deployment DROP COLUMN graph"))
    rows = connection.execute(
        text(
            "SELECT environment, address, results, deployment, step FROM sabir_resource WHERE results IS NOT NULL"
        )
    ).all()
    facts = [
        {
            "environment": row.environment,
            "name": name,
            "address": row.address,
            "value": msgspec.json.encode({"value": value}).decode("utf-8"),
            "deployment": row.deployment,
            "step": row.step,
            "position": 0,
            "at": "",
            "expired": 0,
        }
        for row in rows
        for name, value in decode_column(
            row.results, dict[str, Any], f"the results of {row.address!r}"
        ).items()
    ]
    if facts:
        connection.execute(fact.insert(), facts)
    connection.execute(text("ALTER TABLE sabir_resource DROP COLUMN results"))


def _assign_state_id(connection: Connection) -> None:
    connection.execute(meta.insert().values(name="id", value=token_hex(8)))


STATE: Final = VersionedTables(
    name="version", tables=_tables, version=2, migrations={1: _facts_of_their_own}, first=_assign_state_id
)
"""The tables of deployments."""
