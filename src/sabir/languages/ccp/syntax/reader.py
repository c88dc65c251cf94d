"""Reads YAML nodes as the types that the document's tables name, and reports mismatches."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.expressions.template.findings import RenderedTemplate
from sabir.languages.ccp.syntax.rules import Fault, build_fault, ccp_rule
from sabir.lazy import lazy_pattern
from sabir.source.yaml import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, YamlStream, defects
from sabir.text import EMPTY_SPAN, Place, Span

YAML_SYNTAX: Final = ccp_rule(
    code="CCP:E001",
    title="definition is not readable as YAML",
    why=(
        "After its template is rendered a definition must be one YAML document. The line shown is that of the template, "
        "also when a loop or an include made the text."
    ),
)

DUPLICATE_KEY: Final = ccp_rule(
    code="CCP:W002",
    title="key is given twice in one mapping",
    why="YAML readers silently keep the last one, so the first value is lost without anybody noticing.",
)

MISSING_KEY: Final = ccp_rule(
    code="CCP:E010",
    title="required key is missing",
    why="The tables of the document mark some keys as required: without them there is nothing to deploy.",
)

UNKNOWN_KEY: Final = ccp_rule(
    code="CCP:E011",
    title="key is not known here",
    why="A key outside the tables has no effect, so a misspelt one is a setting that is silently lost.",
)

WRONG_TYPE: Final = ccp_rule(
    code="CCP:E012",
    title="value has the wrong type",
    why=(
        "Texts, numbers, booleans, arrays and mappings are not converted into each other: a permission written 0755 "
        "without quotes is the number 493."
    ),
)

EMPTY: Final = ccp_rule(
    code="CCP:E013",
    title="value is empty",
    why="A blank text or an empty array where something is needed: leave the optional key out, or fill it.",
)

BAD_ENUM: Final = ccp_rule(
    code="CCP:E014",
    title="value is not one of those allowed",
    why="The key takes one of a few words, in exactly this spelling.",
)

BAD_FORMAT: Final = ccp_rule(
    code="CCP:E015",
    title="text is not in the needed form",
    why=(
        "Names become names of Kubernetes objects, paths are absolute, permissions are octal digits. Kubernetes or the "
        "container would refuse anything else, only later."
    ),
)

OUT_OF_RANGE: Final = ccp_rule(
    code="CCP:E016",
    title="number is out of range",
    why=(
        "Ports are 1 to 65535; ports on the nodes lie in the range of the API server, which `kubernetes.node_port_range` "
        "changes."
    ),
)

CONFLICT: Final = ccp_rule(
    code="CCP:E017",
    title="two settings exclude each other",
    why=(
        "Kubernetes can honour one of the two only: a node port given to two services, a volume name with two meanings, "
        "Recreate on a StatefulSet, replicas of a DaemonSet."
    ),
)

DNS_LABEL: Final = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")
dns_subdomain_pattern: Final = lazy_pattern(
    r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
)
octal_pattern: Final = lazy_pattern(r"[0-7]{3,4}")
CONFIG_KEY: Final = re.compile(r"(?!\.{1,2}$)[-._a-zA-Z0-9]{1,253}")


_NO_TREE: Final = YamlMapping(EMPTY_SPAN, ())


class Feature(Struct, frozen=True):
    """A key that a DSL version introduced, to be compared with the version a definition claims."""

    since: tuple[int, int, int]
    path: str
    place: Place


class NodeReader:
    """Reads one text. A value that does not fit is reported and replaced by a harmless one."""

    def __init__(self, rendered: RenderedTemplate, faults: list[Fault], *, keeps_trees: bool = True) -> None:
        self.rendered = rendered
        self.faults = faults
        self.features: list[Feature] = []
        self._keeps_trees = keeps_trees

    def take_defects(self, stream: YamlStream) -> None:
        """Report YAML errors of the text, at their locations in the template."""
        for defect in stream.findings:
            rule = DUPLICATE_KEY if defect.code == defects.DUPLICATE_KEY.code else YAML_SYNTAX
            self.fail(rule, "", defect.place.span, defect.message, hint=defect.hint)

    def tree(self, mapping: YamlMapping) -> YamlMapping:
        """Return what a node keeps of its text: everything for a graph, otherwise nothing."""
        return mapping if self._keeps_trees else _NO_TREE

    def place(self, node: YamlNode) -> Place:
        return self.rendered.place(node.span)

    def fail(
        self, rule: Rule, path: str, at: YamlNode | Span, message: str, *, hint: str | None = None
    ) -> None:
        place = self.rendered.place(at if isinstance(at, Span) else at.span)
        self.faults.append(build_fault(rule, path, place, message, hint=hint))

    def note(self, rule: Rule, path: str, place: Place, message: str) -> None:
        self.faults.append(build_fault(rule, path, place, message))

    def feature(self, since: tuple[int, int, int], path: str, entry: YamlEntry) -> None:
        self.features.append(Feature(since, path, self.place(entry.key)))

    def wrong_type(self, node: YamlNode, path: str, wanted: str, *, hint: str | None = None) -> None:
        self.fail(
            WRONG_TYPE,
            path,
            node,
            f"{path or 'the file'} must be {wanted}, not {type_name(node)}",
            hint=hint,
        )

    def mapping(self, node: YamlNode, path: str) -> YamlMapping | None:
        if isinstance(node, YamlMapping):
            return node
        self.wrong_type(node, path, "a mapping")
        return None

    def entries(self, mapping: YamlMapping, path: str) -> dict[str, YamlEntry]:
        """Return the entries with string keys; other keys are faults."""
        entries: dict[str, YamlEntry] = {}
        for entry in mapping.entries:
            key = entry.key
            if isinstance(key, YamlScalar) and isinstance(key.value, str):
                entries[key.value] = entry
            else:
                self.wrong_type(key, join_path(path, _key_text(key)), "a text key", hint="put it in quotes")
        return entries

    def keys(
        self, mapping: YamlMapping, path: str, allowed: Iterable[str], *, required: Iterable[str] = ()
    ) -> dict[str, YamlEntry]:
        """Return the entries with known keys. Unknown and missing keys are faults."""
        allowed = tuple(allowed)
        entries = {_key_text(entry.key): entry for entry in mapping.entries}
        meant: set[str | None] = set()
        for name in [name for name in entries if name not in allowed]:
            key = entries.pop(name).key
            meant.add(suggest(name, allowed))
            hint = did_you_mean(name, allowed) or f"known here: {', '.join(allowed)}"
            where = path or "the definition"
            self.fail(UNKNOWN_KEY, join_path(path, name), key, f"{where} has no key {name!r}", hint=hint)
        for name in required:
            # One that is misspelt is there; to say that it is missing would be the same slip again.
            if name not in entries and name not in meant:
                self.missing(mapping, path, name)
        return entries

    def missing(self, mapping: YamlMapping, path: str, name: str, *, hint: str | None = None) -> None:
        span = Span(mapping.span.start, mapping.span.start)
        if mapping.entries:
            span = mapping.entries[0].key.span
        self.fail(
            MISSING_KEY,
            join_path(path, name),
            span,
            f"{path or 'the definition'} needs the key {name!r}",
            hint=hint,
        )

    def text(self, node: YamlNode, path: str, *, blank: bool = False) -> str:
        if not isinstance(node, YamlScalar) or not isinstance(node.value, str):
            written = node.text if isinstance(node, YamlScalar) and node.value is not None else ""
            hint = f"put it in quotes: {written!r}" if written else None
            self.wrong_type(node, path, "a text", hint=hint)
            return ""
        if not blank and not node.value.strip():
            self.fail(EMPTY, path, node, f"{path} must not be empty")
            return ""
        return node.value

    def boolean(self, node: YamlNode, path: str) -> bool:
        if isinstance(node, YamlScalar) and isinstance(node.value, bool):
            return node.value
        quoted = isinstance(node, YamlScalar) and str(node.value).lower() in ("true", "false", "yes", "no")
        self.wrong_type(node, path, "true or false", hint="write it without quotes" if quoted else None)
        return False

    def integer(self, node: YamlNode, path: str, *, low: int, high: int) -> int:
        if not isinstance(node, YamlScalar) or type(node.value) is not int:
            self.wrong_type(node, path, "an integer")
            return low
        if not low <= node.value <= high:
            self.fail(OUT_OF_RANGE, path, node, f"{path} must be in {low}..{high}, not {node.value}")
            return low
        return node.value

    def choice(self, node: YamlNode, path: str, choices: tuple[str, ...]) -> str:
        value = self.text(node, path, blank=True)
        if isinstance(node, YamlScalar) and isinstance(node.value, str) and value not in choices:
            message = f"{path} must be one of {', '.join(choices)}, not {value!r}"
            self.fail(BAD_ENUM, path, node, message, hint=did_you_mean(value, choices))
        return value if value in choices else choices[0]

    def match_text(self, node: YamlNode, path: str, pattern: re.Pattern[str], wanted: str) -> str:
        """Read a string that matches a pattern."""
        value = self.text(node, path)
        if value and not pattern.fullmatch(value):
            self.fail(BAD_FORMAT, path, node, f"{path} must be {wanted}, not {value!r}")
            return ""
        return value

    def key_matching(
        self, entry: YamlEntry, key: str, path: str, pattern: re.Pattern[str], complaint: str
    ) -> None:
        """Check a key that becomes a name against a pattern."""
        if not pattern.fullmatch(key):
            self.fail(BAD_FORMAT, path, entry.key, f"{path}: {key!r} {complaint}")

    def name(self, node: YamlNode, path: str) -> str:
        """Read a DNS label, as Kubernetes requires for names of containers, volumes and Services."""
        wanted = "a DNS label (lower-case letters, digits and hyphens, at most 63)"
        return self.match_text(node, path, DNS_LABEL, wanted)

    def items(self, node: YamlNode, path: str) -> Iterator[tuple[YamlNode, str]]:
        """Return the items of a list that must not be empty, with their paths."""
        if not isinstance(node, YamlSequence):
            self.wrong_type(node, path, "an array")
            return
        if not node.items:
            self.fail(EMPTY, path, node, f"{path} must not be empty", hint="leave the key out instead")
        for index, item in enumerate(node.items):
            yield item, f"{path}[{index}]"


def _key_text(key: YamlNode) -> str:
    return key.text if isinstance(key, YamlScalar) else "?"


def join_path(path: str, key: str) -> str:
    return f"{path}.{key}" if path else key


def type_name(node: YamlNode) -> str:
    if isinstance(node, YamlMapping):
        return "a mapping"
    if isinstance(node, YamlSequence):
        return "an array"
    match node.value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return f"the number {node.text}"
        case str():
            return f"the text {node.value[:60]!r}"
        case _:
            return f"a {type(node.value).__name__}"
