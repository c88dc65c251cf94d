"""What a loader is (spec 001, "Package loaders")."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path

from sabir.source.packages.limits import PackageLimits
from sabir.source.packages.package import LoadedPackage

__all__ = ["PackageLoader"]


class PackageLoader(ABC):
    """Knows one form in which packages come."""

    @classmethod
    @abstractmethod
    def try_load(cls, path: str | Path, *options: PackageLimits) -> LoadedPackage | None:
        """The package at a path, or None when it does not come in this loader's form. Never raises for what is there.

        The one option that loaders know is a `PackageLimits`.
        """
