"""A part of a package as a package of its own: a folder of it, or one file."""

from __future__ import annotations

import builtins

from sabir.source.packages.package import LoadedPackage, PackageFile

__all__ = ["SubPackage"]


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
        self._names = [folder.removeprefix(self._prefix)] if self.single_file else self._listed(folder)
        self._files: dict[str, PackageFile] = {}

    def _listed(self, folder: str) -> builtins.list[str]:
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
