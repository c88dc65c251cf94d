"""The code of a project: the files whose change may change what runs.

Of an Inmanta model that is its Python, since nothing else in it can name a function outside. Elsewhere expressions can, so
there every file counts. Links are followed by their contents; no folder is left out, because code may be loaded from any.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.errors import UsageError

__all__ = ["Changes", "changes", "code_digests"]

_MOST_FILES: Final = 20_000
_MOST_BYTES: Final = 512 << 20
_MODEL_MARKS: Final = ("main.cf", "project.yml", "model/_init.cf")
_PROGRAMS: Final = (".py", ".pyc", ".pyd", ".so", ".sh", ".bash", ".ps1", ".rb", ".pl", ".js")


class Changes(Struct, frozen=True):
    """How the code differs from what leave was given for; names of files."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed)

    def __str__(self) -> str:
        said = [
            f"{_names(names)} {word}"
            for word, names in (
                ("changed", self.changed),
                ("is new" if len(self.added) == 1 else "are new", self.added),
                ("is gone" if len(self.removed) == 1 else "are gone", self.removed),
            )
            if names
        ]
        return ", ".join(said)


def _names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def changes(before: Mapping[str, str], now: Mapping[str, str]) -> Changes:
    return Changes(
        changed=tuple(sorted(name for name in before if name in now and now[name] != before[name])),
        added=tuple(sorted(name for name in now if name not in before)),
        removed=tuple(sorted(name for name in before if name not in now)),
    )


def code_digests(path: Path) -> dict[str, str]:
    """The SHA-256 of each file of code by its name below the path; an archive is one file."""
    if path.is_file() and _is_archive(path):
        return {path.name: _digest(path)}
    folder = path if path.is_dir() else path.parent
    is_model = path.suffix == ".cf" or any((folder / mark).is_file() for mark in _MODEL_MARKS)
    digests: dict[str, str] = {}
    size = 0
    for file in _files(folder):
        if is_model and not _is_program(file):
            continue
        size += file.stat().st_size
        if len(digests) >= _MOST_FILES or size > _MOST_BYTES:
            raise UsageError(
                f"{str(folder)!r} has more code than leave is remembered for ({_MOST_FILES:,} files, "
                f"{_MOST_BYTES >> 20} MB): use --trust with each command"
            )
        digests[file.relative_to(folder).as_posix()] = _digest(file)
    return digests


def _files(folder: Path) -> Iterator[Path]:
    """Every regular file, in order; linked folders are entered once."""
    entered: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(name for name in folders if _enter(os.path.join(root, name), entered))
        yield from (file for name in sorted(names) if (file := Path(root, name)).is_file())


def _enter(folder: str, entered: set[str]) -> bool:
    real = os.path.realpath(folder)
    if real in entered:
        return False
    entered.add(real)
    return True


def _is_archive(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(2) == b"PK"


def _is_program(file: Path) -> bool:
    if file.suffix in _PROGRAMS or os.access(file, os.X_OK):
        return True
    with file.open("rb") as opened:
        return opened.read(2) == b"#!"


def _digest(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()
