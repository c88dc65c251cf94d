"""Checks of interfaces that templates assign, and of operation and workflow outputs.

Assigned interfaces must exist and their inputs must have the declared types. Outputs must be mapped to
existing attributes of a compatible type.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.function_results import check_result
from sabir.languages.tosca.check.rules.values import misfit_finding
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.model.values import FORBIDDEN_VALUE, holds_expression
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    InterfaceDefinition,
    OutputMapping,
    PropertyDefinition,
    TypeDefinition,
    Workflow,
)

UNKNOWN_INTERFACE: Final = tosca_rule(
    code="TOSCA:E051",
    title="an interface that the type does not have",
    why="TOSCA 2.0: which interfaces a node has is said by its type; nobody would call what a template adds.",
)


def check_interfaces(
    model: TopologyModel, interfaces: Mapping[str, InterfaceDefinition], flat: FlatType
) -> Iterator[Finding]:
    """Check that a 2.0 template assigns only interfaces that its type has."""
    for name, interface in interfaces.items():
        if name not in flat.interfaces and model.topology.complete and flat.is_whole:
            hint = did_you_mean(name, flat.interfaces)
            yield UNKNOWN_INTERFACE.at(interface.place, f"{flat.name} has no interface {name!r}", hint=hint)


def check_operation_inputs(
    model: TopologyModel, flat: FlatType, interfaces: Mapping[str, InterfaceDefinition]
) -> Iterator[Finding]:
    """Check that assigned operation inputs have the types that the node type declares.

    A template may also pass inputs that the type does not declare.
    """
    declared = model.interfaces(flat, {})
    for name, interface in interfaces.items():
        if name not in declared:
            continue
        operations = declared[name].operations
        if interface.origin.second:
            yield from _check_remapped_outputs(interface, operations, flat)
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


def _check_remapped_outputs(
    interface: InterfaceDefinition, operations: Mapping[str, NodeOperation], flat: FlatType
) -> Iterator[Finding]:
    """Check that a 2.0 template does not change an output mapping of its type."""
    for operation in (*interface.operations.values(), *interface.notifications.values()):
        declared = operations.get(operation.name)
        for name, output in operation.outputs.items():
            before = None if declared is None else declared.outputs.get(name)
            if before is not None and before.target and output.target not in ((), before.target):
                way = ", ".join(before.target)
                message = f"output {name!r} goes to [{way}] in {flat.name}, which cannot be changed"
                yield FORBIDDEN_VALUE.at(output.place, message)


WRONG_MAPPING: Final = tosca_rule(
    code="TOSCA:E044",
    title="an output that goes to an attribute which is not there",
    why="Outputs of operations become values of attributes; an attribute that the type does not have gets none.",
)

_BEGINNINGS: Final = frozenset({"SELF", "SOURCE", "TARGET", "HOST"})
_STEPS: Final = frozenset({"CAPABILITY", "RELATIONSHIP", "TARGET", "SOURCE"})


def check_outputs_of_type(model: TopologyModel, type_: TypeDefinition, flat: FlatType) -> Iterator[Finding]:
    """Check that a 2.0 type maps outputs to its own attributes.

    The type is checked whether or not a template uses it.
    """
    merged = model.interfaces(flat, {})
    for interface in type_.interfaces.values():
        for written in (*interface.operations.values(), *interface.notifications.values()):
            operation = merged[interface.name].operations[written.name]
            outputs = [operation.outputs[name] for name in written.outputs]
            yield from check_outputs(model, operation.name, outputs, flat)


def check_outputs(
    model: TopologyModel,
    operation: str,
    outputs: Iterable[OutputMapping],
    flat: FlatType,
    *,
    also: Collection[str] = (),
) -> Iterator[Finding]:
    """Check that the outputs of an operation are mapped to existing attributes of `flat`.

    Their types must be compatible. `also` names further attributes that are allowed although the type does
    not declare them. Mappings with more than two parts lead to other entities and are not followed.
    """
    for output in outputs:
        if output.target and output.target[0] not in _BEGINNINGS and output.target[0] not in model.nodes:
            advice = did_you_mean(output.target[0], _BEGINNINGS, model.nodes) or "begin with SELF"
            message = (
                f"output {output.name!r} of {operation!r} goes to {output.target[0]!r}, which is not there"
            )
            yield WRONG_MAPPING.at(output.place, message, hint=advice)
            continue
        if len(output.target) != 2 or output.target[0] != "SELF" or output.target[1] in _STEPS:
            continue
        name = output.target[1]
        definition = flat.attributes.get(name) or flat.properties.get(name)
        subject = f"output {output.name!r} of {operation!r} goes to {name!r}"
        if definition is None and name not in also and flat.is_whole:
            hint = did_you_mean(name, [*flat.attributes, *flat.properties, *also])
            yield WRONG_MAPPING.at(output.place, f"{subject}, which {flat.name} does not have", hint=hint)
        elif definition is not None and not _is_compatible(model, output, definition):
            schemas = output.definition and output.definition.schema, definition.schema
            types = [schema.name for schema in schemas if schema is not None]
            yield WRONG_MAPPING.at(output.place, f"{subject}: it is of type {types[0]}, not {types[1]}")


def _is_compatible(model: TopologyModel, output: OutputMapping, attribute: PropertyDefinition) -> bool:
    """Return whether an output fits an attribute; an output without a type always does."""
    schema = None if output.definition is None else output.definition.schema
    if schema is None or attribute.schema is None:
        return True
    return model.types.may_be(schema.name, attribute.schema.name)


def check_workflow_outputs(model: TopologyModel, workflow: Workflow) -> Iterator[Finding]:
    """Check that 2.0 workflow outputs are mapped to attributes of existing nodes or relationships."""
    for output in workflow.outputs.values():
        if len(output.target) != 2 or output.target[1] in _STEPS:
            continue
        name, attribute = output.target
        flat = model.flat.get(name)
        subject = f"output {output.name!r} of workflow {workflow.name!r}"
        if flat is not None and attribute not in {*flat.attributes, *flat.properties}:
            message = f"{subject} goes to {attribute!r}, which {name!r} does not have"
            hint = did_you_mean(attribute, [*flat.attributes, *flat.properties])
            yield WRONG_MAPPING.at(output.place, message, hint=hint)
        elif name not in model.nodes and name not in model.topology.relationship_templates:
            message = f"{subject} goes to {name!r}, which is no node or relationship template"
            yield WRONG_MAPPING.at(output.place, message, hint=did_you_mean(name, model.nodes))
