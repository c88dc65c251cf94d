"""Interfaces that templates assign to: they are there, and inputs and outputs of their operations fit what the type declares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.assigned_values import misfit_finding
from sabir.languages.tosca.check.rules.results import check_result
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import FORBIDDEN_VALUE, holds_expression
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import InterfaceDefinition

__all__ = ["check_interfaces", "check_operation_inputs"]


UNKNOWN_INTERFACE: Final = tosca_rule(
    code="TOSCA:E051",
    title="an interface that the type does not have",
    why="TOSCA 2.0: which interfaces a node has is said by its type; nobody would call what a template adds.",
)


def check_interfaces(
    model: Model, interfaces: Mapping[str, InterfaceDefinition], flat: FlatType
) -> Iterator[Finding]:
    """2.0: a template assigns to interfaces that its type has."""
    for name, interface in interfaces.items():
        if name not in flat.interfaces and model.topology.complete and flat.is_whole:
            hint = did_you_mean(name, flat.interfaces)
            yield UNKNOWN_INTERFACE.at(interface.place, f"{flat.name} has no interface {name!r}", hint=hint)


def check_operation_inputs(
    model: Model, flat: FlatType, interfaces: Mapping[str, InterfaceDefinition]
) -> Iterator[Finding]:
    """Inputs that a template gives to operations fit what the type declares. It may give others, too."""
    declared = model.interfaces(flat, {})
    for name, interface in interfaces.items():
        if name not in declared:
            continue
        operations = declared[name].operations
        if interface.origin.second:
            yield from _mapped_again(interface, operations, flat)
        pairs = [
            (definition.value, operations[key].inputs.get(given))
            for key, operation in interface.operations.items()
            if key in operations
            for given, definition in operation.inputs.items()
        ]
        shared = declared[name].inputs
        pairs += [(definition.value, shared.get(given)) for given, definition in interface.inputs.items()]
        for written, definition in pairs:
            if written is None or definition is None:
                continue
            fixed = definition.value if definition.origin.second else None
            if fixed is not None and fixed.data != written.data:
                message = (
                    f"input {definition.name!r} has a fixed value in {flat.name}, which cannot be changed"
                )
                yield FORBIDDEN_VALUE.at(written.place, message)
            elif holds_expression(written.data):
                yield from check_result(model, definition.schema, written, f"input {definition.name!r}", flat)
            else:
                for misfit in model.values.misfits(definition, written.data):
                    yield misfit_finding(misfit, written, f"input {definition.name!r}")


def _mapped_again(
    interface: InterfaceDefinition, operations: Mapping[str, NodeOperation], flat: FlatType
) -> Iterator[Finding]:
    """2.0: an output that the type has mapped stays where it goes."""
    for operation in (*interface.operations.values(), *interface.notifications.values()):
        declared = operations.get(operation.name)
        for name, output in operation.outputs.items():
            before = None if declared is None else declared.outputs.get(name)
            if before is not None and before.target and output.target not in ((), before.target):
                way = ", ".join(before.target)
                message = f"output {name!r} goes to [{way}] in {flat.name}, which cannot be changed"
                yield FORBIDDEN_VALUE.at(output.place, message)
