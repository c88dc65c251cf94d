"""Reading properties, their schemas and constraints."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import Constraint, PropertyDefinition, Schema
from sabir.languages.tosca.syntax.reader import Reader
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data, text_of
from sabir.text import Span

UNKNOWN_CONSTRAINT: Final = tosca_rule(
    code="TOSCA:E014",
    title="a constraint that cannot be understood",
    why="There is no such operator, or its argument has the wrong form; it would never be enforced.",
)


PRIMITIVES: Final = frozenset(
    {
        "string",
        "integer",
        "float",
        "boolean",
        "timestamp",
        "null",
        "version",
        "range",
        "list",
        "map",
        "any",
        "json",
        "xml",
        "bytes",
        "nil",
        "scalar",
        "number",
        "scalar-unit.size",
        "scalar-unit.time",
        "scalar-unit.frequency",
        "scalar-unit.bitrate",
        "tosca:string",
        "tosca:integer",
        "tosca:float",
        "tosca:boolean",
    }
)


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


def read_properties(
    reader: Reader, node: YamlNode | None, subject: str, *, attributes: bool = False
) -> dict[str, PropertyDefinition]:
    if isinstance(node, YamlSequence):
        # A list of one-entry maps is common in the wild; it says the same.
        pairs = reader.list_named_entries(node, subject)
    else:
        pairs = reader.entries(node, subject)
    return {
        name: read_property(reader, name, span, value, attributes=attributes) for name, span, value in pairs
    }


def read_property(
    reader: Reader, name: str, span: Span, node: YamlNode, *, attributes: bool = False
) -> PropertyDefinition:
    subject = f"{'attribute' if attributes else 'property'} {name!r}"
    if reader.origin.second and _is_value(reader, node):
        return PropertyDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            schema=None,
            value=reader.build_value(node),
            is_attribute=attributes,
            is_short=True,
        )
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
            value=reader.build_value(node),
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
        default=None if default is None else reader.build_value(default),
        value=None if value is None else reader.build_value(value),
        metadata=notes,
        is_attribute=attributes,
        says_required="required" in fields,
        refined_schema=_read_refined_schema(reader, fields, span, subject),
    )


def _is_value(reader: Reader, node: YamlNode) -> bool:
    """2.0: whether what stands where a definition could is the fixed value of one that is inherited."""
    if isinstance(node, YamlMapping):
        return bool(len(node)) and not any(
            text_of(entry.key) in _PROPERTY_KEYS or text_of(entry.key) in ("description", "metadata")
            for entry in node.entries
        )
    name = text_of(node)
    if name is None:
        return not (isinstance(node, YamlScalar) and node.value is None)
    return name not in PRIMITIVES and (reader.scope is None or reader.scope.find(TypeKind.DATA, name) is None)


def only_defines(node: YamlMapping) -> bool:
    """Whether a map has nothing but what definitions have."""
    known = _PROPERTY_KEYS | {"description", "metadata"}
    return all(text_of(entry.key) in known for entry in node.entries)


def holds_form(node: YamlMapping) -> bool:
    """Whether a map is an `eval` form or the call of a get function."""
    keys = {entry.key.value for entry in node.entries if isinstance(entry.key, YamlScalar)}
    return bool(keys) and (keys <= {"eval", "ref", "vars", "select", "foreach", "trace"} or keys <= _GETTERS)


def _schema_of_name(reader: Reader, node: YamlScalar) -> Schema:
    return Schema(name=reader.type_name(TypeKind.DATA, node.text), span=node.span, origin=reader.origin)


def _schema_of_fields(
    reader: Reader, fields: Mapping[str, YamlNode], span: Span, subject: str
) -> Schema | None:
    written = fields.get("type")
    if isinstance(fields.get("schema"), YamlMapping) and written is None:
        return read_schema(reader, fields["schema"], subject)
    name = reader.type_text(TypeKind.DATA, written, f"type of {subject}")
    if name is None:
        return None
    return Schema(
        name=name,
        span=written.span if written is not None else span,
        origin=reader.origin,
        constraints=read_constraints(reader, fields.get("constraints", fields.get("validation")), subject),
        entry_schema=optional_schema(reader, fields.get("entry_schema"), subject),
        key_schema=optional_schema(reader, fields.get("key_schema"), subject),
    )


def _read_refined_schema(
    reader: Reader, fields: Mapping[str, YamlNode], span: Span, subject: str
) -> Schema | None:
    if not reader.origin.second or "type" in fields:
        return None
    if not any(key in fields for key in ("validation", "entry_schema", "key_schema")):
        return None
    return Schema(
        name="",
        span=span,
        origin=reader.origin,
        constraints=read_constraints(reader, fields.get("validation"), subject),
        entry_schema=optional_schema(reader, fields.get("entry_schema"), subject),
        key_schema=optional_schema(reader, fields.get("key_schema"), subject),
    )


def optional_schema(reader: Reader, node: YamlNode | None, subject: str) -> Schema | None:
    return None if node is None else read_schema(reader, node, subject)


def read_schema(reader: Reader, node: YamlNode, subject: str) -> Schema | None:
    if isinstance(node, YamlScalar):
        return _schema_of_name(reader, node) if node.value is not None else None
    fields = reader.fields(node, f"schema of {subject}", _PROPERTY_KEYS)
    return _schema_of_fields(reader, fields, node.span, subject)


def read_constraints(reader: Reader, node: YamlNode | None, subject: str) -> tuple[Constraint, ...]:
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
                Constraint(name=name, span=span, origin=reader.origin, argument=reader.build_value(value))
            )
    return tuple(constraints)
