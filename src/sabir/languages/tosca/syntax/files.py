"""Where documents come from: the files of a package, or a directory around a single file.

The files that a topology names beside its documents: scripts and other artifacts.
"""

from __future__ import annotations

import os
import posixpath
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, Protocol
from urllib.parse import urlsplit

from msgspec import Struct

from sabir.languages.tosca.syntax.nodes import (
    ArtifactDefinition,
    DocumentOrigin,
    Implementation,
    InterfaceDefinition,
    Topology,
)
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.session import Trust
from sabir.source.catalogue import ImportCatalog
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.packages.file_access import is_below

_LARGEST: Final = 32 * 1024 * 1024
_ROOT_MARKS: Final = (".git", "unfurl.yaml", "TOSCA-Metadata")


class DocumentFiles(Protocol):
    """Files by name, with `/`, relative to the package."""

    def read(self, name: str) -> PackageFile | None: ...

    def directory(self, name: str) -> Path | None:
        """The real directory of a file; None when it has none (an archive, memory)."""
        ...

    def beside(self, name: str) -> Iterator[str]:
        """The files in the folder of a file, and those of further folders where profiles are looked for."""
        ...

    def outside(self, name: str) -> Path | None:
        """The folder that a file would have to be in to be read, when it is there but beyond it."""
        ...

    def copy_of(self, url: str) -> PackageFile | None:
        """What stands on this machine for an address of the network."""
        ...


class PackageFiles(Struct, frozen=True):
    package: LoadedPackage

    def read(self, name: str) -> PackageFile | None:
        return self.package.get_file(posixpath.normpath(name))

    def directory(self, name: str) -> Path | None:
        path = self.package.path
        return Path(os.path.abspath(path / name)).parent if path is not None and path.is_dir() else None

    def beside(self, name: str) -> Iterator[str]:
        folder = posixpath.dirname(name)
        return (other for other in self.package.list() if posixpath.dirname(other) == folder)

    def outside(self, name: str) -> Path | None:
        path = self.package.path
        if path is None or not path.is_dir() or not posixpath.normpath(name).startswith(".."):
            return None
        return path if os.path.isfile(path / name) else None

    def copy_of(self, url: str) -> PackageFile | None:  # noqa: ARG002  without a catalogue there is none
        return None


class DiskFiles:
    """Files below a root directory; names are relative to `base`, which lies in it, and may climb up to the root."""

    def __init__(self, base: Path, root: Path) -> None:
        self.base = base
        self.root = root
        self._files: dict[str, PackageFile | None] = {}

    def read(self, name: str) -> PackageFile | None:
        name = posixpath.normpath(name)
        if name not in self._files:
            self._files[name] = self._read(name)
        return self._files[name]

    def _read(self, name: str) -> PackageFile | None:
        path = self.base / name
        if not is_below(path, self.root):
            return None
        try:
            if not path.is_file() or path.stat().st_size > _LARGEST:
                return None
            return PackageFile(name, path.read_bytes())
        except (OSError, ValueError):
            return None

    def directory(self, name: str) -> Path | None:
        return (self.base / name).parent

    def beside(self, name: str) -> Iterator[str]:
        folder = (self.base / name).parent
        names = (
            sorted(entry.name for entry in folder.iterdir() if entry.is_file())
            if os.path.isdir(folder)
            else ()
        )
        return (posixpath.join(posixpath.dirname(name), other) for other in names)

    def outside(self, name: str) -> Path | None:
        return self.root if self.read(name) is None and os.path.isfile(self.base / name) else None

    def copy_of(self, url: str) -> PackageFile | None:  # noqa: ARG002  without a catalogue there is none
        return None


