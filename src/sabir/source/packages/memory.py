"""A package that lives in memory: tests, examples in the documentation, uploads."""

from __future__ import annotations

import builtins
from collections.abc import Mapping

from sabir.source.packages.package import LoadedPackage, PackageFile

__all__ = ["MemoryPackage"]


class MemoryPackage(LoadedPackage):
    def __init__(self, files: Mapping[str, str | bytes], *, single_file: bool = False) -> None:
        self.single_file = single_file
        self._files = {
            name: PackageFile(name, content.encode("utf-8") if isinstance(content, str) else content)
            for name, content in sorted(files.items())
        }

    def list(self, subdir: str | None = None) -> builtins.list[str]:
        if subdir is None:
            return [*self._files]
        prefix = subdir.rstrip("/") + "/"
        return [name for name in self._files if name.startswith(prefix)]

    def get_file(self, name: str) -> PackageFile | None:
        return self._files.get(name)
