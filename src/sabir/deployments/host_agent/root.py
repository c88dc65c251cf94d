"""The part of a machine that may be touched: a root folder, and what lies below it.

A program that lives below the root can put a link in place of a folder just after it was looked at. So things are done in
descriptors of folders, which are opened from the root without following links.
"""

from __future__ import annotations

import contextlib
import os
import stat
from collections.abc import Generator
from typing import Any

__all__ = ["Fields", "HostAgentError", "HostRoot", "make_private_directory", "write_file"]

Fields = dict[str, Any]
_FOLDER = os.O_DIRECTORY | getattr(os, "O_PATH", os.O_RDONLY)
"""A folder that may be passed through need not be one that may be listed."""


class HostAgentError(Exception):
    """Something could not be done; `passing` when it may work a moment later."""

    def __init__(self, message: str, passing: bool = False) -> None:  # noqa: FBT001, FBT002  plain on both ends
        super().__init__(message)
        self.passing = passing


class HostRoot:
    """A root folder. What is named below it stays below it, whatever links lie there."""

    def __init__(self, root: str, operations: str | None = None) -> None:
        self.root = os.path.abspath(root)
        self.operations = operations or os.path.join(self.root, ".sabir", "operations")
        """Where marks of operations are kept: a folder for each."""

    def make_mark(self, operation: str) -> str:
        """Create the directory for the marks of an operation, readable by its owner alone."""
        for own in (os.path.dirname(self.operations), self.operations):
            _tighten(own)
        mark = os.path.join(self.operations, operation)
        make_private_directory(mark)
        return mark

    def path(self, name: str) -> str:
        """The full path of a name, which begins at the root whether it has a slash in front or not."""
        if "\0" in name:
            raise HostAgentError("a path cannot hold the character NUL")
        full = os.path.normpath(os.path.join(self.root, name.lstrip("/")))
        if self.root == "/":
            return full
        if full != self.root and not full.startswith(self.root + os.sep):
            raise HostAgentError(f"{name!r} leads out of {self.root}")
        parent = os.path.realpath(os.path.dirname(full))
        root = os.path.realpath(self.root)
        if parent != root and not parent.startswith(root + os.sep) and full != self.root:
            raise HostAgentError(f"{name!r} leads out of {self.root}, by a link")
        return full

    @contextlib.contextmanager
    def folder_of(self, path: str, make: bool = False) -> Generator[int]:  # noqa: FBT001, FBT002  plain on both ends
        """The folder that a path of `path()` lies in; from here on it stays the same one. `OSError` when there is none."""
        parent = os.path.dirname(path)
        is_free = self.root == "/" or path == self.root
        if make:
            os.makedirs(parent if is_free else self.root, exist_ok=True)
        handle = os.open(parent, _FOLDER) if is_free else self._open_directory(os.path.realpath(parent), make)
        try:
            yield handle
        finally:
            os.close(handle)

    def _open_directory(self, real: str, make: bool) -> int:  # noqa: FBT001
        """A folder by its path without links, each step of which is taken without following one."""
        root = os.path.realpath(self.root)
        if real != root and not real.startswith(root + os.sep):
            raise HostAgentError(f"{real!r} is outside of {self.root}")
        handle = os.open(root, _FOLDER)
        try:
            for part in real[len(root) :].split(os.sep):
                if part:
                    if make:
                        with contextlib.suppress(FileExistsError):
                            os.mkdir(part, dir_fd=handle)
                    inner = os.open(part, _FOLDER | os.O_NOFOLLOW, dir_fd=handle)
                    os.close(handle)
                    handle = inner
        except BaseException:
            os.close(handle)
            raise
        return handle

    def make_parent(self, path: str) -> None:
        try:
            with self.folder_of(path, make=True):
                pass
        except OSError as error:
            raise HostAgentError(
                f"the folder {os.path.dirname(path)} cannot be made: {error.strerror}"
            ) from error


def make_private_directory(path: str) -> None:
    """Create a directory and its missing parents for their owner alone, whatever the umask is."""
    try:
        os.mkdir(path, 0o700)
    except FileExistsError:
        if not os.path.isdir(path):
            raise
        return
    except FileNotFoundError:
        make_private_directory(os.path.dirname(path))
        make_private_directory(path)
        return
    os.chmod(path, 0o700)


def _tighten(path: str) -> None:
    """Take the access of others from a directory that sabir created earlier."""
    with contextlib.suppress(OSError):
        status = os.stat(path)
        if status.st_uid == os.geteuid() and status.st_mode & 0o077:
            os.chmod(path, stat.S_IMODE(status.st_mode) & 0o700)


def write_file(path: str, data: bytes, mode: int, folder: int | None = None) -> None:
    """Whole or not at all, and on the disk before it is said to be there; in a folder by its descriptor, when there is one."""
    name = path if folder is None else os.path.basename(path)
    temporary = f"{name}.sabir-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=folder)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(mode))
            os.fsync(file.fileno())
        os.replace(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except OSError as error:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=folder)
        raise HostAgentError(f"{path} cannot be written: {error.strerror}") from error
