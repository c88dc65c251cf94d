"""Syntax tree of YAQL. Nodes hold what was written, never what it means.

`start` and `end` are offsets into the text; `span(node)` joins them: half of the nodes are never asked for their place, and
a `Span` for each would double what a tree takes.
"""

from __future__ import annotations

from msgspec import Struct

from sabir.text import Span


class Literal(Struct, frozen=True, eq=False, gc=False):
    """A number, a quoted string, `true`, `false` or `null`."""

    start: int
    end: int
    value: str | int | float | bool | None


class Word(Struct, frozen=True, eq=False, gc=False):
    """A bare word: a string by itself, a key after a dot, a name before `=>`."""

    start: int
    end: int
    value: str


class Variable(Struct, frozen=True, eq=False, gc=False):
    """`$`, `$1` or `$name`; the name is kept without the dollar."""

    start: int
    end: int
    name: str


class Group(Struct, frozen=True, eq=False):
    """An expression in parentheses. Kept, because `$.(f())` is not the method call `$.f()`."""

    start: int
    end: int
    inner: Node


class Unary(Struct, frozen=True, eq=False):
    start: int
    end: int
    operator: str
    operand: Node


class Binary(Struct, frozen=True, eq=False):
    """Any operator between two values, `.`, `?.` and `->` too."""

    start: int
    end: int
    operator: str
    left: Node
    right: Node


class Rule(Struct, frozen=True, eq=False):
    """`source => target` in an argument list: a keyword argument, an entry of a dictionary, a case of `switch`."""

    start: int
    end: int
    source: Node
    target: Node


class OmittedArgument(Struct, frozen=True, eq=False, gc=False):
    """An argument left out: the middle one of `f(1,, 2)`."""

    start: int
    end: int


class Call(Struct, frozen=True, eq=False):
    start: int
    end: int
    name: str
    arguments: tuple[Node, ...]


class Index(Struct, frozen=True, eq=False):
    """`value[arguments]`"""

    start: int
    end: int
    value: Node
    arguments: tuple[Node, ...]


class ListLiteral(Struct, frozen=True, eq=False):
    start: int
    end: int
    items: tuple[Node, ...]


class MapLiteral(Struct, frozen=True, eq=False):
    start: int
    end: int
    items: tuple[Node, ...]


Node = (
    Literal
    | Word
    | Variable
    | Group
    | Unary
    | Binary
    | Rule
    | OmittedArgument
    | Call
    | Index
    | ListLiteral
    | MapLiteral
)


def node_span(node: Node) -> Span:
    return Span(node.start, node.end)


def child_nodes(node: Node) -> tuple[Node, ...]:
    """The direct parts of an expression."""
    match node:
        case Binary(left=left, right=right):
            return left, right
        case Unary(operand=operand):
            return (operand,)
        case Group(inner=inner):
            return (inner,)
        case Call(arguments=arguments):
            return arguments
        case Index(value=value, arguments=arguments):
            return value, *arguments
        case Rule(source=source, target=target):
            return source, target
        case ListLiteral(items=items) | MapLiteral(items=items):
            return items
        case _:
            return ()


def is_stored(node: Node) -> bool:
    """Whether the value is something that was given, not made, by the expression."""
    while True:
        if isinstance(node, Variable | Literal | Word):
            return True
        if isinstance(node, Group):
            node = node.inner
        elif isinstance(node, Index):
            node = node.value
        elif isinstance(node, Binary) and node.operator in (".", "?.") and isinstance(node.right, Word):
            node = node.left
        else:
            return False
