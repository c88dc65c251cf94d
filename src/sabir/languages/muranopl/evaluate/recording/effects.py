"""What statements may write.

A condition decides about the statements that ran, and about those that did not: had it been different, they
would have written. Each statement with a choice therefore knows, by name, the local variables and properties
that it may write, and those of the statements that it can jump over. The writes of called methods are added
when the classes are known. The sets are upper bounds, which keeps the slice complete: a name too many adds a
dependency, a missing one would hide a cause.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Final, cast

from msgspec import Struct

from sabir.expressions.yaql import Dialect, parse
from sabir.expressions.yaql.nodes import (
    Binary,
    Call,
    Group,
    Index,
    Literal,
    Node,
    Variable,
    Word,
    child_nodes,
)
from sabir.expressions.yaql.scope import variable_key
from sabir.languages.muranopl.evaluate.methods import CONSTRUCTORS
from sabir.languages.muranopl.evaluate.recording.storage import ANY_ATTRIBUTE
from sabir.languages.muranopl.syntax import nodes as ast

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.recording.methods import RecordedMethod
    from sabir.languages.muranopl.model.classes import MuranoClass


_LOOPS: Final = (ast.While, ast.For, ast.Repeat)
_ANYTHING: Final = "*"


class On(Enum):
    """The object whose property is written or whose method is called, as far as the text shows."""

    OWN = "the object itself"
    OTHER = "any object"
    NEW = "an object that is made there"


class Jump(Enum):
    """How a statement may leave its surroundings."""

    RETURN = "the method"
    ROUND = "the round of a loop, or the loop"


class WriteEffects(Struct, frozen=True, eq=False):
    """Names that may be written; `calls` are the methods whose effects have to be added."""

    variables: frozenset[str]
    properties: frozenset[tuple[str, On]]
    calls: frozenset[tuple[str, On]]

    def __or__(self, other: WriteEffects) -> WriteEffects:
        return WriteEffects(
            self.variables | other.variables, self.properties | other.properties, self.calls | other.calls
        )


NOTHING: Final = WriteEffects(frozenset(), frozenset(), frozenset())


def find_choice_effects(body: ast.Block) -> dict[int, WriteEffects]:
    """Return, by the identity of each choosing statement in a body, what its choice causes to be written or not."""
    reach: dict[int, WriteEffects] = {}
    _note_choices(body, reach, after=NOTHING, after_loop=NOTHING)
    return reach


def _note_choices(
    block: ast.Block, reach: dict[int, WriteEffects], *, after: WriteEffects, after_loop: WriteEffects
) -> None:
    """Collect the choices of a block. `after`: writes up to the end of the method; `after_loop`: of the
    iteration.
    """
    for node in reversed(block):
        effects = _collect_effects(node)
        inner = blocks_of(node)
        if inner:
            leaves = find_jumps(node)
            reached = effects
            if Jump.RETURN in leaves:
                reached |= after
            if Jump.ROUND in leaves:
                reached |= after_loop
            reach[id(node)] = reached
            is_loop = isinstance(node, _LOOPS)
            for inner_block in inner:
                _note_choices(
                    inner_block,
                    reach,
                    after=after | effects if is_loop else after,
                    after_loop=effects if is_loop else after_loop,
                )
        after |= effects
        after_loop |= effects


def find_jumps(node: ast.Statement) -> frozenset[Jump]:
    """Return the ways in which a statement may leave its surroundings."""
    match node:
        case ast.Return():
            return frozenset({Jump.RETURN})
        case ast.Break() | ast.Continue():
            return frozenset({Jump.ROUND})
        case _:
            inner = frozenset(
                jump for block in blocks_of(node) for statement in block for jump in find_jumps(statement)
            )
            return inner & {Jump.RETURN} if isinstance(node, _LOOPS) else inner


def blocks_of(node: ast.Statement) -> tuple[ast.Block, ...]:
    """Return the blocks of a statement, each of which may run or not."""
    match node:
        case ast.If(then=then, otherwise=otherwise):
            return (then, otherwise)
        case ast.While(body=body) | ast.For(body=body) | ast.Repeat(body=body) | ast.Do(body=body):
            return (body,)
        case ast.Match(cases=cases, default=default):
            return (*(block for _, block in cases), default)
        case ast.Switch(cases=conditions, default=default):
            return (*(block for _, block in conditions), default)
        case ast.Parallel(branches=branches):
            return (branches,)
        case ast.Try(body=body, catches=catches, otherwise=otherwise, final=final):
            return (body, *(clause.body for clause in catches), otherwise, final)
        case _:
            return ()


def _collect_effects(node: ast.Statement) -> WriteEffects:
    variables: set[str] = set()
    properties: set[tuple[str, On]] = set()
    calls: set[tuple[str, On]] = set()
    for statement in _walk_statements(node):
        if isinstance(statement, ast.Assignment):
            variable = target_variable(statement.target)
            if variable is not None:
                variables.add(variable)
            properties.update(_find_attributes(statement.target))
        elif isinstance(statement, ast.For):
            variables.add(statement.variable)
        elif isinstance(statement, ast.Try):
            variables.update(clause.variable for clause in statement.catches if clause.variable is not None)
        for value in _own_values(statement):
            calls.update(_find_calls(value))
    return WriteEffects(frozenset(variables), frozenset(properties), frozenset(calls))


def _walk_statements(node: ast.Statement) -> Iterator[ast.Statement]:
    waiting: list[ast.Statement] = [node]
    for statement in waiting:
        yield statement
        for block in blocks_of(statement):
            waiting.extend(block)


def _own_values(node: ast.Statement) -> tuple[ast.Value | None, ...]:
    """Return the values that a statement computes itself, without its blocks."""
    match node:
        case ast.ExpressionStatement(expression=expression):
            return (expression,)
        case ast.Assignment(target=target, value=value):
            return (target, value)
        case ast.Return(value=value) | ast.Match(value=value):
            return (value,)
        case ast.If(condition=condition) | ast.While(condition=condition):
            return (condition,)
        case ast.For(collection=collection):
            return (collection,)
        case ast.Repeat(times=times):
            return (times,)
        case ast.Switch(cases=cases):
            return tuple(condition for condition, _ in cases)
        case ast.Parallel(limit=limit):
            return (limit,)
        case ast.Throw(names=names, message=message, extra=extra, cause=cause):
            return (names, message, extra, cause)
        case _:
            return ()


def target_variable(target: ast.Expr) -> str | None:
    """Return the local variable that a target starts with; None for the object itself."""
    node = _target_base(_parse_tree(target.text))
    if isinstance(node, Variable):
        name = variable_key(node.name)
        return None if name in ("$", "this") else name
    return None


def is_variable(target: ast.Expr) -> bool:
    """Tell whether a target is a variable and nothing more."""
    node = _parse_tree(target.text)
    while isinstance(node, Group):
        node = node.inner
    return isinstance(node, Variable)


def _walk_target(node: Node) -> Iterator[Node]:
    """Yield the target, and then what it is an item or property of, down to the variable."""
    while True:
        yield node
        if isinstance(node, Group):
            node = node.inner
        elif isinstance(node, Index):
            node = node.value
        elif isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Word):
            node = node.left
        else:
            return


def _target_base(node: Node) -> Node:
    *_, last = _walk_target(node)
    return last


def _find_attributes(target: ast.Expr) -> Iterator[tuple[str, On]]:
    """Return every name on the path: which one is the written property depends on where the objects are at run
    time.
    """
    for node in _walk_target(_parse_tree(target.text)):
        if isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Word):
            yield node.right.value, On.OWN if _is_self(node.left, inside=False) else On.OTHER


def _is_self(node: Node, *, inside: bool) -> bool:
    """Tell whether a node is `$this`, or `$` where it is not the item of a lambda."""
    return isinstance(node, Variable) and (node.name == "this" or (not inside and node.name in ("", "1")))


def _parse_tree(text: str) -> Node:
    return parse(text, Dialect.MURANO).tree


def _find_calls(value: ast.Value | None) -> Iterator[tuple[str, On]]:
    if isinstance(value, ast.Expr):
        yield from _find_called_names(_parse_tree(value.text))
    elif isinstance(value, ast.ListValue):
        for item in value.items:
            yield from _find_calls(item)
    elif isinstance(value, ast.MapValue):
        for key, item in value.entries:
            yield from _find_calls(key)
            yield from _find_calls(item)


def _find_called_names(tree: Node) -> Iterator[tuple[str, On]]:
    waiting = [(tree, False, On.OTHER)]
    for node, inside, on in waiting:
        if isinstance(node, Call):
            yield from _call_names(node, on)
            waiting += ((argument, True, On.OTHER) for argument in node.arguments)
        elif isinstance(node, Binary) and node.operator in (".", "?."):
            waiting.append((node.left, inside, On.OTHER))
            waiting.append((node.right, inside, On.OWN if _is_self(node.left, inside=inside) else On.OTHER))
        else:
            waiting += ((child, inside, On.OTHER) for child in child_nodes(node))


def _call_names(node: Call, on: On) -> Iterator[tuple[str, On]]:
    if node.name == "new":
        for name in CONSTRUCTORS:
            yield name, On.NEW
    elif node.name == "call":
        first = node.arguments[0] if node.arguments else None
        method = first.value if isinstance(first, Literal | Word) else None
        yield method if isinstance(method, str) else _ANYTHING, On.OTHER
    else:
        yield node.name, on


def find_written_properties(effects: WriteEffects, classes: Iterable[MuranoClass]) -> frozenset[str]:
    """Return the properties that may be written, including by called methods, on any object.

    Writes of a constructor into its own new object do not count: no value depends on them yet.
    """
    methods: dict[str, list[RecordedMethod]] = {_ANYTHING: []}
    for cls in classes:
        for name, method in cls.own_methods.items():
            tracked = cast("RecordedMethod", method)
            methods.setdefault(name, []).append(tracked)
            methods[_ANYTHING].append(tracked)
    written = {name for name, _ in effects.properties}
    waiting = list(effects.calls)
    seen = set(waiting)
    for name, on in waiting:
        if name == "setAttr" and on is not On.NEW:
            written.add(ANY_ATTRIBUTE)
        for method in methods.get(name, ()):
            inner = method.effects
            written.update(
                inside for inside, whose in inner.properties if on is not On.NEW or whose is not On.OWN
            )
            calls = {
                (inside, On.NEW if on is On.NEW and whose is On.OWN else whose)
                for inside, whose in inner.calls
            }
            fresh = calls - seen
            seen |= fresh
            waiting.extend(fresh)
    return frozenset(written)


def body_effects(body: ast.Block) -> WriteEffects:
    """Return the combined effects of the statements of a body."""
    effects = NOTHING
    for node in body:
        effects |= _collect_effects(node)
    return effects
