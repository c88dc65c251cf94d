"""The writer on both databases: locks, epochs, full disks."""

from __future__ import annotations

import shutil
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import text

from sabir.deployments.store.journal import Journal
from sabir.deployments.store.records import RecordStatus, ResourceRecord
from sabir.deployments.store.store import StateStore
from sabir.deployments.store.writer import EnvironmentLockedError, LockLostError
from sabir.session import wall_clock
from tests.deployments.fake import resource
from tests.deployments.setting import Setting

RECORD = ResourceRecord(
    address="a", kind="thing", target="here", driver="world", status=RecordStatus.PRESENT, desired='{"x":1}'
)


def journal_of(store: StateStore) -> Journal:
    writer = store.writer("a test")
    writer.begin()
    return Journal(store, writer, wall_clock)


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


def test_outputs_of_steps_that_end_together_are_kept(tmp_path: Path) -> None:
    setting = Setting.at(tmp_path)
    setting.deploy(resource("b"))
    setting.deploy(resource("a"), resource("b", value="other"))
    with closing(setting.store()) as store:
        assert sorted(store.facts()) == ["a|out", "b|out"]
