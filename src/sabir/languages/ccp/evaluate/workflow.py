"""Workflows: what the runner does in a container or a Job, as data."""

from __future__ import annotations

from typing import Any

from sabir.languages.ccp.model.units import Unit, Units
from sabir.languages.ccp.syntax.nodes import Command

__all__ = ["workflow"]


def workflow(units: Units, unit: Unit) -> dict[str, Any]:
    """The workflow of a unit, in the form of the rendering contract."""
    body: dict[str, Any] = {
        "name": unit.id,
        "dependencies": [str(dependency) for dependency in units.dependencies(unit)],
    }
    if unit.command is not None:
        body["job"] = _command(unit.command)
    else:
        container = unit.container
        body["pre"] = [_local(units, unit, one) for one in container.pre if not one.single]
        body["daemon"] = _command(container.daemon)
        body["post"] = [_local(units, unit, one) for one in container.post if not one.single]
        if container.readiness is not None:
            body["readiness"] = container.readiness.written
    body["files"] = [
        {"name": file.name, "path": file.destination, "perm": file.perm, "user": file.user}
        for file in (unit.definition.files[name] for name in unit.files)
    ]
    return {"workflow": body}


def _command(command: Command) -> dict[str, Any]:
    body = {"command": command.command}
    if command.user is not None:
        body["user"] = command.user
    return body


def _local(units: Units, unit: Unit, command: Command) -> dict[str, Any]:
    body = _command(command)
    if command.name is not None:
        body["name"] = command.name
    dependencies = units.resolved(unit.definition, command.dependencies)
    if dependencies:
        body["dependencies"] = [str(dependency) for dependency in dependencies]
    return body
