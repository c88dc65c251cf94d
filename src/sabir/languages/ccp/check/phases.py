"""The phases of the contract: a later phase runs only if the earlier ones found no error.

All faults of one phase are reported together. The last phase checks cycles among units, and replicas
against the topology. DSL versions follow the three rules of the document; keys that are newer than the
version a definition claims are reported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Severity
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.check.names import check_names, check_ports, check_volumes
from sabir.languages.ccp.check.procedures import (
    check_dependencies,
    check_procedure_dependencies,
    check_procedures,
    review_procedures,
)
from sabir.languages.ccp.check.references import check_references, check_secret_objects
from sabir.languages.ccp.check.review import NOT_DEPLOYED, UNMATCHED_TOPOLOGY, review_deployment
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.topology import ServiceTopology, read_topology
from sabir.languages.ccp.model.units import Units, find_cycles
from sabir.languages.ccp.syntax.configuration_form import NOT_HEEDED, UNKNOWN_SECTION
from sabir.languages.ccp.syntax.deployment import UNKNOWN_SERVICE, Deployment
from sabir.languages.ccp.syntax.nodes import Definition, WorkloadKind
from sabir.languages.ccp.syntax.overrides import REPLACES_NOTHING
from sabir.languages.ccp.syntax.reader import CONFLICT
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule
from sabir.lazy import lazy_pattern

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
        way = _find_cycle_path(units, cycle[0], members)
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


def _find_cycle_path(units: Units, start: str, members: set[str]) -> list[str]:
    """Return a shortest path from a unit back to itself, for the message."""
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


def check_replicas(deployment: Deployment, topology: ServiceTopology | None) -> Iterator[Fault]:
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


BAD_VERSION: Final = ccp_rule(
    code="CCP:E020",
    title="dsl_version is not MAJOR.MINOR.PATCH",
    why="Versions are compared part by part, as numbers; there are always three of them.",
)

VERSION_NEWER: Final = ccp_rule(
    code="CCP:E021",
    title="definition needs a newer framework",
    why="Rule 1 of the document: when the framework is older than the definition they are incompatible.",
)

VERSION_MAJOR: Final = ccp_rule(
    code="CCP:E022",
    title="definition is of another major version",
    why="Rule 2 of the document: when the MAJOR parts differ they are incompatible.",
)

NEWER_FEATURE: Final = ccp_rule(
    code="CCP:W001",
    title="key is newer than the dsl_version",
    why="A framework of the version claimed would not know the key. Claim the least version that has it.",
)

_version_pattern: Final = lazy_pattern(r"(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})\.(0|[1-9][0-9]{0,8})")

Version = tuple[int, int, int]


def parse_version(text: str) -> Version | None:
    match = _version_pattern().fullmatch(text)
    return (int(match[1]), int(match[2]), int(match[3])) if match else None


def check_versions(deployment: Deployment) -> Iterator[Fault]:
    framework = parse_version(deployment.dsl_version)
    if framework is None:
        raise ValueError(f"{deployment.dsl_version!r} is no DSL version")
    for definition in deployment.definitions:
        version = parse_version(definition.version)
        service = definition.service.name
        if version is None:
            message = f"dsl_version {definition.version!r} is not MAJOR.MINOR.PATCH"
            yield _wrong_version(BAD_VERSION, definition, message, "as in 0.4.0")
        elif framework < version:
            message = f"service {service!r} needs DSL {definition.version}; this framework speaks {deployment.dsl_version}"
            yield _wrong_version(VERSION_NEWER, definition, message, "use a newer framework")
        elif framework[0] != version[0]:
            message = f"service {service!r} is written for DSL {definition.version}; another MAJOR than {deployment.dsl_version}"
            yield _wrong_version(VERSION_MAJOR, definition, message, "bring the definition up to date")


def _wrong_version(rule: Rule, definition: Definition, message: str, hint: str) -> Fault:
    return build_fault(rule, "dsl_version", definition.version_place, message, hint=hint)


def newer_features(deployment: Deployment) -> Iterator[Fault]:
    """Report keys newer than the claimed version, with the lowest version that has them all."""
    for definition in deployment.definitions:
        version = parse_version(definition.version)
        for feature in definition.features:
            if version is not None and version < feature.since:
                since = ".".join(map(str, feature.since))
                message = (
                    f"{feature.path} came with DSL {since}, but the definition claims {definition.version}"
                )
                yield build_fault(
                    NEWER_FEATURE, feature.path, feature.place, message, hint=f"set dsl_version: {since}"
                )


_CONSEQUENTIAL: Final = frozenset(
    rule.code for rule in (NOT_DEPLOYED, UNMATCHED_TOPOLOGY, UNKNOWN_SECTION, NOT_HEEDED, REPLACES_NOTHING)
)


class CheckedDeployment(Struct, frozen=True, kw_only=True, eq=False):
    """A deployment with all its faults; `resolved` is set only if there is no error."""

    deployment: Deployment
    errors: tuple[Fault, ...]
    warnings: tuple[Fault, ...]
    resolved: ResolvedDeployment | None = None

    @property
    def consequential(self) -> tuple[Fault, ...]:
        """Errors, and warnings that the deployment differs from what was requested. Advice is omitted."""
        return (*self.errors, *(fault for fault in self.warnings if fault.code in _CONSEQUENTIAL))

    @property
    def findings(self) -> tuple[Fault, ...]:
        return (*self.errors, *self.warnings)


def check_deployment(deployment: Deployment) -> CheckedDeployment:
    warnings = [fault for fault in deployment.faults if fault.severity is Severity.WARNING]
    warnings += newer_features(deployment)
    errors = [fault for fault in deployment.faults if fault.severity is Severity.ERROR]
    if not errors:
        errors += check_versions(deployment)
        errors += check_names(deployment)
        errors += check_ports(deployment)
        errors += check_volumes(deployment)
        errors += check_references(deployment)
        errors += check_secret_objects(deployment)
        errors += check_procedures(deployment)
    if errors:
        return _build_failure(deployment, errors, warnings)
    units = Units(deployment.definitions)
    errors += check_dependencies(units)
    errors += check_procedure_dependencies(deployment, units)
    if errors:
        return _build_failure(deployment, errors, warnings)
    topology = read_topology(deployment.configuration)
    errors += check_cycles(units)
    errors += check_replicas(deployment, topology)
    if errors:
        return _build_failure(deployment, errors, warnings)
    warnings += review_deployment(deployment, units, topology)
    warnings += review_procedures(deployment, topology)
    return CheckedDeployment(
        deployment=deployment,
        errors=(),
        warnings=tuple(warnings),
        resolved=ResolvedDeployment(deployment=deployment, units=units, topology=topology),
    )


def _build_failure(
    deployment: Deployment, errors: Iterable[Fault], warnings: Iterable[Fault]
) -> CheckedDeployment:
    return CheckedDeployment(deployment=deployment, errors=_drop_duplicates(errors), warnings=tuple(warnings))


def _drop_duplicates(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults without repetitions: a definition's named instances have the same faults."""
    distinct: dict[tuple[object, ...], Fault] = {}
    for fault in faults:
        key = (fault.code, fault.path, fault.place.source.name, fault.place.span, fault.units)
        distinct.setdefault(key, fault)
    return tuple(distinct.values())
