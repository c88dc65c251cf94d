"""Checks of requirements: the types of their targets, and how often they are assigned.

In 2.0 the target must match the node, capability and relationship types of the requirement definition. In all
versions the number of assignments must lie within the bounds of the definition.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.model.model import WRONG_COPY, TopologyModel
from sabir.languages.tosca.model.requirements import RequirementLink
from sabir.languages.tosca.model.scalars import is_integer
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    CapabilityDefinition,
    NodeTemplate,
    RequirementAssignment,
    RequirementDefinition,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE
from sabir.languages.tosca.syntax.scopes import TypeKind

WRONG_TARGET: Final = tosca_rule(
    code="TOSCA:E054",
    title="a requirement leads to a node that does not suit",
    why="The definition of a requirement may ask for a type of node; capability and relationship types may say which nodes they are for.",
)


def check_links(model: TopologyModel) -> Iterator[Finding]:
    """Check the types of the targets of all 2.0 requirements."""
    yield from _relationship_templates(model)
    if not model.topology.complete:
        return
    for name, links in model.links.items():
        template = model.nodes.get(name)
        if template is not None and template.origin.second:
            for link in links:
                yield from _check_link(model, template, link)


def _check_link(model: TopologyModel, template: NodeTemplate, link: RequirementLink) -> Iterator[Finding]:
    source, target = model.flat.get(template.name), model.flat.get(link.target or "")
    if source is None or target is None:
        return
    if link.capability is None and link.definition is not None and link.definition.capability is not None:
        return  # the missing capability is reported already
    definition = source.requirements.get(link.name)
    capability = target.capabilities.get(link.capability or "")
    capability_type = None if capability is None else model.types.find(TypeKind.CAPABILITY, capability.type)
    relationship = model.types.find(TypeKind.RELATIONSHIP, link.relationship_type)
    asked = (
        ("its definition", target.name, () if definition is None or definition.node is None else (definition.node,)),
        ("capability " + repr(link.capability), source.name, () if capability is None else capability.valid_source_types),
        ("capability " + repr(link.capability), source.name, () if capability_type is None else capability_type.valid_source_types),
        (repr(link.relationship_type), source.name, () if relationship is None else relationship.valid_source_types),
        (repr(link.relationship_type), target.name, () if relationship is None else relationship.definition.valid_target_node_types),
    )  # fmt: skip
    for asker, name, allowed in asked:
        there = [type_ for type_ in allowed if model.types.find(TypeKind.NODE, type_) is not None]
        if there and not any(model.types.is_a(TypeKind.NODE, name, type_) for type_ in there):
            message = (
                f"requirement {link.name!r} of {template.name!r} leads to {link.target!r}: "
                f"{asker} is for {', '.join(there)}, not for {name}"
            )
            yield WRONG_TARGET.at(link.assignment.place, message)
            return
    yield from _check_refinement(model, template, link)
    if relationship is not None and capability is not None:
        yield from _go_together(model, template, link, relationship, capability)


def _check_refinement(
    model: TopologyModel, template: NodeTemplate, link: RequirementLink
) -> Iterator[Finding]:
    """Check that the types that an assignment names derive from those of the definition."""
    definition, types = link.definition, model.types
    if definition is None:
        return
    subject = f"requirement {link.name!r} of {template.name!r}"
    wanted = definition.relationship
    if wanted is not None and _is_unrelated(types, TypeKind.RELATIONSHIP, link.relationship_type, wanted):
        message = f"{subject} has a relationship of type {link.relationship_type!r}, which does not derive from {wanted!r}"
        yield WRONG_TARGET.at(link.assignment.place, message)
    flat = model.flat.get(link.target or "")
    named = link.assignment.capability
    offered = None if flat is None or link.capability is None else flat.capabilities.get(link.capability)
    if named is None or definition.capability is None or offered is None:
        return
    if _is_unrelated(types, TypeKind.CAPABILITY, offered.type, definition.capability):
        message = f"{subject} asks for {definition.capability}, and {named!r} is {offered.type}"
        yield WRONG_TARGET.at(link.assignment.place, message)


def _is_unrelated(types: TypeTable, kind: TypeKind, name: str, ancestor: str) -> bool:
    """Return whether a type does not derive from another. Unknown types are reported elsewhere."""
    both = types.find(kind, name) is not None and types.find(kind, ancestor) is not None
    return both and not types.is_a(kind, name, ancestor)


def _go_together(
    model: TopologyModel,
    template: NodeTemplate,
    link: RequirementLink,
    relationship: FlatType,
    capability: CapabilityDefinition,
) -> Iterator[Finding]:
    """Check the valid target, source and capability types that the two types declare."""
    types = model.types
    capability_type = types.find(TypeKind.CAPABILITY, capability.type)
    lists = () if capability_type is None else capability_type.chain
    valid = capability.valid_relationship_types or next(
        (type_.valid_relationship_types for type_ in lists if type_.valid_relationship_types), ()
    )
    subject = f"requirement {link.name!r} of {template.name!r} leads to {link.target!r}"
    pairs = (
        (TypeKind.RELATIONSHIP, relationship.name, valid, f"capability {link.capability!r}"),
        (TypeKind.CAPABILITY, capability.type, relationship.valid_target_types, repr(relationship.name)),
    )
    for kind, name, allowed, asker in pairs:
        if allowed and all(_is_unrelated(types, kind, name, other) for other in allowed):
            message = f"{subject}: {asker} is for {', '.join(allowed)}, not for {name}"
            yield WRONG_TARGET.at(link.assignment.place, message)


def _relationship_templates(model: TopologyModel) -> Iterator[Finding]:
    templates = model.topology.relationship_templates
    for template in templates.values():
        if not template.origin.second:
            continue
        if template.copy is None:
            if template.type is None:
                message = f"relationship template {template.name!r} has no type"
                yield WRONG_SHAPE.at(
                    template.place, message, hint="add 'type:' with the name of a relationship type"
                )
            continue
        source = templates.get(template.copy)
        if source is None:
            message = f"relationship template {template.name!r} copies {template.copy!r}, which is no relationship template"
            yield WRONG_COPY.at(template.place, message, hint=did_you_mean(template.copy, templates))
        elif source.copy is not None:
            message = (
                f"relationship template {template.name!r} copies {source.name!r}, which is a copy itself"
            )
            yield WRONG_COPY.at(template.place, message, hint=f"copy {source.copy!r}")


OCCURRENCES: Final = tosca_rule(
    code="TOSCA:W019",
    title="a requirement is met too seldom or too often",
    why="The type says how many times it must be met. Nothing in the template suits a requirement that is left out.",
)

WRONG_NUMBER: Final = tosca_rule(
    code="TOSCA:E055",
    title="a requirement is assigned too seldom or too often",
    why="TOSCA 2.0: the numbers of all assignments of a requirement together, and of those that are not optional, lie within its "
    "count_range.",
)


def check_counts(model: TopologyModel) -> Iterator[Finding]:
    """Check that each requirement is assigned as often as its definition allows."""
    if not model.topology.complete:
        return
    for name, template in model.nodes.items():
        flat = model.flat[name]
        if flat is None:
            continue
        assigned: dict[str, list[RequirementAssignment]] = {}
        for requirement in template.requirements:
            assigned.setdefault(requirement.name, []).append(requirement)
        met = Counter(link.name for link in model.links.get(name, ()))
        for requirement_name, definition in flat.requirements.items():
            if template.origin.second and requirement_name in assigned:
                yield from _check_assignment_count(template, definition, assigned[requirement_name])
            else:
                yield from _check_occurrences(model, template, definition, met[requirement_name])


def _check_assignment_count(
    template: NodeTemplate, definition: RequirementDefinition, assignments: list[RequirementAssignment]
) -> Iterator[Finding]:
    """Check 2.0 counts that are literals; computed ones are known at deployment only."""
    low, high = definition.occurrences
    if not definition.says_occurrences or any(_assignment_count(each) is None for each in assignments):
        return
    total = sum(_assignment_count(each) or 0 for each in assignments)
    needed = sum(_assignment_count(each) or 0 for each in assignments if not each.optional)
    subject = f"requirement {definition.name!r} of {template.name!r} is assigned"
    if high != UNBOUNDED and total > high:
        yield WRONG_NUMBER.at(assignments[-1].place, f"{subject} {total} times, at most {high} are allowed")
    elif needed < low and not template.directives:
        message = f"{subject} {needed} times, at least {low} are needed"
        yield WRONG_NUMBER.at(assignments[0].place, message)


def _assignment_count(assignment: RequirementAssignment) -> int | None:
    if assignment.count is None:
        return 1
    data = assignment.count.data
    return data if is_integer(data) else None


def _check_occurrences(
    model: TopologyModel, template: NodeTemplate, definition: RequirementDefinition, count: int
) -> Iterator[Finding]:
    name = definition.name
    low, high = definition.occurrences
    if count < low and not template.directives and not model.is_substituted(template.name, name):
        message = f"requirement {name!r} of {template.name!r} is not met: {low} needed, {count} given"
        wanted = definition.node or definition.capability
        yield OCCURRENCES.at(template.place, message, hint=f"it needs {wanted}" if wanted else None)
    elif 0 <= high < count:
        message = (
            f"requirement {name!r} of {template.name!r} is given {count} times, at most {high} are allowed"
        )
        yield OCCURRENCES.at(template.place, message)
