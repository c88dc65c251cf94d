"""From a path to a package, whatever it is."""

from __future__ import annotations

import os
from pathlib import Path

from sabir.errors import UnusableInput
from sabir.source.packages.directory import DirectoryLoader
from sabir.source.packages.file import FileLoader
from sabir.source.packages.limits import PackageLimits
from sabir.source.packages.package import LoadedPackage
from sabir.source.packages.stream import StreamLoader

__all__ = ["load_package"]


def load_package(path: str | Path, *options: PackageLimits) -> LoadedPackage:
    """The package at a path: a directory, a zip archive, a text file or a pipe. `UnusableInput` says why there is none."""
    place = Path(path)
    try:
        package = DirectoryLoader.try_load(place, *options) or _archive(place, *options)
        package = package or FileLoader.try_load(place, *options) or StreamLoader.try_load(place, *options)
    except ValueError as error:  # a NUL in the path
        raise UnusableInput(f"no such path {str(path)!r}") from error
    if package is None:
        raise UnusableInput(_refusal(place))
    return package


def _archive(path: Path, *options: PackageLimits) -> LoadedPackage | None:
    if not _begins_like_zip(path):
        return None
    from sabir.source.packages.archive import ZipLoader  # zipfile is not for everybody

    return ZipLoader.try_load(path, *options)


def _begins_like_zip(path: Path) -> bool:
    try:
        if not os.path.isfile(path):
            return False
        with open(path, "rb") as file:
            return file.read(2) == b"PK"
    except OSError:
        return False


def _refusal(path: Path) -> str:
    shown = str(path)
    if not os.path.lexists(path):
        return f"no such path {shown!r}"
    if not os.path.exists(path):
        return f"{shown!r} is a link that leads nowhere"
    if os.path.isfile(path):
        try:
            with open(path, "rb") as file:
                file.read(1)
        except OSError as error:
            return f"cannot read {shown!r}: {error.strerror or error}"
        if _begins_like_zip(path):
            return f"{shown!r} is a damaged zip archive"
    return f"{shown!r} is neither a folder nor a zip archive nor a text file"
