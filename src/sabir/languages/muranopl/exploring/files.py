"""Names of manifests and UI definitions."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.languages.muranopl.exploring.classes import class_key
from sabir.source.packages import PackageFile
from sabir.source.symbols import FileNames, Mention, Symbol, SymbolKind
from sabir.source.yaml.access import entries, items, value_at
from sabir.source.yaml.cursor import named_by_key, named_by_text
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["manifest_names", "ui_names"]


def manifest_names(file: PackageFile) -> FileNames:
    """The package, and the classes that it promises."""
    document = _document(file)
    if document is None:
        return FileNames()
    symbols = named_by_text(
        "package ",
        document.get("FullName"),
        document,
        SymbolKind.MODULE,
        detail=text_of(document.get("Name")),
        about=text_of(document.get("Description")),
    )
    classes = document.get("Classes")
    listed = classes.items() if isinstance(classes, YamlMapping) else ()
    mentions = tuple(
        Mention(key.span, (class_key(class_name),))
        for key, _ in listed
        if (class_name := text_of(key)) is not None
    )
    return FileNames(tuple(symbols), mentions)


def ui_names(file: PackageFile) -> FileNames:
    """The forms with their fields, and the classes of the objects that they make."""
    document = _document(file)
    if document is None:
        return FileNames()
    forms = document.get("Forms")
    symbols = tuple(_forms(forms)) if isinstance(forms, YamlSequence) else ()
    objects = (document.get("Application"), document.get("Templates"))
    mentions = (mention for node in objects if node is not None for mention in _types(node))
    return FileNames(symbols, tuple(mentions))


def _document(file: PackageFile) -> YamlMapping | None:
    first = next((document for document in file.yaml.documents if document is not None), None)
    return first if isinstance(first, YamlMapping) else None


def _forms(forms: YamlSequence) -> Iterator[Symbol]:
    for item in forms.items:
        for name, entry in entries(item):
            children = tuple(_fields(name, entry.value))
            yield named_by_key("form ", name, entry, SymbolKind.MODULE, children=children)


def _fields(form: str, body: YamlNode) -> Iterator[Symbol]:
    for field in items(value_at(body, "fields")):
        yield from named_by_text(
            f"field {form}.",
            value_at(field, "name"),
            field,
            SymbolKind.PROPERTY,
            detail=text_of(value_at(field, "type")),
            about=text_of(value_at(field, "description")),
        )


def _types(node: YamlNode) -> Iterator[Mention]:
    """`?: {type: CLASS}`, at any depth."""
    if isinstance(node, YamlMapping):
        header = node.get("?")
        written = header.get("type") if isinstance(header, YamlMapping) else None
        name = text_of(written)
        if isinstance(written, YamlScalar) and name is not None:
            yield Mention(written.span, (class_key(name),))
        for value in node.values():
            yield from _types(value)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from _types(item)
