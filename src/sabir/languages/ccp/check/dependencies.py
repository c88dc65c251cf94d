"""The third phase: dependencies that nothing provides."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.diagnostics.near import did_you_mean
from sabir.languages.ccp.model.units import LOCAL, Units
from sabir.languages.ccp.syntax.nodes import Reference
from sabir.languages.ccp.syntax.violation import Kind, Violation

__all__ = ["check_dependencies"]


def check_dependencies(units: Units) -> Iterator[Violation]:
    names = units.names
    for definition in units.definitions.values():
        for container in definition.service.containers:
            for command in container.commands:
                for reference in command.dependencies:
                    if not units.resolve(definition, reference):
                        yield _unknown(units, reference, names)


def _unknown(units: Units, reference: Reference, names: set[str]) -> Violation:
    name = reference.name.removesuffix(LOCAL)
    hint = did_you_mean(name, names)
    owner = units.local_command(name)
    if owner is not None:
        hint = f"{name!r} is a local command of {owner!r}; only type: single can be waited for"
    return Violation(
        kind=Kind.UNKNOWN_DEPENDENCY,
        path=reference.path,
        message=f"{reference.path}: there is no container, single command or service {name!r}",
        place=reference.place,
        hint=hint,
    )
