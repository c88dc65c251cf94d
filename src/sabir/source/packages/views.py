"""Packages derived from others or from memory: a part of a package, an edited package, given files."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping

from sabir.source.packages.package import FileTable, LoadedPackage, PackageFile


class EditedPackage(LoadedPackage):
    """The files of a package, those in `texts` with other content. Files are neither added nor removed."""

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

    def list_opened(self) -> Iterator[PackageFile]:
        for file in self._package.list_opened():
            yield self.edited.get(file.name, file)


class MemoryPackage(FileTable):
    """A package whose files are given as strings or bytes: for tests and examples in the documentation."""

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


class SubPackage(LoadedPackage):
    """The files below `folder`, by their names from there; or, when `folder` is a file, that file alone."""

    def __init__(self, package: LoadedPackage, folder: str) -> None:
        folder = folder.rstrip("/")
        self.single_file = package.exists(folder)
        self.path = None if package.path is None else package.path / folder
        self._package = package
        self._prefix = f"{folder.rpartition('/')[0]}/" if self.single_file else f"{folder}/"
        if self._prefix == "/":
            self._prefix = ""
        self._names = [folder.removeprefix(self._prefix)] if self.single_file else self._list_names(folder)
        self._files: dict[str, PackageFile] = {}

    def _list_names(self, folder: str) -> builtins.list[str]:
        if folder in ("", "."):
            self._prefix = ""
            return self._package.list()
        return [name.removeprefix(self._prefix) for name in self._package.list(folder)]

    def list(self, subdir: str | None = None) -> builtins.list[str]:
        if subdir is None:
            return [*self._names]
        below = subdir.rstrip("/") + "/"
        return [name for name in self._names if name.startswith(below)]

    def get_file(self, name: str) -> PackageFile | None:
        if self.single_file and name not in self._names:
            return None
        kept = self._files.get(name)
        if kept is None:
            file = self._package.get_file(self._prefix + name)
            if file is None:
                return None
            kept = self._files[name] = PackageFile(name, file.raw())
        return kept
