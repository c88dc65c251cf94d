"""What the checker is given for a package case: the folder, a packed archive, or one file."""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

__all__ = ["PackageInput", "prepared_input"]


class PackageInput(Protocol):
    """The part of a package case that says what to prepare."""

    @property
    def id(self) -> str: ...
    @property
    def package(self) -> Path: ...
    @property
    def input_path(self) -> str | None: ...
    @property
    def zipped(self) -> bool: ...
    @property
    def zip_prefix(self) -> str: ...
    @property
    def zip_entries(self) -> tuple[tuple[str, str], ...]: ...


@contextmanager
def prepared_input(case: PackageInput) -> Iterator[Path]:
    """The path to give to the checker. The tree is copied, so that a checker cannot change the case."""
    with tempfile.TemporaryDirectory(prefix="sabir-case-") as scratch:
        package = Path(scratch, "package")
        if case.package.is_dir():
            shutil.copytree(case.package, package)
        else:
            package.mkdir()  # an absent tree is an empty directory; version control keeps none
        if case.zipped:
            archive = Path(scratch, f"{case.id}.zip")
            _pack(case, package, archive)
            yield archive
        elif case.input_path is not None:
            yield package / case.input_path
        else:
            yield package


def _pack(case: PackageInput, package: Path, archive: Path) -> None:
    members = sorted(
        (file.relative_to(package).as_posix(), file) for file in package.rglob("*") if file.is_file()
    )
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, file in members:
            packed.writestr(_member(case.zip_prefix + name), file.read_bytes())
        for name, text in case.zip_entries:
            packed.writestr(_member(name), text)


def _member(name: str) -> zipfile.ZipInfo:
    # The name goes in exactly as given: ZipInfo cuts at a NUL and would turn separators.
    info = zipfile.ZipInfo("member")
    info.filename = name
    info.compress_type = zipfile.ZIP_DEFLATED
    return info
