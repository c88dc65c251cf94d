"""Versioned tables: created if missing, upgraded from an older sabir, refused from a newer one.

The versions are in `sabir_meta`, one for each set of tables that shares the database.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from msgspec import Struct
from sqlalchemy import Column, Connection, MetaData, String, Table, Text, inspect, select

from sabir.deployments.store.row_checks import raise_damaged
from sabir.errors import DeployError

_common = MetaData()

meta: Final = Table("sabir_meta", _common, Column("name", String, primary_key=True), Column("value", Text))
"""Versions of tables, and the `id` of this store: it keeps operations of a discarded state from being taken
for its own.
"""


class VersionedTables(Struct, frozen=True, kw_only=True):
    """A set of tables with its migrations. A change of a table needs a new version and a migration."""

    name: str
    """The name of its version in `sabir_meta`."""
    tables: MetaData
    version: int
    migrations: Mapping[int, Callable[[Connection], None]]
    """By the version that each upgrades to the next one."""
    first: Callable[[Connection], None] = lambda _: None
    """Called after the tables were created."""

    def are_current(self, connection: Connection) -> bool:
        """Tell whether the tables exist in this version. Raises `DeployError` for those of a newer sabir."""
        version = self._read_recorded_version(connection)
        if version is not None and version > self.version:
            raise DeployError(
                f"this state was written by a newer sabir (its form is {version}, this sabir knows {self.version}): upgrade sabir"
            )
        return version == self.version

    def prepare(self, connection: Connection) -> None:
        """Create or upgrade the tables. The caller holds a lock against other processes."""
        if self.are_current(connection):
            return
        version = self._version(connection)
        _common.create_all(connection)
        if version is None:
            self.tables.create_all(connection)
            self.first(connection)
        else:
            for old in range(version, self.version):
                self.migrations[old](connection)
        connection.execute(meta.delete().where(meta.c.name == self.name))
        connection.execute(meta.insert().values(name=self.name, value=str(self.version)))

    def _version(self, connection: Connection) -> int | None:
        """Return the version, or None if the tables do not exist. Tables without a recorded version are of
        the first one."""
        recorded = self._read_recorded_version(connection)
        if recorded is not None:
            return recorded
        tables = inspect(connection)
        return 1 if any(tables.has_table(name) for name in self.tables.tables) else None

    def _read_recorded_version(self, connection: Connection) -> int | None:
        if not inspect(connection).has_table(meta.name):
            return None
        value = connection.scalar(select(meta.c.value).where(meta.c.name == self.name))
        if value is None:
            return None
        if not isinstance(value, str) or not value.isdecimal() or not 0 < len(value) < 10 or int(value) < 1:
            raise_damaged("the version of its tables", f"{value!r:.40} is none")
        return int(value)
