"""Syntax of MuranoPL. Nodes hold what was written, never what it means.

A value in a class file is a constant, an expression (a plain scalar that is YAQL), or a list or mapping of values.
Spans are offsets into the class file; the text of an expression that YAML did not fold begins at `span.start`.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from sabir.languages.muranopl.syntax.names import Namespaces
from sabir.source.text import EMPTY_SPAN, Source, Span
from sabir.source.yaml.nodes import ScalarValue

__all__ = [
    "ArgumentNode",
    "Assignment",
    "Block",
    "Break",
    "CatchClause",
    "ClassNode",
    "Constant",
    "Continue",
    "Do",
    "Expr",
    "ExpressionStatement",
    "For",
    "If",
    "ListValue",
    "MapValue",
    "Match",
    "MethodNode",
    "NameNode",
    "Node",
    "Parallel",
    "PropertyNode",
    "Repeat",
    "Rethrow",
    "Return",
    "Statement",
    "Switch",
    "Throw",
    "Try",
    "Value",
    "While",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Node:
    span: Span


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Node):
    """A text, number, boolean, date or null."""

    value: ScalarValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Expr(Node):
    """A plain scalar that is a YAQL expression."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ListValue(Node):
    items: tuple[Value, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapValue(Node):
    entries: tuple[tuple[Value, Value], ...]


Value = Constant | Expr | ListValue | MapValue


@dataclass(frozen=True, slots=True, kw_only=True)
class NameNode(Node):
    """The name of a class or an exception as written."""

    text: str


# -- statements ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class ExpressionStatement(Node):
    expression: Expr


@dataclass(frozen=True, slots=True, kw_only=True)
class Assignment(Node):
    target: Expr
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class Return(Node):
    value: Value


@dataclass(frozen=True, slots=True, kw_only=True)
class If(Node):
    condition: Value
    then: Block
    otherwise: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class While(Node):
    condition: Value
    body: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class For(Node):
    variable: str
    collection: Value
    body: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Repeat(Node):
    count: Value
    body: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Break(Node):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Continue(Node):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Match(Node):
    """Cases are constants, never expressions (spec 000, "Block constructs")."""

    cases: tuple[tuple[Constant, Block], ...]
    value: Value
    default: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch(Node):
    cases: tuple[tuple[Value, Block], ...]
    default: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Parallel(Node):
    branches: Block
    limit: Value | None


@dataclass(frozen=True, slots=True, kw_only=True)
class CatchClause(Node):
    """`names` is empty when every exception is caught."""

    names: tuple[NameNode, ...]
    variable: str | None
    body: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Try(Node):
    body: Block
    catches: tuple[CatchClause, ...]
    otherwise: Block
    final: Block


@dataclass(frozen=True, slots=True, kw_only=True)
class Throw(Node):
    names: Value
    message: Value | None = None
    extra: Value | None = None
    cause: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Rethrow(Node):
    pass


@dataclass(frozen=True, slots=True, kw_only=True)
class Do(Node):
    body: Block


Statement = (
    ExpressionStatement
    | Assignment
    | Return
    | If
    | While
    | For
    | Repeat
    | Break
    | Continue
    | Match
    | Switch
    | Parallel
    | Try
    | Throw
    | Rethrow
    | Do
)
Block = tuple[Statement, ...]


# -- declarations --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class PropertyNode(Node):
    """A property. `span` is its name; `usage` as written, "In" when it was not."""

    name: str
    contract: Value
    usage: str = "In"
    usage_span: Span = EMPTY_SPAN
    default: Value | None = None
    meta: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentNode(Node):
    name: str
    contract: Value
    usage: str = "Standard"
    usage_span: Span = EMPTY_SPAN
    default: Value | None = None
    meta: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodNode(Node):
    """A method. `span` is its name."""

    name: str
    usage: str = "Runtime"
    usage_span: Span = EMPTY_SPAN
    scope: str | None = None
    scope_span: Span = EMPTY_SPAN
    arguments: tuple[ArgumentNode, ...] = ()
    body: Block = ()
    meta: Value | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassNode(Node):
    """One class. `name` is fully qualified; `span` is the value of `Name`, or the document when it has none."""

    source: Source = field(repr=False)
    name: str
    namespaces: Namespaces
    extends: tuple[NameNode, ...] = ()
    imports: tuple[NameNode, ...] = ()
    usage: str = "Class"
    cardinality: str = "One"
    applies: tuple[str, ...] = ()
    inherited: bool = False
    properties: tuple[PropertyNode, ...] = ()
    methods: tuple[MethodNode, ...] = ()
    meta: Value | None = None
