"""Actions and upgrades as definitions: each becomes a service that has only single commands.

So their files, workflows, Jobs and checks are those of any single command.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.nodes import Command, Container, Definition, File, Service
from sabir.languages.ccp.syntax.procedures import ACTION_PARAMETERS, Action, Procedure, Upgrade, UpgradeStep


class CommandStep(Struct, frozen=True, kw_only=True, eq=False):
    """A command of an action or upgrade, as the unit that its Job runs."""

    unit: Unit
    step: UpgradeStep | None = None
    """None: the only one of an action."""

    @property
    def job(self) -> str:
        """The name of its Job."""
        service = self.unit.service
        return service if self.step is None else f"{service}-{self.step.name}"


def command_steps(procedure: Procedure, arguments: Mapping[str, Any] | None = None) -> Iterator[CommandStep]:
    """Return the commands of a procedure in order; `arguments` override the defaults of an action."""
    if isinstance(procedure, Action):
        yield CommandStep(unit=_action_unit(procedure, {**procedure.parameters, **(arguments or {})}))
        return
    commands = [step for step in procedure.steps if step.command is not None]
    containers = tuple(_step_container(procedure, step) for step in commands)
    definition = _build_definition(procedure, procedure.name, containers, procedure.files)
    for step, container in zip(commands, containers, strict=True):
        yield CommandStep(unit=_build_unit(definition, container), step=step)


def _action_unit(action: Action, parameters: Mapping[str, Any]) -> Unit:
    container = _command_container(action, action.name, action.command)
    definition = _build_definition(action, f"action-{action.name}", (container,), action.files)
    return _build_unit(replace(definition, configs={ACTION_PARAMETERS: dict(parameters)}), container)


def _step_container(upgrade: Upgrade, step: UpgradeStep) -> Container:
    assert step.command is not None
    return replace(_command_container(upgrade, step.name, step.command), volumes=step.volumes)


def _command_container(procedure: Procedure, name: str, command: Command) -> Container:
    return Container(
        path=procedure.path,
        place=procedure.place,
        yaml=procedure.yaml,
        name=name,
        name_place=procedure.name_place,
        image=procedure.image,
        image_place=procedure.image_place,
        pre=(command,),
        daemon=command,
    )


def _build_definition(
    procedure: Procedure, name: str, containers: tuple[Container, ...], files: Mapping[str, File]
) -> Definition:
    component: Component = procedure.component
    service = Service(
        path=procedure.path,
        place=procedure.place,
        yaml=procedure.yaml,
        name=name,
        name_place=procedure.name_place,
        containers=containers,
        pod_annotations={},
        service_annotations={},
    )
    return Definition(
        component=component.name,
        file=procedure.place.source.name,
        root=component.root,
        version="",
        version_place=procedure.place,
        service=service,
        written_name=name,
        mapping={},
        configs={},
        files=files,
        secrets={},
    )


def _build_unit(definition: Definition, container: Container) -> Unit:
    (command,) = container.pre
    return Unit(definition=definition, container=container, command=command)


def topology_keys(procedures: Iterable[Procedure]) -> set[str]:
    """Return the names in roles that stand for steps of upgrades, not for services."""
    steps = (step for procedure in procedures if isinstance(procedure, Upgrade) for step in procedure.steps)
    return {step.topology_key.name for step in steps if step.topology_key is not None}


def services_of(component: Component, definitions: Iterable[Definition]) -> list[str]:
    """Return the services of a component, including named instances of its definitions."""
    return [
        definition.service.name
        for definition in definitions
        if definition.component == component.name and definition.root == component.root
    ]


def target_services(upgrade: Upgrade, step: UpgradeStep, definitions: tuple[Definition, ...]) -> list[str]:
    """Return the services that a step stops or rolls, including named instances."""
    if step.services is None:
        return services_of(upgrade.component, definitions)
    names = [reference.name for reference in step.services]
    return [
        definition.service.name
        for name in names
        for definition in definitions
        if name in (definition.service.name, definition.written_name)
    ]
