"""The pages about deploying: the tutorial is walked through, what the operations page tells to do is done, kinds are the code's."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from docs.kinds import PAGE, kinds_page
from tests.docs.pages import DOCS, blocks

_FINE = {"sabir plan .": 3, "sabir status .": 3}
"""Commands that end otherwise than with 0: there is something to do, there is drift."""


def run(command: str, folder: Path) -> tuple[int, str]:
    words = re.sub(r"^sabir ", f"{sys.executable} -m sabir.cli ", command)
    done = subprocess.run(
        ["/bin/sh", "-c", words],
        cwd=folder,
        env={**os.environ, "NO_COLOR": "1", "COLUMNS": "200"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, re.sub(r"\(\d+\.\d s\)", "(0.0 s)", done.stdout)


def test_the_tutorial(tmp_path: Path) -> None:
    text = (DOCS / "tutorials/deploy.md").read_text(encoding="utf-8")
    (tmp_path / "sabir.yaml").write_text(blocks(text, "yaml")[0])
    for block in blocks(text, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command, _, shown = part.partition("\n")
            status, output = run(command, tmp_path)
            assert status == _FINE.get(command, 0), f"{command}\n{output}"
            wanted, cut, _ = shown.partition("…\n")
            assert not wanted or (output.startswith(wanted) if cut else output == wanted), (
                f"{command}\n{output}"
            )


def test_the_kinds() -> None:
    assert PAGE.read_text(encoding="utf-8") == kinds_page(), "run python -m docs.kinds"


SITE = """
name: site
parts:
  files:
    language: resources
    model:
      resources:
        secret: {kind: file, fields: {path: a, content: {sensitive: canary-of-a-file}}}
        plain: {kind: file, fields: {path: b, content: TEXT}}
"""


@pytest.mark.slow
class TestOperations:
    @pytest.fixture
    def folder(self, tmp_path: Path) -> Path:
        (tmp_path / "sabir.yaml").write_text(SITE)
        assert run("sabir deploy . --yes", tmp_path)[0] == 0
        return tmp_path

    def test_a_backup_is_restored(self, folder: Path) -> None:
        script = "import sqlite3; sqlite3.connect('.sabir/state.db').backup(sqlite3.connect('backup.db'))"
        assert run(f'{sys.executable} -c "{script}"', folder)[0] == 0  # what the program sqlite3 does
        (folder / "sabir.yaml").write_text(SITE.replace("TEXT", "other"))
        assert run("sabir deploy . --yes", folder)[0] == 0
        for file in (folder / ".sabir").glob("state.db*"):
            file.unlink()
        (folder / "backup.db").rename(folder / ".sabir" / "state.db")
        status, output = run("sabir plan . --refresh", folder)
        assert status in (0, 3), output
        assert run("sabir deploy . --repair --yes", folder)[0] == 0
        assert run("sabir status .", folder)[0] == 0
        assert (folder / ".sabir/world/b").read_text() == "other"

    def test_a_state_that_is_lost(self, folder: Path) -> None:
        """What is as it should be is found so: nothing in the world is touched."""
        for file in (folder / ".sabir").glob("state.db*"):
            file.unlink()
        before = (folder / ".sabir/world/b").stat().st_mtime_ns
        status, output = run("sabir deploy . --yes", folder)
        assert status == 0, output
        assert (folder / ".sabir/world/b").stat().st_mtime_ns == before
        assert run("sabir status .", folder)[0] == 0

    def test_a_state_that_is_lost_is_adopted(self, folder: Path) -> None:
        for file in (folder / ".sabir").glob("state.db*"):
            file.unlink()
        status, output = run("sabir adopt .", folder)
        assert status == 0, output
        assert run("sabir plan .", folder)[0] == 0

    def test_a_restore_beside_what_a_killed_process_left(self, folder: Path) -> None:
        """A log of the state that is replaced would be taken for one of the backup; the page says to take it away."""
        page = (DOCS / "deploy" / "operations.md").read_text(encoding="utf-8")
        assert (
            "rm -f .sabir/state.db .sabir/state.db-wal .sabir/state.db-shm\n    cp backup.db .sabir/state.db"
            in page
        )
        script = "import sqlite3; sqlite3.connect('.sabir/state.db').backup(sqlite3.connect('backup.db'))"
        assert run(f'{sys.executable} -c "{script}"', folder)[0] == 0
        held = "import sqlite3, os; c = sqlite3.connect('.sabir/state.db'); c.execute('delete from sabir_resource'); c.commit(); os._exit(9)"
        assert run(f'{sys.executable} -c "{held}"', folder)[0] == 9
        assert (folder / ".sabir/state.db-wal").stat().st_size > 0
        assert (
            run(
                "rm -f .sabir/state.db .sabir/state.db-wal .sabir/state.db-shm; cp backup.db .sabir/state.db",
                folder,
            )[0]
            == 0
        )
        assert run("sabir plan .", folder)[0] == 0

    def test_two_keys_in_the_file(self, folder: Path) -> None:
        key = folder / ".sabir" / "key"
        make = "import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())"
        new = run(f'{sys.executable} -c "{make}"', folder)[1].strip()
        key.write_text(f"{new}\n{key.read_text()}")
        assert run("sabir state rotate .", folder)[0] == 0
        key.write_text(new)
        assert run("sabir deploy . --repair --yes", folder)[0] == 0
        assert run("sabir plan . --at 1", folder)[0] == 0

    def test_keys_are_rotated(self, folder: Path) -> None:
        old = (folder / ".sabir" / "key").read_text().strip()
        new = run(
            f"{sys.executable} -c 'from cryptography.fernet import Fernet as F; print(F.generate_key().decode())'",
            folder,
        )[1]
        (folder / ".sabir" / "key").unlink()
        assert (
            run(f"SABIR_KEY='{new.strip()} {old}' {sys.executable} -m sabir.cli state rotate .", folder)[0]
            == 0
        )
        after = f"SABIR_KEY='{new.strip()}' {sys.executable} -m sabir.cli status ."
        status, output = run(after, folder)
        assert status == 0, output
        assert "canary" not in output
