"""The classes of a package as cross-reference checks see them: resolved names, members by name.

`PackageClasses` answers which classes exist and what their ancestors are. Both questions have a third answer,
None: a class may come from a required package that is not available. Checks that need a definite answer stay
silent then.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import suggest
from sabir.languages.muranopl.check import core_library
from sabir.languages.muranopl.check.core_library import CoreClass, core_class
from sabir.languages.muranopl.check.view import PackageView
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.heads import ClassHead, read_heads
from sabir.languages.muranopl.syntax.members import read_methods, read_properties
from sabir.languages.muranopl.syntax.names import UnknownPrefixError
from sabir.languages.muranopl.syntax.nodes import MethodNode, NameNode, PropertyNode
from sabir.source.yaml.nodes import YamlMapping, text_of
from sabir.text import Source

_MEMBER_KEYS: Final = ("Extends", "Properties", "Methods")
_MOST_ANCESTORS: Final = 200


class ClassMembers(Struct, frozen=True, eq=False):
    """The properties and methods of a class, and the defects in the form of their declarations."""

    properties: tuple[PropertyNode, ...]
    methods: tuple[MethodNode, ...]
    findings: tuple[Finding, ...]


class ClassDocument(Struct, frozen=True, eq=False, dict=True):
    """One class of a class file. Its members are read when they are first needed."""

    source: Source
    head: ClassHead

    @property
    def node(self) -> YamlMapping:
        return self.head.node

    @property
    def name(self) -> str | None:
        """The qualified name; None if the name or the namespaces are malformed."""
        return self.head.name if self.head.is_well_named and self.head.has_sure_namespaces else None

    @property
    def namespaces(self) -> Mapping[str, str]:
        return self.head.namespaces.table

    @property
    def title(self) -> str:
        """The name of the class for messages."""
        return self.name or "this class"

    def resolve(self, reference: str) -> str | None:
        """Return the qualified name of a reference; None if its prefix is not declared."""
        try:
            return self.head.namespaces.resolve(reference)
        except UnknownPrefixError:
            return None

    @cached_property
    def members(self) -> ClassMembers:
        defects = Defects(self.source)
        properties = read_properties(self.node.entry("Properties"), defects)
        methods = read_methods(self.node, defects, with_bodies=False)
        findings = tuple(defect.finding for defect in defects.noted if defect.is_checked)
        return ClassMembers(properties, methods, findings)


class ClassFileView(Struct, frozen=True, eq=False):
    """The classes of one file, the namespaces it declares, and the defects in the form of the heads."""

    documents: tuple[ClassDocument, ...] = ()
    namespaces: tuple[tuple[str, NameNode], ...] = ()
    findings: tuple[Finding, ...] = ()


def class_file(view: PackageView, path: str) -> ClassFileView:
    """Return the classes of one file, read once per view; empty if the file cannot be parsed."""
    read = view.class_file_cache.get(path)
    if read is None:
        read = view.class_file_cache[path] = _read_class_file(view, path)
    return read


def class_documents(view: PackageView, path: str) -> tuple[ClassDocument, ...]:
    """Return the classes of one file in their order; empty if the file cannot be parsed."""
    return class_file(view, path).documents


def _read_class_file(view: PackageView, path: str) -> ClassFileView:
    file = view.package.get_file(path)
    if file is None or file.yaml.broken:
        return ClassFileView()
    documents = [document for document in file.yaml.documents if isinstance(document, YamlMapping)]
    promised = [listed.name for listed in view.listed_classes or () if listed.path == path]
    read = read_heads(documents, promised[0] if len(promised) == 1 else None, Defects(file.source))
    return ClassFileView(
        tuple(ClassDocument(file.source, head) for head in read.heads),
        read.namespaces,
        tuple(defect.finding for defect in read.defects if defect.is_checked),
    )


def _own_namespace(document: ClassDocument) -> str | None:
    return document.namespaces.get("=")


def _has_misspelt_key(node: YamlMapping) -> bool:
    """Tell whether a key resembles one that would declare members."""
    for key in map(text_of, node):
        if key is not None and key not in _MEMBER_KEYS and suggest(key, _MEMBER_KEYS) is not None:
            return True
    return False


class Ancestry(Struct, frozen=True, eq=False):
    """A class with its ancestors: those in the package, the class itself first, and those in the core library."""

    own: tuple[ClassDocument, ...]
    core: tuple[CoreClass, ...]

    @property
    def property_names(self) -> frozenset[str]:
        names = {declared.name for document in self.own for declared in document.members.properties}
        return frozenset(names.union(*(class_.inputs | class_.properties for class_ in self.core)))


class PackageClasses:
    """All classes of a package by qualified name, with what is known about their ancestors."""

    def __init__(self, view: PackageView) -> None:
        self.view = view
        self._lineages: dict[int, Ancestry | None] = {}

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
        """All classes that certainly exist: listed in the manifest, found in files, or in the core library."""
        return self.view.listed_names.union(self.classes, self.required, core_library.CLASSES)

    def near_class(self, name: str) -> str | None:
        """Return a suggestion for an unknown class: a similar name in its namespace, or the same name in
        another.
        """
        namespace, _, last = name.rpartition(".")
        meant = suggest(last, self._siblings.get(namespace, frozenset()))
        if meant is not None:
            return f"{namespace}.{meant}"
        homes = self._homes.get(last, [])
        return f"{homes[0]}.{last}".removeprefix(".") if len(homes) == 1 else None

    @cached_property
    def _siblings(self) -> dict[str, frozenset[str]]:
        """The last parts of the class names of each namespace."""
        words: dict[str, list[str]] = {}
        for last, homes in self._homes.items():
            for home in homes:
                words.setdefault(home, []).append(last)
        return {home: frozenset(lasts) for home, lasts in words.items()}

    @cached_property
    def _homes(self) -> dict[str, list[str]]:
        """The namespaces that have a class with a given last part."""
        homes: dict[str, list[str]] = {}
        for name in self.known_names:
            home, _, last = name.rpartition(".")
            homes.setdefault(last, []).append(home)
        return homes

    def exists(self, name: str) -> bool | None:
        """Tell whether a qualified class exists; None if it may come from a package that is not available."""
        if name in self.known_names:
            return True
        namespace = name.rpartition(".")[0]
        if self.view.requires_others:
            return None
        if namespace in core_library.NAMESPACES:
            # A single file may be part of the core library, whose other classes are then available as well.
            alone = self.view.package.single_file
            return (
                None
                if alone and any(namespace == _own_namespace(class_) for class_ in self.classes.values())
                else False
            )
        if self.view.package.single_file or namespace not in self.view.own_namespaces:
            meant = suggest(namespace, core_library.NAMESPACES)
            # A misspelled namespace of the core library that would contain the class.
            return False if f"{meant}.{name.rpartition('.')[2]}" in core_library.CLASSES else None
        # Computed only here, because most packages have no missing class.
        from sabir.languages.muranopl.check.class_references import Neighbours, is_class_beside

        neighbours = self.view.session.cache(Neighbours)
        return None if is_class_beside(self.view.package, name, neighbours) else False

    def lineage(self, document: ClassDocument) -> Ancestry | None:
        """Return the class with its ancestors; None if one of them is unknown."""
        key = id(document.node)
        if key not in self._lineages:
            self._lineages[key] = self._find_lineage(document)
        return self._lineages[key]

    def _find_lineage(self, document: ClassDocument) -> Ancestry | None:
        own: dict[str, ClassDocument] = {document.name or "": document}
        core: dict[str, CoreClass] = {}
        waiting = [*self._parents(document), "io.murano.Object"]
        if document.name in core_library.CLASSES:
            return None  # the core library itself: the engine adds members that no file declares
        while waiting:
            name = waiting.pop()
            if name is None:
                return None
            if name in own or name in core:
                continue
            if len(own) > _MOST_ANCESTORS:
                return None
            document_of = self.document(name) if name not in core_library.CLASSES else None
            if document_of is not None:
                own[name] = document_of
                waiting.extend(self._parents(document_of))
                continue
            found = core_class(name)
            if found is None:
                return None
            core[name] = found
            waiting.extend(found.parents)
        return Ancestry(tuple(own.values()), tuple(core.values()))

    def document(self, name: str) -> ClassDocument | None:
        """Return the class of this package, or of a package that it requires."""
        return self.classes.get(name) or self.required.get(name)

    @cached_property
    def required(self) -> dict[str, ClassDocument]:
        """The classes of those required packages that are available."""
        return {
            name: document
            for view in self.view.required
            for name, document in PackageClasses(view).classes.items()
        }

    def _parents(self, document: ClassDocument) -> tuple[str | None, ...]:
        """Return the qualified names of the parents.

        None stands for a parent that cannot be resolved, and for a misspelled key that may have been meant to
        declare more about the class.
        """
        head = document.head
        is_sure = head.has_sure_parents and not _has_misspelt_key(document.node)
        return tuple(parent.name for parent in head.extends) if is_sure else (None,)

    def descendants(self, cls: str | None) -> tuple[ClassDocument, ...]:
        """Return the classes that extend this one, directly or not, in the package and in those it requires."""
        found: dict[str, ClassDocument] = {}
        waiting = [cls]
        while waiting:
            name = waiting.pop()
            for child in self._children.get(name, ()) if name is not None else ():
                if child.name is not None and child.name not in found:
                    found[child.name] = child
                    waiting.append(child.name)
        return tuple(found.values())

    @cached_property
    def _children(self) -> dict[str, list[ClassDocument]]:
        found: dict[str, list[ClassDocument]] = {}
        for document in (*self.classes.values(), *self.required.values()):
            for parent in self._parents(document):
                if parent is not None:
                    found.setdefault(parent, []).append(document)
        return found
