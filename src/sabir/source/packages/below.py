"""Whether a path stays where it should, and folders that are opened so that it does.

A path that was looked at can lead elsewhere a moment later, when somebody puts a link in place of one of its folders. So where that
matters folders are opened one after the other from the top, none of them through a link, and what is done is done in the
descriptor of the last one.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Final

__all__ = ["folder_below", "is_below", "opened_below"]

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


def opened_below(root: Path, name: PurePath, flags: int, mode: int = 0o666, *, make: bool = False) -> int:
    """The descriptor of a file below a folder, which no link leads to."""
    with folder_below(root, name.parent, make=make) as folder:
        place = root / name if folder is None else name.name
        return os.open(place, flags | _NO_LINK | getattr(os, "O_CLOEXEC", 0), mode, dir_fd=folder)
