"""YAML nodes as values, telling expressions from texts.

A plain (unquoted) scalar that YAML reads as text is an expression when it has a character other than letters, digits,
`_`, `.` and white space, and is valid YAQL. So `a + b` is an expression, `not true` and `Hello, World` are texts.
"""

from __future__ import annotations

from typing import Final

from sabir.expressions.yaql.parser import Dialect, is_expression
from sabir.languages.muranopl.syntax.names import is_words
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue, Value
from sabir.lazy import lazy_pattern
from sabir.source.yaml import Style, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Source, Span

__all__ = ["expression_place", "is_expression_scalar", "read_value"]

YAQL_TAG: Final = "!yaql"
# `=:Name` is `:Name`, the spelling that YAQL knows (S-09).
_own_namespace_pattern: Final = lazy_pattern(r"(?<![^\s(,\[{])=:(?=[A-Za-z_])")


def is_expression_scalar(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and _expression_text(node) is not None


def _expression_text(node: YamlScalar) -> str | None:
    """The expression that a scalar is, or None when it is a text or another value."""
    if node.tag == YAQL_TAG:
        return node.text
    if node.style is not Style.PLAIN or node.tag is not None or not isinstance(node.value, str):
        return None
    if is_words(node.text):
        return None
    text = _own_namespace_pattern().sub(":", node.text) if "=:" in node.text else node.text
    return text if is_expression(text, Dialect.MURANO) else None


def read_value(node: YamlNode) -> Value:
    """The value a node stands for, with expressions inside recognised."""
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
    """Where a part of an expression stands; the whole scalar when YAML folded or unescaped its text."""
    if inner is None or source.slice(expr.span) != expr.text:
        return Place(source, expr.span)
    return Place(source, inner.shifted(expr.span.start))