class CataloguedFiles:
    """Files of a package, and beyond them those of a catalogue, which have absolute paths as names."""

    def __init__(self, files: DocumentFiles, catalogue: ImportCatalog) -> None:
        self.files = files
        self.catalogue = catalogue
        self._read: dict[str, PackageFile | None] = {}

    def read(self, name: str) -> PackageFile | None:
        if not posixpath.isabs(name):
            return self.files.read(name)
        name = posixpath.normpath(name)
        if name not in self._read:
            self._read[name] = self.catalogue.read(name) or self.files.read(name)
        return self._read[name]

    def directory(self, name: str) -> Path | None:
        return Path(name).parent if posixpath.isabs(name) else self.files.directory(name)

    def beside(self, name: str) -> Iterator[str]:
        if not posixpath.isabs(name):
            yield from self.files.beside(name)
        yield from self.catalogue.documents()

    def outside(self, name: str) -> Path | None:
        return None if posixpath.isabs(name) else self.files.outside(name)

    def copy_of(self, url: str) -> PackageFile | None:
        path = self.catalogue.path_of(url)
        return None if path is None else self.read(path)


def files_of(package: LoadedPackage, trust: Trust, catalogue: ImportCatalog) -> DocumentFiles:
    """The files of a package with those of a catalogue."""
    files = _package_files(package, trust)
    return CataloguedFiles(files, catalogue) if catalogue else files


def _package_files(package: LoadedPackage, trust: Trust) -> DocumentFiles:
    """The files that the documents of a package may import.

    A single file may import what lies beside it, and above it as far as its project reaches: to the nearest folder with a mark of
    a project. Files anywhere else are for the operator to allow.
    """
    if package.path is None:
        return PackageFiles(package)
    whole = Path(os.path.abspath(package.path))
    if not package.single_file:
        return (
            DiskFiles(whole, Path(whole.anchor))
            if trust.outside and whole.is_dir()
            else PackageFiles(package)
        )
    base = whole.parent
    if trust.outside:
        return DiskFiles(base, Path(base.anchor))
    root = next(
        (above for above in (base, *base.parents) if any((above / mark).exists() for mark in _ROOT_MARKS)),
        base,
    )
    return DiskFiles(base, root)


def file_candidates(name: str, origin: DocumentOrigin) -> tuple[str, ...]:
    """Where a file is looked for: beside the one that names it, then from the root of the package; nowhere for what is
    no file of the package: an address, a name that is computed, what types that come along name."""
    if origin.shipped or "{" in name or urlsplit(name).scheme:
        return ()
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(origin.source.name), name))
    return beside, posixpath.normpath(name.lstrip("/"))


def files_named(topology: Topology) -> Iterator[str]:
    """By the names that they have in the package."""
    for name, origin in _list_file_references(topology):
        for candidate in file_candidates(name, origin):
            if topology.has_file is not None and topology.has_file(candidate):
                yield candidate
                break


def _list_file_references(topology: Topology) -> Iterator[tuple[str, DocumentOrigin]]:
    for kind in TypeKind:
        for type_ in topology.types[kind].values():
            yield from _in_interfaces(type_.interfaces.values())
            yield from _in_artifacts(type_.artifacts.values())
    for node in topology.node_templates.values():
        yield from _in_interfaces(node.interfaces.values())
        yield from _in_artifacts(node.artifacts.values())
    for relationship in topology.relationship_templates.values():
        yield from _in_interfaces(relationship.interfaces.values())
    for workflow in topology.workflows.values():
        yield from _in_implementation(workflow.implementation)


def _in_interfaces(interfaces: Iterable[InterfaceDefinition]) -> Iterator[tuple[str, DocumentOrigin]]:
    for interface in interfaces:
        for operation in (*interface.operations.values(), *interface.notifications.values()):
            yield from _in_implementation(operation.implementation)


def _in_implementation(implementation: Implementation | None) -> Iterator[tuple[str, DocumentOrigin]]:
    if implementation is None:
        return
    if implementation.artifact is not None:
        yield from _in_artifacts((implementation.artifact,))
    for name in (implementation.name, *(name for name, _ in implementation.dependencies)):
        if name:
            yield name, implementation.origin


def _in_artifacts(artifacts: Iterable[ArtifactDefinition]) -> Iterator[tuple[str, DocumentOrigin]]:
    for artifact in artifacts:
        if artifact.file is not None and artifact.repository is None:
            yield artifact.file, artifact.origin
