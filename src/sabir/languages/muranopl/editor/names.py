"""Names in class files, manifests and UI definitions: what they define, and what they refer to.

A member is identified by its name alone, because the class of the receiver is usually unknown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.expressions.yaql.errors import YaqlSyntaxError
from sabir.expressions.yaql.nodes import Binary, Call, Node, Variable, Word, child_nodes
from sabir.languages.muranopl.check.contracts import CONTRACT_FUNCTIONS
from sabir.languages.muranopl.check.core_library import FUNCTIONS
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.expressions import (
    ExpressionText,
    is_expression_scalar,
    parse_scalar,
    type_name,
)
from sabir.languages.muranopl.syntax.names import UnknownPrefixError
from sabir.languages.muranopl.syntax.nodes import ClassNode, MethodNode, PropertyNode, Value
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.source.packages import PackageFile
from sabir.source.symbols import FileNames, Mention, Symbol, SymbolKind
from sabir.source.yaml.access import sequence_items, text_entries, value_at
from sabir.source.yaml.cursor import key_symbol, text_symbols
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Source, Span

_SELF: Final = frozenset({"", "this"})
_BUILT_IN: Final = FUNCTIONS | CONTRACT_FUNCTIONS
"""What every value has; a method of the same name is seldom meant."""
_SECTIONS: Final = ("Properties", "Methods", "Workflow")


def class_key(name: str) -> str:
    """Return the key of a class in the symbol index."""
    return f"class {name}"


def member_key(name: str) -> str:
    """Return the key of a member, independent of its class: the receiver does not reveal which class it is."""
    return f"member {name}"


def class_names(file: PackageFile) -> FileNames:
    """Return the classes of a class file with their members, and the classes and members that its code uses."""
    symbols: list[Symbol] = []
    mentions: list[Mention] = []
    for node, document in _read_classes(file):
        extents = _member_extents(document)
        symbols.append(_class_symbol(node, document, extents, file.source))
        mentions += _class_mentions(node, document, FileReporter(file.source))
    return FileNames(tuple(symbols), tuple(mentions))


def _read_classes(file: PackageFile) -> Iterator[tuple[ClassNode, YamlMapping]]:
    documents = [document for document in file.yaml.documents if isinstance(document, YamlMapping)]
    for node in read_class_file(file.yaml).classes:
        document = next((whole for whole in documents if whole.span.contains(node.span)), None)
        if document is not None:
            yield node, document


# Definitions


def _member_extents(document: YamlMapping) -> Mapping[Span, Span]:
    """Return the full extent of each member, by the span of its name."""
    sections = (document.get(section) for section in _SECTIONS)
    return {
        entry.key.span: entry.key.span.to(entry.value.span)
        for section in sections
        if isinstance(section, YamlMapping)
        for entry in section.entries
    }


def _class_symbol(
    node: ClassNode, document: YamlMapping, extents: Mapping[Span, Span], source: Source
) -> Symbol:
    parents = ", ".join(parent.text for parent in node.extends)
    is_named = document.get("Name") is not None
    return Symbol(
        key=class_key(node.name),
        name=node.name.rpartition(".")[2],
        kind=SymbolKind.CLASS,
        span=node.span if is_named else Span(document.span.start, document.span.start),
        extent=document.span,
        detail=f"{node.name} extends {parents}" if parents else node.name,
        children=(
            *(_property_symbol(node, declared, extents, source) for declared in node.properties),
            *(_method_symbol(node, declared, extents, source) for declared in node.methods),
        ),
    )


def _property_symbol(
    node: ClassNode, declared: PropertyNode, extents: Mapping[Span, Span], source: Source
) -> Symbol:
    usage = "" if declared.usage == "In" else f"  Usage: {declared.usage}"
    detail = f"{declared.name}: {_contract_text(declared.contract, source)}{usage}"
    return _member_symbol(node, declared, SymbolKind.PROPERTY, extents, detail)


def _method_symbol(
    node: ClassNode, declared: MethodNode, extents: Mapping[Span, Span], source: Source
) -> Symbol:
    arguments = ", ".join(
        f"{argument.name}: {_contract_text(argument.contract, source)}" for argument in declared.arguments
    )
    usage = "" if declared.usage == "Runtime" else f"  Usage: {declared.usage}"
    return _member_symbol(node, declared, SymbolKind.METHOD, extents, f"{declared.name}({arguments}){usage}")


def _member_symbol(
    node: ClassNode,
    declared: PropertyNode | MethodNode,
    kind: SymbolKind,
    extents: Mapping[Span, Span],
    detail: str,
) -> Symbol:
    return Symbol(
        key=f"{kind.value} {node.name}.{declared.name}",
        name=declared.name,
        kind=kind,
        span=declared.span,
        extent=extents.get(declared.span, declared.span),
        detail=detail,
        aliases=(member_key(declared.name),),
    )


def _contract_text(value: Value, source: Source) -> str:
    """Return a contract as its author wrote it, on one line."""
    return " ".join(source.display_text(value.span).split())


# Uses


def _class_mentions(node: ClassNode, document: YamlMapping, report: FileReporter) -> Iterator[Mention]:
    for parent in (*node.extends, *node.imports):
        yield Mention(parent.span, (class_key(parent.text),))
    for section in _SECTIONS:
        for scalar in _walk_scalars(document.get(section)):
            if is_expression_scalar(scalar):
                parsed = parse_scalar(report, scalar)
                if not isinstance(parsed, YaqlSyntaxError) and parsed.offset is not None:
                    yield from _in_expression(parsed.tree, parsed, node)


def _walk_scalars(node: YamlNode | None) -> Iterator[YamlScalar]:
    """Yield all scalars, including keys of mappings: the left sides of assignments are keys."""
    if isinstance(node, YamlScalar):
        yield node
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from _walk_scalars(item)
    elif node is not None:
        for entry in node.entries:
            yield from _walk_scalars(entry.key)
            yield from _walk_scalars(entry.value)


def _in_expression(tree: Node, text: ExpressionText, node: ClassNode) -> Iterator[Mention]:
    waiting = [tree]
    while waiting:
        part = waiting.pop()
        written = type_name(part)
        if written is not None:
            yield from _class_mention(written, part, text, node)
            continue
        if isinstance(part, Binary) and part.operator in (".", "?."):
            yield from _member_mention(part, text, node)
        waiting += child_nodes(part)


def _class_mention(written: str, part: Node, text: ExpressionText, node: ClassNode) -> Iterator[Mention]:
    try:
        name = node.namespaces.resolve(written)
    except UnknownPrefixError:
        return
    yield Mention(text.span(part), (class_key(name),))


def _member_mention(access: Binary, text: ExpressionText, node: ClassNode) -> Iterator[Mention]:
    """Return the mention of `$.name` or `$x.name(…)`.

    On the object itself it refers to a member of this class or an ancestor, otherwise to one of any class.
    """
    right = access.right
    if isinstance(right, Word):
        kind, name, end = "property", right.value, right.end
    elif isinstance(right, Call):
        kind, name, end = "method", right.name, right.start + len(right.name)
    else:
        return
    if kind == "method" and name in _BUILT_IN:
        return
    asked = access.left
    is_own = isinstance(asked, Variable) and asked.name in _SELF
    owners = (node.name, *(parent.text for parent in node.extends)) if is_own else ()
    keys = (*(f"{kind} {owner}.{name}" for owner in owners), member_key(name))
    span = text.span(right)
    yield Mention(Span(span.start, span.start + end - right.start), keys)


def manifest_names(file: PackageFile) -> FileNames:
    """Return the package, and the classes that it lists."""
    document = _first_document(file)
    if document is None:
        return FileNames()
    symbols = text_symbols(
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
    """Return the forms with their fields, and the classes of the objects that they create."""
    document = _first_document(file)
    if document is None:
        return FileNames()
    forms = document.get("Forms")
    symbols = tuple(_form_symbols(forms)) if isinstance(forms, YamlSequence) else ()
    objects = (document.get("Application"), document.get("Templates"))
    mentions = (mention for node in objects if node is not None for mention in _type_mentions(node))
    return FileNames(symbols, tuple(mentions))


def _first_document(file: PackageFile) -> YamlMapping | None:
    first = next((document for document in file.yaml.documents if document is not None), None)
    return first if isinstance(first, YamlMapping) else None


def _form_symbols(forms: YamlSequence) -> Iterator[Symbol]:
    for item in forms.items:
        for name, entry in text_entries(item):
            children = tuple(_field_symbols(name, entry.value))
            yield key_symbol("form ", name, entry, SymbolKind.MODULE, children=children)


def _field_symbols(form: str, body: YamlNode) -> Iterator[Symbol]:
    for field in sequence_items(value_at(body, "fields")):
        yield from text_symbols(
            f"field {form}.",
            value_at(field, "name"),
            field,
            SymbolKind.PROPERTY,
            detail=text_of(value_at(field, "type")),
            about=text_of(value_at(field, "description")),
        )


def _type_mentions(node: YamlNode) -> Iterator[Mention]:
    """Yield `?: {type: CLASS}` at any depth."""
    if isinstance(node, YamlMapping):
        header = node.get("?")
        written = header.get("type") if isinstance(header, YamlMapping) else None
        name = text_of(written)
        if isinstance(written, YamlScalar) and name is not None:
            yield Mention(written.span, (class_key(name),))
        for value in node.values():
            yield from _type_mentions(value)
    elif isinstance(node, YamlSequence):
        for item in node.items:
            yield from _type_mentions(item)
