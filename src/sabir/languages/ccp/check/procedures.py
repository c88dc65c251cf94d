"""Checks dependencies that nothing provides, and the names that actions and upgrades refer to."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.check.names import build_duplicate_fault
from sabir.languages.ccp.check.references import references_of
from sabir.languages.ccp.check.review import UNMATCHED_TOPOLOGY
from sabir.languages.ccp.model.procedures import command_steps, services_of
from sabir.languages.ccp.model.topology import ServiceTopology
from sabir.languages.ccp.model.units import LOCAL, Units
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.nodes import Definition, Reference
from sabir.languages.ccp.syntax.procedures import Action, Procedure, Upgrade
from sabir.languages.ccp.syntax.reader import BAD_FORMAT
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule
from sabir.text import Place

UNKNOWN_DEPENDENCY: Final = ccp_rule(
    code="CCP:E040",
    title="dependency that nothing provides",
    why=(
        "A dependency names a container, a single command or a service. The pod would wait until its time is up. Local "
        "commands cannot be waited for."
    ),
)


def check_dependencies(units: Units) -> Iterator[Fault]:
    names = units.names
    for definition in units.definitions.values():
        yield from dependencies_of(units, definition, names)


def dependencies_of(units: Units, definition: Definition, names: frozenset[str]) -> Iterator[Fault]:
    """Report unknown dependencies of one definition; `names` is everything a dependency can name."""
    for container in definition.service.containers:
        for command in container.commands:
            for reference in command.dependencies:
                if not units.resolve(definition, reference):
                    yield _report_unknown_dependency(units, reference, names)


def _report_unknown_dependency(units: Units, reference: Reference, names: frozenset[str]) -> Fault:
    name = reference.name.removesuffix(LOCAL)
    hint = did_you_mean(name, names)
    owner = units.local_command(name)
    if owner is not None:
        hint = f"{name!r} is a local command of {owner!r}; only type: single can be waited for"
    return build_fault(
        UNKNOWN_DEPENDENCY,
        reference.path,
        reference.place,
        f"{reference.path}: there is no container, single command or service {name!r}",
        hint=hint,
    )


UNKNOWN_STEP_SERVICE: Final = ccp_rule(
    code="CCP:E052",
    title="upgrade step names a service that its component has not",
    why="An upgrade stops and rolls the services of its own component; another name would do nothing.",
)

_LONGEST_NAME: Final = 63


def check_procedures(deployment: Deployment) -> Iterator[Fault]:
    """Report what can be checked in an action or upgrade without the rest of the deployment."""
    names: dict[str, Place] = {}
    for procedure in deployment.procedures:
        kind = "action" if isinstance(procedure, Action) else "upgrade"
        first = names.setdefault(f"{kind} {procedure.name!r}", procedure.name_place)
        if first is not procedure.name_place:
            path = f"{procedure.path}.name"
            yield build_duplicate_fault(path, procedure.name_place, f"{kind} {procedure.name!r}", first)
        yield from _job_names(procedure)
        for definition in _list_definitions(procedure):
            yield from references_of(procedure.component, definition)
        if isinstance(procedure, Upgrade):
            yield from _check_steps(procedure)
            yield from _check_services(procedure, deployment.definitions)


def _list_definitions(procedure: Procedure) -> Iterator[Definition]:
    """Return the service that stands for the procedure, if it has commands."""
    step = next(command_steps(procedure), None)
    if step is not None:
        yield step.unit.definition


def _job_names(procedure: Procedure) -> Iterator[Fault]:
    for step in command_steps(procedure):
        if len(step.job) > _LONGEST_NAME:
            command = step.unit.container.daemon
            message = f"{command.path}.name: the Job would be called {step.job!r}, {len(step.job)} characters; 63 is the most"
            yield build_fault(BAD_FORMAT, f"{command.path}.name", command.name_place, message)


def _check_steps(upgrade: Upgrade) -> Iterator[Fault]:
    seen: dict[str, Place] = {}
    for step in upgrade.steps:
        first = seen.setdefault(step.name, step.name_place)
        if first is not step.name_place:
            yield build_duplicate_fault(f"{step.path}.name", step.name_place, f"step {step.name!r}", first)


def _check_services(upgrade: Upgrade, definitions: tuple[Definition, ...]) -> Iterator[Fault]:
    ours = services_of(upgrade.component, definitions)
    written = [definition.written_name for definition in definitions if definition.service.name in ours]
    names = {*ours, *written}
    for step in upgrade.steps:
        for reference in step.services or ():
            if reference.name not in names:
                message = f"{reference.path}: the component {upgrade.component.name!r} has no service {reference.name!r}"
                hint = did_you_mean(reference.name, names)
                yield build_fault(UNKNOWN_STEP_SERVICE, reference.path, reference.place, message, hint=hint)


def check_procedure_dependencies(deployment: Deployment, units: Units) -> Iterator[Fault]:
    names = units.names
    for procedure in deployment.procedures:
        for definition in _list_definitions(procedure):
            yield from dependencies_of(units, definition, names)


def review_procedures(deployment: Deployment, topology: ServiceTopology | None) -> Iterator[Fault]:
    """Report commands that are bound to nodes which no role names."""
    for procedure in deployment.procedures:
        for step in procedure.steps if isinstance(procedure, Upgrade) and topology is not None else ():
            key = step.topology_key
            if key is not None and topology is not None and not topology.has(key.name):
                message = f"{key.path}: no role lists {key.name!r}, so the step may run on any node"
                hint = f"add {key.name!r} to a role whose nodes it may run on"
                yield build_fault(UNMATCHED_TOPOLOGY, key.path, key.place, message, hint=hint)
