"""Syntax tree of the Inmanta language. Nodes hold what was written, never what it means.

A model of 20,000 lines has 100,000 nodes, so they are built positionally and the collector never looks at them
(`gc=False`): a frozen node holds only what was there before it, so no node can lead back to itself. They are compared by
identity. The tags and the array form are what `cache` writes.

All nodes below a node, in the order they are written.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Union

from msgspec import Struct

from sabir.text import Place, Source, Span


class Node(Struct, frozen=True, eq=False, gc=False, array_like=True, tag_field="kind", tag=True):
    """`start` and `end` are offsets into the text of the file."""

    start: int
    end: int


class Literal(Node, frozen=True):
    """A number, string without interpolation, boolean or null."""

    value: str | int | float | bool | None


class Interpolation(Node, frozen=True):
    """`{{ name.attribute }}` or, in an f-string, `{expression!conversion:spec}`; the spec may hold braces itself."""

    value: Expression
    spec: str | FormatText
    conversion: str


class Text(Node, frozen=True):
    """A string with interpolations."""

    parts: tuple[str | Interpolation, ...]


class FormatText(Node, frozen=True):
    """An f-string."""

    parts: tuple[str | Interpolation, ...]


class ListLiteral(Node, frozen=True):
    items: tuple[Expression, ...]


class DictLiteral(Node, frozen=True):
    items: tuple[tuple[Expression, Expression], ...]


class Name(Node, frozen=True):
    """A variable: `x`, or `module::x`."""

    name: str


class AttributeRef(Node, frozen=True):
    base: Expression
    name: str


class Lookup(Node, frozen=True):
    """`dict[key]`."""

    base: Expression
    key: Expression


class Argument(Node, frozen=True):
    """`value`, `name=value` or `**value`."""

    name: str | None
    value: Expression
    unpack: bool


class IndexLookup(Node, frozen=True):
    """`Entity[attribute=value]`."""

    entity: str
    arguments: tuple[Argument, ...]


class SelectorLookup(Node, frozen=True):
    """`instance.relation[attribute=value]`."""

    base: Expression
    relation: str
    arguments: tuple[Argument, ...]


class Call(Node, frozen=True):
    function: str
    arguments: tuple[Argument, ...]


class Construct(Node, frozen=True):
    entity: str
    arguments: tuple[Argument, ...]


class Not(Node, frozen=True):
    operand: Expression


class Unary(Node, frozen=True):
    """`-value`."""

    operand: Expression


class Logic(Node, frozen=True):
    """`a or b or c`, `a and b and c`."""

    operator: str
    operands: tuple[Expression, ...]


class Binary(Node, frozen=True):
    operator: str
    left: Expression
    right: Expression


class IsDefined(Node, frozen=True):
    operand: Expression


class Conditional(Node, frozen=True):
    condition: Expression
    then: Expression
    otherwise: Expression


class Comprehension(Node, frozen=True):
    """`[element for variable in iterable … if guard …]`."""

    element: Expression
    loops: tuple[tuple[str, Expression], ...]
    guards: tuple[Expression, ...]


Expression = Union[
    Literal,
    Text,
    FormatText,
    ListLiteral,
    DictLiteral,
    Name,
    AttributeRef,
    Lookup,
    IndexLookup,
    SelectorLookup,
    Call,
    Construct,
    Not,
    Unary,
    Logic,
    Binary,
    IsDefined,
    Conditional,
    Comprehension,
]


class Assign(Node, frozen=True):
    """`target = value`, or `target += value` when `extend`."""

    target: Name | AttributeRef
    value: Expression
    extend: bool


class ExpressionStatement(Node, frozen=True):
    value: Expression


class For(Node, frozen=True):
    variable: str
    iterable: Expression
    body: Block


class If(Node, frozen=True):
    """Conditions with their blocks; `otherwise` is the block of `else`."""

    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block


Statement = Union[Assign, ExpressionStatement, For, If]
Block = tuple[Statement, ...]


class QualifiedName(Node, frozen=True):
    """A name of a type, implementation or module where it is used."""

    name: str


class TypeRef(Node, frozen=True):
    name: str
    is_list: bool
    nullable: bool


class Import(Node, frozen=True):
    name: str
    alias: str | None


class AttributeDef(Node, frozen=True):
    """`default` is None when none is written; `undef` removes an inherited one."""

    type: TypeRef
    name: str
    default: Expression | None
    undef: bool


class Entity(Node, frozen=True):
    name: QualifiedName
    parents: tuple[QualifiedName, ...]
    attributes: tuple[AttributeDef, ...]
    doc: str | None


class Typedef(Node, frozen=True):
    """Exactly one of `condition` and `regex` is set."""

    name: QualifiedName
    base: TypeRef
    condition: Expression | None
    regex: str | None


class RelationEnd(Node, frozen=True):
    """One end: `entity.name [low:high]`; `high` None is no bound; `name` None for the far end of a one-way relation."""

    entity: QualifiedName
    name: str | None
    low: int
    high: int | None


class Relation(Node, frozen=True):
    left: RelationEnd
    right: RelationEnd
    annotations: tuple[Expression, ...]
    doc: str | None
    deprecated: bool
    """Written in the old form `A a [1] -- [0:] B b`."""


class Index(Node, frozen=True):
    entity: QualifiedName
    attributes: tuple[QualifiedName, ...]


class Implementation(Node, frozen=True):
    name: QualifiedName
    entity: QualifiedName
    body: Block
    doc: str | None


class Implement(Node, frozen=True):
    """`implementations` holds `parents` as a name, as it is written."""

    entity: QualifiedName
    implementations: tuple[QualifiedName, ...]
    condition: Expression | None


Definition = Union[Import, Entity, Typedef, Relation, Index, Implementation, Implement]
TopStatement = Union[Statement, Definition]


def place_of(source: Source, node: Node) -> Place:
    return Place(source, Span(node.start, node.end))


_PLAIN = frozenset({"str", "int", "float", "bool", "None"})


@cache
def _node_fields(kind: type[Node]) -> tuple[str, ...]:
    """The fields of a kind of node that can hold nodes: a tree is walked often, and most fields are plain values."""
    annotations: dict[str, str] = kind.__annotations__
    return tuple(
        name for name, annotation in annotations.items() if not _PLAIN.issuperset(annotation.split(" | "))
    )


def children(node: Node) -> list[Node]:
    """The nodes directly below a node."""
    below: list[Node] = []
    for name in _node_fields(type(node)):
        value = getattr(node, name)
        if type(value) is tuple:
            _gather_nodes(value, below)
        elif isinstance(value, Node):
            below.append(value)
    return below


def _gather_nodes(values: tuple[Any, ...], below: list[Node]) -> None:
    for value in values:
        if isinstance(value, Node):
            below.append(value)
        elif type(value) is tuple:
            _gather_nodes(value, below)


def walk(*roots: Node) -> Iterator[Node]:
    """The nodes themselves and all below them."""
    todo: list[Node] = [*reversed(roots)]
    while todo:
        node = todo.pop()
        yield node
        below = children(node)
        below.reverse()
        todo += below
