"""The form of configuration sections, and safe patterns of node names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import suggest
from sabir.expressions.patterns import PatternError, compile_pattern
from sabir.expressions.patterns.syntax import parse_pattern
from sabir.languages.ccp.syntax.reader import (
    BAD_FORMAT,
    CONFLICT,
    DNS_LABEL,
    EMPTY,
    WRONG_TYPE,
    NodeReader,
    dns_subdomain_pattern,
    join_path,
    type_name,
)
from sabir.languages.ccp.syntax.rules import ccp_rule
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence

_MOST_REPEATS: Final = 3
_LONGEST: Final = 500


def pattern_problem(pattern: str) -> str | None:
    """Return what is wrong with a pattern, or None.

    An unbounded repetition is allowed only for one character or class, and a few times. Then matching a
    name takes a bounded number of steps, unlike with `(a+)+`.
    """
    if len(pattern) > _LONGEST:
        return f"longer than {_LONGEST} characters"
    try:
        tree, _ = parse_pattern(pattern, compile_pattern(pattern).flags)
    except PatternError as error:
        return str(error)
    repeats = _Repeats()
    repeats.visit(tree)
    if repeats.unportable:
        return "possessive repetitions and atomic groups need Python 3.11, and the containers may have an older one"
    if repeats.nested or repeats.count > _MOST_REPEATS:
        return "too complicated: repeat single characters or classes only, and not more than three times"
    return None


class _Repeats:
    def __init__(self) -> None:
        self.count = 0
        self.nested = False
        self.unportable = False

    def visit(self, tree: Any) -> None:
        for operation, argument in tree:
            self.unportable |= str(operation) in ("POSSESSIVE_REPEAT", "ATOMIC_GROUP")
            if str(operation) in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
                _, most, body = argument
                simple = len(body) == 1 and str(body[0][0]) in (
                    "LITERAL",
                    "NOT_LITERAL",
                    "IN",
                    "ANY",
                    "CATEGORY",
                )
                self.count += most > 1
                self.nested |= not simple and most > 1
                self.visit(body)
            elif str(operation) in ("SUBPATTERN", "ATOMIC_GROUP", "ASSERT", "ASSERT_NOT"):
                self.visit(argument if str(operation) == "ATOMIC_GROUP" else argument[-1])
            elif str(operation) == "BRANCH":
                for branch in argument[1]:
                    self.visit(branch)
            elif str(operation) in ("GROUPREF", "GROUPREF_EXISTS"):
                self.nested = True


UNKNOWN_SECTION: Final = ccp_rule(
    code="CCP:W022",
    title="section of the configuration is not known",
    why="It is not used. Its name is close to one that is.",
)

NOT_HEEDED: Final = ccp_rule(
    code="CCP:W023",
    title="setting of the existing tool that has no effect here",
    why=(
        "The existing tool heeds it and sabir does not, so the deployment differs from what the configuration asks for. "
        "Say it another way, or remove the line to show that you know."
    ),
)

_NOT_HEEDED: Final = {
    "kubernetes.appcontroller": "containers wait for each other by themselves",
}
"""Settings, each with what to do instead."""
node_port_range_pattern: Final = lazy_pattern(r"([0-9]{1,5})-([0-9]{1,5})")
_dsl_version_pattern: Final = lazy_pattern(r"[0-9]{1,9}\.[0-9]{1,9}\.[0-9]{1,9}")
_ACCESS: Final = ("apiGroups", "resources", "verbs", "resourceNames")
_REPOSITORY: Final = ("name", "git_url", "git_ref")
_SOURCE: Final = ("git_url", "git_ref", "source_dir")
_PULL_POLICIES: Final = ("Always", "IfNotPresent", "Never")

SECTIONS: Final = (
    "configs",
    "secret_configs",
    "nodes",
    "roles",
    "replicas",
    "images",
    "registry",
    "kubernetes",
    "services",
    "framework",
    "files",
    "repositories",
    "sources",
    "versions",
)
_FOREIGN: Final = frozenset(
    [
        "action",
        "actions",
        "builder",
        "debug",
        "default_log_levels",
        "deploy_config",
        "log_file",
        "network_topology",
        "url",
        "verbose_level",
    ]
)
"""Sections of the existing tool that have no meaning here and are no mistake."""


class SectionForms:
    """Checks the sections of one text of the configuration."""

    def __init__(self, reading: NodeReader) -> None:
        self.reading = reading

    def check(self, root: YamlMapping) -> None:
        for name, entry in self.reading.entries(root, "").items():
            if name in SECTIONS:
                if isinstance(entry.value, YamlScalar) and entry.value.value is None:
                    continue
                section = self.reading.mapping(entry.value, name)
                if section is not None:
                    getattr(self, f"_{name}", self._anything)(section)
            elif name not in _FOREIGN and suggest(name, SECTIONS) is not None:
                hint = f"did you mean {suggest(name, SECTIONS)!r}?"
                message = f"the configuration has no section {name!r}; it is not used"
                self.reading.fail(UNKNOWN_SECTION, name, entry.key, message, hint=hint)

    def _not_heeded(self, path: str, entry: YamlEntry) -> None:
        message = f"{path}: the existing tool heeds it, here it has no effect"
        self.reading.fail(NOT_HEEDED, path, entry.key, message, hint=_NOT_HEEDED[path])

    def _anything(self, section: YamlMapping) -> None:
        del section

    def _nodes(self, section: YamlMapping) -> None:
        for pattern, entry in self.reading.entries(section, "nodes").items():
            path = join_path("nodes", pattern)
            problem = pattern_problem(pattern)
            if problem is not None:
                message = f"{path}: {pattern!r} is no pattern of node names: {problem}"
                self.reading.fail(BAD_FORMAT, path, entry.key, message)
            node = self.reading.mapping(entry.value, path)
            entries = self.reading.entries(node, path) if node is not None else {}
            if "roles" in entries:
                self._texts(entries["roles"].value, f"{path}.roles")
            if "configs" in entries:
                self.reading.mapping(entries["configs"].value, f"{path}.configs")

    def _roles(self, section: YamlMapping) -> None:
        for role, entry in self.reading.entries(section, "roles").items():
            self._texts(entry.value, join_path("roles", role))

    def _texts(self, node: YamlNode, path: str) -> None:
        if not isinstance(node, YamlSequence):
            self.reading.wrong_type(node, path, "an array")
            return
        for index, item in enumerate(node.items):
            self.reading.text(item, f"{path}[{index}]")

    def _replicas(self, section: YamlMapping) -> None:
        for service, entry in self.reading.entries(section, "replicas").items():
            self.reading.integer(entry.value, join_path("replicas", service), low=0, high=2**31 - 1)

    def _images(self, section: YamlMapping) -> None:
        entries = self.reading.entries(section, "images")
        for key in ("namespace", "tag"):
            if key in entries:
                self._word(entries[key].value, f"images.{key}")
        if "image_specs" in entries:
            specs = self.reading.mapping(entries["image_specs"].value, "images.image_specs")
            for name, entry in (self.reading.entries(specs, "images.image_specs") if specs else {}).items():
                spec = self.reading.mapping(entry.value, f"images.image_specs.{name}")
                for key, value in (self.reading.entries(spec, "") if spec else {}).items():
                    if key in ("namespace", "tag"):
                        self._word(value.value, f"images.image_specs.{name}.{key}")

    def _word(self, node: YamlNode, path: str) -> None:
        """Accept a string, or a number that is not a mistake either: `tag: 1.2`."""
        if not isinstance(node, YamlScalar) or node.value is None or isinstance(node.value, bool):
            self.reading.fail(WRONG_TYPE, path, node, f"{path} must be a text, not {type_name(node)}")
        elif not node.text.strip():
            self.reading.fail(EMPTY, path, node, f"{path} must not be empty")

    def _registry(self, section: YamlMapping) -> None:
        for key, entry in self.reading.entries(section, "registry").items():
            if key in ("address", "username", "password") and not (
                isinstance(entry.value, YamlScalar) and entry.value.value is None
            ):
                self._word(entry.value, f"registry.{key}") if key != "address" else self.reading.text(
                    entry.value, "registry.address", blank=True
                )

    def _kubernetes(self, section: YamlMapping) -> None:
        entries = self.reading.entries(section, "kubernetes")
        if "namespace" in entries:
            path = "kubernetes.namespace"
            self.reading.match_text(entries["namespace"].value, path, DNS_LABEL, "a DNS label")
        if "cluster_domain" in entries:
            path = "kubernetes.cluster_domain"
            self.reading.match_text(
                entries["cluster_domain"].value, path, dns_subdomain_pattern(), "a domain name"
            )
        if "node_port_range" in entries:
            self._range(entries["node_port_range"].value)
        if "cluster_nodes" in entries:
            self._texts(entries["cluster_nodes"].value, "kubernetes.cluster_nodes")
        for key in ("kubeconfig", "context"):
            if key in entries:
                self.reading.text(entries[key].value, f"kubernetes.{key}")
        if "force" in entries:
            self.reading.boolean(entries["force"].value, "kubernetes.force")
        if "wait_seconds" in entries:
            self.reading.integer(
                entries["wait_seconds"].value, "kubernetes.wait_seconds", low=1, high=2**31 - 1
            )
        if "access" in entries:
            self._access(entries["access"].value)
        if "image_pull_policy" in entries:
            path = "kubernetes.image_pull_policy"
            self.reading.choice(entries["image_pull_policy"].value, path, _PULL_POLICIES)
        if "appcontroller" in entries:
            self._not_heeded("kubernetes.appcontroller", entries["appcontroller"])

    def _access(self, node: YamlNode) -> None:
        mapping = self.reading.mapping(node, "kubernetes.access")
        for name, entry in (self.reading.entries(mapping, "kubernetes.access") if mapping else {}).items():
            for item, path in self.reading.items(entry.value, f"kubernetes.access.{name}"):
                rule = self.reading.mapping(item, path)
                keys = self.reading.keys(rule, path, _ACCESS, required=("resources", "verbs")) if rule else {}
                for key, listed in keys.items():
                    self._texts(listed.value, f"{path}.{key}")

    def _range(self, node: YamlNode) -> None:
        path = "kubernetes.node_port_range"
        text = self.reading.text(node, path)
        match = node_port_range_pattern().fullmatch(text)
        if text and (match is None or not 1 <= int(match[1]) <= int(match[2]) <= 65535):
            message = f"{path} must be LOW-HIGH within 1..65535, not {text!r}"
            self.reading.fail(BAD_FORMAT, path, node, message, hint="as in 30000-32767")

    def _files(self, section: YamlMapping) -> None:
        for name, entry in self.reading.entries(section, "files").items():
            self.reading.text(entry.value, join_path("files", name))

    def _repositories(self, section: YamlMapping) -> None:
        entries = self.reading.entries(section, "repositories")
        items = self.reading.items(entries["repos"].value, "repositories.repos") if "repos" in entries else ()
        for node, path in items:
            repository = self.reading.mapping(node, path)
            if repository is not None:
                self._origin(self.reading.keys(repository, path, _REPOSITORY, required=("name",)), path)

    def _sources(self, section: YamlMapping) -> None:
        for name, entry in self.reading.entries(section, "sources").items():
            path = join_path("sources", name)
            source = self.reading.mapping(entry.value, path)
            if source is None:
                continue
            entries = self.reading.keys(source, path, _SOURCE)
            self._origin(entries, path)
            if len(entries.keys() & {"git_url", "source_dir"}) != 1:
                message = f"{path} needs one of git_url and source_dir"
                self.reading.fail(CONFLICT, path, entry.key, message)

    def _origin(self, entries: Mapping[str, YamlEntry], path: str) -> None:
        for key, entry in entries.items():
            self._word(entry.value, f"{path}.{key}")

    def _framework(self, section: YamlMapping) -> None:
        entries = self.reading.keys(section, "framework", ("dsl_version",))
        if "dsl_version" in entries:
            wanted = "MAJOR.MINOR.PATCH"
            self.reading.match_text(
                entries["dsl_version"].value, "framework.dsl_version", _dsl_version_pattern(), wanted
            )

    def _services(self, section: YamlMapping) -> None:
        for name, entry in self.reading.entries(section, "services").items():
            path = join_path("services", name)
            self.reading.key_matching(entry, name, path, DNS_LABEL, "must be a DNS label")
            mapping = self.reading.mapping(entry.value, path)
            if mapping is None:
                continue
            entries = self.reading.keys(mapping, path, ("service_def", "configs", "mapping"))
            if "service_def" in entries:
                self.reading.text(entries["service_def"].value, f"{path}.service_def")
            if "configs" in entries:
                self.reading.mapping(entries["configs"].value, f"{path}.configs")
            if "mapping" in entries:
                inner = self.reading.mapping(entries["mapping"].value, f"{path}.mapping")
                for key, value in (self.reading.entries(inner, f"{path}.mapping") if inner else {}).items():
                    self.reading.text(value.value, f"{path}.mapping.{key}")
