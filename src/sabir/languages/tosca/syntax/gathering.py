"""Documents and their imports, gathered into one topology."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.syntax.definitions import read_type
from sabir.languages.tosca.syntax.dialects import Dialect
from sabir.languages.tosca.syntax.examples import HEAD, example
from sabir.languages.tosca.syntax.files import Files
from sabir.languages.tosca.syntax.nodes import (
    Kind,
    Origin,
    Repository,
    Topology,
    TypeDefinition,
)
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.languages.tosca.syntax.second import normalised
from sabir.languages.tosca.syntax.texts import dialect_of_document, document_of
from sabir.languages.tosca.syntax.topologies import TopologyParts
from sabir.source.packages import PackageFile
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Span

__all__ = ["MISSING_IMPORT", "Gathering"]

MISSING_IMPORT: Final = Rule(
    code="TOSCA:E004",
    title="an import that is not there",
    why="The file is not in the package, or the path leads out of it. What it defines is missing, so further checks of unknown "
    "names are left out until it can be read.",
    bad=example("imports: [types.yaml]\n"),
    good={"template.yaml": HEAD + "imports: [types.yaml]\n", "types.yaml": HEAD},
    language="tosca",
)


REMOTE_IMPORT: Final = Rule(
    code="TOSCA:E005",
    title="an import from the network",
    why="sabir does not fetch what a template names while it reads it: put a copy beside the template.",
    bad=example("imports: ['https://example.com/types.yaml']\n"),
    good={"template.yaml": HEAD + "imports: [types.yaml]\n", "types.yaml": HEAD},
    language="tosca",
)


TYPE_TWICE: Final = Rule(
    code="TOSCA:W008",
    title="a type is defined twice",
    why="Two files define a type of the same name; the nearer one counts, which may not be the one you meant. Give one of the "
    "imports a namespace_prefix, or rename the type.",
    bad={
        "template.yaml": HEAD + "imports: [types.yaml]\nnode_types:\n  A: {derived_from: tosca.nodes.Root}\n",
        "types.yaml": HEAD + "node_types:\n  A: {derived_from: tosca.nodes.Compute}\n",
    },
    good={
        "template.yaml": HEAD + "imports: [types.yaml]\nnode_types:\n  A: {derived_from: tosca.nodes.Root}\n",
        "types.yaml": HEAD + "node_types:\n  B: {derived_from: tosca.nodes.Compute}\n",
    },
    language="tosca",
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
        *(kind.value for kind in Kind),
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
    }
)


_IMPORT_KEYS: Final = frozenset(
    {
        "file",
        "repository",
        "namespace_prefix",
        "namespace_uri",
        "url",
        "profile",
        "namespace",
        "when",
        "namespace_prefixes",
    }
)


_MOST_IMPORTS: Final = 2000


_PROFILES: Final = {
    "simple": "simple",
    "nfv": "nfv",
}


_REMOTE: Final = ("http://", "https://", "git://", "git@", "ssh://", "csar:")


class Gathering:
    """All documents of one load. A type of the importing file wins over an imported one of the same name."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self.findings: list[Finding] = []
        self.seen: dict[str, None] = {}
        self.types: dict[Kind, dict[str, TypeDefinition]] = {kind: {} for kind in Kind}
        self.repositories: dict[str, Repository] = {}
        self.profiles: dict[str, None] = {}
        self.complete = True
        self.mains: set[str] = set()
        """Files that are read as if they were written in the main one."""
        self._imported: dict[tuple[str, str], None] = {}
        self._topologies: list[tuple[Reader, YamlMapping]] = []

    def read_document(self, file: PackageFile, root: YamlMapping, dialect: Dialect, *, prefix: str) -> None:
        self.seen[file.name] = None
        self.profiles.update(dict.fromkeys(dialect.profiles))
        self.complete = self.complete and "nfv" not in dialect.profiles
        origin = Origin(file.source, self.files.directory(file.name), prefix)
        reader = Reader(origin, self.findings)
        fields = reader.fields(root, "the document", _DOCUMENT_KEYS)
        for name, span, value in reader.entries(fields.get("repositories"), "repositories"):
            url = value.get("url") if isinstance(value, YamlMapping) else value
            text = reader.text(url, f"url of repository {name!r}")
            if text is not None:
                self.repositories[name] = Repository(name=name, span=span, origin=origin, url=text)
        for kind in Kind:
            self._read_types(reader, kind, fields.get(kind.value))
        topology = reader.mapping(fields.get("topology_template"), "topology_template")
        if topology is not None:
            self._topologies.append((reader, topology))
        for target, inner_prefix, span in self._imports(reader, fields.get("imports")):
            self._import(file.name, target, inner_prefix or prefix, Place(file.source, span))

    def _read_types(self, reader: Reader, kind: Kind, node: YamlNode | None) -> None:
        table = self.types[kind]
        prefix = reader.origin.prefix
        for name, span, value in reader.named_list(node, kind.value):
            definition = read_type(reader, kind, name, span, value)
            for alias in (name, f"{prefix}:{name}", f"{prefix}.{name}") if prefix else (name,):
                earlier = table.get(alias)
                if earlier is None:
                    table[alias] = definition
                elif earlier.origin.source is not definition.origin.source and alias == name and not prefix:
                    self._clash(reader, earlier, definition)

    def _clash(self, reader: Reader, earlier: TypeDefinition, again: TypeDefinition) -> None:
        where = earlier.place.location
        message = f"{again.kind.word} type {again.name!r} is also defined in {where.file}:{where.line}, which counts"
        reader.report(TYPE_TWICE, message, again.span)

    def _imports(self, reader: Reader, node: YamlNode | None) -> Iterator[tuple[str, str, Span]]:
        """File or profile, prefix and place of every import, in all the forms they have had."""
        items = node.items if isinstance(node, YamlSequence) else () if node is None else (node,)
        for item in items:
            if isinstance(item, YamlScalar):
                if item.value is not None:
                    yield item.text, "", item.span
                continue
            if not isinstance(item, YamlMapping):
                reader.report(WRONG_SHAPE, "an import must be a file name or a map", item.span)
                continue
            if any(item.get(key) is not None for key in ("file", "url", "profile")):
                yield from self._one_import(reader, item)
                continue
            # Up to 1.2: a map of names, each with a file or such a map.
            for _, span, value in reader.entries(item, "imports"):
                if isinstance(value, YamlMapping):
                    yield from self._one_import(reader, value)
                elif (text := reader.text(value, "an import")) is not None:
                    yield text, "", span

    def _one_import(self, reader: Reader, node: YamlMapping) -> Iterator[tuple[str, str, Span]]:
        fields = reader.fields(node, "an import", _IMPORT_KEYS)
        prefix_node = fields.get("namespace_prefix") or fields.get("namespace")
        prefix = reader.text(prefix_node, "namespace_prefix") or ""
        profile = reader.text(fields.get("profile"), "profile of an import")
        if profile is not None:
            yield f"profile:{profile}", prefix, node.span
            return
        target = fields.get("file") or fields.get("url")
        name = reader.text(target, "file of an import")
        if name is None or target is None:
            return
        repository = reader.text(fields.get("repository"), "repository of an import")
        if repository is not None:
            source = self.repositories.get(repository)
            if source is None and repository == "unfurl":
                # What Unfurl itself brings; only a part of it is shipped here.
                self.profiles["unfurl"] = None
                self.complete = False
                return
            if source is None:
                hint = did_you_mean(repository, self.repositories)
                reader.report(
                    MISSING_IMPORT, f"there is no repository {repository!r}", fields["repository"].span, hint
                )
                self.complete = False
                return
            name = posixpath.join(source.url.removeprefix("file:"), name)
        yield name, prefix, target.span

    def _import(self, importer: str, target: str, prefix: str, place: Place) -> None:
        if target.startswith("profile:"):
            self._use_profile(target.removeprefix("profile:"), place)
            return
        if target.startswith(_REMOTE):
            self._missing(
                place,
                f"the import {target!r} is not on this machine and is not fetched",
                REMOTE_IMPORT,
                "copy the file beside the template and import it by its path",
            )
            return
        imported = self._find(importer, target)
        if imported is None:
            if shipped := _shipped(target):
                # ETSI's files hold more than the types that are shipped in their place.
                self.profiles[shipped] = None
                self.complete = self.complete and shipped == "simple"
                return
            self._not_found(importer, target, place)
            return
        if (imported.name, prefix) in self._imported or len(self._imported) >= _MOST_IMPORTS:
            return
        self._imported[(imported.name, prefix)] = None
        root = document_of(imported, self.findings)
        if root is None:
            self.complete = False
            return
        version = root.get("tosca_definitions_version")
        dialect = (
            dialect_of_document(root, imported, self.findings) if version is not None else Dialect("", 1, ())
        )
        if dialect is None:
            self.complete = False
            return
        if dialect.grammar == 2:
            root = normalised(root)
        self.read_document(imported, root, dialect, prefix=prefix)

    def _find(self, importer: str, target: str) -> PackageFile | None:
        beside = posixpath.normpath(posixpath.join(posixpath.dirname(importer), target))
        for name in (beside, posixpath.normpath(target.lstrip("/"))):
            if not posixpath.isabs(name) and (file := self.files.read(name)) is not None:
                return file
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

    def _use_profile(self, name: str, place: Place) -> None:
        for shipped, word in _PROFILES.items():
            if word in name:
                self.profiles[shipped] = None
                self.complete = self.complete and shipped == "simple"
                return
        self._missing(place, f"the profile {name!r} is not known here", MISSING_IMPORT)

    def topology(self, file: PackageFile, dialect: Dialect) -> Topology:
        origin = Origin(file.source, self.files.directory(file.name))
        parts = TopologyParts()
        for reader, node in self._topologies:
            fields = reader.fields(node, "topology_template", _TOPOLOGY_KEYS)
            is_main = reader.origin.source is file.source or reader.origin.source.name in self.mains
            parts.take(reader, fields, is_main=is_main)
        return Topology(
            origin=origin,
            version=dialect.name,
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
            has_topology=bool(self._topologies),
        )


def _shipped(target: str) -> str | None:
    """Files of normative types that templates import although every engine brings them."""
    name = posixpath.basename(target).lower()
    if "nfv" in name or "etsi" in name:
        return "nfv"
    if name in ("tosca_definition_1_0.yaml", "tosca-normative-types.yaml", "normative-types.yaml"):
        return "simple"
    return None
