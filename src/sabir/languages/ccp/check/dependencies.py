"""The third phase: dependencies that nothing provides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.ccp.model.units import LOCAL, Units
from sabir.languages.ccp.syntax.examples import ccp_rule
from sabir.languages.ccp.syntax.fault import Fault, build_fault
from sabir.languages.ccp.syntax.nodes import Definition, Reference

__all__ = ["check_dependencies", "dependencies_of"]

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
    """`names`: everything that a dependency can name."""
    for container in definition.service.containers:
        for command in container.commands:
            for reference in command.dependencies:
                if not units.resolve(definition, reference):
                    yield _unknown(units, reference, names)


def _unknown(units: Units, reference: Reference, names: frozenset[str]) -> Fault:
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
