"""Actions and upgrades as instances of their component."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.expressions.template.sandbox import is_template
from sabir.graph import AttributeRead, How, Instance, Origin, Record, Value
from sabir.languages.ccp.graph.origins import Origins
from sabir.languages.ccp.model.procedures import target_services
from sabir.languages.ccp.syntax.component import Component
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.procedures import Action, Procedure, Upgrade

__all__ = ["procedure_instances"]


def procedure_instances(deployment: Deployment, component: Component, origins: Origins) -> Iterator[Instance]:
    for procedure in deployment.procedures:
        if procedure.component is component:
            yield _instance(deployment, procedure, origins)


def _instance(deployment: Deployment, procedure: Procedure, origins: Origins) -> Instance:
    attributes: dict[str, Value] = {"name": procedure.name, "image": procedure.image}
    if isinstance(procedure, Action):
        id_, type_ = f"action/{procedure.name}", "ccp::Action"
        attributes |= {
            "command": procedure.command.command,
            "parameters": dict(procedure.parameters),
            "files": {file.destination: file.content for file in procedure.files.values()},
        }
    else:
        id_, type_ = f"upgrade/{procedure.component.name}", "ccp::Upgrade"
        id_ += "" if procedure.variant == "default" else f"/{procedure.variant}"
        attributes["steps"] = [
            _step(deployment, procedure, position) for position in range(len(procedure.steps))
        ]
    origin = Origin(procedure.place, How.LITERAL, tuple(_sources(procedure, origins)))
    return Instance(
        id=id_,
        type=type_,
        language="ccp",
        name=procedure.name,
        owner=f"component/{procedure.component.name}",
        attributes=Record.of(attributes),
        origin=Origin(procedure.place, How.LITERAL),
        origins=Record.of(dict.fromkeys(attributes, origin)),
    )


def _step(deployment: Deployment, upgrade: Upgrade, position: int) -> dict[str, Value]:
    step = upgrade.steps[position]
    if step.command is not None:
        return {"name": step.name, "type": step.kind.value, "command": step.command.command}
    services: list[Value] = [*target_services(upgrade, step, deployment.definitions)]
    return {"name": step.name, "type": step.kind.value, "services": services}


def _sources(procedure: Procedure, origins: Origins) -> Iterator[Origin | AttributeRead]:
    """What it was rendered from: whatever its template may read, and the services it speaks of."""
    if not origins.full or isinstance(procedure, Action):
        return
    if is_template(procedure.place.source.text):
        for section in ("configs", "secret_configs"):
            yield from origins.of_config(section)
    yield from origins.of_config("services")
