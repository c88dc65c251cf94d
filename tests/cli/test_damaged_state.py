"""A state that something has damaged: every command refuses it in one sentence, and nothing of it is lost."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from sabir.cli.main import main

ENVIRONMENT = "name: demo\nparts:\n  f: {path: resources.yaml}\n"
RESOURCES = """\
sabir: resources/1
resources:
  a: {kind: file, fields: {path: a, content: {sensitive: hunter22}}}
  b: {kind: file, requires: [a], fields: {path: b, content: x}}
"""
FACT = "insert into sabir_fact values('demo', 'f/a|x', 'f/a', '{\"value\": 1}', 1, 'f/a', 1, '2026-11-18', 0)"
CALL = "insert into sabir_call values('o', '1', 'd', 'e', 'done', '{}')"
NEVER = (
    "Traceback",
    "a fault of sabir",
    "Expected `",
    "malformed",
    "`$",
    "is not a valid",
    "hunter22",
    "sqlite3",
)
READING = (
    ["status", "."],
    ["history", "."],
    ["history", ".", "--at", "1"],
    ["state", "export", "."],
    ["plan", "."],
)
ASKING = (
    ["facts", "."],
    ["why", ".", "a", "--at", "1"],
    ["bisect", ".", "::a::.path"],
    ["state", "show", ".", "f/a"],
)
WRITING = (
    ["destroy", ".", "--yes", "--allow-delete", "all"],
    ["state", "rotate", "."],
    ["resolve", ".", "f/a", "--done"],
)
WRONG = ("{", "[]", '{"value": {"$unknown": 5}}', b"\xff")


@pytest.fixture(scope="module")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with something of everything in its state."""
    folder = tmp_path_factory.mktemp("deployed")
    (folder / "sabir.yaml").write_text(ENVIRONMENT)
    (folder / "resources.yaml").write_text(RESOURCES)
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert main(["deploy", ".", "--yes"]) == 0
    finally:
        os.chdir(before)
    _execute(folder, FACT, CALL)
    return folder


