"""Safe file access: names that stay inside a directory, bounded reads of regular files.

A path that was checked can refer to another file a moment later, when a link replaces one of its directories. Where
that matters, directories are opened one by one from the top, none of them through a link, and the operation uses the
descriptor of the last one.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import BinaryIO, Final

from sabir.source.packages.limits import DEFAULT_LIMITS, TOO_MUCH, UNREADABLE, PackageLimits, PackageReadError

_FOLDER: Final = (
    getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0) | getattr(os, "O_CLOEXEC", 0)
)
"""A folder that may be passed through need not be one that may be listed."""
_NO_LINK: Final = getattr(os, "O_NOFOLLOW", 0)
_HAS_DESCRIPTORS: Final = os.open in os.supports_dir_fd


def is_below(path: Path, folder: Path) -> bool:
    """Whether a path is a folder or lies in it, links followed. Neither needs to exist."""
    if "\0" in str(path):
        return False
    return Path(os.path.realpath(path)).is_relative_to(os.path.realpath(folder))


@contextmanager
def folder_below(root: Path, folder: PurePath, *, make: bool = False) -> Generator[int | None]:
    """The descriptor of a folder below another one, which no link leads to; `OSError` when there is one on the way.

    None where the system has no such descriptors: then names are all there is.
    """
    if not _HAS_DESCRIPTORS:
        if make:
            (root / folder).mkdir(parents=True, exist_ok=True)
        yield None
        return
    handle = os.open(root, _FOLDER)
    try:
        for part in folder.parts:
            if make:
                with suppress(FileExistsError):
                    os.mkdir(part, dir_fd=handle)
            inner = os.open(part, _FOLDER | _NO_LINK, dir_fd=handle)
            os.close(handle)
            handle = inner
        yield handle
    finally:
        os.close(handle)


def open_below(root: Path, name: PurePath, flags: int, mode: int = 0o666, *, make: bool = False) -> int:
    """The descriptor of a file below a folder, which no link leads to."""
    with folder_below(root, name.parent, make=make) as folder:
        place = root / name if folder is None else name.name
        return os.open(place, flags | _NO_LINK | getattr(os, "O_CLOEXEC", 0), mode, dir_fd=folder)


NOISE: Final = frozenset(
    {
        ".bzr",
        ".eggs",
        ".git",
        ".hg",
        ".hypothesis",
        ".idea",
        ".mypy_cache",
        ".nox",
        ".pytest_cache",
        ".ruff_cache",
        ".svn",
        ".tox",
        ".venv",
        "__pycache__",
        "node_modules",
    }
)
"""Folders that tools leave beside a package; nobody means them when naming it."""


def name_defect(name: str) -> str | None:
    """Why a member name must not be followed, or None when it stays inside."""
    if "\0" in name:
        return "holds a NUL character"
    if name.startswith(("/", "\\")):
        return "is absolute"
    if name[1:2] == ":" and name[0].isascii() and name[0].isalpha():
        return "begins with a drive letter"
    if ".." in _split_name(name):
        return "climbs out of the package"
    return None


def normal_name(name: str) -> str:
    """The name as `list()` gives it: `\\` is `/`, no `.` and no empty parts."""
    return "/".join(part for part in _split_name(name) if part not in ("", "."))


def _split_name(name: str) -> list[str]:
    return name.replace("\\", "/").split("/")


_PIECE: Final = 1024 * 1024


def read_named_file(path: Path, limits: PackageLimits = DEFAULT_LIMITS) -> bytes:
    """The bytes of the regular file that a path leads to; `ReadProblem` for anything else."""
    return read_regular_file(Path(os.path.realpath(path)), limits)


def read_regular_file(path: Path, limits: PackageLimits, root: Path | None = None) -> bytes:
    """The bytes of a regular file; `ReadProblem` for anything else. A pipe or device is never waited for.

    With a root no folder between the two is entered by a link, whatever was put there since the path was looked at.
    """
    root = path.parent if root is None else root
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)
    try:
        with os.fdopen(open_below(root, path.relative_to(root), flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise PackageReadError(UNREADABLE, "cannot be read: it is no regular file")
            if status.st_size > limits.file:
                raise PackageReadError(TOO_MUCH, _too_large(status.st_size, limits))
            raw = read_at_most(file, limits.file + 1)
    except OSError as error:
        raise PackageReadError(UNREADABLE, f"cannot be read: {error.strerror or error}") from error
    if len(raw) > limits.file:
        raise PackageReadError(TOO_MUCH, _too_large(len(raw), limits))
    return raw


def read_at_most(file: BinaryIO, most: int) -> bytes:
    """Piece by piece: one call would set aside room for all that is allowed, which is more than a strict limit of memory."""
    raw = bytearray()
    while len(raw) < most and (piece := file.read(min(_PIECE, most - len(raw)))):
        raw += piece
    return bytes(raw)


def _too_large(size: int, limits: PackageLimits) -> str:
    return f"{size:,} bytes are too much to read: the limit is {limits.file:,}"
