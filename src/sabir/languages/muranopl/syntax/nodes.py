"""Syntax nodes of MuranoPL. They hold what was written, not its meaning.

A value in a class file is a constant, an expression (a plain scalar that is YAQL), or a list or mapping of
values. Spans are offsets into the class file; the text of an expression that YAML did not fold starts at
`span.start`.

Nodes are compared by identity: they are never compared or hashed deeply.
"""

from __future__ import annotations

from msgspec import Struct

from sabir.languages.muranopl.syntax.names import Namespaces
from sabir.source.yaml.nodes import ScalarValue, YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import EMPTY_SPAN, Source, Span


class Constant(Struct, frozen=True, eq=False):
    """A string, number, boolean, date or null."""

    span: Span
    value: ScalarValue
    node: YamlNode


class Expr(Struct, frozen=True, eq=False):
    """A plain scalar that is a YAQL expression."""

    span: Span
    text: str
    node: YamlScalar


class ListValue(Struct, frozen=True, eq=False):
    """A list of values, with its YAML node."""

    span: Span
    items: tuple[Value, ...]
    node: YamlSequence


class MapValue(Struct, frozen=True, eq=False):
    """A mapping of values to values, in the order of its YAML node; keys may be expressions."""

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
    """An instruction that could not be read, with its readable value; a class that has one is not run."""

    span: Span
    value: Value | None = None


class ExpressionStatement(Struct, frozen=True, eq=False):
    """An expression that is evaluated for its effect."""

    span: Span
    expression: Expr


class Assignment(Struct, frozen=True, eq=False):
    """`target: value`. The target is a variable, or a path of attributes and indexes."""

    span: Span
    target: Expr
    value: Value


class Return(Struct, frozen=True, eq=False):
    """`Return: value`, which ends the method."""

    span: Span
    value: Value


class If(Struct, frozen=True, eq=False):
    """`If` with `Then` and `Else`; a missing block is empty."""

    span: Span
    condition: Value
    then: Block
    otherwise: Block


class While(Struct, frozen=True, eq=False):
    """`While` with `Do`; the condition is evaluated before each iteration."""

    span: Span
    condition: Value
    body: Block


class For(Struct, frozen=True, eq=False):
    """`For` with `In` and `Do`; `variable` is the name without `$`."""

    span: Span
    variable: str
    collection: Value
    body: Block


class Repeat(Struct, frozen=True, eq=False):
    """`Repeat` with `Do`; `times` is the number of iterations."""

    span: Span
    times: Value
    body: Block


class Break(Struct, frozen=True, eq=False):
    """`Break`, which ends the innermost loop. `key` is the span of the keyword."""

    span: Span
    key: Span


class Continue(Struct, frozen=True, eq=False):
    """`Continue`, which starts the next iteration. `key` is the span of the keyword."""

    span: Span
    key: Span


class Match(Struct, frozen=True, eq=False):
    """`Match`. Cases are constants, never expressions (spec 000, "Block constructs")."""

    span: Span
    cases: tuple[tuple[Constant, Block], ...]
    value: Value
    default: Block


class Switch(Struct, frozen=True, eq=False):
    """`Switch`: the block of the first condition that holds runs, else `default`."""

    span: Span
    cases: tuple[tuple[Value, Block], ...]
    default: Block


class Parallel(Struct, frozen=True, eq=False):
    """`Parallel`: each instruction of the block is a branch; `limit` bounds how many run at the same time."""

    span: Span
    branches: Block
    limit: Value | None


class CatchClause(Struct, frozen=True, eq=False):
    """One clause of `Catch`. `names` is None if it catches every exception."""

    span: Span
    names: tuple[NameNode, ...] | None
    variable: str | None
    body: Block


class Try(Struct, frozen=True, eq=False):
    """`Try` with `Catch`, `Else` (`otherwise`) and `Finally` (`final`)."""

    span: Span
    body: Block
    catches: tuple[CatchClause, ...]
    otherwise: Block
    final: Block


class Throw(Struct, frozen=True, eq=False):
    """`Throw` with the names of the exception, a message, extra data and the cause."""

    span: Span
    names: Value
    message: Value | None = None
    extra: Value | None = None
    cause: Value | None = None


class Rethrow(Struct, frozen=True, eq=False):
    """`Rethrow`, which raises the exception of the enclosing `Catch` again."""

    span: Span


class Do(Struct, frozen=True, eq=False):
    """`Do` on its own: a block without a condition."""

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
    """A property. `span` is its name; `usage` is as written, "In" if absent."""

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
    """An argument of a method. `span` is its name; `usage` is Standard, VarArgs or KwArgs."""

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
    """One class. `name` is fully qualified; `span` is the value of `Name`, or the document if it has none."""

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
