"""What an expression reads of the object whose code it is: properties, and local variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sabir.expressions.yaql import Dialect, parse
from sabir.expressions.yaql.nodes import Binary, Node, Variable, Word, children
from sabir.languages.muranopl.syntax.nodes import Expr, ListValue, MapValue, Value
from sabir.source.text import Place

__all__ = ["Reads", "Written", "reads_of"]


class Reads(NamedTuple):
    """Names in the order they are written, each once."""

    properties: tuple[str, ...]
    variables: tuple[str, ...]


class Written(NamedTuple):
    """The assignment that gave a property its value, and the properties of its own object that it read."""

    place: Place
    reader: str
    reads: tuple[str, ...]


def reads_of(value: Value) -> Reads:
    trees = [tree for expression in _expressions(value) for tree in _all(_tree(expression))]
    properties = (name for tree in trees if (name := _own_property(tree)) is not None)
    variables = (tree.name for tree in trees if isinstance(tree, Variable))
    return Reads(tuple(dict.fromkeys(properties)), tuple(dict.fromkeys(variables)))


def _tree(expression: Expr) -> Node:
    return parse(expression.text, Dialect.MURANO).tree


def _expressions(value: Value) -> Iterator[Expr]:
    if isinstance(value, Expr):
        yield value
    elif isinstance(value, ListValue):
        for item in value.items:
            yield from _expressions(item)
    elif isinstance(value, MapValue):
        for key, item in value.entries:
            yield from _expressions(key)
            yield from _expressions(item)


def _all(node: Node) -> Iterator[Node]:
    yield node
    for part in children(node):
        yield from _all(part)


def _own_property(node: Node) -> str | None:
    """The name behind `$.` or `$this.`."""
    if (
        isinstance(node, Binary)
        and node.operator in (".", "?.")
        and isinstance(node.left, Variable)
        and node.left.name in ("", "1", "this")
        and isinstance(node.right, Word)
    ):
        return node.right.value
    return None
