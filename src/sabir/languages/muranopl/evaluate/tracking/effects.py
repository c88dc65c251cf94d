"""What statements may write.

A condition decides about the statements that ran, and about those that did not: had it been otherwise, they would have
written. So each statement with a choice knows the local variables and the properties that it, or what it can jump over,
may write, by name. What the methods that are called may write is added when classes are known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from enum import Enum
from typing import TYPE_CHECKING, Any, Final, cast

from msgspec.structs import astuple

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
    children,
)
from sabir.expressions.yaql.scope import variable_key
from sabir.languages.muranopl.evaluate.methods import CONSTRUCTORS
from sabir.languages.muranopl.syntax import nodes as ast
from sabir.namedtuples import NamedTuple

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.classes import MuranoClass
    from sabir.languages.muranopl.evaluate.tracking.methods import TrackedMethod

__all__ = [
    "NOTHING",
    "Effects",
    "assigned_variable",
    "blocks_of",
    "body_effects",
    "choices",
    "closed_effects",
    "is_variable",
    "jumps",
]

_LOOPS: Final = (ast.While, ast.For, ast.Repeat)
_ANYTHING: Final = "*"


class On(Enum):
    """Whose property is written, or whose method called, as far as the text tells."""

    OWN = "the object itself"
    OTHER = "any object"
    NEW = "an object that is made there"


class Effects(NamedTuple):
    """Names that may be written; `calls` are the methods whose effects come on top."""

    variables: frozenset[str]
    properties: frozenset[tuple[str, On]]
    calls: frozenset[tuple[str, On]]

    def __or__(self, other: Effects) -> Effects:
        return Effects(
            self.variables | other.variables, self.properties | other.properties, self.calls | other.calls
        )


NOTHING: Final = Effects(frozenset(), frozenset(), frozenset())


def choices(body: ast.Block) -> dict[int, Effects]:
    """By the identity of every statement in a body that chooses: what is written, or not, by its choice."""
    found: dict[int, Effects] = {}
    _note_choices(body, found, after=NOTHING, after_loop=NOTHING)
    return found


def _note_choices(
    block: ast.Block, found: dict[int, Effects], *, after: Effects, after_loop: Effects
) -> None:
    """`after`: what follows up to the end of the method; `after_loop`: up to the end of the round."""
    for node in reversed(block):
        own = _effects(node)
        inner = blocks_of(node)
        if inner:
            leaves = jumps(node)
            reach = own
            if "return" in leaves:
                reach |= after
            if leaves & {"break", "continue"}:
                reach |= after_loop
            found[id(node)] = reach
            is_loop = isinstance(node, _LOOPS)
            for one in inner:
                _note_choices(
                    one,
                    found,
                    after=after | own if is_loop else after,
                    after_loop=own if is_loop else after_loop,
                )
        after |= own
        after_loop |= own


def jumps(node: ast.Statement) -> frozenset[str]:
    """The ways in which a statement may leave what stands around it."""
    match node:
        case ast.Return():
            return frozenset({"return"})
        case ast.Break():
            return frozenset({"break"})
        case ast.Continue():
            return frozenset({"continue"})
        case _:
            inner = frozenset(way for block in blocks_of(node) for one in block for way in jumps(one))
            return inner & {"return"} if isinstance(node, _LOOPS) else inner


def blocks_of(node: ast.Statement) -> tuple[ast.Block, ...]:
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
            return (body, *(one.body for one in catches), otherwise, final)
        case _:
            return ()


def _effects(node: ast.Statement) -> Effects:
    variables: set[str] = set()
    properties: set[tuple[str, On]] = set()
    calls: set[tuple[str, On]] = set()
    for one in _statements(node):
        if isinstance(one, ast.Assignment):
            variable = assigned_variable(one.target)
            if variable is not None:
                variables.add(variable)
            properties.update(_attributes(one.target))
        elif isinstance(one, ast.For):
            variables.add(one.variable)
        elif isinstance(one, ast.Try):
            variables.update(clause.variable for clause in one.catches if clause.variable is not None)
        for value in _values(one):
            calls.update(_calls(value))
    return Effects(frozenset(variables), frozenset(properties), frozenset(calls))


def _statements(node: ast.Statement) -> Iterator[ast.Statement]:
    waiting: list[ast.Statement] = [node]
    for one in waiting:
        yield one
        for block in blocks_of(one):
            waiting.extend(block)


def _values(node: ast.Statement) -> Iterator[ast.Value]:
    for field in astuple(node)[1:]:
        yield from _values_in(field)


def _values_in(field: Any) -> Iterator[ast.Value]:
    if isinstance(field, ast.Expr | ast.ListValue | ast.MapValue):
        yield field
    elif type(field) is tuple:  # pairs of a condition and a block; blocks have turns of their own
        for one in field:
            if type(one) is tuple and one and isinstance(one[0], ast.Expr | ast.ListValue | ast.MapValue):
                yield one[0]


def assigned_variable(target: ast.Expr) -> str | None:
    """The local variable that a target begins with, None for the object itself."""
    node = _base(_tree(target.text))
    if isinstance(node, Variable):
        name = variable_key(node.name)
        return None if name in ("$", "this") else name
    return None


def is_variable(target: ast.Expr) -> bool:
    """Whether a target is a variable and nothing more."""
    node = _tree(target.text)
    while isinstance(node, Group):
        node = node.inner
    return isinstance(node, Variable)


def _way(node: Node) -> Iterator[Node]:
    """What is assigned to, and behind it what that is an item or a property of, down to the variable."""
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


def _base(node: Node) -> Node:
    *_, last = _way(node)
    return last


def _attributes(target: ast.Expr) -> Iterator[tuple[str, On]]:
    """Any name of the way may be that of the property which is written: it depends on where objects are."""
    for node in _way(_tree(target.text)):
        if isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Word):
            yield node.right.value, On.OWN if _is_self(node.left, inside=False) else On.OTHER


def _is_self(node: Node, *, inside: bool) -> bool:
    """`$this`, and `$` where it is not the item of a lambda."""
    return isinstance(node, Variable) and (node.name == "this" or (not inside and node.name in ("", "1")))


def _tree(text: str) -> Node:
    return parse(text, Dialect.MURANO).tree


def _calls(value: ast.Value) -> Iterator[tuple[str, On]]:
    if isinstance(value, ast.Expr):
        yield from _called(_tree(value.text))
    elif isinstance(value, ast.ListValue):
        for item in value.items:
            yield from _calls(item)
    elif isinstance(value, ast.MapValue):
        for key, item in value.entries:
            yield from _calls(key)
            yield from _calls(item)


def _called(tree: Node) -> Iterator[tuple[str, On]]:
    waiting = [(tree, False, On.OTHER)]
    for node, inside, on in waiting:
        if isinstance(node, Call):
            yield from _call_names(node, on)
            waiting += ((one, True, On.OTHER) for one in node.arguments)
        elif isinstance(node, Binary) and node.operator in (".", "?."):
            waiting.append((node.left, inside, On.OTHER))
            waiting.append((node.right, inside, On.OWN if _is_self(node.left, inside=inside) else On.OTHER))
        else:
            waiting += ((one, inside, On.OTHER) for one in children(node))


def _call_names(node: Call, on: On) -> Iterator[tuple[str, On]]:
    if node.name == "new":
        for name in CONSTRUCTORS:
            yield name, On.NEW
    elif node.name == "call":
        first = node.arguments[0] if node.arguments else None
        known = first.value if isinstance(first, Literal | Word) else None
        yield known if isinstance(known, str) else _ANYTHING, On.OTHER
    else:
        yield node.name, on


def closed_effects(effects: Effects, classes: Iterable[MuranoClass]) -> frozenset[str]:
    """The properties that may be written, also by methods that are called, whoever has them.

    What an object that is made there writes into itself is nobody's value yet.
    """
    methods: dict[str, list[TrackedMethod]] = {_ANYTHING: []}
    for cls in classes:
        for name, method in cls.own_methods.items():
            tracked = cast("TrackedMethod", method)
            methods.setdefault(name, []).append(tracked)
            methods[_ANYTHING].append(tracked)
    found = {name for name, _ in effects.properties}
    waiting = list(effects.calls)
    seen = set(waiting)
    for name, on in waiting:
        if name == "setAttr" and on is not On.NEW:
            found.add("setAttr()")
        for method in methods.get(name, ()):
            own = method.effects
            found.update(one for one, whose in own.properties if on is not On.NEW or whose is not On.OWN)
            calls = {(one, On.NEW if on is On.NEW and whose is On.OWN else whose) for one, whose in own.calls}
            fresh = calls - seen
            seen |= fresh
            waiting.extend(fresh)
    return frozenset(found)


def body_effects(body: ast.Block) -> Effects:
    found = NOTHING
    for node in body:
        found |= _effects(node)
    return found