@pytest.fixture
def folder(deployed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    copy = tmp_path / "copy"
    shutil.copytree(deployed, copy)
    monkeypatch.chdir(copy)
    return copy


def _execute(folder: Path, *statements: str) -> None:
    connection = sqlite3.connect(folder / ".sabir" / "state.db")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()


def _columns() -> list[tuple[str, str]]:
    from sabir.deployments.store.schema import STATE
    from sabir.deployments.store.versions import meta

    return [
        (table.name, column.name) for table in (*STATE.tables.sorted_tables, meta) for column in table.columns
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("table", "column"), _columns())
def test_a_damaged_column(table: str, column: str, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = folder / ".sabir" / "state.db"
    whole = file.read_bytes()
    for wrong in WRONG:
        file.write_bytes(whole)
        connection = sqlite3.connect(file)
        try:
            connection.execute(f"update {table} set {column} = ?", (wrong,))
            connection.commit()
        except sqlite3.IntegrityError:
            continue
        finally:
            connection.close()
        damaged = file.read_bytes()
        for words in (*READING, *ASKING, *WRITING):
            file.write_bytes(damaged)
            status = main(words)
            said = "".join(capsys.readouterr())
            assert status in (0, 1, 2, 3), (words, wrong, said)
            for never in NEVER:
                assert never not in said, (words, wrong, said)


def _text(file: Path) -> None:
    file.write_text("no database, only words\n" * 100)


def _half(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2)


def _folder(file: Path) -> None:
    file.unlink()
    file.mkdir()


def _pipe(file: Path) -> None:
    file.unlink()
    os.mkfifo(file)


def _sql(statement: str) -> Callable[[Path], None]:
    return lambda file: _execute(file.parents[1], statement)


@pytest.mark.parametrize("words", [["status", "."], ["plan", "."], ["destroy", ".", "--yes"]], ids=" ".join)
@pytest.mark.parametrize(
    ("damage", "says"),
    [
        pytest.param(_text, "it is no state: no SQLite database", id="text"),
        pytest.param(_half, "it is damaged or cut off; bring back a copy of it", id="cut off"),
        pytest.param(_folder, "it is a folder", id="folder"),
        pytest.param(_pipe, "it is no file", id="pipe"),
        pytest.param(
            _sql("update sabir_meta set value = '99' where name = 'version'"),
            "written by a newer sabir (its form is 99",
            id="newer",
        ),
        pytest.param(
            _sql("update sabir_meta set value = '' where name = 'version'"),
            "the version of its tables: '' is none",
            id="no version",
        ),
        pytest.param(_sql("drop table sabir_resource"), "its table sabir_resource is missing", id="no table"),
        pytest.param(
            _sql("alter table sabir_resource drop column origin"),
            "its column sabir_resource.origin is missing",
            id="no column",
        ),
        pytest.param(
            _sql("update sabir_resource set status = 'gone' where address = 'f/a'"),
            "the record of 'f/a': status: 'gone' is none of the values",
            id="status",
        ),
        pytest.param(
            _sql("update sabir_resource set requires = '[1]' where address = 'f/b'"),
            "the record of 'f/b', requires: [0]: a text is wanted here, not a whole number",
            id="requires",
        ),
    ],
)
def test_what_it_says(
    damage: Callable[[Path], None],
    says: str,
    words: list[str],
    folder: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    damage(folder / ".sabir" / "state.db")
    assert main(words) == 1
    assert says in capsys.readouterr().err


# Root is let into everything, unless it gives that up.
LIKE_OTHERS = ("setpriv", "--bounding-set=-dac_override,-dac_read_search") if os.geteuid() == 0 else ()


@pytest.mark.skipif(bool(LIKE_OTHERS) and shutil.which("setpriv") is None, reason="needs setpriv")
@pytest.mark.parametrize(("mode", "says"), [(0o000, "may not be read"), (0o444, "may not be written")])
def test_permissions(mode: int, says: str, folder: Path) -> None:
    (folder / ".sabir" / "state.db").chmod(mode)
    words = [*LIKE_OTHERS, sys.executable, "-m", "sabir", "deploy", ".", "--yes", "--repair"]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert (ended.returncode, says in ended.stderr) == (1, True), ended.stderr


@pytest.mark.parametrize("name", ["../outside", "/tmp/sabir-outside"])
def test_a_file_of_the_past_that_leads_out(
    name: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of files are not sealed: whoever can write the state must not get files written elsewhere."""
    _execute(folder, f"update sabir_deployment set wish = replace(wish, 'resources.yaml', '{name}')")
    assert main(["plan", ".", "--at", "1"]) == 1
    assert f"the file {name!r} leads out of its folder" in capsys.readouterr().err
    assert not (folder / name).exists()
    assert not (folder.parent / name).exists()


LOSING = """\
sabir: resources/1
resources:
  a: {kind: file, fields: {path: "{HERE}/a", content: {sensitive: hunter22}}}
  loss: {kind: command, requires: [a], fields: {script: "SCRIPT"}}
  b: {kind: command, requires: [loss], fields: {script: "echo again >> '{HERE}/b'"}}
"""


def _lose(folder: Path, script: str) -> tuple[int, str]:
    """Deploy a project whose second step is a script that damages the state."""
    (folder / "sabir.yaml").write_text(ENVIRONMENT)
    resources = LOSING.replace("SCRIPT", script).replace("{HERE}", str(folder))
    (folder / "resources.yaml").write_text(resources)
    return _deploy(folder)


def _deploy(folder: Path) -> tuple[int, str]:
    words = [sys.executable, "-m", "sabir", "deploy", ".", "--yes", "--here", "--trust", "scripts"]
    ended = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("script", "says"),
    [
        pytest.param("rm -r '{HERE}/.sabir'", "deleted or replaced", id="directory"),
        pytest.param("rm '{HERE}/.sabir/state.db'", "deleted or replaced", id="file"),
        pytest.param("rm '{HERE}'/.sabir/state.db*", "deleted or replaced", id="all files"),
        pytest.param(
            "cd '{HERE}/.sabir' && cp state.db x && mv x state.db", "deleted or replaced", id="copy"
        ),
        pytest.param("cd '{HERE}/.sabir' && mv state.db old.db", "deleted or replaced", id="renamed"),
    ],
)
def test_a_state_that_is_lost_during_a_deployment(script: str, says: str, tmp_path: Path) -> None:
    status, said = _lose(tmp_path, script)
    assert status == 1, said
    assert f"state file was {says} during the deployment: '.sabir/state.db'" in said
    assert "Traceback" not in said
    assert "deployment 1 done" not in said
    assert not (tmp_path / "b").exists(), "no further step was started"
    copy = tmp_path / ".sabir" / "state.db.recovered"
    assert "'.sabir/state.db.recovered'" in said
    assert copy.stat().st_mode & 0o777 == 0o600
    state = tmp_path / ".sabir" / "state.db"
    copy.rename(state)
    # What was recorded is known again, with its secrets: the step that was done is not repeated, the other one is applied.
    status, said = _deploy(tmp_path)
    assert "f/loss" not in said
    assert (status, (tmp_path / "b").read_text()) == (0, "again\n"), said
    assert "hunter22" not in said


@pytest.mark.slow
def test_a_state_that_is_emptied_during_a_deployment(tmp_path: Path) -> None:
    status, said = _lose(tmp_path, ": > '{HERE}/.sabir/state.db'")
    assert status == 1, said
    assert "state file was emptied during the deployment: '.sabir/state.db'" in said
    assert "Traceback" not in said
    assert not (tmp_path / "b").exists()


@pytest.mark.slow
def test_a_state_that_the_last_step_deletes(tmp_path: Path) -> None:
    (tmp_path / "b").write_text("")
    status, said = _lose(tmp_path, "true")
    assert status == 0, said
    resources = (tmp_path / "resources.yaml").read_text()
    (tmp_path / "resources.yaml").write_text(
        resources.replace(f"echo again >> '{tmp_path}/b'", f"rm -r '{tmp_path}/.sabir'")
    )
    status, said = _deploy(tmp_path)
    assert status == 1, said
    assert "state file was deleted or replaced" in said


@pytest.mark.parametrize(
    "words",
    [
        ["status", "."],
        ["plan", "."],
        ["deploy", ".", "--yes"],
        ["destroy", ".", "--yes"],
        ["state", "list", "."],
    ],
    ids=" ".join,
)
def test_an_empty_state_is_not_a_new_one(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    os.truncate(folder / ".sabir" / "state.db", 0)
    assert main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith("sabir: state file is empty: '.sabir/state.db'")
    assert "restore it from a backup" in said


def test_a_database_of_another_program_is_left_alone(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = folder / "other.db"
    connection = sqlite3.connect(file)
    connection.execute("create table notes (text)")
    connection.commit()
    connection.close()
    before = file.read_bytes()
    assert main(["deploy", ".", "--yes", "--state", "other.db"]) == 1
    assert "not a state file: 'other.db' has no tables of sabir" in capsys.readouterr().err
    assert file.read_bytes() == before


@pytest.mark.parametrize("words", [["status", "."], ["deploy", ".", "--yes"]], ids=" ".join)
def test_a_missing_state_that_was_in_use_is_not_a_new_one(
    words: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = folder / ".sabir"
    (own / "state.db").unlink()
    assert main(words) == 1
    said = capsys.readouterr().err
    assert said.startswith("sabir: state file not found: '.sabir/state.db', although it was in use before")
    named = [lock for lock in own.glob("state.db.*.lock") if f"'.sabir/{lock.name}'" in said]
    assert len(named) == 1
    # What the message says to delete is enough to start over.
    named[0].unlink()
    assert main(["deploy", ".", "--yes"]) == 0


def test_a_deleted_directory_starts_over(folder: Path) -> None:
    shutil.rmtree(folder / ".sabir")
    assert main(["deploy", ".", "--yes"]) == 0
