"""Versions of the tables of a state, on both databases."""

from __future__ import annotations

from contextlib import closing

import pytest
from sqlalchemy import Connection, text

from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import RecordStatus, ResourceRecord
from sabir.deployments.store.store import StateStore
from sabir.errors import DeployError
from sabir.session import wall_clock

RECORD = ResourceRecord(
    address="a", kind="thing", target="here", driver="world", status=RecordStatus.PRESENT, desired='{"x":1}'
)


def journal_of(store: StateStore) -> Journal:
    writer = store.writer("a test")
    writer.begin()
    return Journal(store, writer, wall_clock)


def make_first_version(connection: Connection) -> None:
    """The tables as the first version had them."""
    for statement in (
        "drop table sabir_fact",
        "drop table sabir_blob",
        "alter table sabir_deployment drop column wish",
        "alter table sabir_deployment drop column observed",
        "alter table sabir_deployment add column graph text",
        "alter table sabir_resource add column results text",
        "update sabir_meta set value = '1' where name = 'version'",
    ):
        connection.execute(text(statement))


def test_a_state_of_the_first_version_is_upgraded(where: str) -> None:
    store = StateStore.open(where, "env", create=True)
    journal = journal_of(store)
    journal.now_all([journal.record(RECORD)])
    journal.writer.close()
    with store.database.engine.begin() as connection:
        make_first_version(connection)
        connection.execute(text("""update sabir_resource set results = '{"a|out":[1,"x"]}'"""))
    store.close()
    with closing(StateStore.open(where, "env", create=True)) as upgraded:
        assert upgraded.records() == {"a": RECORD}
        assert upgraded.load_observations() == {"a|out": [1, "x"]}
        assert upgraded.facts()["a|out"].address == "a"


def test_a_newer_state_is_refused(where: str) -> None:
    store = StateStore.open(where, "env", create=True)
    with store.database.engine.begin() as connection:
        connection.execute(text("update sabir_meta set value = '99' where name = 'version'"))
    store.close()
    with pytest.raises(DeployError, match="newer sabir"):
        StateStore.open(where, "env")
