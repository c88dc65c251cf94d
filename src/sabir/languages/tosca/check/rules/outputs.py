"""Outputs of operations and workflows: the attributes that they go to are there, and of their types."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.types import FlatType
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import OutputMapping, PropertyDefinition, TypeDefinition, Workflow

__all__ = ["check_outputs", "check_outputs_of_type", "check_workflow_outputs"]

WRONG_MAPPING: Final = tosca_rule(
    code="TOSCA:E044",
    title="an output that goes to an attribute which is not there",
    why="Outputs of operations become values of attributes; an attribute that the type does not have gets none.",
)

_BEGINNINGS: Final = frozenset({"SELF", "SOURCE", "TARGET", "HOST"})
_STEPS: Final = frozenset({"CAPABILITY", "RELATIONSHIP", "TARGET", "SOURCE"})


def check_outputs_of_type(model: Model, type_: TypeDefinition, flat: FlatType) -> Iterator[Finding]:
    """2.0: a type maps outputs to attributes that are its own, whether there is a template of it or not."""
    merged = model.interfaces(flat, {})
    for interface in type_.interfaces.values():
        for written in (*interface.operations.values(), *interface.notifications.values()):
            operation = merged[interface.name].operations[written.name]
            outputs = [operation.outputs[name] for name in written.outputs]
            yield from check_outputs(model, operation.name, outputs, flat)


def check_outputs(
    model: Model,
    operation: str,
    outputs: Iterable[OutputMapping],
    flat: FlatType,
    *,
    also: Collection[str] = (),
) -> Iterator[Finding]:
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
        elif definition is not None and not _fits(model, output, definition):
            schemas = output.definition and output.definition.schema, definition.schema
            types = [schema.name for schema in schemas if schema is not None]
            yield WRONG_MAPPING.at(output.place, f"{subject}: it is of type {types[0]}, not {types[1]}")


def _fits(model: Model, output: OutputMapping, attribute: PropertyDefinition) -> bool:
    """An output that says nothing of its type is of that of the attribute."""
    schema = None if output.definition is None else output.definition.schema
    if schema is None or attribute.schema is None:
        return True
    return model.types.may_be(schema.name, attribute.schema.name)


def check_workflow_outputs(model: Model, workflow: Workflow) -> Iterator[Finding]:
    """2.0: outputs of a workflow go to attributes of nodes or relationships, which they name."""
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
