"""Editor support for TOSCA: symbols, references and completion.

Symbols are types, inputs, node templates and other named entries. Import prefixes are ignored: a name without
its prefix refers to the type from whichever file it is imported. Completion offers the keys of the grammar
and function names.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from sabir.expressions.vocabulary import absolute_path
from sabir.languages.tosca.library import PROFILES
from sabir.languages.tosca.syntax.dialects import document_of
from sabir.languages.tosca.syntax.grammar import Collection, GrammarEntity, grammar
from sabir.source.packages import LoadedPackage, MemoryPackage, PackageFile
from sabir.source.symbols import Candidate, FileNames, Mention, Symbol, SymbolKind
from sabir.source.yaml.access import all_entries, sequence_items, text_entries, value_at
from sabir.source.yaml.cursor import CursorContext, key_symbol, locate_cursor
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Span

_SIMPLE: Final = {"topology_template": "service_template"}
"""Keys of the Simple Profile and the keys that replace them in 2.0."""
_FUNCTIONS: Final = (
    *(
        "get_input",
        "get_property",
        "get_attribute",
        "get_operation_output",
        "get_artifact",
        "get_nodes_of_type",
    ),
    *("concat", "token", "join", "eval", "get_env", "get_secret", "to_env"),
)
_TYPE_VALUE_KEYS: Final = frozenset({"type", "derived_from", "relationship", "capability"})


def candidates(package: LoadedPackage, file: PackageFile, offset: int) -> Sequence[Candidate]:  # noqa: ARG001  an explorer's
    """Return the completion candidates at an offset: grammar keys, or function names after `{`."""
    place = locate_cursor(file.source, offset)
    if place.is_key:
        return _build_candidates(_list_keys(place.path), SymbolKind.KEYWORD)
    return _build_candidates(_FUNCTIONS, SymbolKind.FUNCTION) if place.before.lstrip().startswith("{") else ()


def _list_keys(path: tuple[str, ...]) -> Iterable[str]:
    """Return the grammar keys under a path; a user-defined name stands for any entry of a map."""
    entity: GrammarEntity = grammar()["file"]
    is_name = False
    for key in path:
        if is_name:
            is_name = False
            continue
        field = entity.fields.get(_SIMPLE.get(key, key))
        if field is None or field.entity is None:
            return ()
        entity = grammar()[field.entity]
        is_name = field.collection in (Collection.NAMED, Collection.LISTED)
    return () if is_name else (*entity.fields, *(() if path else _SIMPLE))


def completion_keys(file: PackageFile, offset: int) -> Sequence[str]:
    """Return the prefixes of the symbols that may complete the value at an offset.

    The prefixes (`type `, `input `, `node `, `member `) are those of symbol keys in `file_names`. Empty if no
    symbol fits.
    """
    place = locate_cursor(file.source, offset)
    typed = place.before.replace(" ", "")
    if place.key in _TYPE_VALUE_KEYS:
        return ("type ",)
    if typed.endswith("{get_input:") or place.key == "get_input":
        return ("input ",)
    if _names_node(place, typed):
        return ("node ",)
    return ("member ",) if "get_property" in typed or "get_attribute" in typed else ()


def _names_node(place: CursorContext, typed: str) -> bool:
    in_requirements = place.path[-1:] == ("requirements",) and place.key is not None
    return in_requirements or place.key in ("node", "target") or typed.endswith(("[", "::"))


def _build_candidates(names: Iterable[str], kind: SymbolKind) -> Sequence[Candidate]:
    return [Candidate(text=name, kind=kind) for name in sorted(names)]


TYPE_SECTIONS: Final = (
    *("node_types", "relationship_types", "capability_types", "data_types"),
    *("interface_types", "artifact_types", "policy_types", "group_types"),
)
_NAMED: Final = {
    "inputs": ("input", SymbolKind.VARIABLE),
    "outputs": ("output", SymbolKind.VARIABLE),
    "node_templates": ("node", SymbolKind.INSTANCE),
    "relationship_templates": ("relationship", SymbolKind.INSTANCE),
    "workflows": ("workflow", SymbolKind.OPERATION),
    "groups": ("group", SymbolKind.INSTANCE),
    "policies": ("policy", SymbolKind.INSTANCE),
}
"""Sections of a template and the word for one of their entries."""
_MEMBERS: Final = ("properties", "attributes", "capabilities", "requirements", "interfaces")
_TYPE_KEYS: Final = frozenset({"type", "derived_from", "node_type", "relationship"})
_REFERENCES: Final = frozenset({"get_property", "get_attribute", "get_operation_output", "get_artifact"})
_PLACES: Final = frozenset({"SELF", "SOURCE", "TARGET", "HOST"})


def file_names(package: LoadedPackage, file: PackageFile) -> FileNames:  # noqa: ARG001  an explorer's
    """Return the symbols that a file defines and the names that it refers to.

    Empty for a file that is not YAML or cannot be read.
    """
    root = document_of(file, []) if file.name.endswith((".yaml", ".yml")) else None
    if root is None:
        return FileNames()
    template = _find_template(root)
    symbols = (*_list_type_symbols(root), *_list_template_symbols(template))
    return FileNames(symbols, tuple(_find_mentions(root, file)))


def _find_template(root: YamlNode | None) -> YamlNode | None:
    inner = value_at(root, "spec", "service_template") or root
    return value_at(inner, "topology_template") or value_at(inner, "service_template") or inner


def libraries(package: LoadedPackage) -> Sequence[LoadedPackage]:
    """Return the types bundled with sabir as a package, so that editors can open their definitions."""
    folder = Path(__file__).parent / "library"
    files = {f"{profile}.yaml": (folder / f"{profile}.yaml").read_bytes() for profile in PROFILES}
    package = MemoryPackage(files)
    package.path = folder
    return [package]


# Definitions


def _list_type_symbols(root: YamlNode | None) -> Iterator[Symbol]:
    for section in TYPE_SECTIONS:
        for name, entry in text_entries(value_at(root, section)):
            yield key_symbol(
                "type ",
                name,
                entry,
                SymbolKind.CLASS,
                detail=_describe_parent(entry.value),
                about=text_of(value_at(entry.value, "description")),
                children=tuple(_list_member_symbols(name, entry.value)),
                aliases=tuple(f"type {short}" for short in _short_names(name)),
            )


def _short_names(name: str) -> Iterator[str]:
    if name.startswith("tosca."):
        yield name.split(".", 2)[-1]
        yield name.rpartition(".")[2]


def _describe_parent(node: YamlNode) -> str | None:
    parent = text_of(value_at(node, "derived_from"))
    return None if parent is None else f"derived from {parent}"


def _list_member_symbols(owner: str, node: YamlNode) -> Iterator[Symbol]:
    for section in _MEMBERS:
        value = value_at(node, section)
        listed = value.items if isinstance(value, YamlSequence) else (value,)
        for item in listed:
            for name, entry in text_entries(item):
                yield key_symbol(
                    f"member {owner}.",
                    name,
                    entry,
                    SymbolKind.OPERATION if section == "interfaces" else SymbolKind.PROPERTY,
                    detail=_describe_schema(entry.value),
                    about=text_of(value_at(entry.value, "description")),
                    aliases=(f"member {name}",),
                )


def _describe_schema(node: YamlNode) -> str | None:
    kind = text_of(value_at(node, "type")) or text_of(value_at(node, "capability")) or text_of(node)
    default = value_at(node, "default")
    suffix = f" = {default.text}" if isinstance(default, YamlScalar) else ""
    return None if kind is None else kind + suffix


def _list_template_symbols(template: YamlNode | None) -> Iterator[Symbol]:
    for section, (word, kind) in _NAMED.items():
        for name, entry in _section_entries(value_at(template, section)):
            yield key_symbol(
                f"{word} ",
                name,
                entry,
                kind,
                detail=_describe_schema(entry.value),
                about=text_of(value_at(entry.value, "description")),
                children=tuple(_list_member_symbols(name, entry.value)) if word == "node" else (),
            )


def _section_entries(node: YamlNode | None) -> Iterator[tuple[str, YamlEntry]]:
    """Return the entries of a section: a map of names, or (policies) a list of one-entry maps."""
    for listed in (node, *sequence_items(node)):
        yield from text_entries(listed)


# Uses


def _find_mentions(root: YamlNode | None, file: PackageFile) -> Iterator[Mention]:
    for name, entry in all_entries(root):
        value = entry.value
        if name in _TYPE_KEYS and isinstance(value, YamlScalar) and (written := text_of(value)):
            yield _type_mention(value.span, written)
        elif name in ("get_input", "$get_input"):
            yield from _find_first_mention(value, "input")
        elif name.removeprefix("$") in _REFERENCES:
            yield from _find_reference_mentions(value)
        elif name in ("node", "target") and isinstance(value, YamlScalar) and (written := text_of(value)):
            yield Mention(value.span, (f"node {written}", f"type {_strip_namespace(written)}"))
        elif name in ("requirements", "members", "targets"):
            yield from _find_requirement_mentions(value)
        elif name in ("eval", "ref"):
            yield from _find_path_mentions(value, file)


def _type_mention(span: Span, written: str) -> Mention:
    return Mention(span, (f"type {written}", f"type {_strip_namespace(written)}"))


def _strip_namespace(written: str) -> str:
    return written.rpartition(":")[2]


def _find_first_mention(value: YamlNode, word: str) -> Iterator[Mention]:
    first = next(iter(sequence_items(value)), value)
    name = text_of(first)
    if name is not None:
        yield Mention(first.span, (f"{word} {name}",))


def _find_reference_mentions(value: YamlNode) -> Iterator[Mention]:
    """Return the names in `get_property: [NODE, …, NAME]`."""
    for position, item in enumerate(sequence_items(value)):
        name = text_of(item)
        if name is not None and name not in _PLACES:
            yield Mention(item.span, (f"member {name}",) if position else (f"node {name}",))


def _find_requirement_mentions(value: YamlNode) -> Iterator[Mention]:
    """Return the names in `- host: NODE` and in lists of names."""
    for item in sequence_items(value):
        name = text_of(item)
        if name is not None:
            yield Mention(item.span, (f"node {name}", f"group {name}"))
        for _, entry in text_entries(item):
            target = text_of(entry.value)
            if target is not None:
                yield Mention(entry.value.span, (f"node {target}", f"type {_strip_namespace(target)}"))


def _find_path_mentions(value: YamlNode, file: PackageFile) -> Iterator[Mention]:
    if isinstance(value, YamlScalar):
        text = file.source.slice(value.span)
        for match in absolute_path().finditer(text):
            if match["name"] is not None:
                span = Span(*match.span("name")).shift(value.span.start)
                yield Mention(span, (f"node {match['name']}",))
    elif isinstance(value, YamlMapping | YamlSequence):
        for child in value.values() if isinstance(value, YamlMapping) else value.items:
            yield from _find_path_mentions(child, file)
