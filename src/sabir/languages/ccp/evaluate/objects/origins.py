"""Recording of what objects are made from: values of definitions, settings, and texts of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct, structs

from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.recording.nodes import WatchedNodes, unwrap_node
from sabir.languages.ccp.syntax.recording.templates import WatchedSettings
from sabir.provenance import ReadTracker, Sources

_Made = TypeVar("_Made")


class Owner(Enum):
    """The owner of a value that was read; a value of a definition belongs to its node."""

    CONFIGURATION = "configuration"
    """By the path."""
    HOSTS = "hosts"
    """Of a service, by a path of its name."""
    CONTENT = "content"
    """The files of a unit as a container has them, by its id."""
    RUNNER = "runner"
    """What the runner reads itself."""
    TEXT = "text"
    """The template of a file, by its definition and its name there."""
    EXPORTS = "exports"
    """The macros that all components share."""


class MadeFrom(Struct, frozen=True, eq=False):
    """What was read for an object, for its separately recorded parts and for the rest."""

    parts: Mapping[str, Sources] = {}
    rest: Sources = ()


class ObjectReads:
    """Watches a deployment while its objects are made one after the other."""

    def __init__(self, resolved: ResolvedDeployment) -> None:
        self.resolved = resolved
        """As it is: reading from it is not noted."""
        self._computing = ReadTracker()
        self._parts: dict[str, Sources] = {}

    def watch_deployment(self) -> ResolvedDeployment:
        """Return an equivalent deployment that records what is read from it."""
        deployment, topology = self.resolved.deployment, self.resolved.topology
        nodes = WatchedNodes(self._computing)
        definitions = tuple(map(nodes.of, deployment.definitions))
        configuration = structs.replace(
            deployment.configuration, data=self._settings(Owner.CONFIGURATION, deployment.configuration.data)
        )
        if topology is not None:
            topology = structs.replace(topology, services=self._settings(Owner.HOSTS, topology.services))
        return ResolvedDeployment(
            deployment=structs.replace(deployment, definitions=definitions, configuration=configuration),
            units=Units(definitions),
            topology=topology,
        )

    def _settings(self, owner: Owner, values: Any) -> WatchedSettings:
        return WatchedSettings(self._computing, owner, (), values)

    def each(self, objects: Iterator[_Made]) -> Iterator[tuple[_Made, MadeFrom]]:
        """Yield objects, each with what was read to make it. Reads after the last object are dropped."""
        while True:
            self._parts = {}
            before = self._computing.open()
            rendered = next(objects, None)
            rest = self._computing.close(before)
            if rendered is None:
                return
            yield rendered, MadeFrom(self._parts, rest)

    def part(self, name: str, make: Callable[[], _Made]) -> _Made:
        before = self._computing.open()
        part = make()
        self._parts[name] = self._computing.close(before)
        return part

    def note_runner(self) -> None:
        self._note(Owner.RUNNER, None)

    def note_content(self, unit: str) -> None:
        self._note(Owner.CONTENT, unit)

    def note_text(self, definition: Definition, name: str) -> None:
        self._note(Owner.TEXT, (unwrap_node(definition), name))

    def note_exports(self) -> None:
        self._note(Owner.EXPORTS, None)

    def _note(self, owner: Owner, name: object) -> None:
        self._computing.reads.append((owner, name))
