"""Files and directories that only their owner can read, whatever the umask is."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Final

FILE_MODE: Final = 0o600
DIRECTORY_MODE: Final = 0o700
_OTHERS: Final = 0o077


def make_private_directory(path: Path) -> None:
    """Create a directory and its missing parents for their owner alone. Existing directories keep their modes."""
    try:
        path.mkdir(mode=DIRECTORY_MODE)
    except FileExistsError:
        if not path.is_dir():
            raise
        return
    except FileNotFoundError:
        make_private_directory(path.parent)
        make_private_directory(path)
        return
    # A umask such as 0700 takes away the owner's own access.
    path.chmod(DIRECTORY_MODE)


def open_private(path: Path, flags: int) -> int:
    """Open a file and return its descriptor; a file that is created by this is for its owner alone."""
    handle = os.open(path, flags | os.O_CLOEXEC, FILE_MODE)
    if flags & os.O_EXCL:
        os.fchmod(handle, FILE_MODE)
    return handle


def tighten(path: Path) -> None:
    """Take the access of group and others from a file or directory of this user. Other users' files stay as they are."""
    with suppress(OSError):
        status = path.stat()
        if status.st_uid == os.geteuid() and status.st_mode & _OTHERS:
            path.chmod(status.st_mode & 0o7777 & ~_OTHERS)
