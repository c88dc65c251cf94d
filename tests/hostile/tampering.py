"""`python -m tests.hostile.tampering [SECONDS [SEED]]`: columns of a state set to what nobody would write there, and a command that reads it."""

from __future__ import annotations

import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any, Final

from tests.hostile.test_attacks import NEVER, run

__all__ = ["Tampered"]

_VALUES: Final[tuple[Any, ...]] = (
    None,
    -1,
    2**62,
    1e308,
    "",
    "x",
    "{}",
    "[" * 100_000,
    "9" * 5000,
    "../../etc/passwd",
    b"\xff\x00",
)
_COMMANDS: Final = (
    ("status", "PATH"),
    ("history", "PATH"),
    ("plan", "PATH"),
    ("plan", "PATH", "--refresh"),
    ("destroy", "PATH", "--yes"),
    ("state", "export", "PATH"),
)


class Tampered:
    """A state that a real deployment wrote, with one column changed at a time."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.project = folder, folder / "project"
        self.project.mkdir()
        (self.project / "sabir.yaml").write_text("name: demo\nparts:\n  f: {path: resources.yaml}\n")
        (self.project / "resources.yaml").write_text(
            "sabir: resources/1\nresources:\n  a: {kind: file, fields: {path: out, content: x}}\n"
            "  b: {kind: file, requires: [a], fields: {path: more, content: y}}\n"
        )
        assert run(["deploy", str(self.project), "--yes"], folder)[0] == 0
        self._state = self.project / ".sabir" / "state.db"
        shutil.copy(self._state, folder / "whole.db")

    def changes(self) -> list[tuple[str, str, Any]]:
        with closing(sqlite3.connect(self._state)) as database:
            tables = [row[0] for row in database.execute("select name from sqlite_master where type='table'")]
            columns = {
                table: [row[1] for row in database.execute(f"pragma table_info({table})")] for table in tables
            }
        return [(table, column, value) for table in tables for column in columns[table] for value in _VALUES]

    def harm(self, choose: random.Random) -> Iterator[str]:
        """What went wrong, for each change in some order; empty when nothing did."""
        changes = self.changes()
        choose.shuffle(changes)
        for table, column, value in changes:
            if not self._changed(table, column, value):
                continue
            words = [word.replace("PATH", str(self.project)) for word in choose.choice(_COMMANDS)]
            status, output, cpu, megabytes = run(words, self.folder)
            said = [text for text in NEVER if text in output]
            is_fine = status in (0, 1, 2, 3) and not said and cpu < 5 and megabytes < 400
            yield "" if is_fine else f"{table}.{column} = {value!r:.40}, {words[0]}: {status} {said} {output}"

    def _changed(self, table: str, column: str, value: Any) -> bool:
        """False when the database does not take it."""
        for file in self._state.parent.glob("state.db*"):
            file.unlink()
        shutil.copy(self.folder / "whole.db", self._state)
        try:
            with closing(sqlite3.connect(self._state)) as database, database:
                database.execute(f"update {table} set {column} = ?", (value,))
        except sqlite3.Error:
            return False
        return True


def main(seconds: float, seed: int) -> int:
    """0: no command did harm."""
    end, tried, harmed = time.monotonic() + seconds, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        for harm in Tampered(Path(folder)).harm(random.Random(seed)):
            tried += 1
            harmed += bool(harm)
            if harm:
                print(harm)
            if time.monotonic() > end:
                break
    print(f"{tried} states, {harmed} did harm")
    return 1 if harmed else 0


if __name__ == "__main__":
    words = sys.argv[1:]
    sys.exit(main(float(words[0]) if words else 300.0, int(words[1]) if len(words) > 1 else 1))
