"""One syntax tree to one closure.

`.name` on whatever stands before it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import nodes
from sabir.expressions.yaql.compile.calls import Step, compile_named, method_step
from sabir.expressions.yaql.compile.operators import (
    BINARY,
    UNARY,
    compile_and,
    compile_binary,
    compile_equality,
    compile_inequality,
    compile_or,
    compile_unary,
)
from sabir.expressions.yaql.errors import CAUGHT, NodeSite, UnknownName
from sabir.expressions.yaql.functions import binary_name, unary_name
from sabir.expressions.yaql.kinds import INT, ITERABLE, KINDS, MAPPING, OBJECT, SCOPE, describe_kind
from sabir.expressions.yaql.nodes import Node, is_stored
from sabir.expressions.yaql.parser import Dialect
from sabir.expressions.yaql.scope import Closure, Variables, YaqlRule, YaqlScope, variable_key
from sabir.expressions.yaql.values import finalize_value, to_hashable

if TYPE_CHECKING:
    from sabir.expressions.yaql.engine import Engine
    from sabir.expressions.yaql.nodes import Word


def attribute_step(compiler: YaqlCompiler, node: Word) -> Step:
    """`.name`: the key of a dictionary, the names of all items of a list, a property of an object, date or timespan."""
    name, site, limits = node.value, compiler.site(node), compiler.limits
    getters = compiler.library.property_getters(name)
    objects = compiler.objects

    def rare(value: Any, scope: Variables) -> Any:
        kind = KINDS[type(value)]
        if kind & OBJECT and objects is not None:
            return objects.attribute(value, name, scope)
        if kind == MAPPING:
            return value[name]
        if kind & ITERABLE:
            return each(limits.iterable(value), scope)
        for accepted, getter in getters:
            if kind & accepted:
                return getter(value)
        raise UnknownName(f"{describe_kind(value)} has no property `{name}`")

    def each(values: Any, scope: Variables) -> Iterator[Any]:
        for value in values:
            yield chosen(value, scope)

    def forgiving(value: Any, scope: Variables) -> Any:
        return value.get(name) if KINDS[type(value)] == MAPPING else step(value, scope)

    def step(value: Any, scope: Variables) -> Any:
        try:
            if type(value) is dict:
                return value[name]
            return rare(value, scope)
        except CAUGHT as problem:
            site.fail(problem)

    chosen = forgiving if compiler.is_legacy else step  # in YAQL 0.2 a missing key is null
    return chosen


_PLAIN = frozenset((int, bool, float, str, type(None)))
_SCOPE_MAKERS = frozenset(("let", "with", "unpack"))


class YaqlCompiler:
    """Compiles the nodes of one text for one engine."""

    def __init__(self, engine: Engine, text: str, tree: Node) -> None:
        self.engine = engine
        self.text = text
        self.library = engine.library
        self.limits = engine.limits
        self.objects = engine.objects
        self.dispatcher = engine.dispatcher
        # Calls look among the functions made at run time only where there can be any.
        self.has_definitions = _may_define(tree)
        self.is_legacy = engine.dialect in (Dialect.LEGACY, Dialect.MURANO_FIRST)

    def site(self, node: Node) -> NodeSite:
        return NodeSite(self.text, node.start, node.end)

    def compile(self, node: Node) -> Closure:
        return _COMPILERS[type(node)](self, node)

    def argument(self, node: Node) -> Closure:
        """An argument of a method of the embedder's objects: complete, for whoever gets it may use it twice."""
        closure, limits = self.compile(node), self.limits
        if isinstance(node, nodes.Variable | nodes.Literal | nodes.Word):
            return closure
        stored = is_stored(node)

        def run(scope: Variables) -> Any:
            value = closure(scope)
            kind = type(value)
            if kind in _PLAIN or (stored and (kind is list or kind is dict)):
                return value
            return finalize_value(value, limits)

        return run

    def constant(self, node: nodes.Literal | nodes.Word) -> Closure:
        value = node.value
        return lambda _scope: value

    def variable(self, node: nodes.Variable) -> Closure:
        name = variable_key(node.name)
        return lambda scope: scope.get(name)

    def group(self, node: nodes.Group) -> Closure:
        return self.compile(node.inner)

    def unary(self, node: nodes.Unary) -> Closure:
        if node.operator in UNARY:
            return compile_unary(node.operator, self.compile(node.operand), self.site(node), self.dispatcher)
        return compile_named(self, unary_name(node.operator), (node.operand,), self.site(node))

    def binary(self, node: nodes.Binary) -> Closure:
        operator = node.operator
        special = _SPECIAL.get(operator)
        if special is not None:
            return special(self, node)
        if operator in BINARY:
            left, right = self.compile(node.left), self.compile(node.right)
            return compile_binary(operator, left, right, self.site(node), self.dispatcher)
        return compile_named(self, binary_name(operator), (node.left, node.right), self.site(node))

    def conjunction(self, node: nodes.Binary) -> Closure:
        return compile_and(self.compile(node.left), self.compile(node.right))

    def equality(self, node: nodes.Binary) -> Closure:
        make = compile_equality if node.operator == "=" else compile_inequality
        return make(self.compile(node.left), self.compile(node.right), self.site(node), self.limits)

    def disjunction(self, node: nodes.Binary) -> Closure:
        return compile_or(self.compile(node.left), self.compile(node.right))

    def member(self, node: nodes.Binary) -> Closure:
        """`left.name`, `left.method(…)`"""
        left, step = self.compile(node.left), self.step(node)
        if self.is_legacy:
            return _through_scopes(left, step)
        return lambda scope: step(left(scope), scope)

    def safe_member(self, node: nodes.Binary) -> Closure:
        """`left?.name`: null when the left side is."""
        left, step = self.compile(node.left), self.step(node)

        def run(scope: Variables) -> Any:
            value = left(scope)
            return None if value is None else step(value, scope)

        return run

    def step(self, node: nodes.Binary) -> Step:
        right = node.right
        if isinstance(right, nodes.Call):
            return method_step(self, right)
        if isinstance(right, nodes.Word):
            return attribute_step(self, right)
        site = self.site(right)

        def fail(_value: Any, _scope: Variables) -> Any:
            raise site.no_match(f"after `{node.operator}` stands neither a name nor a call")

        return fail

    def arrow(self, node: nodes.Binary) -> Closure:
        """`let(…) -> right`"""
        left, right, site = self.compile(node.left), self.compile(node.right), self.site(node)

        def run(scope: Variables) -> Any:
            inner = left(scope)
            if KINDS[type(inner)] != SCOPE:
                raise site.no_match(
                    f"the left side of `->` is {describe_kind(inner)}; it takes what `let(…)` gives"
                )
            return right(inner.variables)

        return run

    def call(self, node: nodes.Call) -> Closure:
        return compile_named(self, node.name, node.arguments, self.site(node))

    def index(self, node: nodes.Index) -> Closure:
        if (
            self.is_legacy
            or len(node.arguments) != 1
            or isinstance(node.arguments[0], nodes.Rule | nodes.OmittedArgument)
        ):
            return compile_named(self, "#index", (node.value, *node.arguments), self.site(node))
        value, key, site = self.compile(node.value), self.compile(node.arguments[0]), self.site(node)
        call, limits = self.dispatcher.call, self.limits

        def run(scope: Variables) -> Any:
            try:
                container, index = value(scope), key(scope)
                if type(container) is dict:
                    return container[to_hashable(index, limits)]
                if type(container) is list and KINDS[type(index)] & INT:
                    return container[index]
                return call("#index", (container, index), {}, scope)
            except CAUGHT as problem:
                site.fail(problem)

        return run

    def list_literal(self, node: nodes.ListLiteral) -> Closure:
        if any(isinstance(item, nodes.Rule | nodes.OmittedArgument) for item in node.items):
            return compile_named(self, "#list", node.items, self.site(node))
        items = [self.compile(item) for item in node.items]
        made, site = self.limits.charge_value, self.site(node)

        def run(scope: Variables) -> Any:
            try:
                return made([item(scope) for item in items])
            except CAUGHT as problem:
                site.fail(problem)

        return run

    def map_literal(self, node: nodes.MapLiteral) -> Closure:
        if not all(isinstance(item, nodes.Rule) for item in node.items):
            return compile_named(self, "#map", node.items, self.site(node))
        entries = [
            (self.compile(item.source), self.compile(item.target))
            for item in node.items
            if isinstance(item, nodes.Rule)
        ]
        limits, site = self.limits, self.site(node)

        def run(scope: Variables) -> Any:
            try:
                return limits.charge_value(
                    {to_hashable(key(scope), limits): item(scope) for key, item in entries}
                )
            except CAUGHT as problem:
                site.fail(problem)

        return run

    def pair(self, node: nodes.Binary) -> Closure:
        """`a => b => c` where `=>` is an operator (YAQL 0.2): one tuple."""
        items, left = [node.right], node.left
        while isinstance(left, nodes.Binary) and left.operator == "=>":
            items.append(left.right)
            left = left.left
        parts = [self.compile(item) for item in (left, *reversed(items))]
        return lambda scope: tuple([part(scope) for part in parts])

    def rule(self, node: nodes.Rule) -> Closure:
        source, target = self.compile(node.source), self.compile(node.target)
        return lambda scope: YaqlRule(source(scope), target(scope))

    def omission(self, node: nodes.OmittedArgument) -> Closure:
        site = self.site(node)

        def fail(_scope: Variables) -> Any:
            raise site.no_match("an argument is left out here, but there is no default for it")

        return fail


