"""Syntax tree of the Inmanta language. Nodes hold what was written, never what it means.

Nodes are named tuples: frozen, typed, and the quickest to build and to unpickle of what Python has (a frozen slotted
dataclass costs three times as much, and a model of 20,000 lines has 100,000 of them). `start` and `end` are offsets.
"""

from __future__ import annotations

from typing import Union

from sabir.namedtuples import NamedTuple
from sabir.text import Place, Source, Span

__all__ = [
    "Argument",
    "Assign",
    "AttributeDef",
    "AttributeRef",
    "Binary",
    "Block",
    "Call",
    "Comprehension",
    "Conditional",
    "Construct",
    "DictLiteral",
    "Entity",
    "Expression",
    "ExpressionStatement",
    "For",
    "FormatText",
    "If",
    "Implement",
    "Implementation",
    "Import",
    "Index",
    "IndexLookup",
    "Interpolation",
    "IsDefined",
    "ListLiteral",
    "Literal",
    "Logic",
    "Lookup",
    "Name",
    "Node",
    "Not",
    "QualifiedName",
    "Relation",
    "RelationEnd",
    "SelectorLookup",
    "Statement",
    "Text",
    "TopStatement",
    "TypeRef",
    "Typedef",
    "Unary",
    "place_of",
]


class Literal(NamedTuple):
    """A number, string without interpolation, boolean or null."""

    start: int
    end: int
    value: str | int | float | bool | None


class Interpolation(NamedTuple):
    """`{{ name.attribute }}` or, in an f-string, `{expression!conversion:spec}`; the spec may hold braces itself."""

    start: int
    end: int
    value: Expression
    spec: str | FormatText
    conversion: str


class Text(NamedTuple):
    """A string with interpolations."""

    start: int
    end: int
    parts: tuple[str | Interpolation, ...]


class FormatText(NamedTuple):
    """An f-string."""

    start: int
    end: int
    parts: tuple[str | Interpolation, ...]


class ListLiteral(NamedTuple):
    start: int
    end: int
    items: tuple[Expression, ...]


class DictLiteral(NamedTuple):
    start: int
    end: int
    items: tuple[tuple[Expression, Expression], ...]


class Name(NamedTuple):
    """A variable: `x`, or `module::x`."""

    start: int
    end: int
    name: str


class AttributeRef(NamedTuple):
    start: int
    end: int
    base: Expression
    name: str


class Lookup(NamedTuple):
    """`dict[key]`."""

    start: int
    end: int
    base: Expression
    key: Expression


class Argument(NamedTuple):
    """`value`, `name=value` or `**value`."""

    start: int
    end: int
    name: str | None
    value: Expression
    unpack: bool


class IndexLookup(NamedTuple):
    """`Entity[attribute=value]`."""

    start: int
    end: int
    entity: str
    arguments: tuple[Argument, ...]


class SelectorLookup(NamedTuple):
    """`instance.relation[attribute=value]`."""

    start: int
    end: int
    base: Expression
    relation: str
    arguments: tuple[Argument, ...]


class Call(NamedTuple):
    start: int
    end: int
    function: str
    arguments: tuple[Argument, ...]


class Construct(NamedTuple):
    start: int
    end: int
    entity: str
    arguments: tuple[Argument, ...]


class Not(NamedTuple):
    start: int
    end: int
    operand: Expression


class Unary(NamedTuple):
    """`-value`."""

    start: int
    end: int
    operand: Expression


class Logic(NamedTuple):
    """`a or b or c`, `a and b and c`."""

    start: int
    end: int
    operator: str
    operands: tuple[Expression, ...]


class Binary(NamedTuple):
    start: int
    end: int
    operator: str
    left: Expression
    right: Expression


class IsDefined(NamedTuple):
    start: int
    end: int
    operand: Expression


class Conditional(NamedTuple):
    start: int
    end: int
    condition: Expression
    then: Expression
    otherwise: Expression


class Comprehension(NamedTuple):
    """`[element for variable in iterable … if guard …]`."""

    start: int
    end: int
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


class Assign(NamedTuple):
    """`target = value`, or `target += value` when `extend`."""

    start: int
    end: int
    target: Name | AttributeRef
    value: Expression
    extend: bool


class ExpressionStatement(NamedTuple):
    start: int
    end: int
    value: Expression


class For(NamedTuple):
    start: int
    end: int
    variable: str
    iterable: Expression
    body: Block


class If(NamedTuple):
    """Conditions with their blocks; `otherwise` is the block of `else`."""

    start: int
    end: int
    branches: tuple[tuple[Expression, Block], ...]
    otherwise: Block


Statement = Union[Assign, ExpressionStatement, For, If]
Block = tuple[Statement, ...]


class QualifiedName(NamedTuple):
    """A name of a type, implementation or module where it is used."""

    start: int
    end: int
    name: str


class TypeRef(NamedTuple):
    start: int
    end: int
    name: str
    is_list: bool
    nullable: bool


class Import(NamedTuple):
    start: int
    end: int
    name: str
    alias: str | None


class AttributeDef(NamedTuple):
    """`default` is None when none is written; `undef` removes an inherited one."""

    start: int
    end: int
    type: TypeRef
    name: str
    default: Expression | None
    undef: bool


class Entity(NamedTuple):
    start: int
    end: int
    name: QualifiedName
    parents: tuple[QualifiedName, ...]
    attributes: tuple[AttributeDef, ...]
    doc: str | None


class Typedef(NamedTuple):
    """Exactly one of `condition` and `regex` is set."""

    start: int
    end: int
    name: QualifiedName
    base: TypeRef
    condition: Expression | None
    regex: str | None


class RelationEnd(NamedTuple):
    """One end: `entity.name [low:high]`; `high` None is no bound; `name` None for the far end of a one-way relation."""

    start: int
    end: int
    entity: QualifiedName
    name: str | None
    low: int
    high: int | None


class Relation(NamedTuple):
    start: int
    end: int
    left: RelationEnd
    right: RelationEnd
    annotations: tuple[Expression, ...]
    doc: str | None
    deprecated: bool
    """Written in the old form `A a [1] -- [0:] B b`."""


class Index(NamedTuple):
    start: int
    end: int
    entity: QualifiedName
    attributes: tuple[QualifiedName, ...]


class Implementation(NamedTuple):
    start: int
    end: int
    name: QualifiedName
    entity: QualifiedName
    body: Block
    doc: str | None


class Implement(NamedTuple):
    """`implementations` holds `parents` as a name, as it is written."""

    start: int
    end: int
    entity: QualifiedName
    implementations: tuple[QualifiedName, ...]
    condition: Expression | None


Definition = Union[Import, Entity, Typedef, Relation, Index, Implementation, Implement]
TopStatement = Union[Statement, Definition]

Node = Union[
    Expression, TopStatement, Argument, Interpolation, QualifiedName, TypeRef, AttributeDef, RelationEnd
]


def place_of(source: Source, node: Node) -> Place:
    return Place(source, Span(node.start, node.end))
