"""Packages that a package requires and that lie beside it, as they do in a repository of packages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Final

from sabir.errors import UnusableInput
from sabir.source.packages import LoadedPackage, load_package

__all__ = ["packages_beside"]

_FULL_NAME: Final = re.compile(rb"""^FullName:[ \t]*["']?([\w.]+)""", re.MULTILINE)
_MOST_FOLDERS: Final = 2000
_HEAD: Final = 8192


def packages_beside(package: LoadedPackage, names: Iterable[str]) -> dict[str, LoadedPackage]:
    """Those of the named packages that lie in a folder beside this one, also in repositories of `NAME/package/`."""
    wanted = set(names)
    found: dict[str, LoadedPackage] = {}
    if not wanted or package.path is None or package.single_file:
        return found
    path = package.path.absolute()
    folder = path.parent.parent if path.name == "package" else path.parent
    for name, root in _named(folder).items():
        if name in wanted and root != path:
            try:
                found[name] = load_package(root)
            except UnusableInput:
                continue
    return found


@lru_cache(maxsize=64)
def _named(folder: Path) -> Mapping[str, Path]:
    """The packages in the folders of a folder, by full name; only the heads of their manifests are read."""
    named: dict[str, Path] = {}
    try:
        entries = sorted(folder.iterdir())[:_MOST_FOLDERS]
    except OSError:
        return named
    for entry in entries:
        for root in (entry, entry / "package"):
            try:
                with (root / "manifest.yaml").open("rb") as file:
                    match = _FULL_NAME.search(file.read(_HEAD))
            except OSError:
                continue
            if match is not None:
                named.setdefault(match[1].decode("ascii", "replace"), root)
    return named
