"""Documents and their imports, gathered into one topology."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.languages.tosca.syntax.definitions import read_properties, read_type
from sabir.languages.tosca.syntax.dialects import DIALECTS, Dialect, dialect_of
from sabir.languages.tosca.syntax.examples import HEAD, example
from sabir.languages.tosca.syntax.files import DiskFiles, Files
from sabir.languages.tosca.syntax.nodes import (
    GroupTemplate,
    InputDefinition,
    Kind,
    NodeTemplate,
    Origin,
    OutputDefinition,
    PolicyTemplate,
    RelationshipTemplate,
    Repository,
    SubstitutionMapping,
    Topology,
    TypeDefinition,
    Workflow,
)
from sabir.languages.tosca.syntax.project import ProjectValues
from sabir.languages.tosca.syntax.reader import WRONG_SHAPE, Reader
from sabir.languages.tosca.syntax.second import normalised
from sabir.languages.tosca.syntax.templates import (
    read_groups,
    read_node_template,
    read_outputs,
    read_policies,
    read_relationship_template,
    read_substitution,
    read_workflows,
)
from sabir.source.collector import collector_paused
from sabir.source.packages import PackageFile
from sabir.source.yaml import Limits, YamlStream, compose
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.source.yaml.recovery import compose_readable
from sabir.text import Place, Span

__all__ = ["Gathering", "Loaded", "Recorded", "document_of", "load", "load_file"]

UNKNOWN_DIALECT: Final = Rule(
    code="TOSCA:E001",
    title="unknown dialect of TOSCA",
    why="The version says how a file is to be read; one that is not known cannot be read at all. Known are "
    "tosca_simple_yaml_1_0 to 1_3, the NFV profile, tosca_2_0 and Unfurl's own.",
    bad={"template.yaml": "tosca_definitions_version: tosca_simple_yaml_9_9\n"},
    good=example(""),
    language="tosca",
)

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
_LONG_TEXT: Final = 1_000_000
_MOST_NODES: Final = 2_000_000
_PROFILES: Final = {
    "simple": "simple",
    "nfv": "nfv",
}
_REMOTE: Final = ("http://", "https://", "git://", "git@", "ssh://", "csar:")


class Recorded(Struct, frozen=True, kw_only=True):
    """What an ensemble knows of an instance."""

    attributes: Mapping[str, Any]
    status: str | None = None
    state: str | None = None


class Loaded(Struct, frozen=True, kw_only=True):
    """A topology as far as it could be read, and what is wrong with its documents."""

    topology: Topology | None
    findings: tuple[Finding, ...]
    broken: bool = False
    """True when the document itself cannot be read as it is: the topology is what is left of it, for whoever edits it. Nothing is
    concluded from that, as what is missing may stand in the part that was lost."""
    files: tuple[str, ...] = ()
    """The documents that were read."""
    inputs: Mapping[str, Any] = {}
    """Inputs that an ensemble gives."""
    recorded: Mapping[str, Recorded] = {}
    """Instances that an ensemble records, by the name of their template."""
    values: ProjectValues = ProjectValues()
    """Locals and secrets that an ensemble holds."""


def load_file(path: Path) -> Loaded:
    """A service template from disk, with imports from its directory and below."""
    return load(DiskFiles(path.parent, path.parent), path.name)


def load(files: Files, name: str) -> Loaded:
    with collector_paused():
        return _load(files, name)


def _load(files: Files, name: str) -> Loaded:
    file = files.read(name)
    if file is None:
        return Loaded(
            topology=None, findings=(MISSING_IMPORT.about_file(name, f"there is no file {name!r}"),)
        )
    gathering = Gathering(files)
    root = document_of(file, gathering.findings)
    dialect = None if root is None else _dialect(root, file, gathering.findings)
    if root is None or dialect is None:
        topology = _remains(files, file)
        return Loaded(topology=topology, findings=tuple(gathering.findings), broken=True, files=(name,))
    if dialect.grammar == 2:
        root = normalised(root)
    gathering.read_document(file, root, dialect, prefix="")
    return Loaded(
        topology=gathering.topology(file, dialect),
        findings=tuple(gathering.findings),
        files=tuple(gathering.seen),
    )


def _remains(files: Files, file: PackageFile) -> Topology | None:
    """What can still be read of a document whose YAML or dialect is wrong."""
    stream = _stream(file)
    readable = compose_readable(file.source, limits=_limits(file)) if stream.broken else stream
    root = readable.documents[0] if readable is not None and readable.documents else None
    if not isinstance(root, YamlMapping):
        return None
    gathering = Gathering(files)
    gathering.complete = False
    dialect = _dialect(root, file, []) or Dialect("", 1)
    gathering.read_document(file, normalised(root) if dialect.grammar == 2 else root, dialect, prefix="")
    return gathering.topology(file, dialect)


def _limits(file: PackageFile) -> Limits:
    """A long text may have as many nodes as it can hold, but not more through aliases."""
    size = len(file.raw())
    return Limits() if size < _LONG_TEXT else Limits(nodes=min(size // 4, _MOST_NODES))


def _stream(file: PackageFile) -> YamlStream:
    if len(file.raw()) < _LONG_TEXT or file.defect is not None:
        return file.yaml
    return compose(file.source, limits=_limits(file))


def document_of(file: PackageFile, findings: list[Finding]) -> YamlMapping | None:
    stream = _stream(file)
    findings.extend(stream.findings)
    if stream.broken:
        return None
    node = stream.documents[0] if stream.documents else None
    if isinstance(node, YamlMapping):
        return node
    findings.append(UNKNOWN_DIALECT.about_file(file.source, "not a TOSCA document: it is no map"))
    return None


def _dialect(root: YamlMapping, file: PackageFile, findings: list[Finding]) -> Dialect | None:
    node = root.get("tosca_definitions_version")
    if node is None:
        message = "not a TOSCA document: it has no 'tosca_definitions_version'"
        hint = f"begin it with 'tosca_definitions_version: {DIALECTS[3]}'"
        findings.append(UNKNOWN_DIALECT.about_file(file.source, message, hint=hint))
        return None
    version = node.text if isinstance(node, YamlScalar) else ""
    dialect = dialect_of(version)
    if dialect is None:
        hint = did_you_mean(version, DIALECTS) or "known are " + ", ".join(DIALECTS)
        findings.append(
            UNKNOWN_DIALECT.at(
                Place(file.source, node.span), f"the dialect {version!r} is not known", hint=hint
            )
        )
    return dialect


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
        dialect = _dialect(root, imported, self.findings) if version is not None else Dialect("", 1, ())
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
            "run sabir in the folder that holds both files, or mark that folder as a project: git init, or an unfurl.yaml",
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
        parts = _Parts()
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


class _Parts:
    """The topology of the main document, with those of imported ones behind it."""

    def __init__(self) -> None:
        self.inputs: dict[str, InputDefinition] = {}
        self.nodes: dict[str, NodeTemplate] = {}
        self.relationships: dict[str, RelationshipTemplate] = {}
        self.groups: dict[str, GroupTemplate] = {}
        self.policies: list[PolicyTemplate] = []
        self.workflows: dict[str, Workflow] = {}
        self.outputs: dict[str, OutputDefinition] = {}
        self.substitution: SubstitutionMapping | None = None

    def take(self, reader: Reader, fields: Mapping[str, YamlNode], *, is_main: bool) -> None:
        if not is_main and fields.get("substitution_mappings") is not None:
            # A template for substitution is a service of its own; it must not flow into the one that uses it.
            return
        for name, definition in read_properties(reader, fields.get("inputs"), "inputs").items():
            self.inputs.setdefault(name, definition)
        for name, span, value in reader.entries(fields.get("node_templates"), "node_templates"):
            if name not in self.nodes:
                self.nodes[name] = read_node_template(reader, name, span, value)
        for name, span, value in reader.entries(
            fields.get("relationship_templates"), "relationship_templates"
        ):
            self.relationships.setdefault(name, read_relationship_template(reader, name, span, value))
        for name, group in read_groups(reader, fields.get("groups")).items():
            self.groups.setdefault(name, group)
        self.policies += read_policies(reader, fields.get("policies"))
        for name, workflow in read_workflows(reader, fields.get("workflows")).items():
            self.workflows.setdefault(name, workflow)
        for name, output in read_outputs(reader, fields.get("outputs")).items():
            self.outputs.setdefault(name, output)
        if is_main and self.substitution is None:
            self.substitution = read_substitution(reader, fields.get("substitution_mappings"))
