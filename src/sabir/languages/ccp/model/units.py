"""Units, the things that can be waited for, their cycles and their start order.

Every container and every single command is a unit, called `SERVICE/NAME`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from msgspec import Struct

from sabir.graph.order import strongly_connected
from sabir.languages.ccp.syntax.nodes import Command, Container, Definition, Reference, Stage

LOCAL = ":local"


class UnitDependency(Struct, frozen=True):
    """A dependency as the runner waits for it: a unit, on any node or on the same one."""

    unit: str
    local: bool

    def __str__(self) -> str:
        return f"{self.unit}{LOCAL}" if self.local else self.unit


class Unit(Struct, frozen=True, kw_only=True, eq=False):
    definition: Definition
    container: Container
    command: Command | None
    """The single command, or None when the unit is the container."""

    @property
    def id(self) -> str:
        return f"{self.service}/{self.name}"

    @property
    def service(self) -> str:
        return self.definition.service.name

    @property
    def name(self) -> str:
        """The name of the container or single command."""
        return self.container.name if self.command is None else self.command.name or ""

    @property
    def files(self) -> list[str]:
        """The names of the files that are written in it, sorted."""
        commands = self.container.local_commands if self.command is None else (self.command,)
        return sorted({reference.name for command in commands for reference in command.files})


class Units:
    """The units of all definitions, and the resolution of their dependencies."""

    def __init__(self, definitions: Iterable[Definition]) -> None:
        self.definitions: dict[str, Definition] = {
            definition.service.name: definition for definition in definitions
        }
        self.all: dict[str, Unit] = {}
        self._named: dict[str, list[str]] = {}
        self._of_service: dict[str, list[Unit]] = {}
        self._local_names: dict[str, str] = {}
        for service, definition in self.definitions.items():
            for container in definition.service.containers:
                self._add(service, container.name, definition, container, None)
                for command in container.single_commands:
                    self._add(service, command.name or "", definition, container, command)
                for command in container.local_commands:
                    if command.name:
                        self._local_names.setdefault(command.name, service)

    def _add(
        self, service: str, name: str, definition: Definition, container: Container, command: Command | None
    ) -> None:
        unit = Unit(definition=definition, container=container, command=command)
        self.all[f"{service}/{name}"] = unit
        self._of_service.setdefault(service, []).append(unit)
        self._named.setdefault(name, []).append(service)

    def of_service(self, service: str) -> list[Unit]:
        """Return the units of a service: containers and their single commands, in source order."""
        return self._of_service.get(service, [])

    def resolve(self, definition: Definition, reference: Reference) -> tuple[UnitDependency, ...]:
        """Return what a dependency waits for; nothing if the name is unknown."""
        name, _, suffix = reference.name.partition(":")
        if suffix not in ("", "local") or reference.name.endswith(":"):
            return ()
        local = suffix == "local"
        service_name = definition.service.name
        if name in definition.mapping:
            name = definition.mapping[name]
        else:
            service = self._holder(name, service_name, definition)
            if service is not None:
                return (UnitDependency(f"{service}/{name}", local),)
            # A definition that waits for itself by name means the instance it was rendered for.
            if name == definition.written_name and name != service_name:
                name = service_name
        holder = self._holder(name, service_name, definition)
        if holder is not None:
            return (UnitDependency(f"{holder}/{name}", local),)
        service_definition = self.definitions.get(name)
        if service_definition is None:
            return ()
        return tuple(
            UnitDependency(f"{name}/{container.name}", local)
            for container in service_definition.service.containers
        )

    def _holder(self, name: str, service_name: str, definition: Definition) -> str | None:
        """Return the service whose unit is meant: the own one, that of the same name, or the first by name."""
        holders = self._named.get(name)
        if not holders:
            return None
        if service_name in holders:
            return service_name
        if name in holders:
            return name
        first = min(holders)
        mapped = definition.mapping.get(first)
        return mapped if mapped in holders else first

    def resolve_all(
        self, definition: Definition, references: Iterable[Reference]
    ) -> tuple[UnitDependency, ...]:
        return tuple(
            dependency for reference in references for dependency in self.resolve(definition, reference)
        )

    def dependencies(self, unit: Unit) -> tuple[UnitDependency, ...]:
        """Return what the unit as a whole waits for, as its workflow lists it."""
        container, definition = unit.container, unit.definition
        if unit.command is not None:
            waited_for = self.resolve_all(definition, unit.command.dependencies)
            if unit.command.stage is Stage.POST:
                waited_for += (UnitDependency(f"{unit.service}/{container.name}", local=False),)
            return waited_for
        singles = tuple(
            UnitDependency(f"{unit.service}/{command.name}", local=False)
            for command in container.pre
            if command.single
        )
        return singles + self.resolve_all(definition, container.daemon.dependencies)

    @cached_property
    def needs(self) -> Mapping[str, tuple[str, ...]]:
        """Return every unit with the units it needs to become ready, including for its local commands."""
        needs: dict[str, tuple[str, ...]] = {}
        for unit in self.all.values():
            wanted = list(self.dependencies(unit))
            if unit.command is None:
                for command in (*unit.container.pre, *unit.container.post):
                    if not command.single:
                        wanted += self.resolve_all(unit.definition, command.dependencies)
            needs[unit.id] = tuple(dict.fromkeys(dependency.unit for dependency in wanted))
        return needs

    def services_needed(self) -> dict[str, list[str]]:
        """Return every service with all services it needs, directly or not, except itself."""
        direct: dict[str, set[str]] = {name: set() for name in self.definitions}
        for unit, wanted in self.needs.items():
            direct[self.all[unit].service] |= {self.all[need].service for need in wanted}
        out: dict[str, list[str]] = {}
        for name in direct:
            seen: set[str] = set()
            waiting = list(direct[name])
            while waiting:
                service = waiting.pop()
                if service not in seen:
                    seen.add(service)
                    waiting += direct[service]
            out[name] = sorted(seen - {name})
        return out

    @property
    def names(self) -> frozenset[str]:
        """Everything that a dependency can name."""
        return frozenset((*self._named, *self.definitions))

    def local_command(self, name: str) -> str | None:
        """Return the service that has a local command of this name."""
        return self._local_names.get(name)


def find_cycles(needs: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the groups of units that wait for each other, each sorted."""
    names = [*needs]
    number = {name: position for position, name in enumerate(names)}
    waits = [[number[target] for target in targets if target in number] for targets in needs.values()]
    groups = (group for group in strongly_connected(waits) if len(group) > 1 or group[0] in waits[group[0]])
    return sorted(tuple(sorted(names[position] for position in group)) for group in groups)


def start_order(needs: Mapping[str, Sequence[str]]) -> list[tuple[str, ...]]:
    """Return units in waves, each needing only earlier waves (Kahn). Units in a cycle are omitted."""
    missing = {unit: len(wanted) for unit, wanted in needs.items()}
    wanted_by: dict[str, list[str]] = {unit: [] for unit in needs}
    for unit, wanted in needs.items():
        for target in wanted:
            wanted_by[target].append(unit)
    wave = sorted(unit for unit, count in missing.items() if count == 0)
    waves: list[tuple[str, ...]] = []
    while wave:
        waves.append(tuple(wave))
        following: list[str] = []
        for unit in wave:
            for waiting in wanted_by[unit]:
                missing[waiting] -= 1
                if missing[waiting] == 0:
                    following.append(waiting)
        wave = sorted(following)
    return waves
