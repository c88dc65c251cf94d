"""The classes of a package as the cross-reference checks see them: names resolved, members by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sabir.languages.muranopl.check import core_library
from sabir.languages.muranopl.check.names import is_class_name, is_dotted_name, is_type_reference, text_of
from sabir.languages.muranopl.check.view import PackageView
from sabir.source.text import Source
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlSequence

__all__ = ["ClassDocument", "ClassTable", "class_documents", "members", "type_items"]


@dataclass(frozen=True, slots=True, eq=False)
class ClassDocument:
    """One class of a class file. `name` is qualified; None when the name or the namespaces are malformed."""

    source: Source
    node: YamlMapping
    namespaces: Mapping[str, str]
    name: str | None
    alone: bool
    """True when it is the only class of its file."""

    def resolve(self, reference: str) -> str | None:
        """The qualified name that a reference stands for; None when its prefix is not declared."""
        prefix, colon, name = reference.rpartition(":")
        if not colon:
            return reference if "." in reference else self._qualified("=", reference)
        return self._qualified(prefix or "=", name)

    def _qualified(self, prefix: str, name: str) -> str | None:
        if prefix == "=" and "=" not in self.namespaces:
            return name
        namespace = self.namespaces.get(prefix)
        return None if namespace is None else f"{namespace}.{name}"

    @property
    def extends(self) -> Iterator[tuple[YamlNode, str]]:
        """The parents that are written well: their nodes and references."""
        return type_items(self.node.get("Extends"))


def type_items(value: YamlNode | None) -> Iterator[tuple[YamlNode, str]]:
    """The well-formed class references of `Extends` or `Import`."""
    for item in value.items if isinstance(value, YamlSequence) else (value,):
        text = text_of(item)
        if item is not None and text is not None and is_type_reference(text):
            yield item, text


def members(node: YamlMapping, section: str) -> Iterator[tuple[YamlNode, str, YamlNode]]:
    """Key node, name and value of the entries of `Properties` or `Methods` (and its old name `Workflow`)."""
    for key in (section, "Workflow") if section == "Methods" else (section,):
        value = node.get(key)
        if isinstance(value, YamlMapping):
            for name_node, member in value.items():
                name = text_of(name_node)
                if name is not None:
                    yield name_node, name, member


def class_documents(view: PackageView, path: str) -> tuple[ClassDocument, ...]:
    """The classes of one file; empty when it cannot be used."""
    file = view.package.get_file(path)
    if file is None or file.yaml.broken:
        return ()
    nodes = [document for document in file.yaml.documents if isinstance(document, YamlMapping)]
    alone = len([document for document in file.yaml.documents if document is not None]) == 1
    promised = [one.name for one in view.listed_classes or () if one.path == path]
    namespaces: Mapping[str, str] | None = {}
    found: list[ClassDocument] = []
    for node in nodes:
        if node.get("Namespaces") is not None:
            namespaces = _namespaces(node.get("Namespaces"))
        name = _qualified_name(node, namespaces, promised[0] if alone and len(promised) == 1 else None)
        found.append(ClassDocument(file.source, node, namespaces or {}, name, alone))
    return tuple(found)


def _namespaces(value: YamlNode | None) -> Mapping[str, str] | None:
    if not isinstance(value, YamlMapping):
        return None
    pairs = ((text_of(key), text_of(namespace)) for key, namespace in value.items())
    return {prefix: namespace for prefix, namespace in pairs if prefix is not None and namespace is not None}


def _qualified_name(
    node: YamlMapping, namespaces: Mapping[str, str] | None, promised: str | None
) -> str | None:
    written = node.get("Name")
    if written is None:
        return promised
    name = text_of(written)
    if name is None or namespaces is None:
        return None
    name = name.removeprefix("=").removeprefix(":")
    if not is_class_name(name):
        return None
    if "." in name or "=" not in namespaces:
        return name
    return f"{namespaces['=']}.{name}" if is_dotted_name(namespaces["="]) else None


class ClassTable:
    """All classes of a package by qualified name, with what is known of their ancestry."""

    def __init__(self, view: PackageView) -> None:
        self.view = view

    @cached_property
    def classes(self) -> dict[str, ClassDocument]:
        found: dict[str, ClassDocument] = {}
        for path in self.view.class_files:
            for document in class_documents(self.view, path):
                if document.name is not None:
                    found.setdefault(document.name, document)
        return found

    @cached_property
    def known_names(self) -> frozenset[str]:
        """Every class that exists for sure: those the manifest promises, those found, the core library."""
        listed = (one.name for one in self.view.listed_classes or ())
        return frozenset([*listed, *self.classes]) | core_library.CLASSES

    def exists(self, name: str) -> bool | None:
        """Whether a qualified class exists; None when it may come from a package that is not at hand."""
        if name in self.known_names:
            return True
        namespace = name.rpartition(".")[0]
        if self.view.requires_others or self.view.package.single_file:
            return None
        if namespace in self.view.own_namespaces or namespace in core_library.NAMESPACES:
            return False
        return None

    def lineage(self, document: ClassDocument) -> tuple[tuple[ClassDocument, ...], tuple[str, ...]] | None:
        """The class and its ancestors: own classes, and names of core classes. None when one of them is not known."""
        own: dict[str, ClassDocument] = {document.name or "": document}
        core: list[str] = ["io.murano.Object"]
        waiting = [document]
        while waiting:
            current = waiting.pop()
            extends = current.node.get("Extends")
            written = len(extends) if isinstance(extends, YamlSequence) else int(extends is not None)
            parents = [current.resolve(reference) for _, reference in current.extends]
            if len(parents) != written:
                return None
            for name in parents:
                if name is None:
                    return None
                if name in own or name in core:
                    continue
                if name in self.classes:
                    own[name] = self.classes[name]
                    waiting.append(self.classes[name])
                elif name in core_library.MEMBERS:
                    core.append(name)
                else:
                    return None
        return tuple(own.values()), tuple(core)
