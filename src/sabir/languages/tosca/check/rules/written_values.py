"""The values of a topology that functions may stand in."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.syntax.nodes import (
    GroupTemplate,
    NodeTemplate,
    PolicyTemplate,
    RelationshipTemplate,
    TypeDefinition,
    Written,
    defined_values,
)
from sabir.languages.tosca.syntax.scopes import Kind

__all__ = ["clauses", "operation_inputs", "validations", "values"]


def values(model: Model) -> Iterator[Written]:
    """Every value of the topology that a function may stand in."""
    topology = model.topology
    for node in model.nodes.values():
        yield from node.properties.values()
        yield from node.attributes.values()
        for capability in node.capabilities.values():
            yield from capability.properties.values()
            yield from capability.attributes.values()
        for requirement in node.requirements:
            if requirement.relationship is not None and not isinstance(requirement.relationship, str):
                yield from requirement.relationship.properties.values()
            for loose in (requirement.node_filter, requirement.count):
                if loose is not None:
                    yield loose
        for artifact in node.artifacts.values():
            yield from artifact.properties.values()
        for loose in (node.node_filter, node.count):
            if loose is not None:
                yield loose
    templates: tuple[RelationshipTemplate | GroupTemplate | PolicyTemplate, ...] = (
        *topology.relationship_templates.values(),
        *topology.groups.values(),
        *topology.policies,
    )
    for template in templates:
        yield from template.properties.values()
    for output in topology.outputs.values():
        if output.value is not None:
            yield output.value
    yield from clauses(model)
    yield from operation_inputs(model)


def operation_inputs(model: Model) -> Iterator[Written]:
    types = {id(type_): type_ for type_ in model.topology.types[Kind.NODE].values()}.values()
    owners: tuple[NodeTemplate | TypeDefinition, ...] = (*model.nodes.values(), *types)
    for owner in owners:
        for interface in owner.interfaces.values():
            yield from defined_values(interface.inputs)
            for operation in interface.operations.values():
                yield from defined_values(operation.inputs)


def clauses(model: Model) -> Iterator[Written]:
    """2.0: conditions and validation clauses, which are functions, too."""
    topology = model.topology
    for workflow in topology.workflows.values():
        parts = (workflow.precondition, *(step.filter for step in workflow.steps.values()))
        yield from (part for part in parts if part is not None and part.origin.second)
    for policy in topology.policies:
        conditions = (trigger.condition for trigger in policy.triggers.values())
        yield from (part for part in conditions if part is not None and part.origin.second)
    if topology.substitution is not None and topology.substitution.filter is not None:
        yield topology.substitution.filter
    for table in topology.types.values():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            if type_.origin.second:
                yield from _conditions(type_)


def validations(model: Model) -> Iterator[Written]:
    """2.0: the arguments of validation clauses."""
    topology = model.topology
    schemas = [definition.schema for definition in topology.inputs.values()]
    for table in topology.types.values():
        for type_ in {id(type_): type_ for type_ in table.values()}.values():
            yield from (each.argument for each in type_.constraints if each.origin.second)
            definitions = (*type_.properties.values(), *type_.attributes.values())
            schemas += [definition.schema or definition.refined_schema for definition in definitions]
    while schemas:
        schema = schemas.pop()
        if schema is not None and schema.origin.second:
            yield from (constraint.argument for constraint in schema.constraints)
            schemas += [schema.entry_schema, schema.key_schema]


def _conditions(type_: TypeDefinition) -> Iterator[Written]:
    for trigger in type_.triggers.values():
        if trigger.condition is not None:
            yield trigger.condition
    for requirement in type_.requirements:
        if requirement.node_filter is not None:
            yield requirement.node_filter
