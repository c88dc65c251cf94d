"""Modules: where they are, which files they have, and their namespaces (spec 002, "Modules").

Files come from a part of the package, from a directory outside of it, or from memory.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Final, Protocol

from msgspec import Struct

from sabir.source.packages import LoadedPackage, PackageFile, is_below

_MAX_FILE = 20_000_000


class FileTree(Protocol):
    """A directory of a module: files by their path in it."""

    @property
    def shown(self) -> str:
        """The directory as shown in reports."""
        ...

    @property
    def directory(self) -> Path | None:
        """The directory on disk, or None."""
        ...

    def file(self, path: str) -> PackageFile | None: ...

    def list(self, folder: str) -> list[str]:
        """Return the files under a directory, by their path in the tree, sorted."""
        ...

    def below(self, folder: str) -> FileTree: ...


class PackageTree:
    """A directory inside the package."""

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
    """A directory on disk, outside the package."""

    def __init__(self, directory: Path, shown: str, root: Path | None = None) -> None:
        """Open a directory. No link may refer outside `root`, by default the directory itself."""
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
    """Files that were read before, with the directory that contained them."""

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


LIBRARY: Final = Path(__file__).resolve().parent.parent / "library"
MODULE_FOLDERS: Final = ("files", "model", "plugins", "templates")


class Module(Struct, frozen=True, eq=False, dict=True):
    """A module: `model` has its `.cf` files, `plugins` its Python, `data` its `files/` and `templates/`."""

    name: str
    root: FileTree
    model: FileTree
    plugins: FileTree
    data: FileTree
    ours: bool = False
    """True for what sabir ships."""

    def namespace_file(self, namespace: str) -> PackageFile | None:
        """Return the file of a namespace of this module: `a::b` is `b.cf` or `b/_init.cf`."""
        parts = namespace.split("::")[1:]
        if not parts:
            return self.model.file("_init.cf")
        path = "/".join(parts)
        return self.model.file(f"{path}.cf") or self.model.file(f"{path}/_init.cf")

    def namespaces(self) -> list[str]:
        """Return every namespace of the module, loaded or not."""
        names = {self.name}
        for path in self.model.list(""):
            if path.endswith(".cf"):
                parts = path[: -len(".cf")].split("/")
                names.add("::".join([self.name, *(parts[:-1] if parts[-1] == "_init" else parts)]))
        return sorted(names)

    @cached_property
    def commit(self) -> str | None:
        """The commit of the module's git repository, or None."""
        directory = self.root.directory
        return None if directory is None or self.ours else _git_commit(directory)


class ModuleFault(Struct, frozen=True):
    """Why a module could not be loaded, and what to do."""

    message: str
    hint: str | None = None


class ModuleFinder:
    """Finds modules by name: bundled ones first, then the module path, then installed packages."""

    def __init__(
        self, path: Iterable[FileTree], of_package: Mapping[str, FileTree], *, foreign: Collection[str] = ()
    ) -> None:
        """Create a finder. For modules in `foreign` the bundled one is ignored."""
        self._path = tuple(path)
        self._of_package = of_package
        self._foreign = foreign
        self._searched: dict[str, Module | ModuleFault] = {}

    def find(self, name: str) -> Module | ModuleFault:
        if name not in self._searched:
            self._searched[name] = self._search(name)
        return self._searched[name]

    def importable(self) -> list[str]:
        """Return the names of modules that can be imported, for suggestions."""
        names = {"std", *self._of_package}
        for tree in self._path:
            for path in tree.list(""):
                parts = path.split("/")
                if parts[1:] in (["module.yml"], ["module.yaml"]):
                    names.add(parts[0])
        return sorted(names)

    def _search(self, name: str) -> Module | ModuleFault:
        if name not in self._foreign and os.path.isdir(LIBRARY / name / "model"):
            tree: FileTree = DirectoryTree(LIBRARY / name, name)
            return Module(name, tree, tree.below("model"), tree.below("plugins"), tree, ours=True)
        if name in self._of_package:
            return _module_at(name, self._of_package[name]) or _describe_fault(name, self._of_package[name])
        fault: ModuleFault | None = None
        for tree in self._path:
            module = _module_at(name, tree.below(name)) or _find_installed(name, tree)
            if module is not None:
                return module
            if fault is None and any(_has_folder(tree.below(name), folder) for folder in MODULE_FOLDERS):
                fault = _describe_fault(name, tree.below(name))
        for entry in sys.path:
            module = _find_installed(name, DirectoryTree(Path(entry or "."), entry or "."))
            if module is not None:
                return module
        return fault or ModuleFault(f"there is no module {name!r} on the module path")


def _has_folder(tree: FileTree, folder: str) -> bool:
    return bool(tree.list(folder)) or tree.file(folder) is not None


def _module_at(name: str, tree: FileTree) -> Module | None:
    """Return a module in its own directory: with `module.yml`, `setup.cfg` or `pyproject.toml`."""
    if tree.file("model/_init.cf") is None:
        return None
    if tree.file("module.yml") is not None or tree.file("module.yaml") is not None:
        return Module(name, tree, tree.below("model"), tree.below("plugins"), tree)
    if tree.file("setup.cfg") is not None or tree.file("pyproject.toml") is not None:
        return Module(name, tree, tree.below("model"), tree.below(f"inmanta_plugins/{name}"), tree)
    return None


def _find_installed(name: str, tree: FileTree) -> Module | None:
    """Return a module installed as a Python package: `inmanta_plugins/<name>` contains everything."""
    inside = tree.below(f"inmanta_plugins/{name}")
    if inside.file("model/_init.cf") is None:
        return None
    return Module(name, inside, inside.below("model"), inside, inside)


def _describe_fault(name: str, tree: FileTree) -> ModuleFault:
    shown = tree.shown or "."
    if tree.file("module.yml") is None and tree.file("setup.cfg") is None:
        return ModuleFault(
            f"module {name!r} has no module.yml",
            f"write {shown}/module.yml with its name, version and license",
        )
    if not tree.list("model"):
        return ModuleFault(
            f"module {name!r} has no directory 'model'", f"put its model into {shown}/model/_init.cf"
        )
    return ModuleFault(
        f"module {name!r} has no file model/_init.cf", f"write {shown}/model/_init.cf; it may be empty"
    )


def _git_commit(directory: Path) -> str | None:
    """Return HEAD of the repository at a directory, read without running git."""
    commit = _read_head_commit(directory)
    # A repository is somebody else's: what its files hold is a commit, or it is nothing to us.
    return commit if commit is not None and re.fullmatch(r"[0-9a-f]{40,64}", commit) else None


def _read_head_commit(directory: Path) -> str | None:
    if not is_below(directory / ".git", directory):
        return None
    try:
        head = (directory / ".git" / "HEAD").read_text(encoding="ascii").strip()
        if not head.startswith("ref: "):
            return head or None
        reference = head[len("ref: ") :]
        if not reference.startswith("refs/") or ".." in reference:
            return None
        loose = directory / ".git" / reference
        if loose.is_file() and is_below(loose, directory):
            return loose.read_text(encoding="ascii").strip() or None
        for line in (directory / ".git" / "packed-refs").read_text(encoding="ascii").splitlines():
            commit, _, name = line.partition(" ")
            if name == reference:
                return commit
    except (OSError, UnicodeDecodeError):
        return None
    return None
