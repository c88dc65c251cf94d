"""The tables of the server, the same on SQLite and PostgreSQL, in the database of the deployments."""

from __future__ import annotations

from typing import Final

from sqlalchemy import (
    Boolean,
    Column,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from sabir.deployments.store.versions import VersionedTables

_tables = MetaData()

package = Table(
    "service_package",
    _tables,
    Column("id", String, primary_key=True),
    Column("digest", String, nullable=False),
    Column("name", String, nullable=False),
    Column("full_name", String, nullable=False),
    Column("version", String, nullable=False),
    Column("language", String, nullable=False),
    Column("type", String, nullable=False),
    Column("author", Text),
    Column("description", Text),
    Column("tags", Text, nullable=False),
    Column("categories", Text, nullable=False),
    Column("classes", Text, nullable=False),
    Column("enabled", Boolean, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("owner", String, nullable=False),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
    UniqueConstraint("full_name", "version", "owner"),
)
"""Packages of the catalogue; the archive lies in the folder under its digest. Lists are JSON."""

category = Table(
    "service_category",
    _tables,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False, unique=True),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
)

environment = Table(
    "service_environment",
    _tables,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("description", Text, nullable=False),
    Column("trust", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
    UniqueConstraint("name", "owner"),
)
"""`kind`: `files` (a folder with a description) or `murano` (an object model, in `description`). `revision` counts the edits.
`trust` is the leave that an administrator gave it."""

session = Table(
    "service_session",
    _tables,
    Column("id", String, primary_key=True),
    Column("environment", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("state", String, nullable=False),
    Column("revision", Integer, nullable=False),
    Column("description", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
)
"""An edit of an environment that is not deployed yet: Murano's sessions. `revision` is that of the environment it began from."""

template = Table(
    "service_template",
    _tables,
    Column("id", String, primary_key=True),
    Column("name", String, nullable=False),
    Column("owner", String, nullable=False),
    Column("public", Boolean, nullable=False),
    Column("services", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("updated", String, nullable=False),
    UniqueConstraint("name", "owner"),
)
"""Applications to begin an environment with: Murano's templates. `services` is JSON."""

job = Table(
    "service_job",
    _tables,
    Column("id", String, primary_key=True),
    Column("environment", String, nullable=False),
    Column("verb", String, nullable=False),
    Column("arguments", Text, nullable=False),
    Column("owner", String, nullable=False),
    Column("state", String, nullable=False),
    Column("status", Integer),
    Column("process", Integer),
    Column("session", String),
    Column("created", String, nullable=False),
    Column("started", String),
    Column("ended", String),
    Column("result", Text),
)
"""Work that acts: a process each. Its events lie in the folder of the environment, one JSON text a line."""

token = Table(
    "service_token",
    _tables,
    Column("id", String, primary_key=True),
    Column("digest", String, nullable=False, unique=True),
    Column("name", String, nullable=False),
    Column("role", String, nullable=False),
    Column("environments", Text, nullable=False),
    Column("verbs", Text, nullable=False),
    Column("created", String, nullable=False),
    Column("expires", String),
    Column("used", String),
)
"""Only digests of tokens are kept. Empty lists of environments or verbs: all that the role may."""

audit = Table(
    "service_audit",
    _tables,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("at", String, nullable=False),
    Column("who", String, nullable=False),
    Column("verb", String, nullable=False),
    Column("subject", String, nullable=False),
    Column("outcome", String, nullable=False),
    Column("data", Text),
)

Index("service_job_environment", job.c.environment, job.c.created)
Index("service_package_name", package.c.full_name)


SERVICE: Final = VersionedTables(name="service", tables=_tables, version=1, migrations={})
