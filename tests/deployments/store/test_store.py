"""The store on both databases: versions, locks, epochs, full disks."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import Connection, text

from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import DeploymentState, RecordStatus, ResourceRecord, StepState
from sabir.deployments.store.store import StateStore
from sabir.deployments.store.writer import EnvironmentLockedError, LockLostError
from sabir.errors import DeployError, UsageError
from sabir.graph.values import Sensitive
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


def test_a_second_holder_is_refused_and_told_of_the_first(where: str) -> None:
    store, other = StateStore.open(where, "env", create=True), StateStore.open(where, "env", create=True)
    journal = journal_of(store)
    with pytest.raises(EnvironmentLockedError, match="'env' is being deployed by a test"):
        journal_of(other)
    free = StateStore.open(where, "another", create=True)
    journal_of(free).writer.close()
    journal.writer.close()
    journal_of(other).writer.close()
    for each in (store, other, free):
        each.close()


def test_who_lost_the_lock_cannot_write(where: str) -> None:
    store = StateStore.open(where, "env", create=True)
    journal = journal_of(store)
    with store.database.engine.begin() as connection:
        connection.execute(text("update sabir_environment set epoch = epoch + 1"))
    with pytest.raises(LockLostError, match="took 'env' over"):
        journal.now_all([journal.record(RECORD)])
    journal.writer.close()
    assert store.records() == {}
    store.close()


def test_a_newer_state_is_refused(where: str) -> None:
    store = StateStore.open(where, "env", create=True)
    with store.database.engine.begin() as connection:
        connection.execute(text("update sabir_meta set value = '99' where name = 'version'"))
    store.close()
    with pytest.raises(DeployError, match="newer sabir"):
        StateStore.open(where, "env")


def test_places_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="SQLite or PostgreSQL"):
        StateStore.open("mysql://localhost/x", "env")
    (tmp_path / "file").write_text("no database at all, but long enough to look like one" * 20)
    with pytest.raises(DeployError, match="cannot be opened"):
        StateStore.open(str(tmp_path / "file"), "env")


def test_a_lost_key(tmp_path: Path) -> None:
    store = StateStore.open(str(tmp_path / "state.db"), "env", create=True)
    sealed = store.codec.write({"x": Sensitive("canary")})
    assert "canary" not in sealed
    assert store.codec.read(sealed) == {"x": Sensitive("canary")}
    (tmp_path / "key").unlink()
    store.close()
    with (
        closing(StateStore.open(str(tmp_path / "state.db"), "env")) as other,
        pytest.raises(DeployError, match="key"),
    ):
        other.codec.read(sealed)


@pytest.mark.slow
def test_a_full_disk_stops_cleanly_and_goes_on_later(tmp_path: Path) -> None:
    small = tmp_path / "small"
    small.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=600k", "tmpfs", str(small)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("a small file system cannot be mounted here")
    try:
        (tmp_path / "effects").mkdir()
        words = [
            sys.executable,
            "-m",
            "tests.deployments.victim",
            str(small / "state.db"),
            str(tmp_path / "effects"),
            "1000",
            "10",
        ]
        first = subprocess.run(words, capture_output=True, text=True, check=False)
        assert first.returncode == 1
        assert "disk of the state is full" in first.stderr, first.stderr
        subprocess.run(["mount", "-o", "remount,size=50m", str(small)], check=True)
        assert subprocess.run(words, capture_output=True, text=True, check=False).returncode == 0
        names = [line.split()[0] for line in (tmp_path / "effects" / "log").read_text().splitlines()]
        assert (len(names), len({*names})) == (1000, 1000)
    finally:
        subprocess.run(["umount", str(small)], check=True)
