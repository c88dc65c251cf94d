"""The part of a machine that may be touched: a root folder, and what lies below it."""

from __future__ import annotations

import os
import stat
from typing import Any

__all__ = ["Fields", "HandError", "Place", "write_file"]

Fields = dict[str, Any]


class HandError(Exception):
    """Something could not be done; `passing` when it may work a moment later."""

    def __init__(self, message: str, passing: bool = False) -> None:  # noqa: FBT001, FBT002  plain on both ends
        super().__init__(message)
        self.passing = passing


class Place:
    """A root folder. What is named below it stays below it, whatever links lie there."""

    def __init__(self, root: str, operations: str | None = None) -> None:
        self.root = os.path.abspath(root)
        self.operations = operations or os.path.join(self.root, ".sabir", "operations")
        """Where marks of operations are kept: a folder for each."""

    def path(self, name: str) -> str:
        """The full path of a name, which begins at the root whether it has a slash in front or not."""
        if "\0" in name:
            raise HandError("a path cannot hold the character NUL")
        full = os.path.normpath(os.path.join(self.root, name.lstrip("/")))
        if self.root == "/":
            return full
        if full != self.root and not full.startswith(self.root + os.sep):
            raise HandError(f"{name!r} leads out of {self.root}")
        parent = os.path.realpath(os.path.dirname(full))
        root = os.path.realpath(self.root)
        if parent != root and not parent.startswith(root + os.sep) and full != self.root:
            raise HandError(f"{name!r} leads out of {self.root}, by a link")
        return full

    def make_parent(self, path: str) -> None:
        parent = os.path.dirname(path)
        if not os.path.isdir(parent):
            try:
                os.makedirs(parent, exist_ok=True)
            except OSError as error:
                raise HandError(f"the folder {parent} cannot be made: {error.strerror}") from error


def write_file(path: str, data: bytes, mode: int) -> None:
    """Whole or not at all, and on the disk before it is said to be there."""
    temporary = f"{path}.sabir-{os.getpid()}-{os.urandom(4).hex()}"
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fchmod(file.fileno(), stat.S_IMODE(mode))
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        if os.path.lexists(temporary):
            os.unlink(temporary)
        raise HandError(f"{path} cannot be written: {error.strerror}") from error
