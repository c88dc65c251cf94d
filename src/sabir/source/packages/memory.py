"""A package that lives in memory: tests, examples in the documentation."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.source.packages.package import FileTable, PackageFile

__all__ = ["MemoryPackage"]


class MemoryPackage(FileTable):
    def __init__(self, files: Mapping[str, str | bytes], *, single_file: bool = False) -> None:
        self.single_file = single_file
        super().__init__(
            {
                name: PackageFile(
                    name, content.encode("utf-8", "surrogateescape") if isinstance(content, str) else content
                )
                for name, content in files.items()
            }
        )
