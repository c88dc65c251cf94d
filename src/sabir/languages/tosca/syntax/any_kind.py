"""The section `types`, which Unfurl reads beside those of the standard: types of any kind, told apart by what they derive from."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from msgspec.structs import replace

from sabir.languages.tosca.syntax.scopes import Kind
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["TYPES", "names_in", "with_kinds"]

TYPES: Final = "types"

_WORDS: Final = {
    "nodes": Kind.NODE,
    "relationships": Kind.RELATIONSHIP,
    "capabilities": Kind.CAPABILITY,
    "interfaces": Kind.INTERFACE,
    "artifacts": Kind.ARTIFACT,
    "datatypes": Kind.DATA,
    "groups": Kind.GROUP,
    "policies": Kind.POLICY,
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
    kinds = {name: kind for fields in documents for kind in Kind for name in names_in(fields.get(kind.value))}
    bases = {
        name: base for fields in documents for name, base in _bases(fields.get(TYPES)) if name not in kinds
    }
    for name in bases:
        _settle(name, bases, kinds)
    return [_moved(fields, kinds) for fields in documents]


def names_in(node: YamlNode | None) -> Iterable[str]:
    """The names of the types of a section, which may be a list of maps."""
    for mapping in node.items if isinstance(node, YamlSequence) else (node,):
        for entry in mapping.entries if isinstance(mapping, YamlMapping) else ():
            name = _name(entry)
            if name is not None:
                yield name


def _name(entry: YamlEntry) -> str | None:
    key = entry.key
    if not isinstance(key, YamlScalar):
        return None
    return key.value if isinstance(key.value, str) else key.text


def _bases(node: YamlNode | None) -> Iterable[tuple[str, str | None]]:
    for entry in node.entries if isinstance(node, YamlMapping) else ():
        name, body = _name(entry), entry.value
        if name is not None:
            yield name, text_of(body.get("derived_from")) if isinstance(body, YamlMapping) else None


def _settle(name: str, bases: Mapping[str, str | None], kinds: dict[str, Kind]) -> None:
    """Follow a type to one whose kind is plain; those on the way are of that kind, too."""
    way: dict[str, None] = {}
    here: str | None = name
    while here is not None and here in bases and here not in kinds and here not in way:
        way[here] = None
        here = bases[here]
    kind = Kind.NODE if here is None else kinds.get(here) or _by_words(here)
    kinds.update(dict.fromkeys(way, kind))


def _by_words(name: str) -> Kind:
    """Of a type that stands in none of the documents. Most are types of nodes."""
    if name in _PRIMITIVES or name.startswith("scalar-unit."):
        return Kind.DATA
    return next((_WORDS[word] for word in name.split(".")[1:-1] if word in _WORDS), Kind.NODE)


def _moved(fields: Fields, kinds: Mapping[str, Kind]) -> Fields:
    section = fields.get(TYPES)
    if not isinstance(section, YamlMapping):
        return fields
    moved = dict(fields)
    for kind in Kind:
        entries = tuple(entry for entry in section.entries if kinds.get(_name(entry) or "") is kind)
        if entries:
            moved[kind.value] = _joined(fields.get(kind.value), replace(section, entries=entries))
    return moved


def _joined(section: YamlNode | None, more: YamlMapping) -> YamlNode:
    if isinstance(section, YamlMapping):
        return replace(section, entries=(*section.entries, *more.entries))
    if isinstance(section, YamlSequence):
        return replace(section, items=(*section.items, more))
    return more
