"""Syntax of MuranoPL. Nodes hold what was written, never what it means.

A value in a class file is a constant, an expression (a plain scalar that is YAQL), or a list or mapping of values.
Spans are offsets into the class file; the text of an expression that YAML did not fold begins at `span.start`.

Nodes are named tuples: as immutable as frozen dataclasses, and thirty of those cost a third of the time it takes to start.
"""

from __future__ import annotations

from sabir.languages.muranopl.syntax.names import Namespaces
from sabir.namedtuples import NamedTuple
from sabir.source.yaml.nodes import ScalarValue
from sabir.text import EMPTY_SPAN, Source, Span

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


class Constant(NamedTuple):
    """A text, number, boolean, date or null."""

    span: Span
    value: ScalarValue


class Expr(NamedTuple):
    """A plain scalar that is a YAQL expression."""

    span: Span
    text: str


class ListValue(NamedTuple):
    span: Span
    items: tuple[Value, ...]


class MapValue(NamedTuple):
    span: Span
    entries: tuple[tuple[Value, Value], ...]


Value = Constant | Expr | ListValue | MapValue


class NameNode(NamedTuple):
    """The name of a class or an exception as written."""

    span: Span
    text: str


# -- statements ----------------------------------------------------------------------------------------------------


class ExpressionStatement(NamedTuple):
    span: Span
    expression: Expr


class Assignment(NamedTuple):
    span: Span
    target: Expr
    value: Value


class Return(NamedTuple):
    span: Span
    value: Value


class If(NamedTuple):
    span: Span
    condition: Value
    then: Block
    otherwise: Block


class While(NamedTuple):
    span: Span
    condition: Value
    body: Block


class For(NamedTuple):
    span: Span
    variable: str
    collection: Value
    body: Block


class Repeat(NamedTuple):
    span: Span
    times: Value
    body: Block


class Break(NamedTuple):
    span: Span


class Continue(NamedTuple):
    span: Span


class Match(NamedTuple):
    """Cases are constants, never expressions (spec 000, "Block constructs")."""

    span: Span
    cases: tuple[tuple[Constant, Block], ...]
    value: Value
    default: Block


class Switch(NamedTuple):
    span: Span
    cases: tuple[tuple[Value, Block], ...]
    default: Block


class Parallel(NamedTuple):
    span: Span
    branches: Block
    limit: Value | None


class CatchClause(NamedTuple):
    """`names` is None when every exception is caught."""

    span: Span
    names: tuple[NameNode, ...] | None
    variable: str | None
    body: Block


class Try(NamedTuple):
    span: Span
    body: Block
    catches: tuple[CatchClause, ...]
    otherwise: Block
    final: Block


class Throw(NamedTuple):
    span: Span
    names: Value
    message: Value | None = None
    extra: Value | None = None
    cause: Value | None = None


class Rethrow(NamedTuple):
    span: Span


class Do(NamedTuple):
    span: Span
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


class PropertyNode(NamedTuple):
    """A property. `span` is its name; `usage` as written, "In" when it was not."""

    span: Span
    name: str
    contract: Value
    usage: str = "In"
    usage_span: Span = EMPTY_SPAN
    default: Value | None = None
    meta: Value | None = None


class ArgumentNode(NamedTuple):
    span: Span
    name: str
    contract: Value
    usage: str = "Standard"
    usage_span: Span = EMPTY_SPAN
    default: Value | None = None
    meta: Value | None = None


class MethodNode(NamedTuple):
    """A method. `span` is its name."""

    span: Span
    name: str
    usage: str = "Runtime"
    usage_span: Span = EMPTY_SPAN
    scope: str | None = None
    scope_span: Span = EMPTY_SPAN
    arguments: tuple[ArgumentNode, ...] = ()
    body: Block = ()
    meta: Value | None = None


class ClassNode(NamedTuple):
    """One class. `name` is fully qualified; `span` is the value of `Name`, or the document when it has none."""

    span: Span
    source: Source
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
