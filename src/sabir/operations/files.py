"""Writing files so that nothing is ever half-written."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from sabir.errors import UsageError

__all__ = ["write_atomically"]


def write_atomically(path: Path, content: bytes | Iterable[bytes]) -> None:
    """Put content under a path: whole or not at all. A link is written through; the file's mode stays.

    Pieces are written as they come, so that a large result is never one string.
    """
    pieces = (content,) if isinstance(content, bytes) else content
    target = Path(os.path.realpath(path))
    if target.exists() and not target.is_file():
        # A device or pipe, such as /dev/stdout, cannot be replaced; it is written to.
        if target.is_dir():
            raise UsageError(f"cannot write {str(path)!r}: it is a folder")
        with target.open("wb") as device:
            device.writelines(pieces)
        return
    import tempfile  # takes its time, and most commands write no file

    try:
        handle, temporary = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    except OSError as error:
        raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            file.writelines(pieces)
        os.chmod(temporary, target.stat().st_mode & 0o7777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            raise UsageError(f"cannot write {str(path)!r}: {error.strerror or error}") from error
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
