"""Packages: a directory, a zip archive, a tarball, a single file, or files in memory, behind one interface."""

from typing import TYPE_CHECKING

from sabir.source.packages.directory import DirectoryLoader
from sabir.source.packages.file import FileLoader
from sabir.source.packages.file_access import is_below
from sabir.source.packages.limits import PackageLimits
from sabir.source.packages.load import load_package
from sabir.source.packages.package import LoadedPackage, PackageFile, PackageLoader
from sabir.source.packages.views import MemoryPackage, SubPackage

if TYPE_CHECKING:
    from sabir.source.packages.archive import ZipLoader

__all__ = [
    "DirectoryLoader",
    "FileLoader",
    "LoadedPackage",
    "MemoryPackage",
    "PackageFile",
    "PackageLimits",
    "PackageLoader",
    "SubPackage",
    "ZipLoader",
    "is_below",
    "load_package",
]


def __getattr__(name: str) -> object:
    # zipfile costs as much to import as the rest of the loaders together; most packages are folders.
    if name == "ZipLoader":
        from sabir.source.packages.archive import ZipLoader

        return ZipLoader
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
