"""The store on both databases: versions, locks, epochs, full disks."""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, RecordStatus, ResourceRecord, StepState
from sabir.deployments.store.store import StateStore
from sabir.session import wall_clock
from tests.deployments.killing import Figures, check, start

RECORD = ResourceRecord(
    address="a", kind="thing", target="here", driver="world", status=RecordStatus.PRESENT, desired='{"x":1}'
)


def journal_of(store: StateStore) -> Journal:
    writer = store.writer("a test")
    writer.begin()
    return Journal(store, writer, wall_clock)


def test_what_is_written_is_read(where: str) -> None:
    store = StateStore.open(where, "env", create=True, key_file=Path("/nonexistent"))
    journal = journal_of(store)
    number = journal.open("deploy", audit={"who": "me"}, plan={"x": 1}, steps=lambda _: ())
    journal.now_all([journal.record(RECORD), journal.event("note", data={"message": "hi"})])
    journal.close(DeploymentState.DONE)
    journal.writer.close()
    assert store.records() == {"a": RECORD}
    assert store.serial() == number == 1
    assert store.deployments()[0].state is DeploymentState.DONE
    assert [event.state for event in store.events(1)] == ["note"]
    assert store.plan_document(1) == {"x": 1}
    with closing(StateStore.open(where, "other")) as other:
        assert other.records() == {}
    store.close()


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


@pytest.mark.slow
def test_a_deployment_that_an_older_sabir_left_open_is_gone_on_with(where: str, tmp_path: Path) -> None:
    folder = tmp_path / "effects"
    folder.mkdir()
    process = start(where, folder, 1000, 10)
    while not (folder / "log").exists() or len((folder / "log").read_text().split()) < 100:
        assert process.poll() is None
        time.sleep(0.002)
    process.kill()
    process.communicate()
    with closing(StateStore.open(where, "victim")) as store, store.database.engine.begin() as connection:
        done = len(store.steps(states=(StepState.DONE,)))
        make_first_version(connection)
    assert done < 1000
    process = start(where, folder, 1000, 10)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors
    figures = Figures()
    check(where, folder, 1000, figures)
    assert (figures.lost, figures.repeated, figures.out_of_order, figures.unknown) == (0, 0, 0, 0)
