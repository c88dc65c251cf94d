"""Class files: one class per YAML document; namespaces carry over from one document to the next."""

from __future__ import annotations

from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.syntax.defects import UNKNOWN_CLASS, Defect, Defects
from sabir.languages.muranopl.syntax.heads import ClassHead, TypeReference, read_heads
from sabir.languages.muranopl.syntax.members import read_methods, read_properties
from sabir.languages.muranopl.syntax.names import UnknownPrefixError
from sabir.languages.muranopl.syntax.nodes import ClassNode, NameNode
from sabir.source.yaml import YamlMapping, YamlStream
from sabir.text import Span

DEEPEST_CLASS: Final = 200
"""A class has no more levels of ancestors: whoever extends it pays for each of them."""


class ClassFile(Struct, frozen=True, kw_only=True):
    """The classes of a file in their order, and all defects in its form."""

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
    mappings = [document for document in documents if isinstance(document, YamlMapping)]
    for document in documents:
        if not isinstance(document, YamlMapping):
            defects.add("a class must be a mapping", document.span, hint="begin with `Name:`")
    heads = read_heads(mappings, manifest_name, defects).heads
    classes = [_build_class(head, head.name, defects) for head in heads if head.name is not None]
    return ClassFile(classes=tuple(classes), findings=tuple(defects.findings), defects=tuple(defects.noted))


def _build_class(head: ClassHead, name: str, defects: Defects) -> ClassNode:
    return ClassNode(
        span=head.span,
        source=defects.source,
        name=name,
        namespaces=head.namespaces,
        extends=_resolve_names(head, head.extends, defects),
        imports=_resolve_names(head, head.imports, defects),
        usage=head.usage,
        cardinality=head.cardinality,
        applies=head.applies,
        inherited=head.inherited,
        properties=read_properties(head.node.entry("Properties"), defects),
        methods=read_methods(head.node, defects),
        meta=head.meta,
    )


def _resolve_names(
    head: ClassHead, references: tuple[TypeReference, ...], defects: Defects
) -> tuple[NameNode, ...]:
    names: list[NameNode] = []
    for reference in references:
        try:
            name = head.namespaces.resolve(reference.written)
        except UnknownPrefixError as error:
            hint = f"declare {error.prefix!r} in Namespaces"
            defects.add(str(error), reference.span, rule=UNKNOWN_CLASS, hint=hint)
        else:
            names.append(NameNode(span=reference.span, text=name))
    return tuple(names)
