"""Tables that have a version: made when they are not there, upgraded when an older sabir made them, refused when a newer one did.

The versions stand in `sabir_meta`, one for each set of tables that shares the database.
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
"""Versions of tables; `id` of this store, so that operations of a state that was thrown away are not taken for ours."""


class VersionedTables(Struct, frozen=True, kw_only=True):
    """A set of tables, and the way to them from each earlier version. A change of one needs a new version and a migration."""

    name: str
    """Of its version in `sabir_meta`."""
    tables: MetaData
    version: int
    migrations: Mapping[int, Callable[[Connection], None]]
    """By the version that they bring to the next one."""
    first: Callable[[Connection], None] = lambda _: None
    """What is written when the tables are new."""

    def are_current(self, connection: Connection) -> bool:
        """Whether they are there, in this version. Those of a newer sabir are refused."""
        version = self._read_recorded_version(connection)
        if version is not None and version > self.version:
            raise DeployError(
                f"this state was written by a newer sabir (its form is {version}, this sabir knows {self.version}): upgrade sabir"
            )
        return version == self.version

    def prepare(self, connection: Connection) -> None:
        """Make them, or bring them to this version; the caller holds a lock against others who do."""
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
        """None: they are not there. Tables without a word of their version are of the first one, which did not keep any."""
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
