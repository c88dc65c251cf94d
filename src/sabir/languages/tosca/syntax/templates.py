"""Reading the topology: inputs, templates, groups, policies, workflows, outputs, substitution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.languages.tosca.syntax.definitions import read_occurrences
from sabir.languages.tosca.syntax.interfaces import read_artifacts, read_interfaces, read_triggers
from sabir.languages.tosca.syntax.nodes import (
    CapabilityAssignment,
    GroupTemplate,
    MappedEntry,
    NodeTemplate,
    OutputDefinition,
    PolicyTemplate,
    RelationshipTemplate,
    RequirementAssignment,
    SubstitutionMapping,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.languages.tosca.syntax.schemas import read_properties
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Span

_NODE_KEYS: Final = frozenset(
    {
        "type",
        "properties",
        "attributes",
        "capabilities",
        "requirements",
        "interfaces",
        "artifacts",
        "directives",
        "node_filter",
        "copy",
        "occurrences",
        "instance_keys",
        "count",
        "dependencies",
    }
)
_CAPABILITY_KEYS: Final = frozenset({"properties", "attributes", "occurrences", "directives", "type"})
_REQUIREMENT_KEYS: Final = frozenset(
    {
        "node",
        "capability",
        "relationship",
        "node_filter",
        "occurrences",
        "count",
        "directives",
        "optional",
        "allocation",
        "type",
    }
)
_RELATIONSHIP_KEYS: Final = frozenset(
    {"type", "properties", "attributes", "interfaces", "copy", "default_for", "target"}
)
_GROUP_KEYS: Final = frozenset({"type", "properties", "attributes", "members", "interfaces", "targets"})
_POLICY_KEYS: Final = frozenset({"type", "properties", "targets", "triggers"})
_SUBSTITUTION_KEYS: Final = frozenset(
    {
        "node_type",
        "node",
        "substitution_filter",
        "properties",
        "attributes",
        "capabilities",
        "requirements",
        "interfaces",
        "input_mappings",
    }
)
_MAPPED_SECTIONS: Final = ("properties", "attributes", "capabilities", "requirements", "interfaces")


def read_node_template(reader: Reader, name: str, span: Span, node: YamlNode) -> NodeTemplate:
    """The template, whatever is wrong with it: one without a type is kept, as others may lead to it."""
    subject = f"node template {name!r}"
    reader.loses = False
    fields = reader.fields(node, subject, _NODE_KEYS)
    loses = reader.loses
    type_node, copy = fields.get("type"), reader.text(fields.get("copy"), f"copy of {subject}")
    type_ = reader.type_text(TypeKind.NODE, type_node, f"type of {subject}")
    if type_ is None and copy is None and not reader.has_nearly(fields, "type"):
        reader.report(WRONG_SHAPE, f"{subject} has no type", span, "add 'type:' with the name of a node type")
    node_filter = fields.get("node_filter")
    requirements = fields.get("requirements")
    return NodeTemplate(
        name=name,
        span=span,
        origin=reader.origin,
        type=type_ or "",
        type_span=type_node.span if type_node is not None else span,
        properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
        attributes=reader.assignments(fields.get("attributes"), f"attributes of {subject}"),
        capabilities=_read_capabilities(reader, fields.get("capabilities"), subject)
        if "capabilities" in fields
        else {},
        requirements=_read_requirements(reader, requirements, subject) if requirements is not None else (),
        interfaces=read_interfaces(reader, fields.get("interfaces"), f"interfaces of {subject}"),
        artifacts=read_artifacts(reader, fields.get("artifacts"), subject) if "artifacts" in fields else {},
        directives=tuple(
            text for text, _ in reader.texts(fields.get("directives"), f"directives of {subject}")
        ),
        node_filter=None if node_filter is None else reader.build_value(node_filter),
        copy=copy,
        count=reader.optional(fields.get("count")),
        loses=loses,
        is_open=reader.is_open(fields),
    )


def _read_capabilities(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, CapabilityAssignment]:
    capabilities: dict[str, CapabilityAssignment] = {}
    for name, span, value in reader.list_named_entries(node, f"capabilities of {owner}"):
        subject = f"capability {name!r} of {owner}"
        fields = reader.fields(value, subject, _CAPABILITY_KEYS)
        capabilities[name] = CapabilityAssignment(
            name=name,
            span=span,
            origin=reader.origin,
            properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
            attributes=reader.assignments(fields.get("attributes"), f"attributes of {subject}"),
        )
    return capabilities


def _read_requirements(
    reader: Reader, node: YamlNode | None, owner: str
) -> tuple[RequirementAssignment, ...]:
    return tuple(
        _read_requirement(reader, name, span, value, owner)
        for name, span, value in reader.list_named_entries(node, f"requirements of {owner}")
    )


def _read_requirement(
    reader: Reader, name: str, span: Span, value: YamlNode, owner: str
) -> RequirementAssignment:
    subject = f"requirement {name!r} of {owner}"
    if isinstance(value, YamlScalar):
        target = reader.type_text(TypeKind.NODE, value, subject)
        return RequirementAssignment(
            name=name, span=span, origin=reader.origin, node=target, node_span=value.span if target else None
        )
    is_pair = isinstance(value, YamlSequence) and reader.origin.second and len(value.items) == 2
    fields = {"node": value} if is_pair else reader.fields(value, subject, _REQUIREMENT_KEYS)
    target_node, node_index = _with_index(fields.get("node"))
    relationship = fields.get("relationship")
    node_filter = fields.get("node_filter")
    occurrences, count, optional = fields.get("occurrences"), fields.get("count"), fields.get("optional")
    return RequirementAssignment(
        name=name,
        span=span,
        origin=reader.origin,
        node=reader.type_text(TypeKind.NODE, target_node, f"node of {subject}")
        if isinstance(target_node, YamlScalar)
        else None,
        node_span=target_node.span if target_node is not None else None,
        capability=reader.type_text(
            TypeKind.CAPABILITY, fields.get("capability"), f"capability of {subject}"
        ),
        relationship=_read_relationship(reader, relationship, subject),
        node_filter=None if node_filter is None else reader.build_value(node_filter),
        occurrences=None if occurrences is None else read_occurrences(reader, occurrences, subject),
        node_index=reader.optional(node_index),
        count=reader.optional(count),
        allocation=reader.assignments(fields.get("allocation"), f"allocation of {subject}"),
        optional=isinstance(optional, YamlScalar) and optional.value is True,
        directives=tuple(
            text for text, _ in reader.texts(fields.get("directives"), f"directives of {subject}")
        ),
    )


def _with_index(node: YamlNode | None) -> tuple[YamlNode | None, YamlNode | None]:
    """2.0: a node, or a list of a node and the index of one of its instances."""
    if isinstance(node, YamlSequence) and len(node.items) == 2:
        return node.items[0], node.items[1]
    return node, None


def _read_relationship(
    reader: Reader, node: YamlNode | None, subject: str
) -> str | RelationshipTemplate | None:
    if isinstance(node, YamlMapping):
        return read_relationship_template(reader, subject, node.span, node)
    return reader.type_text(TypeKind.RELATIONSHIP, node, f"relationship of {subject}")


def read_relationship_template(reader: Reader, name: str, span: Span, node: YamlNode) -> RelationshipTemplate:
    subject = f"relationship {name!r}"
    fields = reader.fields(node, subject, _RELATIONSHIP_KEYS)
    return RelationshipTemplate(
        name=name,
        span=span,
        origin=reader.origin,
        type=reader.type_text(TypeKind.RELATIONSHIP, fields.get("type"), f"type of {subject}"),
        properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
        attributes=reader.assignments(fields.get("attributes"), f"attributes of {subject}"),
        interfaces=read_interfaces(reader, fields.get("interfaces"), f"interfaces of {subject}"),
        copy=reader.text(fields.get("copy"), f"copy of {subject}"),
    )


def read_groups(reader: Reader, node: YamlNode | None) -> dict[str, GroupTemplate]:
    groups: dict[str, GroupTemplate] = {}
    for name, span, value in reader.list_named_entries(node, "groups"):
        subject = f"group {name!r}"
        fields = reader.fields(value, subject, _GROUP_KEYS)
        if "type" not in fields and not reader.origin.second:
            hint = "add 'type:' with the name of a group type"
            reader.report(WRONG_SHAPE, f"{subject} has no type", span, hint)
        groups[name] = GroupTemplate(
            name=name,
            span=span,
            origin=reader.origin,
            type=reader.type_text(TypeKind.GROUP, fields.get("type"), f"type of {subject}"),
            type_span=fields["type"].span if "type" in fields else span,
            properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
            attributes=reader.assignments(fields.get("attributes"), f"attributes of {subject}"),
            members=reader.texts(fields.get("members", fields.get("targets")), f"members of {subject}"),
        )
    return groups


def read_policies(reader: Reader, node: YamlNode | None) -> tuple[PolicyTemplate, ...]:
    policies: list[PolicyTemplate] = []
    names: set[str] = set()
    for name, span, value in reader.list_named_entries(node, "policies"):
        subject = f"policy {name!r}"
        if name in names and reader.origin.second:
            reader.report(WRONG_SHAPE, f"{subject} is defined twice", span, "give one of them another name")
        names.add(name)
        fields = reader.fields(value, subject, _POLICY_KEYS)
        policies.append(
            PolicyTemplate(
                name=name,
                span=span,
                origin=reader.origin,
                type=reader.type_text(TypeKind.POLICY, fields.get("type"), f"type of {subject}"),
                type_span=fields["type"].span if "type" in fields else span,
                properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
                targets=reader.texts(fields.get("targets"), f"targets of {subject}"),
                triggers=read_triggers(reader, fields.get("triggers"), subject),
            )
        )
    return tuple(policies)


def read_outputs(reader: Reader, node: YamlNode | None) -> dict[str, OutputDefinition]:
    outputs: dict[str, OutputDefinition] = {}
    definitions = (
        read_properties(reader, node, "outputs", attributes=True) if isinstance(node, YamlMapping) else {}
    )
    for name, definition in definitions.items():
        outputs[name] = OutputDefinition(
            name=name,
            span=definition.span,
            origin=reader.origin,
            value=definition.value,
            schema=definition.schema,
        )
    if not isinstance(node, YamlMapping):
        reader.mapping(node, "outputs")
    return outputs


def read_substitution(reader: Reader, node: YamlNode | None) -> SubstitutionMapping | None:
    if node is None:
        return None
    fields = reader.fields(node, "substitution_mappings", _SUBSTITUTION_KEYS)
    type_node = fields.get("node_type")
    type_ = reader.type_text(TypeKind.NODE, type_node, "node_type of substitution_mappings")
    if type_ is None or type_node is None:
        return None
    entries = [
        _read_mapped_entry(reader, section, name, span, value)
        for section in _MAPPED_SECTIONS
        for name, span, value in reader.list_named_entries(
            fields.get(section), f"{section} of substitution_mappings"
        )
    ]
    return SubstitutionMapping(
        name=type_,
        span=type_node.span,
        origin=reader.origin,
        entries=tuple(entries),
        filter=reader.optional(fields.get("substitution_filter")),
    )


def _read_mapped_entry(reader: Reader, section: str, key: str, span: Span, node: YamlNode) -> MappedEntry:
    """`name: [template, entry]`, `name: input`, `[CAPABILITY, host, name]: input`, `[name, 2]: [template, entry]`."""
    words = key[1:-1].split(", ") if key.startswith("[") else [key]
    name, part, count = words[-1], tuple(words[:-1]), None
    if section == "requirements" and len(words) == 2:
        name, part, count = words[0], (), words[1]
    is_value = section == "interfaces" or (isinstance(node, YamlMapping) and node.get("mapping") is None)
    return MappedEntry(
        name=name,
        span=span,
        origin=reader.origin,
        section=section,
        part=part,
        count=count,
        targets=() if is_value else tuple(_read_targets(reader, node, section)),
        value=reader.optional(_value_of(node)) if is_value else None,
    )


def _value_of(node: YamlNode) -> YamlNode:
    inner = node.get("value") if isinstance(node, YamlMapping) else None
    return node if inner is None else inner


def _read_targets(reader: Reader, node: YamlNode, section: str) -> Iterator[tuple[str, ...]]:
    """1.3 also has `{mapping: [template, entry]}`; 2.0 may map one requirement to several templates."""
    if isinstance(node, YamlMapping):
        inner = node.get("mapping")
        yield from () if inner is None else _read_targets(reader, inner, section)
    elif isinstance(node, YamlSequence) and any(isinstance(item, YamlSequence) for item in node.items):
        for item in node.items:
            yield from _read_targets(reader, item, section)
    else:
        names = tuple(text for text, _ in reader.texts(node, f"{section} of substitution_mappings"))
        if names:
            yield names
