"""YAML nodes as values, telling expressions from texts.

A plain (unquoted) scalar that YAML reads as text is an expression when it has a character other than letters, digits,
`_`, `.` and white space, and is valid YAQL. So `a + b` is an expression, `not true` and `Hello, World` are texts.
"""

from __future__ import annotations

import re
from typing import Final

from sabir.expressions.yaql import Dialect, is_expression
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue, Value
from sabir.source.text import Place, Source, Span
from sabir.source.yaml import Style, YamlNode, YamlScalar, YamlSequence

__all__ = ["expression_place", "is_expression_scalar", "read_value"]

_ONLY_WORDS: Final = re.compile(r"[\w\s.]*")
YAQL_TAG: Final = "!yaql"


def is_expression_scalar(node: YamlNode) -> bool:
    if not isinstance(node, YamlScalar):
        return False
    if node.tag == YAQL_TAG:
        return True
    return (
        node.style is Style.PLAIN
        and node.tag is None
        and isinstance(node.value, str)
        and not _ONLY_WORDS.fullmatch(node.text)
        and is_expression(node.text, Dialect.MURANO)
    )


def read_value(node: YamlNode) -> Value:
    """The value a node stands for, with expressions inside recognised."""
    if isinstance(node, YamlScalar):
        if is_expression_scalar(node):
            return Expr(span=node.span, text=node.text)
        return Constant(span=node.span, value=node.value)
    if isinstance(node, YamlSequence):
        return ListValue(span=node.span, items=tuple(read_value(item) for item in node.items))
    entries = tuple((read_value(key), read_value(value)) for key, value in node.items())
    return MapValue(span=node.span, entries=entries)


def expression_place(source: Source, expr: Expr, inner: Span | None) -> Place:
    """Where a part of an expression stands; the whole scalar when YAML folded or unescaped its text."""
    if inner is None or source.slice(expr.span) != expr.text:
        return Place(source, expr.span)
    return Place(source, inner.shifted(expr.span.start))
