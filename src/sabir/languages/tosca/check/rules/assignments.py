"""Checks of assigned values: known names, matching types, no missing required value."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.check.rules.function_results import check_result
from sabir.languages.tosca.check.rules.interfaces import check_interfaces, check_operation_inputs
from sabir.languages.tosca.check.rules.type_names import UNKNOWN_TYPE
from sabir.languages.tosca.check.rules.values import (
    check_required,
    check_required_values,
    check_values,
    misfit_finding,
)
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.requirements import RequirementLink
from sabir.languages.tosca.model.types import FlatType, merge_properties
from sabir.languages.tosca.model.values import (
    WRONG_TYPE,
    holds_expression,
)
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    Assignment,
    NodeTemplate,
    PropertyDefinition,
    RelationshipTemplate,
    SourceValue,
)
from sabir.languages.tosca.syntax.scopes import TypeKind

UNKNOWN_CAPABILITY: Final = tosca_rule(
    code="TOSCA:E015",
    title="a capability that the type does not have",
    why="The values assigned to it would never be read.",
)


def check_assignments(model: TopologyModel) -> Iterator[Finding]:
    """Check the values that templates, inputs and outputs assign.

    Covers node, relationship, group and policy templates, defaults of inputs, and artifacts. Rules that only
    2.0 has are applied to entries from 2.0 documents, whichever version the importing document has.
    """
    for name, template in model.nodes.items():
        flat = model.flat[name]
        if flat is not None:
            yield from _check_node(model, template, flat)
    for relationship in model.topology.relationship_templates.values():
        flat = model.types.find(TypeKind.RELATIONSHIP, relationship.type) if relationship.type else None
        if flat is not None:
            yield from check_values(
                model, relationship.properties, flat.properties, flat.name, is_open=not flat.is_whole
            )
            if relationship.origin.second:
                yield from _check_relationship(model, relationship, flat)
                subject = f"relationship template {relationship.name!r}"
                yield from check_required(flat, relationship.properties, relationship.place, subject)
    for group in model.topology.groups.values():
        flat = model.types.find(TypeKind.GROUP, group.type) if group.type else None
        if flat is not None and group.origin.second:
            yield from check_values(
                model, group.properties, flat.properties, flat.name, is_open=not flat.is_whole
            )
            yield from _check_attributes(model, group.attributes, flat)
            yield from check_required(flat, group.properties, group.place, f"group {group.name!r}")
    for policy in model.topology.policies:
        flat = model.types.find(TypeKind.POLICY, policy.type) if policy.type else None
        if flat is not None:
            yield from check_values(
                model, policy.properties, flat.properties, flat.name, is_open=not flat.is_whole
            )
            yield from check_required(flat, policy.properties, policy.place, f"policy {policy.name!r}")
    for definition in model.topology.inputs.values():
        if definition.default is not None:
            for misfit in model.values.misfits(definition, definition.default.data):
                yield misfit_finding(misfit, definition.default, f"default of input {definition.name!r}")
        if definition.value is not None and definition.origin.second and not definition.is_short:
            yield from _check_value(
                model, definition, definition.value, f"value of input {definition.name!r}"
            )
    for output in model.topology.outputs.values():
        if output.value is not None and output.schema is not None and output.origin.second:
            declared = PropertyDefinition(
                name=output.name, span=output.span, origin=output.origin, schema=output.schema
            )
            yield from _check_value(model, declared, output.value, f"value of output {output.name!r}")
    yield from _check_artifacts(model)


def _check_value(
    model: TopologyModel, definition: PropertyDefinition, written: SourceValue, subject: str
) -> Iterator[Finding]:
    if holds_expression(written.data):
        yield from check_result(model, definition.schema, written, subject)
        return
    for misfit in model.values.misfits(definition, written.data):
        yield misfit_finding(misfit, written, subject)


def _check_artifacts(model: TopologyModel) -> Iterator[Finding]:
    """Check artifacts of 2.0: required properties have values, and values of node types match."""
    owners = {id(type_): type_ for type_ in model.topology.types[TypeKind.NODE].values()}.values()
    of_types = [artifact for type_ in owners for artifact in type_.artifacts.values()]
    of_templates = [artifact for node in model.nodes.values() for artifact in node.artifacts.values()]
    for artifact in (*of_types, *of_templates):
        flat = model.types.find(TypeKind.ARTIFACT, artifact.type) if artifact.type else None
        if flat is None or not artifact.origin.second:
            continue
        yield from check_required(flat, artifact.properties, artifact.place, f"artifact {artifact.name!r}")
        # The conformance files set properties that the artifact type does not declare.
        declared = {name: value for name, value in artifact.properties.items() if name in flat.properties}
        yield from check_values(model, declared, flat.properties, flat.name)


def _check_node(model: TopologyModel, template: NodeTemplate, flat: FlatType) -> Iterator[Finding]:
    yield from check_values(
        model,
        template.properties,
        flat.properties,
        template.type,
        also=flat.attributes,
        of=flat,
        is_open=template.is_open or flat.is_open or not flat.is_whole,
    )
    yield from check_values(
        model,
        template.attributes,
        flat.attributes,
        template.type,
        also=flat.properties,
        kind="attribute",
        of=flat,
        is_open=not flat.is_whole,
    )
    if not template.directives and not template.loses:
        yield from check_required(
            flat, template.properties, template.place, f"node template {template.name!r}"
        )
    for capability in template.capabilities.values():
        declared = flat.capabilities.get(capability.name)
        if declared is None:
            if model.topology.complete and flat.is_whole:
                hint = did_you_mean(capability.name, flat.capabilities)
                message = f"{template.type} has no capability {capability.name!r}"
                yield UNKNOWN_CAPABILITY.at(capability.place, message, hint=hint)
            continue
        type_ = model.types.find(TypeKind.CAPABILITY, declared.type)
        if type_ is not None:
            definitions = merge_properties([type_.properties, declared.properties])
            yield from check_values(
                model,
                capability.properties,
                definitions,
                declared.type,
                also=type_.attributes,
                of=flat,
                is_open=not type_.is_whole,
            )
            if template.origin.second:
                attributes = merge_properties([type_.attributes, declared.attributes])
                yield from check_values(
                    model,
                    capability.attributes,
                    attributes,
                    declared.type,
                    also=definitions,
                    kind="attribute",
                )
    if template.origin.second and not template.directives and not template.loses:
        yield from _check_capability_values(model, template, flat)
    for link in model.links.get(template.name, ()):
        yield from _check_link(model, link)
        if template.origin.second:
            yield from _check_allocation(model, link)
    yield from check_operation_inputs(model, flat, template.interfaces)
    if template.origin.second:
        yield from check_interfaces(model, template.interfaces, flat)


def _check_attributes(model: TopologyModel, assigned: Assignment, flat: FlatType) -> Iterator[Finding]:
    return check_values(model, assigned, flat.attributes, flat.name, also=flat.properties, kind="attribute")


def _check_relationship(
    model: TopologyModel, relationship: RelationshipTemplate, flat: FlatType
) -> Iterator[Finding]:
    """Check the attributes and interfaces of a 2.0 relationship, in addition to its properties."""
    yield from _check_attributes(model, relationship.attributes, flat)
    yield from check_operation_inputs(model, flat, relationship.interfaces)
    yield from check_interfaces(model, relationship.interfaces, flat)


def _check_capability_values(
    model: TopologyModel, template: NodeTemplate, flat: FlatType
) -> Iterator[Finding]:
    """Check that each capability of a 2.0 node has a value for each required property.

    Capabilities that the template does not mention are checked as well.
    """
    for name, declared in flat.capabilities.items():
        type_ = model.types.find(TypeKind.CAPABILITY, declared.type)
        if type_ is None:
            continue
        given_values = template.capabilities.get(name)
        assigned = {} if given_values is None else given_values.properties
        refined = merge_properties([type_.properties, declared.properties])
        place = template.place if given_values is None else given_values.place
        subject = f"capability {name!r} of {template.name!r}"
        yield from check_required_values(refined, assigned, place, subject, type_.name)


def _check_link(model: TopologyModel, link: RequirementLink) -> Iterator[Finding]:
    relationship = link.relationship
    if link.assignment.origin.second and not link.automatic:
        yield from _check_relationship_values(model, link)
    if relationship is None:
        return
    if (
        relationship.type is not None
        and model.types.definition(TypeKind.RELATIONSHIP, relationship.type) is None
    ):
        if model.topology.complete:
            hint = did_you_mean(relationship.type, model.types.names(TypeKind.RELATIONSHIP))
            message = f"there is no relationship type {relationship.type!r}"
            yield UNKNOWN_TYPE.at(relationship.place, message, hint=hint)
        return
    if link.definition is None and relationship.type is None:
        return  # the type is given by the requirement, which is missing
    flat = model.types.find(TypeKind.RELATIONSHIP, link.relationship_type)
    if flat is not None and relationship.name not in model.topology.relationship_templates:
        definitions = _refine_properties(link, flat)
        yield from check_values(
            model, relationship.properties, definitions, flat.name, is_open=not flat.is_whole
        )
        if relationship.origin.second:
            yield from _check_relationship(model, relationship, flat)


def _refine_properties(link: RequirementLink, flat: FlatType) -> Mapping[str, PropertyDefinition]:
    """Return the properties of a relationship type as refined by the requirement."""
    refinement = None if link.definition is None else link.definition.refinement
    if refinement is None or not refinement.properties:
        return flat.properties
    return merge_properties([flat.properties, refinement.properties])


def _check_relationship_values(model: TopologyModel, link: RequirementLink) -> Iterator[Finding]:
    """Check that a 2.0 requirement assignment sets the required properties of its relationship.

    A relationship template is skipped: it is checked where it is defined.
    """
    relationship = link.relationship
    flat = model.types.find(TypeKind.RELATIONSHIP, link.relationship_type)
    if flat is None or (
        relationship is not None and relationship.name in model.topology.relationship_templates
    ):
        return
    assigned: Assignment = {} if relationship is None else relationship.properties
    subject = f"the relationship of requirement {link.name!r}"
    definitions = _refine_properties(link, flat)
    yield from check_required_values(definitions, assigned, link.assignment.place, subject, flat.name)


def _check_allocation(model: TopologyModel, link: RequirementLink) -> Iterator[Finding]:
    """Check that a 2.0 allocation names numeric properties of the target capability."""
    target = model.flat.get(link.target or "")
    declared = target.capabilities.get(link.capability or "") if target is not None else None
    type_ = None if declared is None else model.types.find(TypeKind.CAPABILITY, declared.type)
    if type_ is None or declared is None:
        return
    definitions = merge_properties([type_.properties, declared.properties])
    # The conformance files allocate properties that are not declared.
    declared_parts = {
        name: written for name, written in link.assignment.allocation.items() if name in definitions
    }
    yield from check_values(model, declared_parts, definitions, type_.name)
    for name, written in declared_parts.items():
        definition = definitions[name]
        if definition.schema is None:
            continue
        data_type = model.types.find(TypeKind.DATA, definition.schema.name)
        base = definition.schema.name if data_type is None else data_type.primitive
        if base not in ("integer", "float", "scalar") and not str(base).startswith("scalar-unit"):
            yield WRONG_TYPE.at(
                written.place, f"{name!r} of {type_.name} is no number: nothing can be taken of it"
            )
