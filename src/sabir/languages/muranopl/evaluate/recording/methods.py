"""Recorded calls: the reads behind arguments and results.

Expressions are compiled so that they record the local variables they read, and separately the reads of each
argument of a call. An argument's reads count as a cause only where the method reads that argument.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.compile.compiler import YaqlCompiler
from sabir.expressions.yaql.nodes import Binary, Call, MapLiteral, Node, Rule, Variable, Word
from sabir.expressions.yaql.scope import Closure, variable_key
from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.arguments import MethodArgument
from sabir.languages.muranopl.evaluate.methods import Method
from sabir.languages.muranopl.evaluate.recording.effects import WriteEffects, body_effects
from sabir.languages.muranopl.evaluate.recording.recorder import Arguments, RunRecorder, shadow_key
from sabir.languages.muranopl.evaluate.recording.statements import RESULT_STEP, RecordingCompiler
from sabir.languages.muranopl.model.objects import HostObjects, HostValue
from sabir.provenance import ProvenanceStep, Site, Sources, ValueSource, join_sources
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.expressions.yaql import Engine
    from sabir.languages.muranopl.evaluate.statements import Run
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.syntax.nodes import MethodNode


class RecordedMethod(Method):
    """A method whose calls are recorded."""

    def __init__(self, node: MethodNode, cls: MuranoClass) -> None:
        super().__init__(node, cls)
        assert cls.runtime.recorder is not None
        self.recorder: RunRecorder = cls.runtime.recorder
        self.title = f"{cls.name.rpartition('.')[2]}.{node.name}"
        self._conversions: dict[str, Site] = {}

    @cached_property
    def effects(self) -> WriteEffects:
        """What the method may write."""
        return body_effects(self.node.body)

    def invoke(self, this: Any, caller: Variables, /, *args: Any, **kwargs: Any) -> Any:
        state = self.recorder.state
        call = state.pending or _of_everything(state.reads, args, kwargs)
        state.pending = None
        reads, frame = state.reads, state.frame()
        self._enter(call, this)
        try:
            value = Method.invoke(self, this, caller, *args, **kwargs)  # as in `bind_call`
            result = state.result
        finally:
            state.reads = reads
            state.leave(frame)
        if call.maker is None:
            # The reads for an argument count only where the method reads the argument.
            reads[call.keep :] = (*call.receiver, *result)
        return value

    def _enter(self, call: Arguments, this: Any) -> None:
        recorder, state = self.recorder, self.recorder.state
        if call.maker is not None:
            decided_by: Sources = (call.maker,)
        elif state.site is not None:
            calling = recorder.site_like(state.site, How.CALL, self.title)
            decided_by = (recorder.run(calling, call.receiver),)
        else:
            decided_by = state.decided_by
        context = state.context.inner((self, getattr(this, "id", None)), state.site)
        state.enter(decided_by, context, call)
        state.reads = call.everything() if self.native else []

    def run(self, variables: Variables) -> Any:
        state = self.recorder.state
        decided_by = state.decided_by
        value = super().run(variables)
        step = variables.get(RESULT_STEP)
        if self.native is not None:
            state.result = tuple(state.reads)
        elif step is not None:
            state.result = (step,)
        elif state.decided_by is not decided_by:
            state.result = state.decided_by  # the method decided not to return anything
        return value

    def _compile(self) -> Run:
        if self.native is not None:
            return super()._compile()
        self._body = RecordingCompiler(self.cls.engine, self.runtime, self.node.body, self.title).block(
            self.node.body
        )
        return self._body

    # -- arguments ---------------------------------------------------------------------------------------------------

    def _bind_all(self, variables: Variables, this: Any, args: tuple[Any, ...]) -> None:
        super()._bind_all(variables, this, args)
        self._note(variables, args, {})

    def _bind(
        self, variables: Variables, this: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        super()._bind(variables, this, args, kwargs)
        self._note(variables, args, kwargs)

    def _note(self, variables: Variables, args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        if self.native is not None:
            return
        state = self.recorder.state
        call = state.call
        assert call is not None
        lazily = state.reads  # contracts evaluate lazy lists, and defaults are computed
        state.reads = []
        for index, argument in enumerate(self.arguments):
            name = argument.name
            if index < len(args):
                reads = call.positional[index] if index < len(call.positional) else ()
                variables[shadow_key(name)] = self._argument(
                    argument, args[index], variables, (*reads, *lazily)
                )
            elif name in kwargs:
                reads = call.named.get(name, ())
                variables[shadow_key(name)] = self._argument(
                    argument, kwargs[name], variables, (*reads, *lazily)
                )
            elif argument.default is not None:
                variables[shadow_key(name)] = self._default(argument, lazily)
        used = {argument.name for argument in self.arguments}
        if self.rest is not None:
            reads = [source for each in call.positional[len(self.arguments) :] for source in each]
            variables[shadow_key(self.rest.name)] = self._record_argument(self.rest, (*reads, *lazily))
        if self.keywords is not None:
            reads = [source for name, each in call.named.items() if name not in used for source in each]
            variables[shadow_key(self.keywords.name)] = self._record_argument(
                self.keywords, (*reads, *lazily)
            )

    def _argument(
        self, argument: MethodArgument, before: Any, variables: Variables, reads: Sequence[ValueSource]
    ) -> ProvenanceStep:
        step = self._record_argument(argument, reads)
        after = variables[argument.name]
        if after is before or (type(after) is type(before) and after == before):
            return step
        site = self._conversions.get(argument.name)
        if site is None:
            place = Place(self.cls.node.source, argument.node.contract.span)
            site = self._conversions[argument.name] = Site(place, How.CONVERSION, f"${argument.name}")
        return self.recorder.run(site, (step,))

    def _record_argument(self, argument: MethodArgument, reads: Sequence[ValueSource]) -> ProvenanceStep:
        state = self.recorder.state
        note = f"${argument.name} of {self.title}"
        if state.site is None:  # the model provides the arguments of constructors
            return join_sources(reads)
        return self.recorder.run(self.recorder.site_like(state.site, How.ARGUMENT, note), tuple(reads))

    def _default(self, argument: MethodArgument, reads: Sequence[ValueSource]) -> ProvenanceStep:
        assert argument.node.default is not None
        site = self._conversions.get(f"={argument.name}")
        if site is None:
            place = Place(self.cls.node.source, argument.node.default.span)
            site = self._conversions[f"={argument.name}"] = Site(place, How.DEFAULT, f"${argument.name}")
        return self.recorder.run(site, tuple(reads))


def _of_everything(reads: Sequence[ValueSource], args: Sequence[Any], kwargs: Mapping[str, Any]) -> Arguments:
    """Return the arguments of a call that no expression spells out, as by `call(name, …)`: each may depend on
    all reads.
    """
    every = tuple(reads)
    return Arguments(every, [every] * len(args), dict.fromkeys(kwargs, every), len(every))


def build_compiler_factory(recorder: RunRecorder) -> Callable[[Engine, str, Node], YaqlCompiler]:
    """Return the function that creates a recording YAQL compiler for an expression."""

    def make(engine: Engine, text: str, tree: Node) -> YaqlCompiler:
        return _Compiler(engine, text, tree, recorder)

    return make


class _Compiler(YaqlCompiler):
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
        key, state = shadow_key(name), self.recorder.state

        def run(scope: Variables) -> Any:
            step = scope.get(key)
            if step is not None:
                state.reads.append(step)
            return scope.get(name)

        return run

    def _member(self, node: Binary) -> Closure:
        """Compile a call on a receiver: the reads from here on belong to the receiver."""
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
        """Compile `new(…)`: the reads for a property belong to that property, not to the reference."""
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
    """Calls methods with the reads of the receiver and of each argument."""

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
