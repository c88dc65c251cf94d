"""Class files: one class a YAML document, namespaces carried on from one document to the next."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS, Defect, Defects
from sabir.languages.muranopl.syntax.members import read_methods, read_properties
from sabir.languages.muranopl.syntax.names import (
    NO_NAMESPACES,
    Namespaces,
    UnknownPrefix,
    is_prefix,
    is_qualified_name,
)
from sabir.languages.muranopl.syntax.nodes import ClassNode, NameNode
from sabir.languages.muranopl.syntax.values import read_value
from sabir.source.yaml import YamlMapping, YamlNode, YamlScalar, YamlSequence, YamlStream
from sabir.text import Span

__all__ = ["ClassFile", "read_class_file"]

_TARGETS: Final = ("Package", "Type", "Property", "Method", "Argument", "All")


class ClassFile(Struct, frozen=True, kw_only=True):
    """The classes of a file in their order, and everything that is wrong with its form."""

    classes: tuple[ClassNode, ...]
    findings: tuple[Finding, ...] = ()
    defects: tuple[Defect, ...] = ()
    """What is wrong with declarations and instructions, as check and loading see it."""


def read_class_file(stream: YamlStream, manifest_name: str | None = None) -> ClassFile:
    """Read every class of a file. `manifest_name` names the class of a document without `Name` (S-08)."""
    defects = Defects(stream.source)
    defects.findings.extend(stream.findings)
    documents = [document for document in stream.documents if document is not None]
    if not documents and not stream.findings:
        defects.add("the file holds no class", Span(0, 0), hint="a class is a mapping with the key Name")
    namespaces = NO_NAMESPACES
    classes: list[ClassNode] = []
    for document in documents:
        if not isinstance(document, YamlMapping):
            defects.add("a class must be a mapping", document.span, hint="begin with `Name:`")
            continue
        namespaces = _namespaces(document, namespaces, defects)
        keys = {entry.key.value for entry in document.entries if isinstance(entry.key, YamlScalar)}
        if keys == {"Namespaces"}:
            continue  # sets the prefixes for the documents that follow
        node = _class(document, namespaces, manifest_name if len(documents) == 1 else None, defects)
        if node is not None:
            classes.append(node)
    return ClassFile(
        classes=tuple(classes),
        findings=tuple(defects.findings),
        defects=tuple(defects.noted),
    )


def _namespaces(document: YamlMapping, inherited: Namespaces, defects: Defects) -> Namespaces:
    node = document.get("Namespaces")
    if node is None or _is_null(node):
        return inherited
    if not isinstance(node, YamlMapping):
        defects.add("Namespaces must be a mapping of prefixes to namespaces", node.span)
        return inherited
    table: dict[str, str] = {}
    for key, value in node.items():
        prefix, space = _text(key), _text(value)
        if prefix is None or not is_prefix(prefix):
            defects.add(f"{_shown(key)} is no prefix", key.span, hint="a prefix is `=` or an identifier")
        elif space is None or (space and not is_qualified_name(space)):
            defects.add(f"{_shown(value)} is no namespace", value.span, hint="as in `io.murano.apps`")
        else:
            table[prefix] = space
    return Namespaces(table)


def _class(
    document: YamlMapping, namespaces: Namespaces, manifest_name: str | None, defects: Defects
) -> ClassNode | None:
    name_node = document.get("Name")
    if name_node is None:
        if manifest_name is None:
            defects.add("the class has no Name", Span(document.span.start, document.span.start))
            return None
        name, span = manifest_name, Span(document.span.start, document.span.start)
    else:
        found = _class_name(name_node, namespaces, defects)
        if found is None:
            return None
        name, span = found, name_node.span
    return ClassNode(
        span=span,
        source=defects.source,
        name=name,
        namespaces=namespaces,
        extends=_type_names(document, "Extends", namespaces, defects),
        imports=_type_names(document, "Import", namespaces, defects),
        usage=_choice(document, "Usage", ("Class", "Meta"), defects) or "Class",
        cardinality=_choice(document, "Cardinality", ("One", "Many"), defects) or "One",
        applies=_applies(document, defects),
        inherited=_flag(document, "Inherited", defects),
        properties=read_properties(document.entry("Properties"), defects),
        methods=read_methods(document, defects),
        meta=None if (meta := document.get("Meta")) is None else read_value(meta),
    )


def _class_name(node: YamlNode, namespaces: Namespaces, defects: Defects) -> str | None:
    written = _text(node)
    if written is None:
        defects.add(f"{_shown(node)} is no class name", node.span)
        return None
    try:
        name = namespaces.resolve(written)
    except UnknownPrefix as error:
        defects.misspelt(str(error), node.span, error.prefix, tuple(namespaces.table))
        return None
    if not is_qualified_name(name):
        defects.add(
            f"{written!r} is no class name",
            node.span,
            hint="letters, digits and `_`, beginning with a letter",
        )
        return None
    return name


def _type_names(
    document: YamlMapping, key: str, namespaces: Namespaces, defects: Defects
) -> tuple[NameNode, ...]:
    node = document.get(key)
    if node is None or _is_null(node):
        return ()
    names: list[NameNode] = []
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        written = _text(item)
        if written is None:
            defects.add(f"{_shown(item)} in {key} is no class name", item.span, hint=_blank_hint(item))
            continue
        try:
            name = namespaces.resolve(written)
        except UnknownPrefix as error:
            defects.add(
                str(error), item.span, rule=UNKNOWN_CLASS, hint=f"declare {error.prefix!r} in Namespaces"
            )
            continue
        if is_qualified_name(name):
            names.append(NameNode(span=item.span, text=name))
        else:
            defects.add(f"{written!r} in {key} is no class name", item.span)
    return tuple(names)


def _blank_hint(node: YamlNode) -> str | None:
    # `srv: Something` with a blank is a mapping for YAML (S-10).
    if isinstance(node, YamlMapping) and len(node.entries) == 1:
        key, value = node.entries[0].key, node.entries[0].value
        if isinstance(key, YamlScalar) and isinstance(value, YamlScalar):
            return f"write `{key.text}:{value.text}` without the blank"
    return None


def _applies(document: YamlMapping, defects: Defects) -> tuple[str, ...]:
    node = document.get("Applies")
    if node is None or _is_null(node):
        return ("All",)
    targets: list[str] = []
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        text = _text(item)
        if text in _TARGETS:
            targets.append(text)
        else:
            defects.misspelt(f"{_shown(item)} is no target of Applies", item.span, str(text), _TARGETS)
    return tuple(targets)


def _choice(document: YamlMapping, key: str, known: tuple[str, ...], defects: Defects) -> str | None:
    node = document.get(key)
    if node is None or _is_null(node):
        return None
    text = _text(node)
    if text in known:
        return text
    defects.misspelt(f"{_shown(node)} is no {key} of a class", node.span, str(text), known)
    return None


def _flag(document: YamlMapping, key: str, defects: Defects) -> bool:
    node = document.get(key)
    if node is None or _is_null(node):
        return False
    if isinstance(node, YamlScalar) and isinstance(node.value, bool):
        return node.value
    defects.add(f"{key} must be true or false", node.span)
    return False


def _text(node: YamlNode) -> str | None:
    return node.value if isinstance(node, YamlScalar) and isinstance(node.value, str) else None


def _is_null(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and node.value is None


def _shown(node: YamlNode) -> str:
    if isinstance(node, YamlScalar):
        return repr(node.text)
    return "a list" if isinstance(node, YamlSequence) else "a mapping"
