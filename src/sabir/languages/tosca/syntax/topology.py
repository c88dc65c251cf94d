"""The section `types`, which Unfurl reads beside those of the standard: types of any kind, told apart by what they derive from.

Reading the functions of one's own that 2.0 lets files define.

The topology of the main document, with those of imported ones behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from msgspec.structs import replace

from sabir.languages.tosca.syntax.interfaces import read_implementation, read_workflows
from sabir.languages.tosca.syntax.nodes import (
    FunctionDefinition,
    GroupTemplate,
    InputDefinition,
    NodeTemplate,
    OutputDefinition,
    PolicyTemplate,
    RelationshipTemplate,
    Schema,
    Signature,
    SubstitutionMapping,
    Workflow,
)
from sabir.languages.tosca.syntax.reader import UNKNOWN_KEY, Reader
from sabir.languages.tosca.syntax.schemas import optional_schema, read_properties
from sabir.languages.tosca.syntax.scopes import TypeKind
from sabir.languages.tosca.syntax.templates import (
    read_groups,
    read_node_template,
    read_outputs,
    read_policies,
    read_relationship_template,
    read_substitution,
)
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

TYPES: Final = "types"

_WORDS: Final = {
    "nodes": TypeKind.NODE,
    "relationships": TypeKind.RELATIONSHIP,
    "capabilities": TypeKind.CAPABILITY,
    "interfaces": TypeKind.INTERFACE,
    "artifacts": TypeKind.ARTIFACT,
    "datatypes": TypeKind.DATA,
    "groups": TypeKind.GROUP,
    "policies": TypeKind.POLICY,
}
"""The second words of names of normative types."""
_PRIMITIVES: Final = frozenset(
    {"string", "integer", "float", "boolean", "timestamp", "version", "range", "list", "map"}
)

Fields = Mapping[str, YamlNode]


def with_kinds(documents: Iterable[Fields]) -> list[Fields]:
    """The documents with their `types` moved to the sections of their kinds."""
    documents = [*documents]
    if not any(TYPES in fields for fields in documents):
        return documents
    kinds = {
        name: kind for fields in documents for kind in TypeKind for name in names_in(fields.get(kind.value))
    }
    bases = {
        name: base
        for fields in documents
        for name, base in _list_bases(fields.get(TYPES))
        if name not in kinds
    }
    for name in bases:
        _resolve_kind(name, bases, kinds)
    return [_move_types(fields, kinds) for fields in documents]


def names_in(node: YamlNode | None) -> Iterable[str]:
    """The names of the types of a section, which may be a list of maps."""
    for mapping in node.items if isinstance(node, YamlSequence) else (node,):
        for entry in mapping.entries if isinstance(mapping, YamlMapping) else ():
            name = _entry_name(entry)
            if name is not None:
                yield name


def _entry_name(entry: YamlEntry) -> str | None:
    key = entry.key
    if not isinstance(key, YamlScalar):
        return None
    return key.value if isinstance(key.value, str) else key.text


def _list_bases(node: YamlNode | None) -> Iterable[tuple[str, str | None]]:
    for entry in node.entries if isinstance(node, YamlMapping) else ():
        name, body = _entry_name(entry), entry.value
        if name is not None:
            yield name, text_of(body.get("derived_from")) if isinstance(body, YamlMapping) else None


def _resolve_kind(name: str, bases: Mapping[str, str | None], kinds: dict[str, TypeKind]) -> None:
    """Follow a type to one whose kind is plain; those on the way are of that kind, too."""
    way: dict[str, None] = {}
    here: str | None = name
    while here is not None and here in bases and here not in kinds and here not in way:
        way[here] = None
        here = bases[here]
    kind = TypeKind.NODE if here is None else kinds.get(here) or _by_words(here)
    kinds.update(dict.fromkeys(way, kind))


def _by_words(name: str) -> TypeKind:
    """Of a type that stands in none of the documents. Most are types of nodes."""
    if name in _PRIMITIVES or name.startswith("scalar-unit."):
        return TypeKind.DATA
    return next((_WORDS[word] for word in name.split(".")[1:-1] if word in _WORDS), TypeKind.NODE)


def _move_types(fields: Fields, kinds: Mapping[str, TypeKind]) -> Fields:
    section = fields.get(TYPES)
    if not isinstance(section, YamlMapping):
        return fields
    moved = dict(fields)
    for kind in TypeKind:
        entries = tuple(entry for entry in section.entries if kinds.get(_entry_name(entry) or "") is kind)
        if entries:
            moved[kind.value] = _join_sections(fields.get(kind.value), replace(section, entries=entries))
    return moved


def _join_sections(section: YamlNode | None, more: YamlMapping) -> YamlNode:
    if isinstance(section, YamlMapping):
        return replace(section, entries=(*section.entries, *more.entries))
    if isinstance(section, YamlSequence):
        return replace(section, items=(*section.items, more))
    return more


def read_functions(reader: Reader, node: YamlNode | None) -> Iterator[FunctionDefinition]:
    """Those of a section; what has the wrong shape is reported by the grammar."""
    for name, span, value in reader.entries(node, "functions"):
        signatures = value.get("signatures") if isinstance(value, YamlMapping) else None
        items = signatures.items if isinstance(signatures, YamlSequence) else ()
        yield FunctionDefinition(
            name=name,
            span=span,
            origin=reader.origin,
            signatures=tuple(
                _read_signature(reader, item, f"function {name!r}")
                for item in items
                if isinstance(item, YamlMapping)
            ),
        )


def _read_signature(reader: Reader, node: YamlMapping, subject: str) -> Signature:
    return Signature(
        arguments=_read_schemas(reader, node.get("arguments"), subject),
        optional_arguments=_read_schemas(reader, node.get("optional_arguments"), subject),
        variadic=reader.flag(node.get("variadic"), f"variadic of {subject}", default=False),
        result=optional_schema(reader, node.get("result"), subject),
        implementation=read_implementation(reader, node.get("implementation")),
    )


def _read_schemas(reader: Reader, node: YamlNode | None, subject: str) -> tuple[Schema, ...]:
    items = node.items if isinstance(node, YamlSequence) else ()
    return tuple(schema for item in items if (schema := optional_schema(reader, item, subject)) is not None)


class TopologyParts:
    """The topology of the main document, with those of imported ones behind it."""

    def __init__(self) -> None:
        self.inputs: dict[str, InputDefinition] = {}
        self.nodes: dict[str, NodeTemplate] = {}
        self.relationships: dict[str, RelationshipTemplate] = {}
        self.groups: dict[str, GroupTemplate] = {}
        self.policies: list[PolicyTemplate] = []
        self.workflows: dict[str, Workflow] = {}
        self.outputs: dict[str, OutputDefinition] = {}
        self.substitution: SubstitutionMapping | None = None

    def take(self, reader: Reader, fields: Mapping[str, YamlNode], *, is_main: bool) -> None:
        for name, definition in read_properties(reader, fields.get("inputs"), "inputs").items():
            self.inputs.setdefault(name, definition)
        for name, span, value in reader.entries(fields.get("node_templates"), "node_templates"):
            if name == "node_filter" and isinstance(value, YamlMapping) and value.get("type") is None:
                message = "node_filter stands beside the node templates: it filters nothing"
                reader.report(UNKNOWN_KEY, message, span, "put it into a node template")
            elif name not in self.nodes:
                self.nodes[name] = read_node_template(reader, name, span, value)
        for name, span, value in reader.entries(
            fields.get("relationship_templates"), "relationship_templates"
        ):
            self.relationships.setdefault(name, read_relationship_template(reader, name, span, value))
        for name, group in read_groups(reader, fields.get("groups")).items():
            self.groups.setdefault(name, group)
        self.policies += read_policies(reader, fields.get("policies"))
        for name, workflow in read_workflows(reader, fields.get("workflows")).items():
            self.workflows.setdefault(name, workflow)
        for name, output in read_outputs(reader, fields.get("outputs")).items():
            self.outputs.setdefault(name, output)
        if is_main and self.substitution is None:
            self.substitution = read_substitution(reader, fields.get("substitution_mappings"))
