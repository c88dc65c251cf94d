"""Components: repositories with `service/*.yaml`, one by one or several in a directory."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from msgspec import Struct

from sabir.languages.ccp.recognition import CONFIG_NAMES
from sabir.lazy import lazy_pattern
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.text import Source

_definition_pattern: Final = lazy_pattern(r"(?:(?P<root>(?:[^/]+/)*[^/]+)/)?service/[^/.][^/]*\.yaml")
_PREFIX: Final = "fuel-ccp-"
_label_pattern: Final = lazy_pattern(r"[^-A-Za-z0-9_.]+")


class Component(Struct, frozen=True, kw_only=True, eq=False):
    """One component: its name and its files under `root` in the package."""

    name: str
    package: LoadedPackage
    root: str
    """Empty, or ends in `/`."""

    @property
    def folder(self) -> Path | None:
        """Its directory on disk."""
        path = self.package.path
        return None if path is None or not path.is_dir() else (path / self.root).resolve()

    @property
    def definitions(self) -> list[str]:
        """The names of its definition files, relative to the component, sorted."""
        names = (name[len(self.root) :] for name in self.package.list() if name.startswith(self.root))
        return sorted(name for name in names if _is_definition(name))

    @property
    def exports(self) -> dict[str, PackageFile]:
        """The shared macros for file templates: `exports/NAME.j2`."""
        exports = {}
        for name in self.package.list():
            if name.startswith(f"{self.root}exports/") and (file := self.package.get_file(name)):
                exports[name.rpartition("/")[2]] = file
        return exports

    def below(self, folder: str) -> list[PackageFile]:
        """Return its YAML files in a directory, by name."""
        prefix = self.root + folder
        names = (name for name in self.package.list() if name.startswith(prefix) and name.endswith(".yaml"))
        files = (self.package.get_file(name) for name in sorted(names) if "/" not in name[len(prefix) :])
        return [file for file in files if file is not None]

    def get(self, name: str) -> PackageFile | None:
        return self.package.get_file(self.root + name)

    def content(self, name: str) -> PackageFile | None:
        """Return a file under `service/files`, never one elsewhere."""
        if name.startswith("/") or ".." in name.split("/"):
            return None
        return self.get(f"service/files/{name}")


def _is_definition(name: str) -> bool:
    match = _definition_pattern().fullmatch(name)
    return match is not None and match["root"] is None


def components_of(packages: Iterable[LoadedPackage]) -> tuple[Component, ...]:
    """Return the components of these packages, in package order, then by name.

    A directory that is named twice, or is inside another one, is read once.
    """
    components: dict[object, Component] = {}
    for package in packages:
        roots = {match["root"] for name in package.list() if (match := _definition_pattern().fullmatch(name))}
        # A component may hold examples with a service/ folder of their own: the outermost root counts.
        outer = [
            root for root in roots if not any(other != root and _is_below(root, other) for other in roots)
        ]
        for root in sorted(outer, key=lambda root: root or ""):
            name = root.rpartition("/")[2] if root else _package_name(package)
            component = Component(name=component_name(name), package=package, root=f"{root}/" if root else "")
            components.setdefault(component.folder or component, component)
    return tuple(components.values())


def _package_name(package: LoadedPackage) -> str:
    return package.path.absolute().name if package.path is not None else package.name


def _is_below(root: str | None, other: str | None) -> bool:
    if root is None:
        return False
    return other is None or root.startswith(other + "/")


def component_name(repository: str) -> str:
    """Return the component name: `keystone` for `fuel-ccp-keystone`; it must be a valid label value."""
    name = repository[len(_PREFIX) :] if repository.startswith(_PREFIX) else repository
    return _label_pattern().sub("-", name).strip("-_.")[:63] or "component"


def config_of(package: LoadedPackage) -> PackageFile | None:
    for name in CONFIG_NAMES:
        file = package.get_file(name)
        if file is not None:
            return file
    return None


def collect_macros(components: Iterable[Component]) -> dict[str, Source]:
    """Return the exports of all components by name; those of one name are joined in component order."""
    parts: defaultdict[str, list[Source]] = defaultdict(list)
    for component in components:
        for name, file in component.exports.items():
            parts[name].append(file.source)
    return {
        name: sources[0]
        if len(sources) == 1
        else Source(f"exports/{name}", "\n".join(source.text for source in sources))
        for name, sources in parts.items()
    }
