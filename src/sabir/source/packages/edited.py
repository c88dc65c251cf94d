"""A package with some of its texts replaced, as if they had been written."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping

from sabir.source.packages.package import LoadedPackage, PackageFile

__all__ = ["EditedPackage"]


class EditedPackage(LoadedPackage):
    """The files of a package, those under `texts` with other content. No file is added or taken away."""

    def __init__(self, package: LoadedPackage, texts: Mapping[str, str | PackageFile]) -> None:
        """A text may be given as a file, so that what was parsed of it is kept from one edited package to the next."""
        self.path = package.path
        self.single_file = package.single_file
        self.findings = package.findings
        self._package = package
        self.edited = {
            name: text if isinstance(text, PackageFile) else PackageFile(name, text.encode("utf-8"))
            for name, text in texts.items()
        }

    def list(self, subdir: str | None = None) -> builtins.list[str]:
        return self._package.list(subdir)

    def get_file(self, name: str) -> PackageFile | None:
        file = self._package.get_file(name)
        return None if file is None else self.edited.get(file.name, file)

    def opened_files(self) -> Iterator[PackageFile]:
        for file in self._package.opened_files():
            yield self.edited.get(file.name, file)
