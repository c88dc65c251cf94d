"""The files that a topology names beside its documents: scripts and other artifacts."""

from __future__ import annotations

import posixpath
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from sabir.languages.tosca.syntax.nodes import (
    ArtifactDefinition,
    Implementation,
    InterfaceDefinition,
    Origin,
    Topology,
)
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["file_candidates", "files_named"]


def file_candidates(name: str, origin: Origin) -> tuple[str, ...]:
    """Where a file is looked for: beside the one that names it, then from the root of the package; nowhere for what is
    no file of the package: an address, a name that is computed, what types that come along name."""
    if origin.shipped or "{" in name or urlsplit(name).scheme:
        return ()
    beside = posixpath.normpath(posixpath.join(posixpath.dirname(origin.source.name), name))
    return beside, posixpath.normpath(name.lstrip("/"))


def files_named(topology: Topology) -> Iterator[str]:
    """By the names that they have in the package."""
    for name, origin in _named(topology):
        for candidate in file_candidates(name, origin):
            if topology.has_file is not None and topology.has_file(candidate):
                yield candidate
                break


def _named(topology: Topology) -> Iterator[tuple[str, Origin]]:
    for kind in Kind:
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


def _in_interfaces(interfaces: Iterable[InterfaceDefinition]) -> Iterator[tuple[str, Origin]]:
    for interface in interfaces:
        for operation in (*interface.operations.values(), *interface.notifications.values()):
            yield from _in_implementation(operation.implementation)


def _in_implementation(implementation: Implementation | None) -> Iterator[tuple[str, Origin]]:
    if implementation is None:
        return
    if implementation.artifact is not None:
        yield from _in_artifacts((implementation.artifact,))
    for name in (implementation.name, *(name for name, _ in implementation.dependencies)):
        if name:
            yield name, implementation.origin


def _in_artifacts(artifacts: Iterable[ArtifactDefinition]) -> Iterator[tuple[str, Origin]]:
    for artifact in artifacts:
        if artifact.file is not None and artifact.repository is None:
            yield artifact.file, artifact.origin
