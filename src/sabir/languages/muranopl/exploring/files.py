"""Names of manifests and UI definitions."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.languages.muranopl.exploring.classes import class_key
from sabir.source.packages import PackageFile
from sabir.source.symbols import FileNames, Mention, Symbol, SymbolKind
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["manifest_names", "ui_names"]


def manifest_names(file: PackageFile) -> FileNames:
    """The package, and the classes that it promises."""
    document = _document(file)
    if document is None:
        return FileNames()
    full_name = document.get("FullName")
    name = text_of(full_name)
    symbols = (
        (
            Symbol(
                key=f"package {name}",
                name=name,
                kind=SymbolKind.MODULE,
                span=full_name.span,
                extent=document.span,
                detail=text_of(document.get("Name")),
                about=text_of(document.get("Description")),
            ),
        )
        if name is not None and full_name is not None
        else ()
    )
    classes = document.get("Classes")
    listed = classes.items() if isinstance(classes, YamlMapping) else ()
    mentions = tuple(
        Mention(key.span, (class_key(class_name),))
        for key, _ in listed
        if (class_name := text_of(key)) is not None
    )
    return FileNames(symbols, mentions)


def ui_names(file: PackageFile) -> FileNames:
    """The forms with their fields, and the classes of the objects that they make."""
    document = _document(file)
    if document is None:
        return FileNames()
    forms = document.get("Forms")
    symbols = tuple(_forms(forms)) if isinstance(forms, YamlSequence) else ()
    made = (document.get("Application"), document.get("Templates"))
    return FileNames(symbols, tuple(mention for node in made if node is not None for mention in _types(node)))


def _document(file: PackageFile) -> YamlMapping | None:
    first = next((document for document in file.yaml.documents if document is not None), None)
    return first if isinstance(first, YamlMapping) else None


def _forms(forms: YamlSequence) -> Iterator[Symbol]:
    for item in forms.items:
        for entry in item.entries if isinstance(item, YamlMapping) else ():
            name = text_of(entry.key)
            if name is not None:
                yield Symbol(
                    key=f"form {name}",
                    name=name,
                    kind=SymbolKind.MODULE,
                    span=entry.key.span,
                    extent=entry.key.span.to(entry.value.span),
                    children=tuple(_fields(name, entry.value)),
                )


def _fields(form: str, body: YamlNode) -> Iterator[Symbol]:
    fields = body.get("fields") if isinstance(body, YamlMapping) else None
    for field in fields.items if isinstance(fields, YamlSequence) else ():
        node = field.get("name") if isinstance(field, YamlMapping) else None
        name = text_of(node)
        if isinstance(field, YamlMapping) and node is not None and name is not None:
            yield Symbol(
                key=f"field {form}.{name}",
                name=name,
                kind=SymbolKind.PROPERTY,
                span=node.span,
                extent=field.span,
                detail=text_of(field.get("type")),
                about=text_of(field.get("description")),
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
