"""Tables with versions: new, older, without a word of their version, newer."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import Column, Connection, MetaData, String, Table, inspect, select, text

from sabir.deployments.store.database import Database
from sabir.deployments.store.versions import VersionedTables, meta
from sabir.errors import DeployError


def _tables(*columns: str) -> MetaData:
    tables = MetaData()
    Table(
        "letter", tables, Column("id", String, primary_key=True), *(Column(name, String) for name in columns)
    )
    return tables


def _add_colour(connection: Connection) -> None:
    connection.execute(text("alter table letter add column colour varchar"))
    connection.execute(text("update letter set colour = 'red'"))


FIRST = VersionedTables(name="letters", tables=_tables(), version=1, migrations={})
SECOND = VersionedTables(name="letters", tables=_tables("colour"), version=2, migrations={1: _add_colour})


def version(database: Database) -> str | None:
    with database.engine.begin() as connection:
        return connection.scalar(select(meta.c.value).where(meta.c.name == "letters"))


def test_new_tables_are_made_in_the_newest_version(where: str) -> None:
    with closing(Database.open(where, create=True)) as database:
        database.prepare(SECOND)
        database.prepare(SECOND)
        assert version(database) == "2"
        assert [column["name"] for column in inspect(database.engine).get_columns("letter")] == [
            "id",
            "colour",
        ]


@pytest.mark.parametrize("forgotten", [False, True], ids=["recorded", "no word of a version"])
def test_older_tables_are_upgraded_with_what_they_hold(where: str, *, forgotten: bool) -> None:
    with closing(Database.open(where, create=True)) as database:
        database.prepare(FIRST)
        with database.engine.begin() as connection:
            connection.execute(text("insert into letter (id) values ('a')"))
            if forgotten:
                connection.execute(meta.delete().where(meta.c.name == "letters"))
        database.prepare(SECOND)
        with database.engine.begin() as connection:
            assert connection.execute(text("select id, colour from letter")).all() == [("a", "red")]
        assert version(database) == "2"


def test_newer_tables_are_refused_and_left_alone(where: str) -> None:
    with closing(Database.open(where, create=True)) as database:
        database.prepare(SECOND)
        with pytest.raises(DeployError, match=r"newer sabir \(its form is 2, this sabir knows 1\)"):
            database.prepare(FIRST)
        assert version(database) == "2"


def test_a_migration_that_fails_changes_nothing(where: str) -> None:
    def half(connection: Connection) -> None:
        _add_colour(connection)
        raise DeployError("no")

    with closing(Database.open(where, create=True)) as database:
        database.prepare(FIRST)
        broken = VersionedTables(name="letters", tables=SECOND.tables, version=2, migrations={1: half})
        with pytest.raises(DeployError, match="no"):
            database.prepare(broken)
        assert version(database) == "1"
        assert [column["name"] for column in inspect(database.engine).get_columns("letter")] == ["id"]
