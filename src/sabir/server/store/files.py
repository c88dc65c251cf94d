"""The files of an environment: a directory that no path leaves, with atomic writes.

`.sabir` in it belongs to deployments: it is neither listed nor written here.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Final

from msgspec import Struct

from sabir.errors import UsageError
from sabir.operations.files import write_folder
from sabir.server.store.rows import AlreadyExistsError
from sabir.source.packages.file_access import folder_below, name_defect, normal_name, read_regular_file
from sabir.source.packages.limits import STRICT_LIMITS, PackageReadError

_DEPLOYED: Final = ".sabir"
_LONGEST_NAME: Final = 255


class FileInfo(Struct, frozen=True):
    """A file as listings show it."""

    path: str
    size: int
    text: bool
    """Whether it is UTF-8 without a NUL character; anything else is binary, and an editor would damage it."""


class EnvironmentFiles:
    """Reads and writes the files of one environment."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def all(self) -> list[FileInfo]:
        return [FileInfo(path, size, self._is_text(path)) for path, size in sorted(self._walk())]

    def _is_text(self, path: str) -> bool:
        content = self.read(path)
        return content is not None and is_text(content)

    def _walk(self) -> Iterator[tuple[str, int]]:
        for folder, folders, names in os.walk(self.folder):
            if Path(folder) == self.folder and _DEPLOYED in folders:
                folders.remove(_DEPLOYED)
            for name in names:
                file = Path(folder, name)
                yield file.relative_to(self.folder).as_posix(), file.lstat().st_size

    def read(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is none. Links that a deployment created do not
        count.
        """
        try:
            return read_regular_file(self.folder / _check_name(path), STRICT_LIMITS, self.folder)
        except PackageReadError:
            return None

    def put(self, files: Mapping[str, bytes]) -> None:
        """Add or replace files."""
        named = {_check_name(path): content for path, content in files.items()}
        self._refuse_too_much(named)
        self._refuse_clashes(named)
        write_folder(self.folder, named)

    def put_text(self, path: str, content: bytes) -> None:
        """Write a text file; raise an error if it would replace a binary file."""
        if not is_text(content):
            raise UsageError(f"{path!r}: expected UTF-8 text, found binary data")
        before = self.read(path)
        if before is not None and not is_text(before):
            raise AlreadyExistsError(
                f"{path!r} is a binary file and cannot be edited as text: replace it as a whole"
            )
        self.put({path: content})

    def replace(self, files: Mapping[str, bytes]) -> None:
        """Replace all files by these."""
        before = {path for path, _ in self._walk()}
        self.put(files)
        for path in before - {_check_name(path) for path in files}:
            self._remove(path)

    def remove(self, path: str) -> bool:
        clean = _check_name(path)
        if not (self.folder / clean).is_file():
            return False
        self._remove(clean)
        return True

    def _remove(self, path: str) -> None:
        name = PurePosixPath(path)
        with suppress(OSError), folder_below(self.folder, name.parent) as folder:
            os.unlink(self.folder / name if folder is None else name.name, dir_fd=folder)
        for above in name.parents[:-1]:
            with folder_below(self.folder, above.parent) as folder:
                try:
                    os.rmdir(self.folder / above if folder is None else above.name, dir_fd=folder)
                except OSError:
                    return  # there is something in it, or it is a link

    def remove_all(self) -> None:
        shutil.rmtree(self.folder.parent, ignore_errors=True)

    def _refuse_too_much(self, files: Mapping[str, bytes]) -> None:
        sizes = dict(self._walk()) | {path: len(content) for path, content in files.items()}
        if len(sizes) > STRICT_LIMITS.entries:
            raise UsageError(f"an environment may have {STRICT_LIMITS.entries:,} files, not {len(sizes):,}")
        if (size := sum(sizes.values())) > STRICT_LIMITS.archive:
            raise UsageError(f"an environment may have {STRICT_LIMITS.archive:,} bytes, not {size:,}")

    def _refuse_clashes(self, files: Mapping[str, bytes]) -> None:
        """Raise an error for a name that would be both a file and a directory."""
        folders = {parent.as_posix() for path in files for parent in Path(path).parents}
        for path in files:
            if path in folders or (self.folder / path).is_dir():
                raise UsageError(f"{path!r} is a folder")
        for folder in folders - {"."}:
            if os.path.lexists(self.folder / folder) and not (self.folder / folder).is_dir():
                raise UsageError(f"{folder!r} is a file, and no folder")


def is_text(content: bytes) -> bool:
    """Tell whether content is text that an editor can open: UTF-8 without a NUL character."""
    if b"\0" in content:
        return False
    try:
        content.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return True


def archive_files(content: bytes) -> dict[str, bytes]:
    """Return the files of a zip archive; raise `UsageError` for an invalid or malicious one."""
    from sabir.source.packages.archive import ZipLoader

    package = ZipLoader.from_bytes(content, STRICT_LIMITS)
    if package is None:
        raise UsageError("the upload is no zip archive")
    if package.findings:
        finding = package.findings[0]
        raise UsageError(f"{finding.filename}: {finding.message}")
    files: dict[str, bytes] = {}
    for name in package.list():
        file = package.get_file(name)
        content = b"" if file is None else file.raw()
        if file is not None and not content and file.defect is not None:
            raise UsageError(f"{name}: {file.defect.message}")
        files[name] = content
    return files


def _check_name(path: str) -> str:
    defect = name_defect(path)
    if defect is not None:
        raise UsageError(f"the name {path!r} {defect}")
    clean = normal_name(path)
    parts = clean.split("/")
    if not clean or parts[0] == _DEPLOYED:
        raise UsageError(f"{path!r} is no name for a file here")
    if (
        any(len(part.encode(errors="surrogateescape")) > _LONGEST_NAME for part in parts)
        or not clean.isprintable()
    ):
        raise UsageError("the name is too long, or holds what cannot be shown")
    if len(parts) > STRICT_LIMITS.depth:
        raise UsageError(f"{len(parts)} folders inside folders are too many")
    return clean
