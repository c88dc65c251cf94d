"""From a path to a package, whatever it is."""

from __future__ import annotations

import os
from pathlib import Path

from sabir.errors import InputError
from sabir.source.packages.directory import DirectoryLoader
from sabir.source.packages.file import FileLoader, StreamLoader
from sabir.source.packages.limits import PackageLimits
from sabir.source.packages.package import LoadedPackage


def load_package(path: str | Path, *options: PackageLimits) -> LoadedPackage:
    """The package at a path: a directory, a zip archive, a tarball, a text file or a pipe. `InputError` says why there is none."""
    place = Path(path)
    try:
        package = DirectoryLoader.try_load(place, *options) or _load_archive(place, *options)
        package = package or FileLoader.try_load(place, *options) or StreamLoader.try_load(place, *options)
    except ValueError as error:  # a NUL in the path
        raise InputError(f"no such path {str(path)!r}") from error
    if package is None:
        raise InputError(_describe_refusal(place))
    return package


def _load_archive(path: Path, *options: PackageLimits) -> LoadedPackage | None:
    # What reads archives takes long to import, and is not for everybody.
    if _begins_like_zip(path):
        from sabir.source.packages.archive import ZipLoader

        return ZipLoader.try_load(path, *options)
    if _is_tarball(path):
        from sabir.source.packages.tarball import TarLoader

        return TarLoader.try_load(path, *options)
    return None


def _is_tarball(path: Path) -> bool:
    """By its first bytes, so that the reader of tarballs is imported for them only."""
    head = _read_head(path, 262)
    return head[:2] == b"\x1f\x8b" or head[257:] == b"ustar"


def _read_head(path: Path, length: int) -> bytes:
    try:
        if not os.path.isfile(path):
            return b""
        with open(path, "rb") as file:
            return file.read(length)
    except OSError:
        return b""


def _begins_like_zip(path: Path) -> bool:
    return _read_head(path, 2) == b"PK"


def _describe_refusal(path: Path) -> str:
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
            return f"{shown!r} is a damaged zip archive, or holds one"
        if _is_tarball(path):
            return f"{shown!r} is a damaged tarball, or something else that gzip has packed"
        if path.suffix.lower() in (".csar", ".zip"):
            return f"{shown!r} is no zip archive"
    return f"{shown!r} is neither a folder nor an archive (zip, tar) nor a text file"
