"""YAQL that notes the local variables it reads, and what was read for each argument of a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.compile.compiler import Compiler
from sabir.expressions.yaql.nodes import Binary, Call, MapLiteral, Node, Rule, Variable, Word
from sabir.expressions.yaql.scope import Closure, variable_key
from sabir.languages.muranopl.evaluate.recording.recorder import Arguments, shadow
from sabir.languages.muranopl.model.hosts import HostObjects, HostValue

if TYPE_CHECKING:
    from sabir.expressions.yaql import Engine
    from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
    from sabir.provenance import ValueSource

__all__ = ["RecordingHosts", "recording_compiler"]


def recording_compiler(recorder: RunRecorder) -> Callable[[Engine, str, Node], Compiler]:
    def make(engine: Engine, text: str, tree: Node) -> Compiler:
        return _Compiler(engine, text, tree, recorder)

    return make


class _Compiler(Compiler):
    def __init__(self, engine: Engine, text: str, tree: Node, recorder: RunRecorder) -> None:
        super().__init__(engine, text, tree)
        self.recorder = recorder
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
        key, state = shadow(name), self.recorder.state

        def run(scope: Variables) -> Any:
            step = scope.get(key)
            if step is not None:
                state.reads.append(step)
            return scope.get(name)

        return run

    def _member(self, node: Binary) -> Closure:
        """The receiver of a call is what was read from here on."""
        step = self.step(node)
        left, state, is_safe = self.compile(node.left), self.recorder.state, node.operator == "?."

        def run(scope: Variables) -> Any:
            mark = len(state.reads)
            value = left(scope)
            if is_safe and value is None:
                return None
            state.receiver = mark
            return step(value, scope)

        return run

    def argument(self, node: Node) -> Closure:
        compiled, state = super().argument(node), self.recorder.state

        def run(scope: Variables) -> Any:
            mark = len(state.reads)
            value = compiled(scope)
            state.arguments.append(state.reads[mark:])
            return value

        return run

    def _new(self, node: Call) -> Closure:
        """`new(…)`: what is read for a property belongs to that property, not to the reference."""
        for argument in node.arguments:
            for entry in argument.items if isinstance(argument, MapLiteral) else (argument,):
                if isinstance(entry, Rule) and isinstance(entry.source, Word):
                    self._properties[id(entry.target)] = entry.source.value
        state, make = self.recorder.state, super().compile(node)

        def run(scope: Variables) -> Any:
            outer, mark = state.properties, len(state.reads)
            properties: dict[str, Sequence[ValueSource]] = {}
            state.properties = properties
            try:
                return make(scope)
            finally:
                taken = {id(source) for reads in properties.values() for source in reads}
                state.reads[mark:] = [source for source in state.reads[mark:] if id(source) not in taken]
                state.properties = outer

        return run

    def _property(self, compiled: Closure, name: str) -> Closure:
        state = self.recorder.state

        def run(scope: Variables) -> Any:
            mark, properties = len(state.reads), state.properties
            value = compiled(scope)
            if properties is not None:
                properties[name] = state.reads[mark:]
            return value

        return run


class RecordingHosts(HostObjects):
    """Calls of methods, with what was read for the receiver and for each argument."""

    __slots__ = ("_state",)

    def __init__(self, recorder: RunRecorder) -> None:
        self._state = recorder.state

    def method(self, value: HostValue, name: str, variables: Variables) -> Callable[..., Any] | None:
        function = value.find_method(name, variables)
        if function is None:
            return None
        state = self._state
        keep, receiver, first = state.receiver, state.reads[state.receiver :], len(state.arguments)

        def call(*args: Any, **kwargs: Any) -> Any:
            reads = state.arguments[first:]
            del state.arguments[first:]
            named = dict(zip(kwargs, reads[len(args) :], strict=False))
            state.pending = Arguments(receiver, reads[: len(args)], named, keep)
            return function(*args, **kwargs)

        return call
