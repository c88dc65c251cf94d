"""YAML nodes as values, with expressions told apart from strings, and form checks for many keys.

A plain (unquoted) scalar that YAML reads as a string is an expression if it has a character other than
letters, digits, `_`, `.` and white space, and is valid YAQL. So `a + b` is an expression, `not true` and
`Hello, World` are strings.

The form checks take plain data and return findings (spec 001, "Checkers").
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from sabir.diagnostics.finding import Finding, Fix
from sabir.diagnostics.rules import Rule
from sabir.expressions.yaql.parser import Dialect, is_expression
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.names import is_words
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue, Value
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.lazy import lazy_pattern
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place, Source, Span

YAQL_TAG: Final = "!yaql"
# `=:Name` is `:Name`, the spelling that YAQL knows (S-09).
_own_namespace_pattern: Final = lazy_pattern(r"(?<![^\s(,\[{])=:(?=[A-Za-z_])")


def is_expression_scalar(node: YamlNode) -> bool:
    """Tell whether a node is a scalar that is read as an expression."""
    return isinstance(node, YamlScalar) and _expression_text(node) is not None


def _expression_text(node: YamlScalar) -> str | None:
    """Return the expression that a scalar is; None if it is a string or another value."""
    if node.tag == YAQL_TAG:
        return node.text
    if node.style is not Style.PLAIN or node.tag is not None or not isinstance(node.value, str):
        return None
    if is_words(node.text):
        return None
    text = _own_namespace_pattern().sub(":", node.text) if "=:" in node.text else node.text
    return text if is_expression(text, Dialect.MURANO) else None


def read_value(node: YamlNode) -> Value:
    """Return the value of a node, with the expressions inside it recognized."""
    if isinstance(node, YamlScalar):
        text = _expression_text(node)
        if text is not None:
            return Expr(span=node.span, text=text, node=node)
        return Constant(span=node.span, value=node.value, node=node)
    if isinstance(node, YamlSequence):
        return ListValue(span=node.span, items=tuple(read_value(item) for item in node.items), node=node)
    entries = tuple((read_value(key), read_value(value)) for key, value in node.items())
    return MapValue(span=node.span, entries=entries, node=node)


def expression_place(source: Source, expr: Expr, inner: Span | None) -> Place:
    """Return the location of a part of an expression; the whole scalar if YAML folded or unescaped its text."""
    if inner is None or source.slice(expr.span) != expr.text:
        return Place(source, expr.span)
    return Place(source, inner.shift(expr.span.start))


SECOND_DOCUMENT: Final = package_rule(
    "E005",
    "more than one document where one is allowed",
    "A manifest and a UI definition are one YAML document; what follows a second --- is never read.",
)
NO_MAPPING: Final = package_rule(
    "E007",
    "the file is empty or no mapping",
    "Manifests, class files and UI definitions are mappings of keys. An empty file or a list says nothing.",
)
MISSING_KEY: Final = package_rule(
    "E020",
    "a required key is missing",
    "A manifest needs Type and FullName, a UI definition Application and Forms, a class in a file of several classes "
    "its Name.",
)
UNKNOWN_KEY: Final = package_rule(
    "E021",
    "an unknown key",
    "Keys that the language does not know are ignored by the engine, most often because of a typing error: what was "
    "meant is silently not done.",
    fixable=True,
)
NO_TEXT: Final = package_rule(
    "E040",
    "the value must be a text",
    "YAML reads an unquoted 1.10 as a number and yes as a boolean. Where a text is needed, put it in quotes.",
    fixable=True,
)
UNKNOWN_SECTION: Final = package_rule(
    "W010",
    "an unknown section",
    "A top-level key of a manifest, class or UI definition that nobody reads, most often a typing error.",
    fixable=True,
)


def report_unknown_keys(
    report: FileReporter, mapping: YamlMapping, known: Collection[str], *, code: Rule | str, what: str
) -> Iterator[Finding]:
    """Report keys that the table of `what` does not have."""
    for key in mapping:
        if text_of(key) not in known:
            yield report.report_unknown(
                key, code, f"{what} has no key {quote_node(key)}", known, taken=mapping
            )


def string_value(
    report: FileReporter, mapping: YamlMapping, key: str, *, code: Rule | str, what: str = ""
) -> Iterator[Finding]:
    """Report a value under a key that is not a string."""
    value = mapping.get(key)
    if value is not None and text_of(value) is None and not is_null(value):
        message = f"{what or key} must be a text, not {kind_of(value)}"
        yield report.at(value, code, message, hint=_quote_hint(value), fix=build_quote_fix(report, value))


def build_quote_fix(report: FileReporter, value: YamlNode) -> Fix | None:
    """Build the fix that quotes a number or the like where a string is required."""
    if not isinstance(value, YamlScalar) or value.style is not Style.PLAIN or value.tag is not None:
        return None
    # Text with a quote in it is not a number, date or boolean.
    return report.build_replace_fix(value, f'"{value.text}"', title="put it in quotes", safe=True)


def one_of(
    report: FileReporter,
    value: YamlNode | None,
    allowed: Collection[str],
    *,
    code: Rule | str,
    what: str,
    required: bool = False,
) -> Iterator[Finding]:
    """Report a value outside a closed set; unless it is `required`, a key without a value counts as absent."""
    if value is not None and (required or not is_null(value)) and text_of(value) not in allowed:
        yield report.report_unknown(
            value, code, f"{what} cannot be {quote_node(value)}", allowed, refused=True
        )


def meta_shape(report: FileReporter, mapping: YamlMapping, *, code: Rule | str) -> Iterator[Finding]:
    """Report `Meta` that is neither a mapping nor a list of mappings, once."""
    meta = mapping.get("Meta")
    if meta is None or is_null(meta) or isinstance(meta, YamlMapping):
        return
    if isinstance(meta, YamlSequence) and all(isinstance(item, YamlMapping) for item in meta.items):
        return
    yield report.at(meta, code, f"Meta must be a mapping or a list of mappings, not {_meta_kind(meta)}")


def is_null(node: YamlNode) -> bool:
    """Tell whether a node is null."""
    return isinstance(node, YamlScalar) and node.value is None


def _meta_kind(meta: YamlNode) -> str:
    if isinstance(meta, YamlSequence):
        other = next(item for item in meta.items if not isinstance(item, YamlMapping))
        return f"a list with {kind_of(other)}"
    return kind_of(meta)


def _quote_hint(value: YamlNode) -> str | None:
    if isinstance(value, YamlScalar):
        return f'put it in quotes: "{value.text}"'
    return None
