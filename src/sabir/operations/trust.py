"""Permissions that an operator grants to a project once, bound to the code at that time.

Grants are stored in the operator's configuration, in `sabir/trust.json` in `XDG_CONFIG_HOME`. A grant lists
the digest of every file of code; it is no longer valid when one of them changes.

The code of an Inmanta model is its Python, since nothing else in it can name external functions. In other
languages expressions can, so every file counts. Links are followed.

Generated directories (state, repository, caches, build output) change all the time and are excluded. But code
may be loaded from any directory. So a generated directory is excluded only as long as no file that sabir
could read mentions its name: a change that makes the project load code from there also makes the directory
count.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from hashlib import file_digest
from pathlib import Path
from typing import Final, Literal

import msgspec
from msgspec import Struct

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.errors import InputError, UsageError
from sabir.operations.files import write_atomically
from sabir.session import Session, Trust
from sabir.source.packages.file_access import NOISE
from sabir.source.private import make_private_directory

_MOST_FILES: Final = 20_000
_MOST_BYTES: Final = 512 << 20
_MODEL_MARKS: Final = ("main.cf", "project.yml", "model/_init.cf")
_PIECE: Final = 4 << 20
_OVERLAP: Final = 1024
_GENERATED: Final = NOISE | {".sabir", ".cache", ".terraform", "build", "dist"}
_PROSE: Final = (".md", ".rst", ".adoc", ".txt")
"""Suffixes of documentation files; no code is loaded because of them."""
_ESCAPE: Final = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})|\\U([0-9a-fA-F]{8})|%([0-9a-fA-F]{2})")
_PROGRAMS: Final = (".py", ".pyc", ".pyd", ".so", ".sh", ".bash", ".ps1", ".rb", ".pl", ".js")


class CodeChanges(Struct, frozen=True):
    """The files that differ from those for which the permission was granted."""

    changed: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    removed: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.changed or self.added or self.removed)

    def __str__(self) -> str:
        said = [
            f"{_shorten_names(names)} {word}"
            for word, names in (
                ("changed", self.changed),
                ("is new" if len(self.added) == 1 else "are new", self.added),
                ("is gone" if len(self.removed) == 1 else "are gone", self.removed),
            )
            if names
        ]
        return ", ".join(said)


def _shorten_names(names: tuple[str, ...]) -> str:
    shown = ", ".join(names[:3])
    return shown if len(names) <= 3 else f"{shown} and {len(names) - 3} more"


def compare_digests(before: Mapping[str, str], now: Mapping[str, str]) -> CodeChanges:
    """Compare the digests of files by name, then and now."""
    return CodeChanges(
        changed=tuple(sorted(name for name in before if name in now and now[name] != before[name])),
        added=tuple(sorted(name for name in now if name not in before)),
        removed=tuple(sorted(name for name in before if name not in now)),
    )


def code_digests(path: Path) -> dict[str, str]:
    """Return the SHA-256 digest of each code file by its relative name; an archive is one file."""
    if path.is_file() and _is_archive(path):
        return {path.name: _file_digest(path)}
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
        digests[file.relative_to(folder).as_posix()] = _file_digest(file)
    return digests


def _code_files(folder: Path) -> Iterator[Path]:
    """Yield all files except those in generated directories that no file mentions."""
    found = {name for _, folders, _ in os.walk(folder) for name in folders if name in _GENERATED}
    # Code in one generated directory may load code from another, so this repeats until nothing is added.
    while found:
        mentioned = _mentioned(found, _list_files(folder, found))
        if not mentioned:
            break
        found -= mentioned
    yield from _list_files(folder, found)


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
    """Yield the text of a file in overlapping pieces, so that a large file is never in memory at once."""
    with file.open("rb") as opened:
        before = b""
        while piece := opened.read(_PIECE):
            data = before + piece
            yield data.decode("utf-8", "replace")
            before = data[-_OVERLAP:]


def _unescape(match: re.Match[str]) -> str:
    code = int(next(group for group in match.groups() if group is not None), 16)
    return chr(code) if code <= 0x10FFFF else ""


def _list_files(folder: Path, excluded: Collection[str]) -> Iterator[Path]:
    """Yield regular files in order; linked directories are entered once, under any name that is not
    excluded.
    """
    entered: set[str] = set()
    for root, folders, names in os.walk(folder, followlinks=True):
        folders[:] = sorted(
            name
            for name in folders
            if name not in excluded and _enter_once(os.path.join(root, name), entered)
        )
        yield from (file for name in sorted(names) if (file := Path(root, name)).is_file())


def _enter_once(folder: str, entered: set[str]) -> bool:
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


def _file_digest(file: Path) -> str:
    with file.open("rb") as opened:
        return file_digest(opened, "sha256").hexdigest()


_FORMAT: Final = "sabir.trust/1"


class _StoredGrant(Struct, frozen=True):
    trust: tuple[str, ...]
    code: dict[str, str]


class _File(Struct, frozen=True):
    format: Literal["sabir.trust/1"]
    projects: dict[str, _StoredGrant]


class Grant(Struct, frozen=True, kw_only=True):
    """The permissions of a project, and how its code has changed since they were granted."""

    project: Path
    trust: Trust
    changes: CodeChanges = CodeChanges()
    files: int = 0
    """The number of code files."""


def grant_permission(path: Path, trust: Trust, session: Session) -> Grant:
    """Store permissions for a project with its current code."""
    if not path.exists():
        raise InputError(f"no such path {str(path)!r}")
    project, code = path.resolve(), code_digests(path.resolve())
    _write_grants({**_read_grants(session), str(project): _StoredGrant(trust.words, code)}, session)
    return Grant(project=project, trust=trust, files=len(code))


def revoke_permission(path: Path, session: Session) -> bool:
    """Delete the grant of a project; return False if there was none."""
    projects = _read_grants(session)
    if projects.pop(str(path.resolve()), None) is None:
        return False
    _write_grants(projects, session)
    return True


def list_grants(session: Session) -> list[Grant]:
    """Return the grants of all projects, sorted by path."""
    return [
        _build_grant(Path(project), remembered)
        for project, remembered in sorted(_read_grants(session).items())
    ]


def find_grant(path: Path, session: Session) -> Grant | None:
    """Return the grant of the project that contains a path; the nearest if there are several."""
    projects = _read_grants(session)
    if not projects or "\0" in str(path):
        return None
    real = path.resolve()
    for folder in (real, *real.parents):
        remembered = projects.get(str(folder))
        if remembered is not None:
            return _build_grant(folder, remembered)
    return None


def _build_grant(project: Path, remembered: _StoredGrant) -> Grant:
    now = code_digests(project) if project.exists() else {}
    return Grant(
        project=project,
        trust=Trust.of(remembered.trust),
        changes=compare_digests(remembered.code, now),
        files=len(remembered.code),
    )


def _grants_path(environment: Mapping[str, str]) -> Path | None:
    chosen = environment.get("XDG_CONFIG_HOME")
    if chosen and os.path.isabs(chosen):
        return Path(chosen, "sabir", "trust.json")
    home = environment.get("HOME") or environment.get("USERPROFILE")
    return Path(home, ".config", "sabir", "trust.json") if home else None


def _read_grants(session: Session) -> dict[str, _StoredGrant]:
    place = _grants_path(session.environment)
    if place is None or not place.is_file():
        return {}
    try:
        data = place.read_bytes()
    except OSError as error:
        raise UsageError(f"cannot read what is trusted, {str(place)!r}: {error.strerror or error}") from error
    try:
        return msgspec.json.decode(data, type=_File).projects
    except UNDECODED as error:
        raise UsageError(
            f"cannot read what is trusted, {str(place)!r}: {explain_decode_error(error, data)}; remove it to begin anew"
        ) from error


def _write_grants(projects: Mapping[str, _StoredGrant], session: Session) -> None:
    place = _grants_path(session.environment)
    if place is None:
        raise UsageError("there is no folder to remember this in: set HOME or XDG_CONFIG_HOME")
    try:
        make_private_directory(place.parent)
    except OSError as error:
        raise UsageError(f"cannot write {str(place)!r}: {error.strerror or error}") from error
    content = msgspec.json.encode(_File(_FORMAT, dict(projects)))
    write_atomically(place, msgspec.json.format(content, indent=1) + b"\n", private=True)
