"""Packages that a package requires and that lie beside it, as they do in a repository of packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final

from sabir.errors import UnusableInput
from sabir.source.packages import LoadedPackage, load_package

__all__ = ["is_class_beside", "packages_beside"]

_MOST_FOLDERS: Final = 2000
_HEAD: Final = 8192
_MOST_OF_A_MANIFEST: Final = 1 << 16


@cache
def _listed_pattern() -> re.Pattern[bytes]:
    return re.compile(rb"""^[ \t]+["']?([\w.]+)["']?[ \t]*:""", re.MULTILINE)


@cache
def _full_name_pattern() -> re.Pattern[bytes]:
    return re.compile(rb"""^FullName:[ \t]*["']?([\w.]+)""", re.MULTILINE)


def packages_beside(
    package: LoadedPackage, names: Iterable[str], search_path: Iterable[Path] = ()
) -> dict[str, LoadedPackage]:
    """Those of the named packages that lie in a folder beside this one or in one of the search path, also in repositories
    of `NAME/package/`."""
    wanted = set(names)
    packages: dict[str, LoadedPackage] = {}
    if not wanted or package.path is None or package.single_file:
        return packages
    path = package.path.absolute()
    folders = [_folder(path), *(folder.absolute() for folder in search_path)]
    for name, root in (pair for folder in folders for pair in _named(folder).items()):
        if name in wanted and name not in packages and root != path:
            try:
                packages[name] = load_package(root)
            except UnusableInput:
                continue
    return packages


def is_class_beside(package: LoadedPackage, name: str) -> bool:
    """Whether a package beside this one lists a class. Before there was `Require` such a class was simply found."""
    if package.path is None or package.single_file:
        return False
    return name.encode() in _listed(_folder(package.path.absolute()))


def _folder(path: Path) -> Path:
    return path.parent.parent if path.name == "package" else path.parent


@lru_cache(maxsize=8)
def _listed(folder: Path) -> frozenset[bytes]:
    """What the manifests of the packages in a folder list, as far as it can be told from their lines."""
    names: set[bytes] = set()
    for root in _named(folder).values():
        try:
            with (root / "manifest.yaml").open("rb") as file:
                names.update(_listed_pattern().findall(file.read(_MOST_OF_A_MANIFEST)))
        except OSError:
            continue
    return frozenset(names)


@lru_cache(maxsize=64)
def _named(folder: Path) -> Mapping[str, Path]:
    """The packages in the folders of a folder, by full name; only the heads of their manifests are read."""
    named: dict[str, Path] = {}
    try:
        entries = sorted(folder.iterdir())[:_MOST_FOLDERS]
    except OSError:
        return named
    for entry in (folder, *entries):
        for root in (entry, entry / "package"):
            try:
                with (root / "manifest.yaml").open("rb") as file:
                    match = _full_name_pattern().search(file.read(_HEAD))
            except OSError:
                continue
            if match is not None:
                named.setdefault(match[1].decode("ascii", "replace"), root)
    return named
