"""Which files of a package are TOSCA, and which of them is the one to begin with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.documents import LoadedTopology, load_topology
from sabir.languages.tosca.syntax.ensembles import NO_SINGLE_TEMPLATE, is_ensemble, is_project, load_ensemble
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.files import files_of
from sabir.languages.tosca.syntax.manifests import first_field, meta_file
from sabir.languages.tosca.syntax.project import PROJECT_FILE
from sabir.languages.tosca.syntax.recognition import list_candidate_files
from sabir.session import Session, Trust
from sabir.source.catalogue import ImportCatalog
from sabir.source.packages import LoadedPackage, PackageFile

MISSING_ENTRY: Final = tosca_rule(
    code="TOSCA:E028",
    title="the archive names an entry that it does not hold",
    why="TOSCA-Metadata/TOSCA.meta says with Entry-Definitions which template to begin with, and that file is missing.",
)


_TOPOLOGY: Final = rb"(?m)^(topology_template|service_template)\s*:"
_USUAL: Final = (
    "ensemble.yaml",
    "service-template.yaml",
    "service_template.yaml",
    "service.yaml",
    "main.yaml",
    "template.yaml",
)


class _SessionMark:
    """Tells sessions apart: what one of them read of a package is not for another."""


class _Documents:
    """The documents of a package: a check reads them, and the evaluation after it again."""

    def __init__(self, package: LoadedPackage) -> None:
        self._package = package
        self._read: dict[tuple[_SessionMark, str, Trust, ImportCatalog], LoadedTopology] = {}

    def load(self, name: str, reading: LoadContext) -> LoadedTopology:
        key = reading.session.cache(_SessionMark), name, reading.session.trust, reading.catalogue
        loaded = self._read.get(key)
        if loaded is None:
            loaded = self._read[key] = _read_document(self._package, name, reading)
        return loaded


class LoadContext(Struct, frozen=True, eq=False):
    """What documents are read with."""

    session: Session
    catalogue: ImportCatalog = ImportCatalog()


def _read_document(package: LoadedPackage, name: str, reading: LoadContext) -> LoadedTopology:
    files = files_of(package, reading.session.trust, reading.catalogue)
    file = package.get_file(name)
    if file is not None and is_ensemble(file):
        return load_ensemble(files, file)
    return load_topology(files, name)


def _load_document(package: LoadedPackage, name: str, reading: LoadContext) -> LoadedTopology:
    return package.attached(_Documents).load(name, reading)


def load_entry(package: LoadedPackage, reading: LoadContext) -> LoadedTopology:
    """The one service template to evaluate; a finding when there is none, or more than one to choose from."""
    names, problem = _find_entry(package, reading)
    if problem is not None:
        return LoadedTopology(topology=None, findings=(problem,))
    if len(names) == 1:
        return _load_document(package, names[0], reading)
    message = (
        "there are several service templates: " + ", ".join(names[:8]) + (" …" if len(names) > 8 else "")
    )
    where = names[0] if names else package.name
    hint = "name the one to begin with: its path instead of the folder's"
    if _is_archive(package):
        hint = "name the one to begin with in TOSCA-Metadata/TOSCA.meta: 'Entry-Definitions: PATH'"
    if not names:
        message, hint = (
            "there is no service template here",
            "a service template has a 'topology_template' (TOSCA 2.0: a 'service_template')",
        )
    return LoadedTopology(topology=None, findings=(NO_SINGLE_TEMPLATE.about_file(where, message, hint=hint),))


def load_entries(package: LoadedPackage, reading: LoadContext) -> Iterator[LoadedTopology]:
    """Every document of the package that no other imports, each with what it imports."""
    names, problem = _find_entry(package, reading)
    if problem is not None:
        yield LoadedTopology(topology=None, findings=(problem,))
    imported: set[str] = set()
    # What the entry of an archive does not reach belongs to somebody else: other profiles, tests, what was left there.
    rest = (
        []
        if names and _is_archive(package)
        else [name for name in _list_templates(package) if name not in names]
    )
    for name in [*names, *rest]:
        if name in imported:
            continue
        loaded = _load_document(package, name, reading)
        imported.update(loaded.files)
        yield loaded


def _find_entry(package: LoadedPackage, reading: LoadContext) -> tuple[list[str], Finding | None]:
    meta = meta_file(package)
    if meta is not None:
        return _entry_of_meta(package, meta)
    names = _list_templates(package)
    if len(names) <= 1:
        return names, None
    project = package.get_file(PROJECT_FILE)
    if (
        project is not None
        and is_project(project)
        and _load_document(package, PROJECT_FILE, reading).topology is not None
    ):
        return [PROJECT_FILE], None
    for usual in _USUAL:
        if usual in names:
            return [usual], None
    top = [name for name in names if "/" not in name]
    if len(top) == 1:
        return top, None
    with_topology = [name for name in names if _has_topology(package, name)]
    imported = {
        file
        for name in with_topology
        for file in _load_document(package, name, reading).files
        if file != name
    }
    chosen = [name for name in with_topology if name not in imported]
    return (chosen or with_topology), None


def _list_templates(package: LoadedPackage) -> list[str]:
    """What may be an entry: the file of a project is none where there is anything else."""
    names = list(list_candidate_files(package))
    files = {name: package.get_file(name) for name in names}
    return [name for name, file in files.items() if file is None or not is_project(file)] or names


def _is_archive(package: LoadedPackage) -> bool:
    if meta_file(package) is not None:
        return True
    path = package.path
    return path is not None and not package.single_file and path.is_file()


def _entry_of_meta(package: LoadedPackage, meta: PackageFile) -> tuple[list[str], Finding | None]:
    if meta.defect is not None:
        return [], meta.defect
    entry = first_field(meta.source, "Entry-Definitions")
    if entry is None:
        hint = "add a line 'Entry-Definitions: ' with the path of the service template"
        return [], MISSING_ENTRY.about_file(meta.source, "TOSCA.meta has no Entry-Definitions", hint=hint)
    if package.exists(entry.value):
        return [entry.value], None
    hint = did_you_mean(entry.value, package.list()) or "name a file by its path from the root of the archive"
    message = f"Entry-Definitions names {entry.value!r}, which is not in the archive"
    return [], MISSING_ENTRY.at(entry.place, message, hint=hint)


def _has_topology(package: LoadedPackage, name: str) -> bool:
    file = package.get_file(name)
    return file is not None and re.search(_TOPOLOGY, file.raw()) is not None
