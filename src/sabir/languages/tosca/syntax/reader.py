"""Reading YAML nodes with an eye on what they should be; what they are not becomes a finding."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import DocumentOrigin, SourceValue
from sabir.languages.tosca.syntax.scopes import TypeKind, TypeScope
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Span

WRONG_SHAPE: Final = tosca_rule(
    code="TOSCA:E002",
    title="something has the wrong shape",
    why="A section that should be a map is a list, a name is no text, a required key is missing: such a part is left out, and "
    "what it would have said is lost.",
)

UNKNOWN_KEY: Final = tosca_rule(
    code="TOSCA:W003",
    title="a key that TOSCA does not know here",
    why="Orchestrators ignore or refuse it. Most often it stands one level too high or too low.",
)

MISSPELT_KEY: Final = tosca_rule(
    code="TOSCA:E036",
    title="a key that TOSCA does not have here",
    why="What stands under it is lost. In TOSCA 1.x that is said of keys that look misspelt (others are TOSCA:W003); TOSCA 2.0 has no "
    "place for keys of one's own: they belong into metadata.",
)


NOTHING: Final[Mapping[str, YamlNode]] = {}
_FREE: Final = frozenset({"description", "metadata", "dsl_definitions", "version", "tags"})


class Reader:
    """Reads the nodes of one file. Findings are collected; reading goes on."""

    __slots__ = ("findings", "loses", "origin", "scope")

    def __init__(
        self, origin: DocumentOrigin, findings: list[Finding], scope: TypeScope | None = None
    ) -> None:
        self.origin = origin
        self.findings = findings
        self.scope = scope
        self.loses = False
        """Whether something stands under a misspelt key, and is lost."""

    def report(self, rule: Rule, message: str, span: Span, hint: str | None = None) -> None:
        self.findings.append(rule.at(Place(self.origin.source, span), message, hint=hint))

    def build_value(self, node: YamlNode) -> SourceValue:
        return SourceValue(node, self.origin)

    def optional(self, node: YamlNode | None) -> SourceValue | None:
        return None if node is None else SourceValue(node, self.origin)

    def mapping(self, node: YamlNode | None, subject: str) -> YamlMapping | None:
        """The node as a map; None (with a finding, unless it is absent or null) when it is none."""
        if node is None or (isinstance(node, YamlScalar) and node.value is None):
            return None
        if isinstance(node, YamlMapping):
            return node
        self.report(WRONG_SHAPE, f"{subject} must be a map, not {shape_of(node)}", node.span)
        return None

    def entries(self, node: YamlNode | None, subject: str) -> Iterator[tuple[str, Span, YamlNode]]:
        """Name, its place and value of every entry of a map."""
        mapping = self.mapping(node, subject)
        for entry in mapping.entries if mapping else ():
            name = self.name(entry.key)
            if name is not None:
                yield name, entry.key.span, entry.value

    def name(self, key: YamlNode) -> str | None:
        if isinstance(key, YamlScalar):
            # A key as `1.0` or `on` is the text that was written.
            return key.text if not isinstance(key.value, str) else key.value
        if isinstance(key, YamlSequence) and all(isinstance(item, YamlScalar) for item in key.items):
            # 2.0 has such keys: `[CAPABILITY, endpoint, port]: port`.
            return "[" + ", ".join(item.text for item in key.items if isinstance(item, YamlScalar)) + "]"
        self.report(WRONG_SHAPE, f"a name must be text, not {shape_of(key)}", key.span)
        return None

    def list_named_entries(self, node: YamlNode | None, subject: str) -> Iterator[tuple[str, Span, YamlNode]]:
        """Entries of a list of one-entry maps, as requirements and policies are; a map is taken, too."""
        if isinstance(node, YamlSequence):
            for item in node.items:
                if isinstance(item, YamlMapping):
                    yield from self.entries(item, subject)
                elif not (isinstance(item, YamlScalar) and item.value is None):
                    self.report(
                        WRONG_SHAPE,
                        f"an entry of {subject} must be a map with one name, not {shape_of(item)}",
                        item.span,
                    )
        else:
            yield from self.entries(node, subject)

    def fields(self, node: YamlNode | None, subject: str, keys: frozenset[str]) -> Mapping[str, YamlNode]:
        """The entries of a map whose keys are fixed; a key that is not among them is a finding."""
        mapping = self.mapping(node, subject)
        if mapping is None:
            return NOTHING
        fields: dict[str, YamlNode] = {}
        for entry in mapping.entries:
            key = self.name(entry.key)
            if key is None:
                continue
            fields[key] = entry.value
            if key not in keys and key not in _FREE:
                self.report_unknown_key(key, keys, subject, entry.key.span)
        return fields

    def report_unknown_key(self, key: str, keys: Iterable[str], subject: str, span: Span) -> None:
        near = did_you_mean(key, keys)
        rule = UNKNOWN_KEY if near is None and not self.origin.second else MISSPELT_KEY
        self.loses = self.loses or near is not None
        hint = near or f"it can have {', '.join(sorted(keys))}"
        self.report(rule, f"{subject} has no key {key!r}", span, hint)

    def has_nearly(self, fields: Mapping[str, YamlNode], key: str) -> bool:
        """Whether there is a misspelt key, which is said, where one is missing."""
        return any(suggest(other, [key]) for other in fields)

    def misspelt_key(self, key: str, keys: Iterable[str], subject: str, span: Span) -> None:
        """Of a part that may have keys of tools, too: only one that is nearly one of TOSCA's is a finding."""
        if not self.origin.second and key not in keys and did_you_mean(key, keys) is not None:
            self.report_unknown_key(key, keys, subject, span)

    def text(self, node: YamlNode | None, subject: str) -> str | None:
        if node is None:
            return None
        if isinstance(node, YamlScalar) and node.value is not None:
            return node.value if isinstance(node.value, str) else node.text
        if not isinstance(node, YamlScalar):
            self.report(WRONG_SHAPE, f"{subject} must be text, not {shape_of(node)}", node.span)
        return None

    def type_name(self, kind: TypeKind, name: str) -> str:
        """The name by which the topology knows the type that this file calls so."""
        known_as = None if self.scope is None else self.scope.find(kind, name)
        return name if known_as is None else known_as

    def type_text(self, kind: TypeKind, node: YamlNode | None, subject: str) -> str | None:
        """A text that names a type."""
        name = self.text(node, subject)
        return None if name is None else self.type_name(kind, name)

    def texts(self, node: YamlNode | None, subject: str) -> tuple[tuple[str, Span], ...]:
        """The texts of a list (or a single one) with their places."""
        if node is None or (isinstance(node, YamlScalar) and node.value is None):
            return ()
        items = node.items if isinstance(node, YamlSequence) else (node,)
        pairs = ((self.text(item, f"an item of {subject}"), item.span) for item in items)
        return tuple((text, span) for text, span in pairs if text is not None)

    def flag(self, node: YamlNode | None, subject: str, *, default: bool) -> bool:
        if node is None:
            return default
        if isinstance(node, YamlScalar) and isinstance(node.value, bool):
            return node.value
        if isinstance(node, YamlScalar) and node.text.lower() in ("true", "false"):
            return node.text.lower() == "true"
        self.report(WRONG_SHAPE, f"{subject} must be true or false, not {shape_of(node)}", node.span)
        # Whatever is wrong with the word, it is clear what is meant.
        says_no = isinstance(node, YamlScalar) and node.text.lower() in ("no", "off", "n", "0")
        return False if says_no else default

    def is_open(self, fields: Mapping[str, YamlNode]) -> bool:
        """Whether the metadata of a type or template let it have properties that are not declared, as in Unfurl."""
        metadata = fields.get("metadata")
        word = metadata.get("additionalProperties") if isinstance(metadata, YamlMapping) else None
        return not self.origin.second and isinstance(word, YamlScalar) and bool(word.value)

    def assignments(self, node: YamlNode | None, subject: str) -> dict[str, SourceValue]:
        merges = (
            {id(entry.value): entry.merged for entry in node.entries} if isinstance(node, YamlMapping) else {}
        )
        return {
            # An anchor stands before its aliases, and so does what it names.
            name: SourceValue(
                value,
                self.origin,
                merges.get(id(value)) or (key if value.span.start < key.start else None),
                key,
            )
            for name, key, value in self.entries(node, subject)
        }


def shape_of(node: YamlNode) -> str:
    """What a node is, in the words of a message."""
    if isinstance(node, YamlMapping):
        return "a map"
    if isinstance(node, YamlSequence):
        return "a list"
    value: Any = node.value
    return "nothing" if value is None else repr(value if isinstance(value, str) else node.text)
