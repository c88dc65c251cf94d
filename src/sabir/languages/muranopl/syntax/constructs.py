"""The parts of a block construct, and the special ones: `Catch`, names of exceptions and variables.

Reading is tolerant: a missing or malformed part is a defect, and the parts next to it are still read.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Edit, Fix
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.nodes import Block, CatchClause, Constant, NameNode, Value
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.languages.muranopl.syntax.rules import CATCH_WITHOUT_DO
from sabir.languages.muranopl.syntax.values import is_null, read_value
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import YamlEntry, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place, Span

_CATCH_KEYS: Final = ("With", "As", "Do")

NEEDLESS_VALUE: Final = package_rule(
    "MPL:E200",
    "Break, Continue or Rethrow with a value",
    "These statements stand alone; a value would be lost.",
    fixable=True,
)
NO_TARGET: Final = package_rule(
    "MPL:E201",
    "neither a target of an assignment nor a keyword",
    "A statement with one key is an assignment ($x, $.x, $x[0] …) or a block construct; a block construct has only "
    "its own keywords.",
    fixable=True,
)
NEEDS_NAME: Final = package_rule(
    "MPL:E203",
    "a keyword that needs a name",
    "For and As name a variable, Throw and With an exception.",
)
STATEMENT_FORM: Final = package_rule(
    "MPL:E204",
    "a malformed statement",
    "A block construct lacks a required keyword, several keys form no construct, or the statement is neither text "
    "nor mapping.",
)


class BlockConstruct(Struct, frozen=True, kw_only=True, eq=False):
    """A block construct: the mapping, its strings as keys, and the reader of its code blocks."""

    node: YamlMapping
    name: str
    keys: Mapping[str, YamlNode]
    defects: Defects
    block: Callable[[YamlNode | None, Defects], Block]

    @property
    def first(self) -> YamlNode:
        """The key at which defects of the whole construct are reported."""
        return self.node.entries[0].key

    @property
    def span(self) -> Span:
        return Span(self.first.span.start, self.node.span.end)

    def code(self, key: str) -> Block:
        return self.block(self.keys.get(key), self.defects)

    def value(self, key: str) -> Value:
        node = self.keys.get(key)
        if node is None:  # already a defect; the rest of the construct is kept
            return Constant(span=self.first.span, value=None, node=self.first)
        return read_value(node)

    def optional(self, key: str) -> Value | None:
        node = self.keys.get(key)
        return None if node is None else read_value(node)

    def report_malformed(self, message: str) -> None:
        self.defects.at(self.first, STATEMENT_FORM, message)

    def cases(self) -> YamlMapping | None:
        node = self.keys[self.name]
        if isinstance(node, YamlMapping):
            return node
        self.report_malformed(f"{self.name} needs a mapping of cases, not {kind_of(node)}")
        return None

    def keyword(self) -> Span:
        """Return the span of a keyword that takes no value."""
        entry = self.node.entry(self.name)
        assert entry is not None
        if not is_null(entry.value):
            self.defects.at(
                entry.key,
                NEEDLESS_VALUE,
                f"{self.name} takes no value",
                hint=f"write {self.name}: and nothing behind it",
                fix=_without_value(self.defects.report, entry),
            )
        return entry.key.span

    def variable(self, node: YamlNode | None, keyword: str) -> str:
        """Return the name of a variable that a keyword binds."""
        name = text_of(node)
        if node is None or name is None:
            kind = "nothing" if node is None else kind_of(node)
            place = self.first if node is None else node
            self.defects.at(place, NEEDS_NAME, f"{keyword} needs the name of a variable, not {kind}")
            return ""
        if keyword == "For" and "$" in name:
            self.defects.at(
                node,
                NEEDS_NAME,
                f"{keyword} needs the name of a variable, not {quote_node(node)}",
                hint="write the name without `$`",
            )
        return name.lstrip("$")


_colon_pattern: Final = lazy_pattern(r"[ \t]*:[ \t]*")


def _without_value(report: FileReporter, entry: YamlEntry) -> Fix | None:
    """Build the fix that removes the value of a keyword that takes none."""
    between = Span(entry.key.span.end, entry.value.span.start)
    if not isinstance(entry.value, YamlScalar) or not _colon_pattern().fullmatch(
        report.source.text, between.start, between.end
    ):
        return None
    edit = Edit(place=Place(report.source, Span(between.start, entry.value.span.end)), text=":")
    return Fix(title="remove the value", edits=(edit,))


def read_names(node: YamlNode, keyword: str, defects: Defects) -> tuple[NameNode, ...]:
    """Read names of exceptions: one name or a list."""
    names: list[NameNode] = []
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        text = text_of(item)
        if text:
            names.append(NameNode(span=item.span, text=text))
        else:
            written = quote_node(item) if text is not None else kind_of(item)
            defects.at(item, NEEDS_NAME, f"{keyword} needs the name of an exception, not {written}")
    return tuple(names)


def read_catches(parts: BlockConstruct) -> tuple[CatchClause, ...]:
    """Read `Catch`: one mapping or a list.

    The table of spec 000 writes With, As and Do next to it, which is accepted as well (S-16).
    """
    flat = {key: parts.keys[key] for key in _CATCH_KEYS if key in parts.keys}
    node = parts.keys.get("Catch")
    if node is None or is_null(node):
        if node is not None and "Do" not in flat:
            _needs_do(parts.first, parts)
        return (_read_clause(flat, parts.span if node is None else node.span, parts),) if flat else ()
    for key in flat:
        entry = parts.node.entry(key)
        assert entry is not None
        parts.defects.at(entry.key, STATEMENT_FORM, f"{key} belongs into Catch, which has its own keys")
    clauses: list[CatchClause] = []
    for item in node.items if isinstance(node, YamlSequence) else (node,):
        if not isinstance(item, YamlMapping):
            message = f"Catch is a mapping with Do, not {kind_of(item)}"
            parts.defects.at(item, STATEMENT_FORM, message)
            continue
        keys = read_keys(item, "Catch", _CATCH_KEYS, parts.defects)
        if "Do" not in keys:
            _needs_do(item.entries[0].key if item.entries else parts.first, parts)
        clauses.append(_read_clause(keys, item.span, parts))
    return tuple(clauses)


def _needs_do(place: YamlNode, parts: BlockConstruct) -> None:
    parts.defects.at(place, STATEMENT_FORM, "Catch needs Do", difference=CATCH_WITHOUT_DO)


def read_keys(
    node: YamlMapping, construct: str, keywords: Collection[str], defects: Defects
) -> dict[str, YamlNode]:
    """Return the values of the keywords of a construct; any other key is a defect."""
    keys: dict[str, YamlNode] = {}
    for entry in node.entries:
        key = text_of(entry.key)
        if key is not None and key in keywords:
            keys[key] = entry.value
        else:
            message = f"{construct} has no keyword {quote_node(entry.key)}"
            defects.add_finding(
                defects.report.report_unknown(
                    entry.key, NO_TARGET, message, keywords, taken=node, refused=True
                )
            )
    return keys


def _read_clause(keys: Mapping[str, YamlNode], span: Span, parts: BlockConstruct) -> CatchClause:
    with_, as_ = keys.get("With"), keys.get("As")
    catches_all = with_ is None or is_null(with_)
    return CatchClause(
        span=span,
        names=None if with_ is None or catches_all else read_names(with_, "With", parts.defects),
        variable=None if as_ is None or is_null(as_) else parts.variable(as_, "As"),
        body=parts.block(keys.get("Do"), parts.defects),
    )
