"""The last phase: cycles, and the replicas against the topology."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.diagnostics.near import did_you_mean
from sabir.languages.ccp.model.cycles import find_cycles
from sabir.languages.ccp.model.topology import Topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import WorkloadKind
from sabir.languages.ccp.syntax.violation import Kind, Violation

__all__ = ["check_cycles", "check_replicas"]


def check_cycles(units: Units) -> Iterator[Violation]:
    for cycle in find_cycles(units.needs):
        members = set(cycle)
        way = _way(units, cycle[0], members)
        unit = units.all[cycle[0]]
        place = unit.command.place if unit.command is not None else unit.container.name_place
        yield Violation(
            kind=Kind.DEPENDENCY_CYCLE,
            path="",
            message=f"these wait for each other for ever: {' → '.join(way)}",
            place=place,
            units=cycle,
            related=tuple(
                (units.all[one].container.name_place, f"{one} is defined here") for one in cycle[1:8]
            ),
        )


def _way(units: Units, start: str, members: set[str]) -> list[str]:
    """A shortest way from a unit back to itself, for people to read."""
    before: dict[str, str] = {}
    waiting = [start]
    for unit in waiting:
        for needed in units.needs[unit]:
            if needed == start:
                way = [start]
                while unit != start:
                    way.append(unit)
                    unit = before[unit]
                return [start, *reversed(way[1:]), start]
            if needed in members and needed not in before:
                before[needed] = unit
                waiting.append(needed)
    return [start]


def check_replicas(deployment: Deployment, topology: Topology | None) -> Iterator[Violation]:
    configuration = deployment.configuration
    definitions = {one.service.name: one for one in deployment.definitions}
    known = [name for name in definitions if topology is None or topology.has(name)]
    for name, wanted in configuration.section("replicas").items():
        path, place = f"replicas.{name}", configuration.place("replicas", name)
        definition = definitions.get(name)
        if definition is None or (topology is not None and not topology.has(name)):
            why = "is not part of the topology" if definition is not None else "is not defined"
            message = f"{path}: service {name!r} {why}"
            hint = did_you_mean(name, known)
            yield Violation(kind=Kind.UNKNOWN_SERVICE, path=path, message=message, place=place, hint=hint)
            continue
        if definition.service.kind is WorkloadKind.DAEMON_SET:
            message = (
                f"{path}: service {name!r} is a DaemonSet, which runs once on every node; it has no replicas"
            )
            yield Violation(
                kind=Kind.CONFLICT, path=path, message=message, place=place, hint="remove the line"
            )
            continue
        hosts = topology.services[name] if topology is not None else None
        if hosts is not None and wanted > len(hosts):
            message = f"{path}: {wanted} replicas, but the roles of {name!r} are on {len(hosts)} nodes ({', '.join(hosts)})"
            yield Violation(kind=Kind.TOO_MANY_REPLICAS, path=path, message=message, place=place)
