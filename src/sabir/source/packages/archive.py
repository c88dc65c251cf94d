"""Packages in zip archives (a CSAR is one).

The table of contents is checked before anything is unpacked: names, number of members, unpacked size.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
import zlib
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import IO, Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.rules import Rule
from sabir.source.packages.file_access import name_defect, normal_name
from sabir.source.packages.limits import (
    DEFAULT_LIMITS,
    LEADS_OUT,
    TOO_MUCH,
    UNREADABLE,
    NodeBudget,
    PackageLimits,
    PackageReadError,
)
from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile, PackageLoader


class ArchiveMembers:
    """Takes the members one by one; what is wrong with those that it does not take is in `findings`."""

    def __init__(self, limits: PackageLimits) -> None:
        self.limits = limits
        self.findings: list[Finding] = []
        self.is_full = False
        """Whether a limit is broken, so that nothing more is taken."""
        self._seen: set[str] = set()
        self._count = 0
        self._size = 0

    def take(self, name: str, size: int, defect: str | None = None) -> str | None:
        """The name of a file by which it is known; None for folders and for what is left out."""
        self._count += 1
        if self._count > self.limits.entries:
            self._end(name, too_many(self.limits) + "; the rest is left out")
            return None
        is_folder = name.endswith("/")
        defect = name_defect(name) or defect
        if defect is None and not is_folder and not normal_name(name):
            defect = "is empty"
        if defect is not None:
            self.note(LEADS_OUT, name, f"archive member name {defect}; left out")
            return None
        return None if is_folder else self._file(name, size)

    def note(self, rule: Rule, name: str, message: str) -> None:
        self.findings.append(rule.about_file(name, message))

    def _file(self, name: str, size: int) -> str | None:
        self._size += size
        if self._size > self.limits.archive:
            most = f"archive unpacks to more than {self.limits.archive:,} bytes"
            self._end(name, f"{most}; the rest is left out")
            return None
        normal = normal_name(name)
        if normal in self._seen:
            self.note(TOO_MUCH, name, "archive holds this member twice; the first one is taken")
            return None
        self._seen.add(normal)
        return normal

    def _end(self, name: str, message: str) -> None:
        self.is_full = True
        self.note(TOO_MUCH, name, message)


def too_many(limits: PackageLimits) -> str:
    """Return the message for an archive with more members than the limits allow."""
    return f"archive holds more than {limits.entries:,} members"


_BROKEN: Final = (zipfile.BadZipFile, zlib.error, EOFError, ValueError, RuntimeError, NotImplementedError)
_END_RECORD: Final = b"PK\x05\x06"
_END_LENGTH: Final = 22
_END_64_RECORD: Final = b"PK\x06\x06"
_END_64_LENGTH: Final = 56
_LOCATOR_LENGTH: Final = 20
_ENCRYPTED: Final = 0x1
# The other methods unpack a block at once, however large it gets.
_METHODS: Final = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
_BESIDE: Final = (".cms", ".p7s", ".sig", ".cert", ".crt", ".cer", ".pem")
_SMALLEST_ENTRY: Final = 46
_USUAL_ENTRY: Final = 160


class ZipLoader(PackageLoader):
    """Takes a zip archive. Its table of contents is looked at first; members are unpacked when asked for."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        archive = Path(path)
        if not os.path.isfile(archive):
            return None
        try:
            with open(archive, "rb") as file:
                contents = table_of_contents_size(file)
        except OSError:
            return None
        limits = options[0] if options else DEFAULT_LIMITS
        package = None if contents is None else _load_archive(archive, contents, limits)
        if package is None:
            return None
        package.path = archive
        return _unwrap_package(package, limits)

    @classmethod
    def from_bytes(cls, content: bytes, *options: PackageLimits) -> LoadedPackage | None:
        """The same for an archive in memory, such as an upload."""
        file = io.BytesIO(content)
        contents = table_of_contents_size(file)
        if contents is None:
            return None
        return _load_archive(file, contents, options[0] if options else DEFAULT_LIMITS)


