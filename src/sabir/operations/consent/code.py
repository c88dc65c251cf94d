"""The code of a project: the files whose change may change what runs.

Of an Inmanta model that is its Python, since nothing else in it can name a function outside. Elsewhere expressions can, so
there every file counts. Links are followed by their contents.

What tools leave next to a project (the state of a deployment, a repository, caches, build output) changes all the time and is
excluded. But code may be loaded from any directory. So such a directory is excluded only as long as no file that sabir could read
mentions its name: whoever makes the project load something from it makes it count in the same moment.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.errors import UsageError
from sabir.source.packages.file_access import NOISE

__all__ = ["Changes", "changes", "code_digests"]

_MOST_FILES: Final = 20_000
_MOST_BYTES: Final = 512 << 20
_MODEL_MARKS: Final = ("main.cf", "project.yml", "model/_init.cf")
_PIECE: Final = 4 << 20
_OVERLAP: Final = 1024
_GENERATED: Final = NOISE | {".sabir", ".cache", ".terraform", "build", "dist"}
_PROSE: Final = (".md", ".rst", ".adoc", ".txt")
"""Texts about a project; nothing is loaded because of them."""
_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|%([0-9a-fA-F]{2})")
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
    for file in _code_files(folder):
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


def _code_files(folder: Path) -> Iterator[Path]:
    """Every file but those in generated directories that nothing mentions."""
    found = {name for _, folders, _ in os.walk(folder) for name in folders if name in _GENERATED}
    # What is loaded from one generated directory may load from the next, so this goes on until nothing is added.
    while found:
        mentioned = _mentioned(found, _files(folder, found))
        if not mentioned:
            break
        found -= mentioned
    yield from _files(folder, found)


def _mentioned(names: Collection[str], files: Iterator[Path]) -> set[str]:
    """The names among these that the text of some file holds as a word, escaped or not."""
    word = re.compile(
        rf"(?<![\w.-])(?:{'|'.join(re.escape(name) for name in sorted(names, key=len, reverse=True))})(?![\w-])"
    )
    mentioned: set[str] = set()
    for file in files:
        if file.suffix in _PROSE or (file.name.startswith(".") and file.name.endswith("ignore")):
            continue
        for text in _pieces(file):
            mentioned.update(word.findall(text))
            if "\\" in text or "%" in text:
                mentioned.update(word.findall(_ESCAPE.sub(_unescape, text)))
        if len(mentioned) == len(names):
            break
    return mentioned


def _pieces(file: Path) -> Iterator[str]:
    """The text of a file in pieces that overlap, so that a large file is never in memory as a whole."""
    with file.open("rb") as opened:
        before = b""
        while piece := opened.read(_PIECE):
            data = before + piece
            yield data.decode("utf-8", "replace")
            before = data[-_OVERLAP:]


def _unescape(match: re.Match[str]) -> str:
    code = int(next(group for group in match.groups() if group is not None), 16)
    return chr(code) if code <= 0x10FFFF else ""


def _files(folder: Path, excluded: Collection[str]) -> Iterator[Path]:
    """Every regular file, in order; linked folders are entered once, by any name that is not excluded."""
    entered: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(
            name for name in folders if name not in excluded and _enter(os.path.join(root, name), entered)
        )
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
