"""A service template, loaded: its topology, and what is wrong with its documents."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.interpreter import collector_paused
from sabir.languages.tosca.syntax.dialects import (
    ToscaDialect,
    dialect_of_document,
    document_of,
    readable_document,
)
from sabir.languages.tosca.syntax.files import DiskFiles, DocumentFiles
from sabir.languages.tosca.syntax.imports import MISSING_IMPORT
from sabir.languages.tosca.syntax.loader import TopologyLoader
from sabir.languages.tosca.syntax.nodes import (
    Topology,
)
from sabir.languages.tosca.syntax.project import ProjectValues
from sabir.source.packages import PackageFile


class RecordedInstance(Struct, frozen=True, kw_only=True):
    """What an ensemble knows of an instance."""

    attributes: Mapping[str, Any]
    status: str | None = None
    state: str | None = None


class LoadedTopology(Struct, frozen=True, kw_only=True):
    """A topology as far as it could be read, and what is wrong with its documents."""

    topology: Topology | None
    findings: tuple[Finding, ...]
    broken: bool = False
    """True when the document itself cannot be read as it is: the topology is what is left of it, for whoever edits it. Nothing is
    concluded from that, as what is missing may stand in the part that was lost."""
    files: tuple[str, ...] = ()
    """The documents that were read."""
    inputs: Mapping[str, Any] = {}
    """Inputs that an ensemble gives."""
    recorded: Mapping[str, RecordedInstance] = {}
    """Instances that an ensemble records, by the name of their template."""
    values: ProjectValues = ProjectValues()
    """Locals and secrets that an ensemble holds."""


def load_file(path: Path) -> LoadedTopology:
    """A service template from disk, with imports from its directory and below."""
    return load_topology(DiskFiles(path.parent, path.parent), path.name)


def load_topology(files: DocumentFiles, name: str) -> LoadedTopology:
    with collector_paused():
        return _read_topology(files, name)


def _read_topology(files: DocumentFiles, name: str) -> LoadedTopology:
    file = files.read(name)
    if file is None:
        return LoadedTopology(
            topology=None, findings=(MISSING_IMPORT.about_file(name, f"there is no file {name!r}"),)
        )
    gathering = TopologyLoader(files)
    root = document_of(file, gathering.findings)
    dialect = None if root is None else dialect_of_document(root, file, gathering.findings)
    if root is None or dialect is None:
        topology = _recover_topology(files, file)
        return LoadedTopology(
            topology=topology, findings=tuple(gathering.findings), broken=True, files=(name,)
        )
    gathering.read_document(file, root, dialect, prefix="")
    return LoadedTopology(
        topology=gathering.topology(file, dialect),
        findings=gathering.unique_findings(),
        files=tuple(gathering.seen),
    )


def _recover_topology(files: DocumentFiles, file: PackageFile) -> Topology | None:
    """What can still be read of a document whose YAML or dialect is wrong."""
    root = readable_document(file)
    if root is None:
        return None
    gathering = TopologyLoader(files)
    gathering.complete = False
    dialect = dialect_of_document(root, file, []) or ToscaDialect("", 1)
    gathering.read_document(file, root, dialect, prefix="")
    return gathering.topology(file, dialect)
