"""Packages of a run, and the search for them.

A class is looked up in its own package, then in the packages that it requires, then in the core library,
which every package requires. Class files are read when one of their classes is first needed, or all at once
to report every mistake.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.evaluate.system import NATIVE_CLASSES
from sabir.languages.muranopl.library import CORE, SHIPPED, load_bundled_package
from sabir.languages.muranopl.model import heat_templates
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS, Defects
from sabir.languages.muranopl.syntax.manifest import (
    ANY_VERSION,
    MANIFEST,
    MISSING_PACKAGE,
    Manifest,
    VersionSpec,
    read_manifest,
)
from sabir.languages.muranopl.syntax.nodes import ClassNode
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import compose
from sabir.text import Place, Source

if TYPE_CHECKING:
    from sabir.source.packages import PackageFile


GENERATED_FORMAT: Final = "1.4"
"""The version of MuranoPL in which classes of Heat templates are written."""
YAQL_TAGS = frozenset({"!yaql"})
NATIVE_NAMES: Final = frozenset((*NATIVE_CLASSES, "io.murano.Exception", "io.murano.StackTrace"))
"""Classes that Python makes or works for: they are as sabir declares them, whatever core library is used."""


class MuranoPackage:
    """A package: its manifest, its class files, its resources."""

    def __init__(
        self,
        manifest: Manifest,
        loaded: LoadedPackage,
        *,
        label: str | None = None,
        natives: MuranoPackage | None = None,
    ) -> None:
        self.manifest = manifest
        self.natives = natives
        """For a core library that is not ours: the package that declares the classes which are written in Python."""
        self.loaded = loaded
        self.label = label
        """What stands before the names of its files in messages; None for the package that was asked for."""
        self.findings: list[Finding] = []
        self._nodes: dict[str, ClassNode] = {}
        self._read: set[str] = set()

    @property
    def name(self) -> str:
        return self.manifest.name

    @property
    def format(self) -> str:
        return GENERATED_FORMAT if self.is_template else self.manifest.format

    @property
    def is_template(self) -> bool:
        """Tell whether the package is a Heat template, from which its class is generated."""
        return self.manifest.format_name == heat_templates.FORMAT

    def class_names(self) -> set[str]:
        names = {self.name} if self.is_template else {*self.manifest.classes, *self._nodes}
        return names if self.natives is None else names | NATIVE_NAMES

    def node(self, name: str) -> ClassNode | None:
        """Return the class with a full name, read from its file on first use."""
        if self.natives is not None and name in NATIVE_NAMES:
            return self.natives.node(name)
        if name not in self._nodes and self.is_template and name == self.name:
            self._read_template()
        if name not in self._nodes:
            file = self.manifest.classes.get(name)
            if file is None:
                return None
            self._read_file(file, name)
        return self._nodes.get(name)

    def read_all(self) -> tuple[Finding, ...]:
        """Read every class file; return all findings about them."""
        if self.is_template:
            self.node(self.name)
            return tuple(self.findings)
        for name, file in self.manifest.classes.items():
            self._read_file(file, name)
        for name in self.manifest.classes:
            if name not in self._nodes and not self.findings:
                self._not_in_file(name)
        return tuple(self.findings)

    def _read_template(self) -> None:
        template = heat_templates.read_template(self.loaded)
        if isinstance(template, Finding):
            self.findings.append(template)
            return
        read = read_class_file(compose(template.class_source(self.name), tags=YAQL_TAGS), self.name)
        self.findings.extend(read.findings)
        for node in read.classes:
            self.add(node)

    def resource(self, name: str) -> PackageFile | None:
        if self.is_template and name == heat_templates.TEMPLATE:
            return self.loaded.get_file(name)
        return self.loaded.get_file("Resources/" + name)

    def add(self, node: ClassNode) -> None:
        declared = self._nodes.get(node.name)
        if declared is None:
            self._nodes[node.name] = node
        elif declared is not node:
            defects = Defects(node.source)
            defects.duplicate(
                f"class {node.name} is defined twice in package {self.name}",
                node.span,
                Place(declared.source, declared.span),
            )
            self.findings.extend(defects.findings)

    def _read_file(self, file: str, name: str) -> None:
        if file in self._read:
            return
        self._read.add(file)
        class_file = self.loaded.get_file("Classes/" + file)
        if class_file is None:
            self._missing_file(file, name)
            return
        stream = class_file.yaml
        if self.label is not None:
            stream = compose(
                Source(f"{self.label}/{class_file.name}", class_file.source.text), tags=YAQL_TAGS
            )
        read = read_class_file(stream, name)
        self.findings.extend(read.findings)
        for node in read.classes:
            self.add(node)

    def _missing_file(self, file: str, name: str) -> None:
        manifest = self.loaded.get_file(MANIFEST)
        span = self.manifest.class_spans.get(name)
        message = f"the file Classes/{file} of class {name} does not exist"
        if manifest is None or span is None:
            self.findings.append(MISSING_PACKAGE.about_file(MANIFEST, message))
        else:
            self.findings.append(MISSING_PACKAGE.at(Place(manifest.source, span), message))

    def _not_in_file(self, name: str) -> None:
        file = self.manifest.classes[name]
        self.findings.append(
            UNKNOWN_CLASS.about_file(f"Classes/{file}", f"Classes/{file} defines no class {name}")
        )


class PackageRegistry:
    """The packages of a run, and the directories that are searched for required ones by name."""

    def __init__(
        self,
        packages: Iterable[MuranoPackage] = (),
        search_path: tuple[Path, ...] = (),
        *,
        beside: Path | None = None,
    ) -> None:
        """Create a registry. `beside` is the directory that holds the first package and others; it is searched
        last.
        """
        self._packages: list[MuranoPackage] = list(packages)
        self._search_path = search_path
        self._searched: dict[str, list[MuranoPackage]] | None = None
        self._beside = beside
        self._siblings: dict[str, list[MuranoPackage]] | None = None

    def add(self, package: MuranoPackage) -> None:
        self._packages.append(package)

    @property
    def packages(self) -> tuple[MuranoPackage, ...]:
        return tuple(self._packages)

    def find(self, name: str, spec: VersionSpec = ANY_VERSION) -> MuranoPackage | None:
        """Return the newest package with a name that a version range allows."""
        fitting = [package for package in self._find_by_name(name) if spec.allows(package.manifest.version)]
        return newest_package(fitting) if fitting else None

    def _find_by_name(self, name: str) -> list[MuranoPackage]:
        """Return all packages with a name; a bundled package is used only if there is no other."""
        packages = [
            package for package in self._packages if package.name == name
        ] + self._load_path_packages().get(name, [])
        if not packages and name in (CORE, *SHIPPED):
            return [load_bundled_package(name)]
        return packages or self._siblings_named(name)

    def find_required(self, package: MuranoPackage) -> list[MuranoPackage]:
        """Return the packages that one requires; a missing one is an error that names it."""
        packages: list[MuranoPackage] = []
        for name, spec in package.manifest.require.items():
            provider = self.find(name, spec)
            if provider is None:
                raise self._missing(package, name, spec)
            packages.append(provider)
        return packages

    def _missing(self, package: MuranoPackage, name: str, spec: VersionSpec) -> MuranoError:
        others = [str(package.manifest.version) for package in self._find_by_name(name)]
        fault = f"of which there is only {', '.join(others)}" if others else "which is nowhere to be found"
        return MuranoError(
            MISSING_PACKAGE,
            f"package {package.name} requires {name} {spec}, {fault}",
            hint=None if others else "name the directory that holds it with --search-path",
        )

    def _load_path_packages(self) -> Mapping[str, list[MuranoPackage]]:
        if self._searched is None:
            self._searched = _by_name(self._search_path)
        return self._searched

    def _siblings_named(self, name: str) -> list[MuranoPackage]:
        if self._siblings is None:
            self._siblings = {} if self._beside is None else _by_name([self._beside])
        return self._siblings.get(name, [])

    def providers(self, name: str) -> list[MuranoPackage]:
        """Return all packages that define a class with this name."""
        every = [
            *self._packages,
            *(package for group in self._load_path_packages().values() for package in group),
        ]
        providers = [package for package in every if name in package.class_names()]
        if providers:
            return providers
        return [package for package in map(load_bundled_package, SHIPPED) if name in package.class_names()]


def newest_package(packages: list[MuranoPackage]) -> MuranoPackage:
    """Return the package with the highest version."""
    # Versions are compared only if there is a choice, because the library for it is slow to import.
    if len(packages) == 1:
        return packages[0]
    return max(packages, key=lambda package: package.manifest.version.precedence)


def _by_name(directories: Iterable[Path]) -> dict[str, list[MuranoPackage]]:
    packages: dict[str, list[MuranoPackage]] = {}
    for directory in directories:
        for package in _packages_in(directory):
            if package.name == CORE:
                continue  # the core library of a run is selected by name, not searched
            packages.setdefault(package.name, []).append(package)
    return packages


def _packages_in(directory: Path) -> list[MuranoPackage]:
    """Return the packages in a directory: the directory itself, and each subdirectory and archive in it."""
    from sabir.errors import SabirError
    from sabir.source.packages import load_package

    candidates = [directory]
    if directory.is_dir() and not (directory / MANIFEST).exists():
        candidates = sorted(
            path for path in directory.iterdir() if (path / MANIFEST).exists() or path.suffix == ".zip"
        )
    packages: list[MuranoPackage] = []
    for path in candidates:
        try:
            loaded = load_package(path)
        except SabirError:
            continue  # not a package; a requirement for it is reported as missing
        manifest, _ = read_manifest(loaded)
        if manifest is not None:
            packages.append(MuranoPackage(manifest, loaded, label=str(path.absolute())))
    return packages
