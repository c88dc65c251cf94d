"""Packages: a directory, a zip archive, a single file, or files in memory, behind one interface."""

from sabir.source.packages.memory import MemoryPackage
from sabir.source.packages.package import LoadedPackage, PackageFile

__all__ = ["LoadedPackage", "MemoryPackage", "PackageFile"]