def _through_scopes(left: Closure, step: Step) -> Closure:
    """In YAQL 0.2 a dot behind `as(…)` goes on with its receiver, where its names hold."""

    def run(scope: Variables) -> Any:
        value = left(scope)
        if isinstance(value, YaqlScope):
            return step(value.variables.get("0"), value.variables)
        return step(value, scope)

    return run


def _may_define(node: Node) -> bool:
    """Whether the text can make functions: it calls `def`, or `->` takes a scope from elsewhere."""
    if isinstance(node, nodes.Call):
        return node.name == "def" or any(map(_may_define, node.arguments))
    if isinstance(node, nodes.Binary):
        if node.operator == "->" and not _makes_scope(node.left):
            return True
        return _may_define(node.left) or _may_define(node.right)
    if isinstance(node, nodes.Group):
        return _may_define(node.inner)
    if isinstance(node, nodes.Unary):
        return _may_define(node.operand)
    if isinstance(node, nodes.Rule):
        return _may_define(node.source) or _may_define(node.target)
    if isinstance(node, nodes.Index):
        return _may_define(node.value) or any(map(_may_define, node.arguments))
    return isinstance(node, nodes.ListLiteral | nodes.MapLiteral) and any(map(_may_define, node.items))


def _makes_scope(node: Node) -> bool:
    if isinstance(node, nodes.Binary) and node.operator in (".", "?."):
        node = node.right
    return isinstance(node, nodes.Call) and node.name in _SCOPE_MAKERS


_SPECIAL: dict[str, Callable[[YaqlCompiler, nodes.Binary], Closure]] = {
    ".": YaqlCompiler.member,
    "?.": YaqlCompiler.safe_member,
    "=": YaqlCompiler.equality,
    "!=": YaqlCompiler.equality,
    "and": YaqlCompiler.conjunction,
    "or": YaqlCompiler.disjunction,
    "->": YaqlCompiler.arrow,
    "=>": YaqlCompiler.pair,
}

_COMPILERS: dict[type, Callable[[YaqlCompiler, Any], Closure]] = {
    nodes.Literal: YaqlCompiler.constant,
    nodes.Word: YaqlCompiler.constant,
    nodes.Variable: YaqlCompiler.variable,
    nodes.Group: YaqlCompiler.group,
    nodes.Unary: YaqlCompiler.unary,
    nodes.Binary: YaqlCompiler.binary,
    nodes.Call: YaqlCompiler.call,
    nodes.Index: YaqlCompiler.index,
    nodes.ListLiteral: YaqlCompiler.list_literal,
    nodes.MapLiteral: YaqlCompiler.map_literal,
    nodes.Rule: YaqlCompiler.rule,
    nodes.OmittedArgument: YaqlCompiler.omission,
}