def _unwrap_package(outer: FileTable, limits: PackageLimits) -> LoadedPackage | None:
    """The archive in an archive that holds nothing else but its signature and certificate (SOL004, option 2)."""
    names = outer.list()
    inner_names = [name for name in names if name.lower().endswith(".csar")]
    beside = [name for name in names if name not in inner_names]
    if len(inner_names) != 1 or any("/" in name for name in names):
        return outer
    if not all(name.lower().endswith(_BESIDE) for name in beside):
        return outer
    file = outer.get_file(inner_names[0])
    content = b"" if file is None else file.raw()
    inner = ZipLoader.from_bytes(content, limits)
    if inner is not None:
        inner.path, inner.wrapping = outer.path, outer
        inner.findings = (*outer.findings, *inner.findings)
    return inner


def table_of_contents_size(file: IO[bytes]) -> int | None:
    """Bytes of the archive's table of contents, or None when there is no archive here.

    `zipfile` makes an object of every entry before anybody can count them, and believes this size, not the entry count.
    """
    length = file.seek(0, os.SEEK_END)
    tail_length = min(length, 0xFFFF + _END_LENGTH + _LOCATOR_LENGTH + _END_64_LENGTH)
    file.seek(length - tail_length)
    tail = file.read(tail_length)
    at = tail.rfind(_END_RECORD)
    if at < 0 or len(tail) - at < _END_LENGTH:
        return None
    size = int.from_bytes(tail[at + 12 : at + 16], "little")
    record = tail[max(0, at - _LOCATOR_LENGTH - _END_64_LENGTH) : at]
    if record.startswith(_END_64_RECORD):
        size = max(int.from_bytes(record[40:48], "little"), size if size != 0xFFFF_FFFF else 0)
    return size


def _load_archive(file: Path | IO[bytes], contents: int, limits: PackageLimits) -> FileTable | None:
    if contents > limits.entries * _USUAL_ENTRY:
        most = contents // _SMALLEST_ENTRY
        package = FileTable({})
        name = str(file) if isinstance(file, Path) else "<upload>"
        package.findings = (TOO_MUCH.about_file(name, too_many(limits) + f": up to {most:,}"),)
        return package
    try:
        archive = zipfile.ZipFile(file)
    except (*_BROKEN, OSError):
        return None
    members = ArchiveMembers(limits)
    budget = NodeBudget.of(limits, _file_size(file))
    readers = _member_readers(archive, members)
    package = FileTable({name: PackageFile(name, reader, budget) for name, reader in readers})
    package.findings = tuple(members.findings)
    return package


def _file_size(file: Path | IO[bytes]) -> int:
    return file.stat().st_size if isinstance(file, Path) else file.seek(0, io.SEEK_END)


def _member_readers(
    archive: zipfile.ZipFile, members: ArchiveMembers
) -> Iterator[tuple[str, partial[bytes]]]:
    for info in archive.infolist():
        name = members.take(info.orig_filename, info.file_size, _kind_defect(info))
        if members.is_full:
            return
        if name is None:
            continue
        if _is_bomb(info, members.limits):
            members.note(TOO_MUCH, info.orig_filename, _bomb_message(info))
            continue
        yield name, partial(_read_member, archive, info, members.limits)


def _is_bomb(info: zipfile.ZipInfo, limits: PackageLimits) -> bool:
    if info.file_size < limits.ratio_from:
        return False
    return info.file_size > limits.ratio * max(1, info.compress_size)


def _kind_defect(info: zipfile.ZipInfo) -> str | None:
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "belongs to a symlink"
    if kind and kind not in (stat.S_IFREG, stat.S_IFDIR):
        return "belongs to a special file"
    return None


def _bomb_message(info: zipfile.ZipInfo) -> str:
    return (
        f"unpacks from {info.compress_size:,} to {info.file_size:,} bytes, "
        f"which no honest file does; left out"
    )


def _read_member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, limits: PackageLimits) -> bytes:
    if info.flag_bits & _ENCRYPTED:
        raise PackageReadError(UNREADABLE, "cannot be read: it is encrypted")
    if info.compress_type not in _METHODS:
        raise PackageReadError(
            UNREADABLE, f"cannot be read: it is packed by method {info.compress_type}, not by deflate"
        )
    if info.file_size > limits.file:
        raise PackageReadError(
            TOO_MUCH, f"{info.file_size:,} bytes are too much to read: the limit is {limits.file:,}"
        )
    try:
        with archive.open(info) as member:
            return member.read(limits.file)
    except (*_BROKEN, OSError) as error:
        raise PackageReadError(
            UNREADABLE, f"cannot be read: the archive is damaged here ({explain_error(error)})"
        ) from error
