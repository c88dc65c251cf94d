"""Syntax of MuranoPL. Nodes hold what was written, never what it means.

A value in a class file is a constant, an expression (a plain scalar that is YAQL), or a list or mapping of values.
Spans are offsets into the class file; the text of an expression that YAML did not fold begins at `span.start`.

Nodes are compared by identity: no deep comparison or hash is ever taken.
"""

from __future__ import annotations

from msgspec import Struct

from sabir.languages.muranopl.syntax.names import Namespaces
from sabir.source.yaml.nodes import ScalarValue, YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import EMPTY_SPAN, Source, Span


class Constant(Struct, frozen=True, eq=False):
    """A text, number, boolean, date or null."""

    span: Span
    value: ScalarValue
    node: YamlNode


class Expr(Struct, frozen=True, eq=False):
    """A plain scalar that is a YAQL expression."""

    span: Span
    text: str
    node: YamlScalar


class ListValue(Struct, frozen=True, eq=False):
    span: Span
    items: tuple[Value, ...]
    node: YamlSequence


class MapValue(Struct, frozen=True, eq=False):
    span: Span
    entries: tuple[tuple[Value, Value], ...]
    node: YamlMapping


Value = Constant | Expr | ListValue | MapValue


class NameNode(Struct, frozen=True, eq=False):
    """The name of a class or an exception as written."""

    span: Span
    text: str


# -- statements ----------------------------------------------------------------------------------------------------


class BrokenStatement(Struct, frozen=True, eq=False):
    """An instruction that could not be read, with the value that could be; no class that has one is run."""

    span: Span
    value: Value | None = None


class ExpressionStatement(Struct, frozen=True, eq=False):
    span: Span
    expression: Expr


class Assignment(Struct, frozen=True, eq=False):
    span: Span
    target: Expr
    value: Value


class Return(Struct, frozen=True, eq=False):
    span: Span
    value: Value


class If(Struct, frozen=True, eq=False):
    span: Span
    condition: Value
    then: Block
    otherwise: Block


class While(Struct, frozen=True, eq=False):
    span: Span
    condition: Value
    body: Block


class For(Struct, frozen=True, eq=False):
    span: Span
    variable: str
    collection: Value
    body: Block


class Repeat(Struct, frozen=True, eq=False):
    span: Span
    times: Value
    body: Block


class Break(Struct, frozen=True, eq=False):
    """`key` is the keyword."""

    span: Span
    key: Span


class Continue(Struct, frozen=True, eq=False):
    span: Span
    key: Span


class Match(Struct, frozen=True, eq=False):
    """Cases are constants, never expressions (spec 000, "Block constructs")."""

    span: Span
    cases: tuple[tuple[Constant, Block], ...]
    value: Value
    default: Block


class Switch(Struct, frozen=True, eq=False):
    span: Span
    cases: tuple[tuple[Value, Block], ...]
    default: Block


class Parallel(Struct, frozen=True, eq=False):
    span: Span
    branches: Block
    limit: Value | None


class CatchClause(Struct, frozen=True, eq=False):
    """`names` is None when every exception is caught."""

    span: Span
    names: tuple[NameNode, ...] | None
    variable: str | None
    body: Block


class Try(Struct, frozen=True, eq=False):
    span: Span
    body: Block
    catches: tuple[CatchClause, ...]
    otherwise: Block
    final: Block


class Throw(Struct, frozen=True, eq=False):
    span: Span
    names: Value
    message: Value | None = None
    extra: Value | None = None
    cause: Value | None = None


class Rethrow(Struct, frozen=True, eq=False):
    span: Span


class Do(Struct, frozen=True, eq=False):
    span: Span
    body: Block


Statement = (
    BrokenStatement
    | ExpressionStatement
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


class PropertyNode(Struct, frozen=True, eq=False):
    """A property. `span` is its name; `usage` as written, "In" when it was not."""

    span: Span
    name: str
    contract: Value
    usage: str = "In"
    usage_span: Span = EMPTY_SPAN
    default: Value | None = None
    meta: Value | None = None
    is_doubtful: bool = False
    """The declaration is malformed or has unknown keys, one of which may have been meant as `Usage`."""


class ArgumentNode(Struct, frozen=True, eq=False):
    span: Span
    name: str
    contract: Value
    usage: str = "Standard"
    usage_span: Span = EMPTY_SPAN
    default: Value | None = None
    meta: Value | None = None


class MethodNode(Struct, frozen=True, eq=False):
    """A method. `span` is its name."""

    span: Span
    name: str
    usage: str = "Runtime"
    usage_span: Span = EMPTY_SPAN
    scope: str | None = None
    scope_span: Span = EMPTY_SPAN
    arguments: tuple[ArgumentNode, ...] = ()
    has_sure_arguments: bool = True
    """False where these may not be all arguments, or not in their order."""
    body: Block = ()
    code: YamlNode | None = None
    """What the body is read from."""
    meta: Value | None = None
    node: YamlMapping | None = None


class ClassNode(Struct, frozen=True, eq=False):
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
