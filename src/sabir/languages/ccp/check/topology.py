"""The last phase: cycles, and the replicas against the topology."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.model.cycles import find_cycles
from sabir.languages.ccp.model.topology import Topology
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import UNKNOWN_SERVICE, Deployment
from sabir.languages.ccp.syntax.examples import ccp_rule
from sabir.languages.ccp.syntax.fault import Fault, build_fault
from sabir.languages.ccp.syntax.nodes import WorkloadKind
from sabir.languages.ccp.syntax.reading import CONFLICT

__all__ = ["check_cycles", "check_replicas"]

DEPENDENCY_CYCLE: Final = ccp_rule(
    code="CCP:E041",
    title="dependencies in a circle",
    why="Each of them waits for the next, so none ever starts.",
)

TOO_MANY_REPLICAS: Final = ccp_rule(
    code="CCP:E051",
    title="more replicas than nodes",
    why="A service runs on the nodes of its roles, and there are fewer of them than replicas asked for.",
)


def check_cycles(units: Units) -> Iterator[Fault]:
    for cycle in find_cycles(units.needs):
        members = set(cycle)
        way = _way(units, cycle[0], members)
        unit = units.all[cycle[0]]
        place = unit.command.place if unit.command is not None else unit.container.name_place
        yield build_fault(
            DEPENDENCY_CYCLE,
            "",
            place,
            f"these wait for each other for ever: {' → '.join(way)}",
            units=cycle,
            related=tuple(
                (units.all[unit_id].container.name_place, f"{unit_id} is defined here")
                for unit_id in cycle[1:8]
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


def check_replicas(deployment: Deployment, topology: Topology | None) -> Iterator[Fault]:
    configuration = deployment.configuration
    definitions = {definition.service.name: definition for definition in deployment.definitions}
    deployed = [name for name in definitions if topology is None or topology.has(name)]
    for name, wanted in configuration.section("replicas").items():
        path, place = f"replicas.{name}", configuration.place("replicas", name)
        definition = definitions.get(name)
        if definition is None or (topology is not None and not topology.has(name)):
            why = "is not part of the topology" if definition is not None else "is not defined"
            message = f"{path}: service {name!r} {why}"
            hint = did_you_mean(name, deployed)
            yield build_fault(
                UNKNOWN_SERVICE, path, configuration.key_place("replicas", name), message, hint=hint
            )
            continue
        if definition.service.kind is WorkloadKind.DAEMON_SET:
            message = (
                f"{path}: service {name!r} is a DaemonSet, which runs once on every node; it has no replicas"
            )
            yield build_fault(CONFLICT, path, place, message, hint="remove the line")
            continue
        hosts = topology.services[name] if topology is not None else None
        if hosts is not None and wanted > len(hosts):
            message = f"{path}: {wanted} replicas, but the roles of {name!r} are on {len(hosts)} nodes ({', '.join(hosts)})"
            yield build_fault(TOO_MANY_REPLICAS, path, place, message)
