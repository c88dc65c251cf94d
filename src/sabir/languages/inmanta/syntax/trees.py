"""Where files come from: a part of the package, or a directory beside it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from sabir.source.packages import LoadedPackage, PackageFile, is_below

__all__ = ["DirectoryTree", "FileTree", "PackageTree", "TextTree"]

_MAX_FILE = 20_000_000


class FileTree(Protocol):
    """A folder of a module: files by their path in it."""

    @property
    def shown(self) -> str:
        """The folder as reports name it."""
        ...

    @property
    def directory(self) -> Path | None:
        """The folder on disk, when there is one."""
        ...

    def file(self, path: str) -> PackageFile | None: ...

    def list(self, folder: str) -> list[str]:
        """The files below a folder, by their path in the tree, sorted."""
        ...

    def below(self, folder: str) -> FileTree: ...


class PackageTree:
    def __init__(self, package: LoadedPackage, prefix: str = "") -> None:
        self._package = package
        self._prefix = prefix and prefix.strip("/") + "/"

    @property
    def shown(self) -> str:
        return self._prefix.rstrip("/")

    @property
    def directory(self) -> Path | None:
        root = self._package.path
        if root is None or self._package.single_file or not root.is_dir():
            return None
        return root / self._prefix

    def file(self, path: str) -> PackageFile | None:
        return self._package.get_file(self._prefix + path)

    def list(self, folder: str) -> list[str]:
        whole = (self._prefix + folder).rstrip("/")
        return [name[len(self._prefix) :] for name in self._package.list(whole or None)]

    def below(self, folder: str) -> FileTree:
        return PackageTree(self._package, self._prefix + folder)


class DirectoryTree:
    def __init__(self, directory: Path, shown: str, root: Path | None = None) -> None:
        """`root`: what no link may lead out of; the directory itself unless it lies in another tree."""
        self.directory = directory
        self.shown = shown
        self._root = root or directory
        self._files: dict[str, PackageFile | None] = {}

    def file(self, path: str) -> PackageFile | None:
        if path not in self._files:
            self._files[path] = self._load(path)
        return self._files[path]

    def _load(self, path: str) -> PackageFile | None:
        if ".." in path.split("/") or path.startswith("/"):
            return None
        full = self.directory / path
        try:
            if not os.path.isfile(full) or full.stat().st_size > _MAX_FILE:
                return None
            if not is_below(full, self._root):
                return None
            return PackageFile(f"{self.shown}/{path}" if self.shown else path, full.read_bytes())
        except OSError:
            return None

    def list(self, folder: str) -> list[str]:
        base = self.directory / folder
        if not os.path.isdir(base):
            return []
        return sorted(
            file.relative_to(self.directory).as_posix() for file in base.rglob("*") if file.is_file()
        )

    def below(self, folder: str) -> FileTree:
        shown = f"{self.shown}/{folder}" if self.shown else folder
        return DirectoryTree(self.directory / folder, shown, self._root)


class TextTree:
    """Files that somebody has read already, with the folder where they lay."""

    def __init__(self, files: Mapping[str, bytes], shown: str, directory: Path | None) -> None:
        self._files = {
            name: PackageFile(f"{shown}/{name}" if shown else name, content)
            for name, content in files.items()
        }
        self.shown = shown
        self.directory = directory

    def file(self, path: str) -> PackageFile | None:
        return self._files.get(path)

    def list(self, folder: str) -> list[str]:
        prefix = folder and folder.rstrip("/") + "/"
        return sorted(name for name in self._files if name.startswith(prefix))

    def below(self, folder: str) -> FileTree:
        prefix = folder.rstrip("/") + "/"
        inside = {
            name.removeprefix(prefix): file.raw()
            for name, file in self._files.items()
            if name.startswith(prefix)
        }
        shown = f"{self.shown}/{folder}" if self.shown else folder
        return TextTree(inside, shown, None if self.directory is None else self.directory / folder)
