"""The file of an SQLite state: created atomically, checked while it is open, and saved elsewhere when it
disappears.

A state file gets its name only when all its tables are in it. So a file without them was emptied or never was
a state, and is refused: taken for a new state it would make every command of a project run again.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from contextlib import closing
from glob import escape
from pathlib import Path
from typing import Final

from sabir.errors import DeployError
from sabir.source.private import make_private_directory, open_private, tighten

_HEADER: Final = 512
"""No SQLite database is smaller: the least size of its first page."""
_COMPANIONS: Final = ("-wal", "-shm", "-journal")


class StateFileLostError(DeployError):
    """The state file was deleted, replaced or emptied while it was open."""


class OpenStateFile:
    """A state file as it was when it was opened."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._absolute = Path(os.path.abspath(path))
        status = os.stat(path)
        self._identity = status.st_dev, status.st_ino
        self._least = min(status.st_size, _HEADER)

    def tighten(self) -> None:
        """Make the file and its companions private. SQLite gives new companions the mode of the database."""
        for suffix in ("", *_COMPANIONS):
            tighten(self._absolute.with_name(self._absolute.name + suffix))

    def check(self) -> None:
        """Raise `StateFileLost` if the path no longer names the file that was opened.

        The file must not be opened for this: closing it again would drop SQLite's locks on it.
        """
        try:
            found = os.stat(self._absolute)
        except OSError:
            raise StateFileLostError(
                f"state file was deleted or replaced during the deployment: {str(self.path)!r}"
            ) from None
        if (found.st_dev, found.st_ino) != self._identity:
            raise StateFileLostError(
                f"state file was deleted or replaced during the deployment: {str(self.path)!r}"
            )
        if found.st_size < self._least:
            raise StateFileLostError(f"state file was emptied during the deployment: {str(self.path)!r}")


def refuse_lost_state(file: Path) -> None:
    """Raise `DeployError` for an empty state file, and for a missing one whose companions show that it
    existed."""
    # Listed first: another process that starts a new state creates its file before these.
    leftovers = _leftovers(file)
    names = ", ".join(repr(str(leftover)) for leftover in leftovers)
    if not os.path.lexists(file):
        if leftovers:
            raise DeployError(
                f"state file not found: {str(file)!r}, although it was in use before (found {names}); "
                "restore it from a backup, or delete these files, too, to start over"
            )
    elif file.is_file() and not file.stat().st_size:
        also = f" and {names}" if names else ""
        raise DeployError(
            f"state file is empty: {str(file)!r}; restore it from a backup, or delete it{also} to start over"
        )


def _leftovers(file: Path) -> list[Path]:
    """Return files that exist only if the state file did: locks, saved copies, a nonempty log of SQLite."""
    name = escape(file.name)
    found = [*file.parent.glob(f"{name}.*.lock"), *file.parent.glob(f"{name}.recovered*")]
    log = file.with_name(f"{file.name}-wal")
    if log.is_file() and log.stat().st_size:
        found.append(log)
    return sorted(found)


def create_state_file(file: Path, prepare: Callable[[Path], None]) -> None:
    """Create a state under a temporary name with `prepare`, then rename it. The first process wins."""
    target = Path(os.path.realpath(file))
    temporary = target.with_name(f".{target.name}.{os.urandom(6).hex()}")
    try:
        os.close(open_private(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        prepare(temporary)
        _place(temporary, target)
    finally:
        _delete(temporary)


def _place(temporary: Path, target: Path) -> None:
    """Give a file its name, unless another one has it."""
    try:
        os.link(temporary, target)
    except FileExistsError:
        return
    except OSError:  # a file system without hard links
        if not target.exists():
            os.rename(temporary, target)
    handle = os.open(target.parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def save_copy(connection: sqlite3.Connection, file: Path) -> Path | None:
    """Save what an open connection still reads next to the lost file; return None if that is not possible."""
    try:
        if file.parent.parent.is_dir():  # a project that was deleted as a whole is not created again
            make_private_directory(file.parent)
        copy = _create_free(file)
    except OSError:
        return None
    try:
        with closing(sqlite3.connect(copy)) as target:
            connection.backup(target)
            if target.execute("PRAGMA quick_check").fetchone() == ("ok",):
                return copy
    except sqlite3.Error:
        pass
    _delete(copy)
    return None


def _create_free(file: Path) -> Path:
    number = 1
    while True:
        copy = file.with_name(f"{file.name}.recovered{'' if number == 1 else f'-{number}'}")
        try:
            os.close(open_private(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL))
        except FileExistsError:
            number += 1
        else:
            return copy


def _delete(file: Path) -> None:
    for suffix in ("", *_COMPANIONS):
        file.with_name(file.name + suffix).unlink(missing_ok=True)
