"""Reading types and the definitions inside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from msgspec.structs import replace

from sabir.languages.tosca.syntax.interfaces import (
    read_artifacts,
    read_interface,
    read_interfaces,
    read_triggers,
)
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    CapabilityDefinition,
    InterfaceDefinition,
    RelationshipDefinition,
    RequirementDefinition,
    ScalarDefinition,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.languages.tosca.syntax.schemas import optional_schema, read_constraints, read_properties
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Span

_TYPE_KEYS: Final[Mapping[TypeKind, frozenset[str]]] = {
    kind: frozenset({"derived_from", "properties", "attributes", *extra})
    for kind, extra in {
        TypeKind.NODE: ("capabilities", "requirements", "interfaces", "artifacts"),
        TypeKind.RELATIONSHIP: (
            "interfaces",
            "valid_target_types",
            "valid_source_types",
            "valid_capability_types",
            "valid_source_node_types",
            "valid_target_node_types",
        ),
        TypeKind.CAPABILITY: ("valid_source_types", "valid_source_node_types", "valid_relationship_types"),
        TypeKind.DATA: (
            "constraints",
            "entry_schema",
            "key_schema",
            "validation",
            "units",
            "prefixes",
            "canonical_unit",
            "data_type",
            "type",
        ),
        TypeKind.ARTIFACT: ("mime_type", "file_ext"),
        TypeKind.INTERFACE: ("inputs", "operations", "notifications"),
        TypeKind.GROUP: ("members", "interfaces", "targets", "capabilities", "requirements"),
        TypeKind.POLICY: ("targets", "triggers"),
    }.items()
}


def read_type(reader: Reader, kind: TypeKind, name: str, span: Span, node: YamlNode) -> TypeDefinition:
    reader.loses = False
    definition = _read_definition(reader, kind, name, span, node)
    return replace(definition, loses=True) if reader.loses else definition


def _read_definition(reader: Reader, kind: TypeKind, name: str, span: Span, node: YamlNode) -> TypeDefinition:
    subject = f"{kind.word} type {name!r}"
    if isinstance(node, YamlScalar) and isinstance(node.value, str) and kind is TypeKind.ARTIFACT:
        return TypeDefinition(
            kind=kind,
            name=name,
            span=span,
            origin=reader.origin,
            derived_from=reader.type_name(kind, node.value),
        )
    if kind is TypeKind.INTERFACE and not reader.origin.second:
        # Up to 1.2 the operations of an interface type stand beside its other keys, under any name.
        fields: Mapping[str, YamlNode] = {key: value for key, _, value in reader.entries(node, subject)}
    else:
        fields = reader.fields(node, subject, _TYPE_KEYS[kind])
    parent = fields.get("derived_from")
    if isinstance(parent, YamlSequence) and len(parent):
        # Unfurl's types may derive from several; the first is the one that TOSCA knows.
        parent = parent.items[0]
    properties = read_properties(reader, fields.get("properties"), f"properties of {subject}")
    interfaces: dict[str, InterfaceDefinition] = {}
    if kind is TypeKind.INTERFACE:
        properties = {}
    else:
        interfaces = read_interfaces(
            reader, fields.get("interfaces"), f"interfaces of {subject}", defines=True
        )
    return TypeDefinition(
        kind=kind,
        name=name,
        span=span,
        origin=reader.origin,
        derived_from=reader.type_text(kind, parent, f"derived_from of {subject}"),
        derived_from_span=parent.span if parent is not None else None,
        properties=properties,
        attributes=read_properties(
            reader, fields.get("attributes"), f"attributes of {subject}", attributes=True
        ),
        capabilities=_read_capabilities(reader, fields.get("capabilities"), subject)
        if kind is TypeKind.NODE
        else {},
        requirements=_read_requirements(reader, fields.get("requirements"), subject)
        if kind is TypeKind.NODE
        else (),
        interfaces=interfaces,
        artifacts=read_artifacts(reader, fields.get("artifacts"), subject) if kind is TypeKind.NODE else {},
        constraints=read_constraints(reader, fields.get("constraints", fields.get("validation")), subject),
        valid_target_types=_read_type_names(
            reader, TypeKind.CAPABILITY, fields, subject, "valid_target_types", "valid_capability_types"
        ),
        valid_source_types=_read_type_names(
            reader, TypeKind.NODE, fields, subject, "valid_source_types", "valid_source_node_types"
        ),
        valid_relationship_types=_read_type_names(
            reader, TypeKind.RELATIONSHIP, fields, subject, "valid_relationship_types"
        ),
        valid_target_node_types=_read_type_names(
            reader, TypeKind.NODE, fields, subject, "valid_target_node_types"
        ),
        members=_read_type_names(reader, TypeKind.NODE, fields, subject, "members"),
        targets=_read_type_names(reader, TypeKind.NODE, fields, subject, "targets"),
        schema=optional_schema(reader, fields.get("entry_schema"), subject),
        key_schema=optional_schema(reader, fields.get("key_schema"), subject),
        behaviour=read_interface(reader, name, span, node, defines=True)
        if kind is TypeKind.INTERFACE
        else None,
        triggers=read_triggers(reader, fields.get("triggers"), subject) if kind is TypeKind.POLICY else {},
        scalar=_read_scalar(reader, fields, subject) if kind is TypeKind.DATA else None,
        is_open=reader.is_open(fields),
    )


def _read_type_names(
    reader: Reader, kind: TypeKind, fields: Mapping[str, YamlNode], subject: str, *keys: str
) -> tuple[str, ...]:
    """The names of types in a list."""
    texts = (text for key in keys for text, _ in reader.texts(fields.get(key), f"{key} of {subject}"))
    return tuple(reader.type_name(kind, text) for text in texts)


def _read_scalar(reader: Reader, fields: Mapping[str, YamlNode], subject: str) -> ScalarDefinition | None:
    units, prefixes, canonical = (fields.get(key) for key in ("units", "prefixes", "canonical_unit"))
    definition = ScalarDefinition(
        units=reader.optional(units),
        prefixes=reader.optional(prefixes),
        canonical_unit=reader.optional(canonical),
        data_type=optional_schema(reader, fields.get("data_type"), subject),
    )
    return None if definition.is_empty else definition


_CAPABILITY_KEYS: Final = frozenset(
    {
        "type",
        "properties",
        "attributes",
        "valid_source_types",
        "valid_source_node_types",
        "valid_relationship_types",
        "occurrences",
        "count",
    }
)
_REQUIREMENT_KEYS: Final = frozenset(
    {
        "capability",
        "node",
        "relationship",
        "occurrences",
        "node_filter",
        "count",
        "count_range",
        "directives",
        "type",
    }
)


def _read_capabilities(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, CapabilityDefinition]:
    capabilities: dict[str, CapabilityDefinition] = {}
    for name, span, value in reader.entries(node, f"capabilities of {owner}"):
        subject = f"capability {name!r} of {owner}"
        if isinstance(value, YamlScalar) and isinstance(value.value, str):
            capabilities[name] = CapabilityDefinition(
                name=name,
                span=span,
                origin=reader.origin,
                type=reader.type_name(TypeKind.CAPABILITY, value.value),
            )
            continue
        fields = reader.fields(value, subject, _CAPABILITY_KEYS)
        type_ = reader.type_text(TypeKind.CAPABILITY, fields.get("type"), f"type of {subject}") or ""
        occurrences = fields.get("occurrences")
        capabilities[name] = CapabilityDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            type=type_,
            valid_source_types=_read_type_names(
                reader, TypeKind.NODE, fields, subject, "valid_source_types", "valid_source_node_types"
            ),
            valid_relationship_types=_read_type_names(
                reader, TypeKind.RELATIONSHIP, fields, subject, "valid_relationship_types"
            ),
            occurrences=None if occurrences is None else read_occurrences(reader, occurrences, subject),
            properties=read_properties(reader, fields.get("properties"), f"properties of {subject}"),
            attributes=read_properties(
                reader, fields.get("attributes"), f"attributes of {subject}", attributes=True
            ),
        )
    return capabilities


def _read_requirements(
    reader: Reader, node: YamlNode | None, owner: str
) -> tuple[RequirementDefinition, ...]:
    requirements: list[RequirementDefinition] = []
    for name, span, value in reader.list_named_entries(node, f"requirements of {owner}"):
        subject = f"requirement {name!r} of {owner}"
        if isinstance(value, YamlScalar) and isinstance(value.value, str):
            requirements.append(
                RequirementDefinition(
                    name=name,
                    span=span,
                    origin=reader.origin,
                    capability=reader.type_name(TypeKind.CAPABILITY, value.value),
                )
            )
            continue
        fields = reader.fields(value, subject, _REQUIREMENT_KEYS)
        relationship, refinement = fields.get("relationship"), None
        if isinstance(relationship, YamlMapping):
            refinement = _read_relationship(reader, relationship, subject) if reader.origin.second else None
            relationship = relationship.get("type")
        occurrences = fields.get("occurrences") or fields.get("count_range")
        node_filter = fields.get("node_filter")
        types = {
            "capability": fields.get("capability"),
            "node": fields.get("node"),
            "relationship": relationship,
        }
        requirements.append(
            RequirementDefinition(
                name=name,
                span=span,
                origin=reader.origin,
                capability=reader.type_text(
                    TypeKind.CAPABILITY, fields.get("capability"), f"capability of {subject}"
                ),
                node=reader.type_text(TypeKind.NODE, fields.get("node"), f"node of {subject}"),
                relationship=reader.type_text(
                    TypeKind.RELATIONSHIP, relationship, f"relationship of {subject}"
                ),
                occurrences=read_occurrences(reader, occurrences, subject)
                if occurrences is not None
                else (1, 1),
                says_occurrences=occurrences is not None,
                node_filter=None if node_filter is None else reader.build_value(node_filter),
                refinement=refinement,
                type_spans={key: type_.span for key, type_ in types.items() if type_ is not None},
            )
        )
    return tuple(requirements)


def _read_relationship(reader: Reader, node: YamlMapping, owner: str) -> RelationshipDefinition:
    subject = f"the relationship of {owner}"
    return RelationshipDefinition(
        name=subject,
        span=node.span,
        origin=reader.origin,
        properties=read_properties(reader, node.get("properties"), f"properties of {subject}"),
        attributes=read_properties(
            reader, node.get("attributes"), f"attributes of {subject}", attributes=True
        ),
        interfaces=read_interfaces(reader, node.get("interfaces"), f"interfaces of {subject}", defines=True),
    )


def read_occurrences(reader: Reader, node: YamlNode, subject: str) -> tuple[int, int]:
    if isinstance(node, YamlSequence) and len(node) == 2:
        low, high = (item.value if isinstance(item, YamlScalar) else None for item in node.items)
        upper = UNBOUNDED if isinstance(high, str) and high.upper() == "UNBOUNDED" else high
        if isinstance(low, int) and isinstance(upper, int):
            # In 2.0 the grammar has refused the others.
            return (
                (low, upper)
                if low <= upper or upper == UNBOUNDED or not reader.origin.second
                else (0, UNBOUNDED)
            )
    elif isinstance(node, YamlScalar) and isinstance(node.value, int):
        return node.value, node.value
    reader.report(WRONG_SHAPE, f"occurrences of {subject} must be as [0, 1] or [1, UNBOUNDED]", node.span)
    return 0, UNBOUNDED
