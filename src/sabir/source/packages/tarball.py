"""Packages in tarballs, plain or compressed with gzip (TOSCA 2.0).

A tarball has no table of contents: its headers are walked once, and members are read in place on demand. A compressed
one is first unpacked into an anonymous file, which is deleted with the package. `tarfile` reads extended headers
completely, however large they claim to be; here they are limited.
"""

from __future__ import annotations

import gzip
import io
import os
import tarfile
import tempfile
import weakref
import zlib
from collections.abc import Iterator
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import IO, Final

from sabir.source.packages.archive import ArchiveMembers
from sabir.source.packages.limits import (
    DEFAULT_LIMITS,
    TOO_MUCH,
    UNREADABLE,
    NodeBudget,
    PackageLimits,
    PackageReadError,
)
from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile, PackageLoader

_GZIP: Final = b"\x1f\x8b"
_BLOCK: Final = 512
_LONGEST_HEADER: Final = 65_536
_CHUNK: Final = 1 << 20
_LONG_NAME: Final = b"L"
_EXTENDED: Final = b"x"
_OF_HEADERS: Final = (_LONG_NAME, _EXTENDED, b"K", b"g", b"X")


class TarLoader(PackageLoader):
    """Takes a tarball (`.tar`, `.tar.gz`, `.tgz`), whatever it is called."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        archive = Path(path)
        if not os.path.isfile(archive):
            return None
        limits = options[0] if options else DEFAULT_LIMITS
        members = ArchiveMembers(limits)
        try:
            content = _open_content(archive, members)
            entries = [*_list_entries(content, members)]
        except (OSError, EOFError, zlib.error, tarfile.TarError):
            return None
        budget = NodeBudget.of(limits, archive.stat().st_size)
        files = {
            name: PackageFile(name, partial(_read_member, content, offset, size, limits), budget)
            for name, offset, size in entries
        }
        package = FileTable(files)
        package.findings = tuple(members.findings)
        package.path = archive
        return package


class _Content:
    """The bytes of a tarball, to be read at any place; the file is closed when nobody needs it any more."""

    def __init__(self, file: IO[bytes]) -> None:
        self.length = file.seek(0, io.SEEK_END)
        self._file = file
        weakref.finalize(self, file.close)

    def read(self, offset: int, size: int) -> bytes:
        # Several may read at once: there is no place in the file that they would share.
        return os.pread(self._file.fileno(), size, offset)


def _open_content(path: Path, members: ArchiveMembers) -> _Content:
    with ExitStack() as opened:
        file = opened.enter_context(open(path, "rb"))
        if file.read(2) == _GZIP:
            unpacked = opened.enter_context(tempfile.TemporaryFile())
            file.seek(0)
            _unpack_gzip(file, unpacked, members, path)
            file.close()
            file = unpacked  # type: ignore[assignment]  # both are read at places only
        opened.pop_all()
        return _Content(file)


def _unpack_gzip(file: IO[bytes], unpacked: IO[bytes], members: ArchiveMembers, path: Path) -> None:
    limits = members.limits
    size = path.stat().st_size
    most = min(limits.archive + limits.entries * _BLOCK, max(limits.ratio_from, limits.ratio * size))
    with gzip.GzipFile(fileobj=file) as packed:
        while chunk := packed.read(_CHUNK):
            if unpacked.tell() + len(chunk) > most:
                message = f"unpacks from {size:,} to more than {most:,} bytes; the rest is left out"
                members.note(TOO_MUCH, path.name, message)
                break
            unpacked.write(chunk)
    unpacked.flush()


def _list_entries(content: _Content, members: ArchiveMembers) -> Iterator[tuple[str, int, int]]:
    """Name, offset and size of every file that may be read."""
    if content.length < _BLOCK:
        raise tarfile.HeaderError("no header")
    offset, long_name = 0, ""
    while offset + _BLOCK <= content.length and not members.is_full:
        header = content.read(offset, _BLOCK)
        if offset and not header.strip(b"\0"):
            return
        info = tarfile.TarInfo.frombuf(header, "utf-8", "surrogateescape")
        start = offset + _BLOCK
        offset = start + -(-info.size // _BLOCK) * _BLOCK
        if info.size < 0:
            raise tarfile.HeaderError("a size that cannot be")
        if info.type in _OF_HEADERS:
            text = content.read(start, min(info.size, _LONGEST_HEADER))
            long_name = _long_name(info.type, text) or long_name
            continue
        name, long_name = long_name or info.name, ""
        taken = members.take(_normalize_name(name, info), info.size, _kind_defect(info))
        if taken is not None:
            yield taken, start, info.size


def _long_name(kind: bytes, text: bytes) -> str:
    if kind == _LONG_NAME:
        return text.partition(b"\0")[0].decode("utf-8", "surrogateescape")
    for line in text.split(b"\n") if kind == _EXTENDED else ():
        key, _, value = line.partition(b" ")[2].partition(b"=")
        if key == b"path":
            return value.decode("utf-8", "surrogateescape")
    return ""


def _normalize_name(name: str, info: tarfile.TarInfo) -> str:
    """As a zip archive would have it: folders end in a slash, and nothing begins with `./`."""
    name = name.removeprefix("./") or "./"
    return f"{name}/" if info.isdir() and not name.endswith("/") else name


def _kind_defect(info: tarfile.TarInfo) -> str | None:
    if info.issym() or info.islnk():
        return "belongs to a link"
    return None if info.isreg() or info.isdir() else "belongs to a special file"


def _read_member(content: _Content, offset: int, size: int, limits: PackageLimits) -> bytes:
    if size > limits.file:
        raise PackageReadError(TOO_MUCH, f"{size:,} bytes are too much to read: the limit is {limits.file:,}")
    data = content.read(offset, size)
    if len(data) < size:
        raise PackageReadError(UNREADABLE, "cannot be read: the archive ends before it does")
    return data
