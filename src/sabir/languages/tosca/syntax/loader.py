"""Documents and their imports, gathered into one topology."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from functools import cache
from typing import Final
from urllib.parse import urljoin

from msgspec import Struct
from msgspec.structs import replace

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.tosca.syntax.definitions import read_type
from sabir.languages.tosca.syntax.dialects import ToscaDialect, dialect_of_document, document_of
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.files import DocumentFiles
from sabir.languages.tosca.syntax.imports import (
    MISSING_IMPORT,
    PYTHON_IMPORT,
    UNFETCHED_IMPORT,
    ImportEntry,
    find_file,
    find_profile,
    find_profile_for_file,
    find_shipped_profile,
    in_repository,
    is_remote,
    read_imports,
)
from sabir.languages.tosca.syntax.nodes import (
    DocumentOrigin,
    FunctionDefinition,
    Repository,
    Topology,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.pointers import find_fragment
from sabir.languages.tosca.syntax.reader import Reader
from sabir.languages.tosca.syntax.scopes import TypeKind, TypeScope
from sabir.languages.tosca.syntax.shapes import check_shapes
from sabir.languages.tosca.syntax.topology import TYPES, TopologyParts, names_in, read_functions, with_kinds
from sabir.languages.tosca.syntax.tosca2 import normalize_document
from sabir.source.packages import PackageFile
from sabir.source.yaml.nodes import YamlMapping, YamlNode
from sabir.text import Place

_DEEPEST_IMPORT: Final = 100

TYPE_TWICE: Final = tosca_rule(
    code="TOSCA:W008",
    title="a type is defined twice",
    why="Two files define a type of the same name; the nearer one counts, which may not be the one you meant. Give one of the "
    "imports a namespace_prefix, or rename the type.",
)

DEFINED_TWICE: Final = tosca_rule(
    code="TOSCA:E035",
    title="a repository or function is defined twice",
    why="TOSCA 2.0: within a namespace names must be unique; which of the two is meant would be left to chance.",
)


_DOCUMENT_KEYS: Final = frozenset(
    {
        "tosca_definitions_version",
        "tosca_default_namespace",
        "namespace",
        "metadata",
        "template_name",
        "template_author",
        "template_version",
        "description",
        "dsl_definitions",
        "repositories",
        "imports",
        "topology_template",
        "profile",
        "functions",
        "decorators",
        "data_types",
        TYPES,
        *(kind.value for kind in TypeKind),
    }
)


_TOPOLOGY_KEYS: Final = frozenset(
    {
        "inputs",
        "node_templates",
        "relationship_templates",
        "groups",
        "policies",
        "outputs",
        "substitution_mappings",
        "workflows",
        "data",
        "root",
        "functions",
    }
)


_MOST_IMPORTS: Final = 2000


class _Document(Struct, frozen=True, eq=False):
    """A document whose imports have been followed, waiting to be read."""

    reader: Reader
    fields: Mapping[str, YamlNode]
    prefix: str


class TopologyLoader:
    """All documents of one load. A type of the importing file wins over an imported one of the same name.

    Documents are read when all of them are there: what a name means depends on what the file imports.
    """

    def __init__(self, files: DocumentFiles) -> None:
        self.files = files
        self.findings: list[Finding] = []
        self.seen: dict[str, None] = {}
        self.types: dict[TypeKind, dict[str, TypeDefinition]] = {kind: {} for kind in TypeKind}
        self.repositories: dict[str, Repository] = {}
        self.profiles: dict[str, None] = {}
        self.complete = True
        self.mains: set[str] = set()
        """Files that are read as if they were written in the main one."""
        self._refused: list[Finding] = []
        """What the grammar of 2.0 does not allow."""
        self._scopes: dict[str, TypeScope] = {}
        self._documents: list[_Document] = []
        self._depth = 0
        """How many imports lead to the document that is being read."""
        self._aliases: list[tuple[Reader, str]] = []
        self._addresses: dict[str, str] = {}
        """Of the files that are copies of something on the network."""

    def read_document(
        self, file: PackageFile, root: YamlMapping, dialect: ToscaDialect, *, prefix: str
    ) -> TypeScope:
        self.seen[file.name] = None
        self.profiles.update(dict.fromkeys(dialect.profiles))
        self.complete = self.complete and "nfv" not in dialect.profiles
        scope = self._scopes[file.name] = self._scopes.get(file.name) or TypeScope()
        origin = DocumentOrigin(
            file.source, self.files.directory(file.name), prefix, second=dialect.grammar == 2
        )
        reader = Reader(origin, self.findings, scope)
        if dialect.grammar == 2:
            check_shapes(Reader(reader.origin, self._refused), root)
            root = normalize_document(root)
        fields = reader.fields(root, "the document", _DOCUMENT_KEYS)
        # Who looks for what stands in a section that is lost would report all of it.
        self.complete = self.complete and not reader.loses
        self._read_repositories(reader, fields.get("repositories"), is_second=dialect.grammar == 2)
        self._documents.append(_Document(reader, fields, prefix))
        for wanted in read_imports(reader, fields.get("imports")):
            imported = self._import(file, wanted, _join_namespaces(prefix, wanted.namespace))
            if imported is not None:
                scope.imports.append((wanted.namespace, imported))
        return scope

    def _read_repositories(self, reader: Reader, node: YamlNode | None, *, is_second: bool) -> None:
        for name, span, value in reader.entries(node, "repositories"):
            url = value.get("url") if isinstance(value, YamlMapping) else value
            text = reader.text(url, f"url of repository {name!r}")
            if text is None:
                continue
            earlier = self.repositories.get(name)
            if earlier is not None and is_second and not reader.origin.prefix:
                self._twice("repository", earlier, Place(reader.origin.source, span))
                continue
            self.repositories[name] = Repository(name=name, span=span, origin=reader.origin, url=text)

    def _twice(self, word: str, earlier: Repository | FunctionDefinition, place: Place) -> None:
        where = earlier.place.location
        message = f"{word} {earlier.name!r} is also defined in {where.file}:{where.line}"
        self.findings.append(DEFINED_TWICE.at(place, message))

    # Imports

    def _import(self, importer: PackageFile, wanted: ImportEntry, prefix: str) -> TypeScope | None:
        place = Place(importer.source, wanted.span)
        target: str | None = wanted.target
        if wanted.repository is not None:
            target = self._in_repository(wanted, wanted.repository, importer)
        if target is None:
            return None
        pointer = ""
        if not wanted.is_profile and not is_remote(target):
            target, _, pointer = target.partition("#")
        imported = self._find_import(importer, target, is_profile=wanted.is_profile)
        if imported is not None and imported.name.endswith(".py"):
            self._missing(
                place,
                f"{target!r} is written in Python, and is not read",
                PYTHON_IMPORT,
                "import it as YAML: 'unfurl export' writes it",
            )
            return None
        if imported is None and is_remote(target):
            self._missing(
                place,
                f"the import {target!r} is not on this machine and is not fetched",
                UNFETCHED_IMPORT,
                f"name a copy of it: --import {target}=PATH",
            )
            return None
        if imported is not None:
            if self._depth >= _DEEPEST_IMPORT:
                message = f"{target!r} is not read: imports inside imports end after {_DEEPEST_IMPORT} levels"
                self._missing(place, message, MISSING_IMPORT)
                return None
            return self._read_import(imported, prefix, pointer, place)
        shipped = find_shipped_profile(target) if wanted.is_profile else find_profile_for_file(target)
        if shipped is not None:
            # ETSI's files hold more than the types that are shipped in their place.
            self.profiles[shipped] = None
            self.complete = self.complete and shipped == "simple"
        elif wanted.is_profile:
            hint = f"put the file that says 'profile: {target}' beside this one, or into a folder of --search-path"
            self._missing(place, f"the profile {target!r} is not known here", MISSING_IMPORT, hint)
        else:
            self._not_found(importer.name, target, place)
        return None

    def _find_import(self, importer: PackageFile, target: str, *, is_profile: bool) -> PackageFile | None:
        if is_profile:
            return find_profile(self.files, importer.name, target)
        if is_remote(target):
            return self._copy_of(target)
        beside = find_file(self.files, importer.name, target)
        address = self._addresses.get(importer.name)
        if beside is None and address is not None:
            # What the copy of an address imports by a path lies where that address is.
            return self._copy_of(urljoin(address, target))
        return beside

    def _copy_of(self, url: str) -> PackageFile | None:
        copy = self.files.copy_of(url)
        if copy is not None:
            self._addresses.setdefault(copy.name, url)
        return copy

    def _read_import(
        self, imported: PackageFile, prefix: str, pointer: str, place: Place
    ) -> TypeScope | None:
        scope = self._scopes.get(imported.name)
        if scope is not None or len(self._scopes) >= _MOST_IMPORTS:
            if scope is not None and prefix:
                self._also_by(imported, prefix)
            return scope
        root = document_of(imported, self.findings)
        if root is None:
            self.complete = False
            return None
        part = find_fragment(root, pointer)
        if not isinstance(part, YamlMapping):
            self._missing(place, f"{imported.name!r} has no {'#' + pointer!r}", MISSING_IMPORT)
            return None
        root = part
        version = root.get("tosca_definitions_version")
        dialect = (
            dialect_of_document(root, imported, self.findings)
            if version is not None
            else ToscaDialect("", 1, ())
        )
        if dialect is None:
            self.complete = False
            return None
        self._depth += 1
        try:
            return self.read_document(imported, root, dialect, prefix=prefix)
        finally:
            self._depth -= 1

    def _also_by(self, imported: PackageFile, prefix: str) -> None:
        """A file that was imported before has one more prefix."""
        for document in self._documents:
            if document.reader.origin.source is imported.source and document.prefix != prefix:
                self._aliases.append((document.reader, prefix))
                return

    def _in_repository(self, wanted: ImportEntry, repository: str, importer: PackageFile) -> str | None:
        declared = self.repositories.get(repository)
        if declared is not None:
            return in_repository(wanted.target, declared)
        self.complete = False
        if repository == "unfurl":
            # What Unfurl itself brings; only a part of it is shipped here.
            self.profiles["unfurl"] = None
            return None
        place = Place(importer.source, wanted.repository_span or wanted.span)
        hint = did_you_mean(repository, self.repositories)
        self.findings.append(MISSING_IMPORT.at(place, f"there is no repository {repository!r}", hint=hint))
        return None

    def _not_found(self, importer: str, target: str, place: Place) -> None:
        limit = self.files.outside(posixpath.join(posixpath.dirname(importer), target))
        if limit is None:
            self._missing(place, f"the import {target!r} is not there", MISSING_IMPORT)
            return
        self._missing(
            place,
            f"the import {target!r} is outside {str(limit)!r}, and only what is in there is read",
            MISSING_IMPORT,
            "mark the folder that holds both files as a project (git init, or an unfurl.yaml), or allow it with --trust outside",
        )

    def _missing(self, place: Place, message: str, rule: Rule, hint: str | None = None) -> None:
        self.complete = False
        finding = rule.at(place, message, hint=hint)
        # A file that is imported twice, under two prefixes, misses the same things twice.
        if finding not in self.findings:
            self.findings.append(finding)

    # Types

    def _name_types(self) -> None:
        """Every type gets the name that the topology knows it by: its own, or with its prefix when that is taken."""
        sections = with_kinds(document.fields for document in self._documents)
        self._documents = [
            replace(document, fields=fields)
            for document, fields in zip(self._documents, sections, strict=True)
        ]
        taken: dict[tuple[TypeKind, str], TypeScope] = {}
        for document in self._documents:
            scope = document.reader.scope
            assert scope is not None
            for kind in TypeKind:
                for name in names_in(document.fields.get(kind.value)):
                    owner = taken.setdefault((kind, name), scope)
                    # 2.0: what is imported into a namespace is known there only.
                    is_second = document.reader.origin.second
                    is_free = not document.prefix or (owner is scope and not is_second)
                    known_as = name if is_free else f"{document.prefix}:{name}"
                    scope.names.setdefault(kind, {}).setdefault(name, known_as)

    def _read_types(self, document: _Document, kind: TypeKind) -> None:
        table, reader = self.types[kind], document.reader
        prefixes = [document.prefix, *(prefix for other, prefix in self._aliases if other is reader)]
        # Tools that know no nested namespaces write the last prefix alone.
        prefixes += [prefix.rpartition(":")[2] for prefix in prefixes]
        for name, span, value in reader.list_named_entries(document.fields.get(kind.value), kind.value):
            known_as = reader.type_name(kind, name)
            definition = read_type(reader, kind, known_as, span, value)
            earlier = table.setdefault(known_as, definition)
            if earlier.origin.source is not definition.origin.source and not document.prefix:
                self._clash(reader, earlier, definition)
            for prefix in filter(None, prefixes):
                table.setdefault(f"{prefix}:{name}", definition)
                table.setdefault(f"{prefix}.{name}", definition)

    def _has_files(self, folder: str) -> bool:
        names = self.files.beside(posixpath.join(folder, "file"))
        return any(not name.endswith((".yaml", ".yml", ".tosca", ".meta")) for name in names)

    def _functions(self) -> dict[str, FunctionDefinition]:
        """A service template may say again what is outside of it, to give it another implementation."""
        functions: dict[str, FunctionDefinition] = {}
        for document in self._documents:
            topology = document.fields.get("topology_template")
            inner = topology.get("functions") if isinstance(topology, YamlMapping) else None
            for function in read_functions(document.reader, document.fields.get("functions")):
                earlier = functions.setdefault(function.name, function)
                if earlier is not function and not document.prefix:
                    self._twice("function", earlier, function.place)
                if document.prefix:
                    functions[f"{document.prefix}:{function.name}"] = function
            for function in read_functions(document.reader, inner):
                functions.setdefault(function.name, function)
        return functions

    def _clash(self, reader: Reader, earlier: TypeDefinition, again: TypeDefinition) -> None:
        where = earlier.place.location
        message = f"{again.kind.word} type {again.name!r} is also defined in {where.file}:{where.line}, which counts"
        reader.report(TYPE_TWICE, message, again.span)

    def unique_findings(self) -> tuple[Finding, ...]:
        """What the grammar refuses, the reader of that part stumbles over, too: that is said once."""
        refused = {(finding.code, finding.place) for finding in self._refused}
        rest = (finding for finding in self.findings if (finding.code, finding.place) not in refused)
        return (*self._refused, *rest)

    def topology(self, file: PackageFile, dialect: ToscaDialect) -> Topology:
        """Everything that the documents say together."""
        self._name_types()
        parts = TopologyParts()
        has_topology = False
        for document in self._documents:
            for kind in TypeKind:
                self._read_types(document, kind)
        inner: list[tuple[DocumentOrigin, TopologyParts]] = []
        for document in self._documents:
            reader = document.reader
            node = reader.mapping(document.fields.get("topology_template"), "topology_template")
            if node is None:
                continue
            has_topology = True
            reader.loses = False
            fields = reader.fields(node, "topology_template", _TOPOLOGY_KEYS)
            self.complete = self.complete and not reader.loses
            is_main = reader.origin.source is file.source or reader.origin.source.name in self.mains
            if not is_main and fields.get("substitution_mappings") is not None:
                # A template for substitution is a service of its own; it must not flow into the one that uses it.
                inner.append((reader.origin, TopologyParts()))
                inner[-1][1].take(reader, fields, is_main=True)
            else:
                parts.take(reader, fields, is_main=is_main)
        topology = self._topology(
            DocumentOrigin(file.source, self.files.directory(file.name)),
            dialect.name,
            parts,
            has_topology=has_topology,
        )
        substitutes = cache(lambda: (*imported, *self._nearby(file.name)))
        imported = [
            replace(
                self._topology(origin, dialect.name, own, has_topology=True),
                imported=True,
                substitutes=substitutes,
            )
            for origin, own in inner
        ]
        every = [parts, *(own for _, own in inner)]
        wants_some = any(
            "substitut" in word for part in every for node in part.nodes.values() for word in node.directives
        )
        return replace(topology, substitutes=substitutes if wants_some else lambda: tuple(imported))

    def _nearby(self, main: str) -> tuple[Topology, ...]:
        """Topologies of other files that can stand for a node, though nobody imports them: an archive brings them so."""
        topologies: list[Topology] = []
        for name in list(self.files.beside(main))[:_MOST_IMPORTS]:
            file = None if name in self.seen else self.files.read(name)
            if (
                file is None
                or not name.endswith((".yaml", ".yml"))
                or b"substitution_mapping" not in file.raw()
            ):
                continue
            inner = TopologyLoader(self.files)
            root = document_of(file, inner.findings)
            dialect = None if root is None else dialect_of_document(root, file, inner.findings)
            if root is not None and dialect is not None:
                inner.read_document(file, root, dialect, prefix="")
                topologies.append(inner.topology(file, dialect))
        return tuple(topologies)

    def _topology(
        self, origin: DocumentOrigin, version: str, parts: TopologyParts, *, has_topology: bool
    ) -> Topology:
        return Topology(
            origin=origin,
            version=version,
            types=self.types,
            inputs=parts.inputs,
            node_templates=parts.nodes,
            relationship_templates=parts.relationships,
            groups=parts.groups,
            policies=tuple(parts.policies),
            workflows=parts.workflows,
            outputs=parts.outputs,
            repositories=self.repositories,
            substitution=parts.substitution,
            profiles=tuple(self.profiles),
            complete=self.complete,
            has_topology=has_topology,
            has_file=lambda name: self.files.read(name) is not None,
            has_folder=self._has_files,
            functions=self._functions(),
            scopes=tuple(self._scopes.values()),
        )


def _join_namespaces(outer: str, namespace: str) -> str:
    return f"{outer}:{namespace}" if outer and namespace else outer or namespace
