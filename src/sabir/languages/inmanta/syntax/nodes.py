"""Syntax tree of the Inmanta language. Nodes hold what was written, never its meaning.

A model of 20,000 lines has 100,000 nodes, so they are built positionally and the garbage collector
ignores them (`gc=False`). That is safe because a frozen node only refers to older objects, so no cycle
can include it. Nodes are compared by identity. `cache` stores their tags and array form.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import Any, Union

from msgspec import Struct

from sabir.text import Place, Source, Span


class Node(Struct, frozen=True, eq=False, gc=False, array_like=True, tag_field="kind", tag=True):
    """The base class of nodes. `start` and `end` are offsets into the source."""

    start: int
    end: int


class Literal(Node, frozen=True):
    """A number, string without interpolation, boolean or null."""

    value: str | int | float | bool | None


class Interpolation(Node, frozen=True):
    """An interpolation `{{ name.attribute }}` or, in an f-string, `{expression!conversion:spec}`.

    The spec may contain replacement fields itself.
    """

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
    """A list: `[a, b]`."""

    items: tuple[Expression, ...]


class DictLiteral(Node, frozen=True):
    """A dict: `{"key": value}`, as pairs in source order."""

    items: tuple[tuple[Expression, Expression], ...]


class Name(Node, frozen=True):
    """A variable: `x`, or `module::x`."""

    name: str


class AttributeRef(Node, frozen=True):
    """An attribute or relation of a value: `base.name`."""

    base: Expression
    name: str


class Lookup(Node, frozen=True):
    """A lookup in a dict: `dict[key]`."""

    base: Expression
    key: Expression


class Argument(Node, frozen=True):
    """An argument: `value`, `name=value` or `**value`."""

    name: str | None
    value: Expression
    unpack: bool


class IndexLookup(Node, frozen=True):
    """A lookup in an index: `Entity[attribute=value]`."""

    entity: str
    arguments: tuple[Argument, ...]


class SelectorLookup(Node, frozen=True):
    """A lookup among related instances: `instance.relation[attribute=value]`."""

    base: Expression
    relation: str
    arguments: tuple[Argument, ...]


class Call(Node, frozen=True):
    """A call of a function: `module::function(arguments)`."""

    function: str
    arguments: tuple[Argument, ...]


class Construct(Node, frozen=True):
    """A constructor: `Entity(attribute=value)`."""

    entity: str
    arguments: tuple[Argument, ...]


class Not(Node, frozen=True):
    """A negation: `not value`."""

    operand: Expression


class Unary(Node, frozen=True):
    """A negative value: `-value`."""

    operand: Expression


class Logic(Node, frozen=True):
    """A chain `a or b or c`, or `a and b and c`."""

    operator: str
    operands: tuple[Expression, ...]


class Binary(Node, frozen=True):
    """A binary operator, arithmetic or comparison."""

    operator: str
    left: Expression
    right: Expression


class IsDefined(Node, frozen=True):
    """A test: `value is defined`."""

    operand: Expression


class Conditional(Node, frozen=True):
    """A choice: `condition ? value : other`."""

    condition: Expression
    then: Expression
    otherwise: Expression


class Comprehension(Node, frozen=True):
    """A comprehension: `[element for variable in iterable … if guard …]`."""

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
    """An assignment `target = value`, or `target += value` if `extend`."""

    target: Name | AttributeRef
    value: Expression
    extend: bool


class ExpressionStatement(Node, frozen=True):
    """An expression in the place of a statement."""

    value: Expression


class For(Node, frozen=True):
    """A loop: `for variable in iterable:`."""

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
    """A use of a name of a type, implementation or module."""

    name: str


class TypeRef(Node, frozen=True):
    """A type as written, such as `string[]?`."""

    name: str
    is_list: bool
    nullable: bool


class Import(Node, frozen=True):
    """An import: `import module::sub as alias`."""

    name: str
    alias: str | None


class AttributeDef(Node, frozen=True):
    """An attribute. `default` is None if none is written; `undef` removes an inherited one."""

    type: TypeRef
    name: str
    default: Expression | None
    undef: bool


class Entity(Node, frozen=True):
    """An entity definition with its parents and attributes."""

    name: QualifiedName
    parents: tuple[QualifiedName, ...]
    attributes: tuple[AttributeDef, ...]
    doc: str | None


class Typedef(Node, frozen=True):
    """A typedef. Exactly one of `condition` and `regex` is set."""

    name: QualifiedName
    base: TypeRef
    condition: Expression | None
    regex: str | None


class RelationEnd(Node, frozen=True):
    """One end of a relation: `entity.name [low:high]`.

    `high` is None without an upper bound, `name` None for the far end of a one-way relation.
    """

    entity: QualifiedName
    name: str | None
    low: int
    high: int | None


class Relation(Node, frozen=True):
    """A relation between two entities, with its annotations."""

    left: RelationEnd
    right: RelationEnd
    annotations: tuple[Expression, ...]
    doc: str | None
    deprecated: bool
    """Written in the old form `A a [1] -- [0:] B b`."""


class Index(Node, frozen=True):
    """An index: `index Entity(attribute, …)`."""

    entity: QualifiedName
    attributes: tuple[QualifiedName, ...]


class Implementation(Node, frozen=True):
    """An implementation: `implementation name for Entity:` with its statements."""

    name: QualifiedName
    entity: QualifiedName
    body: Block
    doc: str | None


class Implement(Node, frozen=True):
    """An implement statement. `implementations` contains `parents` as a name, as written."""

    entity: QualifiedName
    implementations: tuple[QualifiedName, ...]
    condition: Expression | None


Definition = Union[Import, Entity, Typedef, Relation, Index, Implementation, Implement]
TopStatement = Union[Statement, Definition]


def place_of(source: Source, node: Node) -> Place:
    """Return the location of a node in its source."""
    return Place(source, Span(node.start, node.end))


_PLAIN = frozenset({"str", "int", "float", "bool", "None"})


@cache
def _node_fields(kind: type[Node]) -> tuple[str, ...]:
    """Return the fields of a node class that can hold nodes, cached because trees are walked often."""
    annotations: dict[str, str] = kind.__annotations__
    return tuple(
        name for name, annotation in annotations.items() if not _PLAIN.issuperset(annotation.split(" | "))
    )


def children(node: Node) -> list[Node]:
    """Yield the nodes directly below a node."""
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
    """Yield the nodes and all nodes below them, in source order."""
    todo: list[Node] = [*reversed(roots)]
    while todo:
        node = todo.pop()
        yield node
        below = children(node)
        below.reverse()
        todo += below
