"""Reading types and the definitions inside them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.syntax.examples import example
from sabir.languages.tosca.syntax.nodes import (
    UNBOUNDED,
    ArtifactDefinition,
    CapabilityDefinition,
    Constraint,
    InterfaceDefinition,
    Kind,
    OperationDefinition,
    PropertyDefinition,
    RequirementDefinition,
    Schema,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.reader import NOTHING, WRONG_SHAPE, Reader
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data
from sabir.text import Span

__all__ = [
    "read_artifacts",
    "read_interfaces",
    "read_occurrences",
    "read_properties",
    "read_schema",
    "read_type",
]

UNKNOWN_CONSTRAINT: Final = Rule(
    code="TOSCA:E014",
    title="a constraint that cannot be understood",
    why="There is no such operator, or its argument has the wrong form; it would never be enforced.",
    bad=example("data_types:\n  Port: {derived_from: integer, constraints: [{in_rnage: [1, 2]}]}\n"),
    good=example("data_types:\n  Port: {derived_from: integer, constraints: [{in_range: [1, 2]}]}\n"),
    language="tosca",
)


_TYPE_KEYS: Final[Mapping[Kind, frozenset[str]]] = {
    kind: frozenset({"derived_from", "properties", "attributes", *extra})
    for kind, extra in {
        Kind.NODE: ("capabilities", "requirements", "interfaces", "artifacts"),
        Kind.RELATIONSHIP: (
            "interfaces",
            "valid_target_types",
            "valid_source_types",
            "valid_capability_types",
            "valid_source_node_types",
            "valid_target_node_types",
        ),
        Kind.CAPABILITY: ("valid_source_types", "valid_source_node_types", "valid_relationship_types"),
        Kind.DATA: (
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
        Kind.ARTIFACT: ("mime_type", "file_ext"),
        Kind.INTERFACE: ("inputs", "operations", "notifications"),
        Kind.GROUP: ("members", "interfaces", "targets", "capabilities", "requirements"),
        Kind.POLICY: ("targets", "triggers"),
    }.items()
}
_PROPERTY_KEYS: Final = frozenset(
    {
        "type",
        "required",
        "default",
        "status",
        "constraints",
        "entry_schema",
        "key_schema",
        "schema",
        "external-schema",
        "external_schema",
        "value",
        "validation",
        "mapping",
        "title",
        "sensitive",
    }
)
_GETTERS: Final = frozenset({"get_input", "get_property", "get_attribute", "concat", "get_env"})
_INTERFACE_KEYS: Final = frozenset({"type", "inputs", "operations", "notifications"})
_ARTIFACT_KEYS: Final = frozenset(
    {
        "type",
        "file",
        "repository",
        "deploy_path",
        "artifact_version",
        "checksum",
        "checksum_algorithm",
        "properties",
        "mime_type",
        "file_ext",
        "required",
        "interfaces",
        "dependencies",
        "intent",
        "target",
        "permissions",
        "order",
        "contents",
        "executable",
    }
)


def read_type(reader: Reader, kind: Kind, name: str, span: Span, node: YamlNode) -> TypeDefinition:
    subject = f"{kind.word} type {name!r}"
    if isinstance(node, YamlScalar) and isinstance(node.value, str) and kind is Kind.ARTIFACT:
        return TypeDefinition(kind=kind, name=name, span=span, origin=reader.origin, derived_from=node.value)
    if kind is Kind.INTERFACE:
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
    if kind is Kind.INTERFACE:
        properties = {}
    else:
        interfaces = read_interfaces(reader, fields.get("interfaces"), f"interfaces of {subject}")
    return TypeDefinition(
        kind=kind,
        name=name,
        span=span,
        origin=reader.origin,
        derived_from=reader.text(parent, f"derived_from of {subject}"),
        derived_from_span=parent.span if parent is not None else None,
        properties=properties,
        attributes=read_properties(
            reader, fields.get("attributes"), f"attributes of {subject}", attributes=True
        ),
        capabilities=_capabilities(reader, fields.get("capabilities"), subject) if kind is Kind.NODE else {},
        requirements=_requirements(reader, fields.get("requirements"), subject) if kind is Kind.NODE else (),
        interfaces=interfaces,
        artifacts=read_artifacts(reader, fields.get("artifacts"), subject) if kind is Kind.NODE else {},
        constraints=_constraints(reader, fields.get("constraints", fields.get("validation")), subject),
        valid_target_types=_names(reader, fields, subject, "valid_target_types", "valid_capability_types"),
        valid_source_types=_names(reader, fields, subject, "valid_source_types", "valid_source_node_types"),
        members=_names(reader, fields, subject, "members"),
        targets=_names(reader, fields, subject, "targets"),
        schema=_optional_schema(reader, fields.get("entry_schema"), subject),
        units=_units(fields.get("units")),
    )


def _names(reader: Reader, fields: Mapping[str, YamlNode], subject: str, *keys: str) -> tuple[str, ...]:
    return tuple(text for key in keys for text, _ in reader.texts(fields.get(key), f"{key} of {subject}"))


def _units(node: YamlNode | None) -> Mapping[str, object]:
    data = plain_data(node) if isinstance(node, YamlMapping) else {}
    return {str(key): value for key, value in data.items()} if isinstance(data, dict) else {}


def read_properties(
    reader: Reader, node: YamlNode | None, subject: str, *, attributes: bool = False
) -> dict[str, PropertyDefinition]:
    if isinstance(node, YamlSequence):
        # A list of one-entry maps is common in the wild; it says the same.
        pairs = reader.named_list(node, subject)
    else:
        pairs = reader.entries(node, subject)
    return {name: _property(reader, name, span, value, attributes=attributes) for name, span, value in pairs}


def _property(
    reader: Reader, name: str, span: Span, node: YamlNode, *, attributes: bool
) -> PropertyDefinition:
    subject = f"{'attribute' if attributes else 'property'} {name!r}"
    if isinstance(node, YamlScalar) and isinstance(node.value, str):
        # The short form: only the type.
        return PropertyDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            schema=_schema_of_name(reader, node),
            is_attribute=attributes,
        )
    if isinstance(node, YamlMapping) and holds_form(node):
        # An expression where a definition could stand gives the value (Unfurl).
        return PropertyDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            schema=None,
            required=False,
            value=reader.written(node),
            is_attribute=attributes,
        )
    fields = reader.fields(node, subject, _PROPERTY_KEYS)
    metadata = fields.get("metadata")
    data = plain_data(metadata) if isinstance(metadata, YamlMapping) else {}
    default, value = fields.get("default"), fields.get("value")
    notes = {str(key): item for key, item in data.items()} if isinstance(data, dict) else {}
    if "sensitive" in fields:
        notes.setdefault("sensitive", plain_data(fields["sensitive"]))
    return PropertyDefinition(
        name=name,
        span=span,
        origin=reader.origin,
        schema=_schema_of_fields(reader, fields, span, subject),
        required=reader.flag(fields.get("required"), f"required of {subject}", default=not attributes),
        default=None if default is None else reader.written(default),
        value=None if value is None else reader.written(value),
        metadata=notes,
        is_attribute=attributes,
    )


def holds_form(node: YamlMapping) -> bool:
    """Whether a map is an `eval` form or the call of a get function."""
    keys = {entry.key.value for entry in node.entries if isinstance(entry.key, YamlScalar)}
    return bool(keys) and (keys <= {"eval", "ref", "vars", "select", "foreach", "trace"} or keys <= _GETTERS)


def _schema_of_name(reader: Reader, node: YamlScalar) -> Schema:
    return Schema(name=node.text, span=node.span, origin=reader.origin)


def _schema_of_fields(
    reader: Reader, fields: Mapping[str, YamlNode], span: Span, subject: str
) -> Schema | None:
    written = fields.get("type")
    if isinstance(fields.get("schema"), YamlMapping) and written is None:
        return read_schema(reader, fields["schema"], subject)
    name = reader.text(written, f"type of {subject}")
    if name is None:
        return None
    return Schema(
        name=name,
        span=written.span if written is not None else span,
        origin=reader.origin,
        constraints=_constraints(reader, fields.get("constraints", fields.get("validation")), subject),
        entry_schema=_optional_schema(reader, fields.get("entry_schema"), subject),
        key_schema=_optional_schema(reader, fields.get("key_schema"), subject),
    )


def _optional_schema(reader: Reader, node: YamlNode | None, subject: str) -> Schema | None:
    return None if node is None else read_schema(reader, node, subject)


def read_schema(reader: Reader, node: YamlNode, subject: str) -> Schema | None:
    if isinstance(node, YamlScalar):
        return _schema_of_name(reader, node) if node.value is not None else None
    fields = reader.fields(node, f"schema of {subject}", _PROPERTY_KEYS)
    return _schema_of_fields(reader, fields, node.span, subject)


def _constraints(reader: Reader, node: YamlNode | None, subject: str) -> tuple[Constraint, ...]:
    constraints: list[Constraint] = []
    items = node.items if isinstance(node, YamlSequence) else () if node is None else (node,)
    for item in items:
        if isinstance(item, YamlScalar) and item.value is None:
            continue
        if not isinstance(item, YamlMapping):
            reader.report(
                UNKNOWN_CONSTRAINT,
                f"a constraint of {subject} must be a map, as `in_range: [1, 4]`",
                item.span,
            )
            continue
        for name, span, value in reader.entries(item, f"a constraint of {subject}"):
            constraints.append(
                Constraint(name=name, span=span, origin=reader.origin, argument=reader.written(value))
            )
    return tuple(constraints)


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


def _capabilities(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, CapabilityDefinition]:
    capabilities: dict[str, CapabilityDefinition] = {}
    for name, span, value in reader.entries(node, f"capabilities of {owner}"):
        subject = f"capability {name!r} of {owner}"
        if isinstance(value, YamlScalar) and isinstance(value.value, str):
            capabilities[name] = CapabilityDefinition(
                name=name, span=span, origin=reader.origin, type=value.value
            )
            continue
        fields = reader.fields(value, subject, _CAPABILITY_KEYS)
        type_ = reader.text(fields.get("type"), f"type of {subject}") or ""
        occurrences = fields.get("occurrences")
        capabilities[name] = CapabilityDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            type=type_,
            valid_source_types=_names(
                reader, fields, subject, "valid_source_types", "valid_source_node_types"
            ),
            occurrences=None if occurrences is None else read_occurrences(reader, occurrences, subject),
            properties=read_properties(reader, fields.get("properties"), f"properties of {subject}"),
            attributes=read_properties(
                reader, fields.get("attributes"), f"attributes of {subject}", attributes=True
            ),
        )
    return capabilities


def _requirements(reader: Reader, node: YamlNode | None, owner: str) -> tuple[RequirementDefinition, ...]:
    requirements: list[RequirementDefinition] = []
    for name, span, value in reader.named_list(node, f"requirements of {owner}"):
        subject = f"requirement {name!r} of {owner}"
        if isinstance(value, YamlScalar) and isinstance(value.value, str):
            requirements.append(
                RequirementDefinition(name=name, span=span, origin=reader.origin, capability=value.value)
            )
            continue
        fields = reader.fields(value, subject, _REQUIREMENT_KEYS)
        relationship = fields.get("relationship")
        if isinstance(relationship, YamlMapping):
            relationship = relationship.get("type")
        occurrences = fields.get("occurrences") or fields.get("count_range")
        node_filter = fields.get("node_filter")
        requirements.append(
            RequirementDefinition(
                name=name,
                span=span,
                origin=reader.origin,
                capability=reader.text(fields.get("capability"), f"capability of {subject}"),
                node=reader.text(fields.get("node"), f"node of {subject}"),
                relationship=reader.text(relationship, f"relationship of {subject}"),
                occurrences=read_occurrences(reader, occurrences, subject)
                if occurrences is not None
                else (1, 1),
                node_filter=None if node_filter is None else reader.written(node_filter),
            )
        )
    return tuple(requirements)


def read_occurrences(reader: Reader, node: YamlNode, subject: str) -> tuple[int, int]:
    if isinstance(node, YamlSequence) and len(node) == 2:
        low, high = (item.value if isinstance(item, YamlScalar) else None for item in node.items)
        upper = UNBOUNDED if isinstance(high, str) and high.upper() == "UNBOUNDED" else high
        if isinstance(low, int) and isinstance(upper, int):
            return low, upper
    elif isinstance(node, YamlScalar) and isinstance(node.value, int):
        return node.value, node.value
    reader.report(WRONG_SHAPE, f"occurrences of {subject} must be as [0, 1] or [1, UNBOUNDED]", node.span)
    return 0, UNBOUNDED


def read_interfaces(reader: Reader, node: YamlNode | None, subject: str) -> dict[str, InterfaceDefinition]:
    interfaces: dict[str, InterfaceDefinition] = {}
    for name, span, value in reader.entries(node, subject):
        mapping = reader.mapping(value, f"interface {name!r}")
        fields = {key: item for key, _, item in reader.entries(mapping, name)} if mapping else NOTHING
        # Up to 1.2 operations stand beside `type` and `inputs`; 1.3 puts them under `operations`.
        inner = fields.get("operations")
        operations = inner if inner is not None else None
        pairs = (
            [
                (key, item)
                for key, item in fields.items()
                if key not in _INTERFACE_KEYS and key != "description"
            ]
            if operations is None
            else [(key, item) for key, _, item in reader.entries(operations, f"operations of {name!r}")]
        )
        interfaces[name] = InterfaceDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            type=reader.text(fields.get("type"), f"type of interface {name!r}"),
            inputs=reader.assignments(fields.get("inputs"), f"inputs of interface {name!r}"),
            operations={key: _operation(reader, key, span, item) for key, item in pairs},
        )
    return interfaces


def _operation(reader: Reader, name: str, span: Span, node: YamlNode) -> OperationDefinition:
    if not isinstance(node, YamlMapping):
        implementation = None if isinstance(node, YamlScalar) and node.value is None else reader.written(node)
        return OperationDefinition(name=name, span=span, origin=reader.origin, implementation=implementation)
    implementation_node = node.get("implementation")
    inputs = node.get("inputs")
    return OperationDefinition(
        name=name,
        span=span,
        origin=reader.origin,
        implementation=None if implementation_node is None else reader.written(implementation_node),
        inputs=reader.assignments(inputs, f"inputs of operation {name!r}"),
    )


def read_artifacts(reader: Reader, node: YamlNode | None, owner: str) -> dict[str, ArtifactDefinition]:
    artifacts: dict[str, ArtifactDefinition] = {}
    for name, span, value in reader.named_list(node, f"artifacts of {owner}"):
        subject = f"artifact {name!r} of {owner}"
        if isinstance(value, YamlScalar):
            artifacts[name] = ArtifactDefinition(
                name=name,
                span=span,
                origin=reader.origin,
                end=value.span.end,
                file=reader.text(value, subject),
            )
            continue
        fields = reader.fields(value, subject, _ARTIFACT_KEYS)
        keys = {
            key: plain_data(item) for key, item in fields.items() if key not in ("properties", "description")
        }
        file = fields.get("file")
        artifacts[name] = ArtifactDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            end=value.span.end,
            type=reader.text(fields.get("type"), f"type of {subject}"),
            file=reader.text(file, f"file of {subject}") if isinstance(file, YamlScalar) else None,
            repository=reader.text(fields.get("repository"), f"repository of {subject}"),
            keys=keys,
            properties=reader.assignments(fields.get("properties"), f"properties of {subject}"),
        )
    return artifacts
