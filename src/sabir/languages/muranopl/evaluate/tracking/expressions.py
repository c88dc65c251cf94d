"""YAQL that notes the local variables it reads, and what was read for each argument of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.compile.compiler import Compiler
from sabir.expressions.yaql.nodes import Binary, Call, MapLiteral, Node, Rule, Variable, Word
from sabir.expressions.yaql.scope import Closure, variable_key
from sabir.languages.muranopl.evaluate.hosts import HostObjects, HostValue
from sabir.languages.muranopl.evaluate.tracking.tracker import Arguments, shadow

if TYPE_CHECKING:
    from sabir.expressions.yaql import Engine
    from sabir.languages.muranopl.evaluate.tracking.records import Record
    from sabir.languages.muranopl.evaluate.tracking.tracker import Tracker

__all__ = ["TrackedHosts", "tracking_compiler"]


def tracking_compiler(tracker: Tracker) -> Callable[[Engine, str, Node], Compiler]:
    def make(engine: Engine, text: str, tree: Node) -> Compiler:
        return _Compiler(engine, text, tree, tracker)

    return make


class _Compiler(Compiler):
    def __init__(self, engine: Engine, text: str, tree: Node, tracker: Tracker) -> None:
        super().__init__(engine, text, tree)
        self.tracker = tracker
        self._properties: dict[int, str] = {}
        """The names of the properties that arguments of `new` are for, by the identity of their nodes."""

    def compile(self, node: Node) -> Closure:
        name = self._properties.get(id(node))
        compiled = self._compile(node)
        return compiled if name is None else self._property(compiled, name)

    def _compile(self, node: Node) -> Closure:
        if isinstance(node, Variable):
            return self._variable(node)
        if isinstance(node, Binary) and node.operator in (".", "?."):
            return self._member(node)
        if isinstance(node, Call) and node.name == "new":
            return self._new(node)
        return super().compile(node)

    def _variable(self, node: Variable) -> Closure:
        name = variable_key(node.name)
        if name in ("$", "this"):
            return super().compile(node)
        key, state = shadow(name), self.tracker.state

        def run(scope: Variables) -> Any:
            record = scope.get(key)
            if record is not None:
                state.log.append(record)
            return scope.get(name)

        return run

    def _member(self, node: Binary) -> Closure:
        """The receiver of a call is what was read from here on."""
        step = self.step(node)
        left, state, is_safe = self.compile(node.left), self.tracker.state, node.operator == "?."

        def run(scope: Variables) -> Any:
            mark = len(state.log)
            value = left(scope)
            if is_safe and value is None:
                return None
            state.receiver = mark
            return step(value, scope)

        return run

    def argument(self, node: Node) -> Closure:
        compiled, state = super().argument(node), self.tracker.state

        def run(scope: Variables) -> Any:
            mark = len(state.log)
            value = compiled(scope)
            state.arguments.append(state.log[mark:])
            return value

        return run

    def _new(self, node: Call) -> Closure:
        """`new(…)`: what is read for a property belongs to that property, not to the reference."""
        for argument in node.arguments:
            for one in argument.items if isinstance(argument, MapLiteral) else (argument,):
                if isinstance(one, Rule) and isinstance(one.source, Word):
                    self._properties[id(one.target)] = one.source.value
        state, make = self.tracker.state, super().compile(node)

        def run(scope: Variables) -> Any:
            outer, mark = state.given, len(state.log)
            own: dict[str, Sequence[Record]] = {}
            state.given = own
            try:
                return make(scope)
            finally:
                taken = {id(one) for reads in own.values() for one in reads}
                state.log[mark:] = [one for one in state.log[mark:] if id(one) not in taken]
                state.given = outer

        return run

    def _property(self, compiled: Closure, name: str) -> Closure:
        state = self.tracker.state

        def run(scope: Variables) -> Any:
            mark, given = len(state.log), state.given
            value = compiled(scope)
            if given is not None:
                given[name] = state.log[mark:]
            return value

        return run


class TrackedHosts(HostObjects):
    """Calls of methods, with what was read for the receiver and for each argument."""

    __slots__ = ("_state",)

    def __init__(self, tracker: Tracker) -> None:
        self._state = tracker.state

    def method(self, value: HostValue, name: str, variables: Variables) -> Callable[..., Any] | None:
        function = value.find_method(name, variables)
        if function is None:
            return None
        state = self._state
        keep, receiver, first = state.receiver, state.log[state.receiver :], len(state.arguments)

        def call(*args: Any, **kwargs: Any) -> Any:
            reads = state.arguments[first:]
            del state.arguments[first:]
            named = dict(zip(kwargs, reads[len(args) :], strict=False))
            state.pending = Arguments(receiver, reads[: len(args)], named, keep)
            return function(*args, **kwargs)

        return call
