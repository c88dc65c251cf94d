"""Reading one file of a disk with care: regular files only, within bounds, no surprise while opening."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO, Final

from sabir.source.packages.below import opened_below
from sabir.source.packages.defects import TOO_MUCH, UNREADABLE, ReadProblem
from sabir.source.packages.limits import DEFAULT_LIMITS, PackageLimits

__all__ = ["read_at_most", "read_named_file", "read_regular_file"]

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
        with os.fdopen(opened_below(root, path.relative_to(root), flags), "rb") as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise ReadProblem(UNREADABLE, "cannot be read: it is no regular file")
            if status.st_size > limits.file:
                raise ReadProblem(TOO_MUCH, _too_large(status.st_size, limits))
            raw = read_at_most(file, limits.file + 1)
    except OSError as error:
        raise ReadProblem(UNREADABLE, f"cannot be read: {error.strerror or error}") from error
    if len(raw) > limits.file:
        raise ReadProblem(TOO_MUCH, _too_large(len(raw), limits))
    return raw


def read_at_most(file: BinaryIO, most: int) -> bytes:
    """Piece by piece: one call would set aside room for all that is allowed, which is more than a strict limit of memory."""
    raw = bytearray()
    while len(raw) < most and (piece := file.read(min(_PIECE, most - len(raw)))):
        raw += piece
    return bytes(raw)


def _too_large(size: int, limits: PackageLimits) -> str:
    return f"{size:,} bytes are too much to read: the limit is {limits.file:,}"
