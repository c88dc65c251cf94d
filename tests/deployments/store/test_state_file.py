"""State files: created whole or not at all, and recognized while they are open."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from sabir.deployments.store.database import Database
from sabir.deployments.store.state_file import (
    OpenStateFile,
    StateFileLostError,
    create_state_file,
    refuse_lost_state,
    save_copy,
)
from sabir.deployments.store.store import StateStore
from sabir.errors import DeployError
from tests.support.files import open_files

KILLED = """
import os, signal, sys
from pathlib import Path
from sabir.deployments.store.state_file import create_state_file
create_state_file(Path(sys.argv[1]), lambda temporary: os.kill(os.getpid(), signal.SIGKILL))
"""


def _fail(_: Path) -> None:
    raise sqlite3.OperationalError("database or disk is full")


def test_a_failed_creation_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(sqlite3.OperationalError):
        create_state_file(tmp_path / "state.db", _fail)
    assert not list(tmp_path.iterdir())


def test_a_killed_creation_leaves_no_state(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    killed = subprocess.run([sys.executable, "-c", KILLED, str(file)], check=False)
    assert killed.returncode == -9
    assert not file.exists()
    with closing(Database.open(str(file), create=True)):
        assert file.stat().st_size


def test_an_existing_file_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "state.db"

    def prepare(temporary: Path) -> None:
        temporary.write_text("late")
        file.write_text("first")

    create_state_file(file, prepare)
    assert file.read_text() == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["state.db"]


def test_many_who_come_first_have_one_state(tmp_path: Path) -> None:
    def store_id(_: int) -> str:
        with closing(StateStore.open(str(tmp_path / "new" / "state.db"), "test", create=True)) as store:
            return store.id()

    with ThreadPoolExecutor(8) as pool:
        assert len({*pool.map(store_id, range(16))}) == 1


def test_a_link_to_a_file_that_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "state.db").symlink_to(tmp_path / "elsewhere" / "state.db")
    with closing(Database.open(str(tmp_path / "state.db"), create=True)) as database:
        database.check_file()
    assert (tmp_path / "elsewhere" / "state.db").stat().st_size


def test_a_deleted_state_is_not_created_by_reading_it(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with closing(StateStore.open(str(file), "test", create=True)) as store:
        store.database.engine.dispose()
        file.unlink()
        with pytest.raises(StateFileLostError):
            store.serial()
    assert not file.exists()


def test_a_connection_to_a_state_that_was_replaced_is_closed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state.db"
    connect = sqlite3.connect

    def replace_and_connect(address: str, *, uri: bool, check_same_thread: bool) -> sqlite3.Connection:
        file.unlink()
        file.touch()
        return connect(address, uri=uri, check_same_thread=check_same_thread)

    with closing(StateStore.open(str(file), "test", create=True)) as store:
        store.database.engine.dispose()
        monkeypatch.setattr(sqlite3, "connect", replace_and_connect)
        with pytest.raises(StateFileLostError) as caught:
            store.serial()
        assert open_files(tmp_path) == []
        del caught


def test_a_connection_that_cannot_be_configured_is_closed(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with closing(StateStore.open(str(file), "test", create=True)) as store:
        store.database.engine.dispose()
        file.write_bytes(b"x" * file.stat().st_size)
        with pytest.raises(DeployError, match="no SQLite database") as caught:
            store.serial()
        assert open_files(tmp_path) == []
        del caught


def test_growing_is_no_loss(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    file.write_bytes(b"x" * 4096)
    opened = OpenStateFile(file)
    with file.open("ab") as more:
        more.write(b"x")
    opened.check()
    os.truncate(file, 0)
    with pytest.raises(StateFileLostError, match="emptied"):
        opened.check()


def test_the_log_of_a_deleted_state_is_not_put_into_a_new_one(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    file.with_name("state.db-wal").write_bytes(b"frames")
    with pytest.raises(DeployError, match=r"state.db-wal"):
        refuse_lost_state(file)


def test_other_files_in_the_directory_are_no_evidence(tmp_path: Path) -> None:
    for name in ("key", "other.db", "other.db.1.lock", "state.db-shm", "world"):
        (tmp_path / name).write_text("x")
    refuse_lost_state(tmp_path / "state.db")


def test_copies_have_names_of_their_own(tmp_path: Path) -> None:
    file = tmp_path / "state.db"
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("create table t (x)")
        first, second = save_copy(connection, file), save_copy(connection, file)
    assert first == tmp_path / "state.db.recovered"
    assert second == tmp_path / "state.db.recovered-2"
    assert (tmp_path / "state.db.recovered-2").stat().st_mode & 0o777 == 0o600


def test_a_project_that_was_deleted_stays_deleted(tmp_path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as connection:
        assert save_copy(connection, tmp_path / "project" / ".sabir" / "state.db") is None
    assert not (tmp_path / "project").exists()
