"""A single file, to be looked at alone."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Final

from sabir.source.packages.defects import ReadProblem
from sabir.source.packages.limits import DEFAULT_LIMITS, PackageLimits
from sabir.source.packages.loader import PackageLoader
from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile
from sabir.source.packages.reading import read_regular_file

__all__ = ["FileLoader"]

_TEXT_SUFFIXES: Final = frozenset({".yaml", ".yml", ".cf", ".json", ".tosca"})
"""Whatever is in a file of these names, its author meant it as text: broken bytes are then a finding."""
_ARCHIVE_SUFFIXES: Final = frozenset({".zip", ".csar", ".jar"})
_SNIFFED: Final = 8192


class FileLoader(PackageLoader):
    """Takes a regular file that is text, by its name or by its first bytes."""

    @classmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        file = Path(path)
        if not os.path.isfile(file):
            return None
        suffix = file.suffix.lower()
        if suffix in _ARCHIVE_SUFFIXES or (suffix not in _TEXT_SUFFIXES and not _looks_like_text(file)):
            return None
        limits = options[0] if options else DEFAULT_LIMITS
        # A link that was named on purpose is followed; inside packages links are looked at with more care.
        reader = partial(read_regular_file, Path(os.path.realpath(file)), limits)
        try:
            content = reader()
        except ReadProblem:
            return None
        package = FileTable({file.name: PackageFile(file.name, content)})
        package.path = file
        package.single_file = True
        return package


def _looks_like_text(file: Path) -> bool:
    try:
        with open(file, "rb") as opened:
            head = opened.read(_SNIFFED)
    except OSError:
        return False
    if b"\0" in head:
        return False
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return error.start >= len(head) - 4 and len(head) == _SNIFFED
    return True
