"""Expressions, look-ups and calls that note what they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.calls import CallCompiler
from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler
from sabir.languages.inmanta.evaluate.functions import CASTS
from sabir.languages.inmanta.evaluate.lookups import LookupCompiler
from sabir.languages.inmanta.evaluate.reading import attribute_reader, defined_reader, gradual_reader
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.tracing.tracer import Sources, Tracer
from sabir.languages.inmanta.evaluate.tracing.withheld import HOLDS, HOLDS_NOT
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Read
from sabir.languages.inmanta.syntax import nodes
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.tracing.compiler import TracedCompiler

__all__ = ["TracedCalls", "TracedExpressions", "TracedLookups"]


class TracedExpressions(ExpressionCompiler):
    compiler: TracedCompiler

    def __init__(self, compiler: TracedCompiler) -> None:
        super().__init__(compiler)
        self.tracer = compiler.tracer

    def variable_read(self, scope: Scope, depth: int, slot: int) -> Read:
        read = super().variable_read(scope, depth, slot)
        tracer, variables = self.tracer, self.tracer.variables
        if scope.parent is None:
            key = (id(self.compiler.frame(scope.space.name)), slot)

            def read_namespace(frame: Frame) -> Any:
                value = read(frame)
                source = variables.get(key)
                if source is not None:
                    tracer.reads[source] = None
                return value

            return read_namespace

        def read_block(frame: Frame) -> Any:
            value = read(frame)
            for _ in range(depth):
                frame = frame[0]
            source = variables.get((id(frame), slot))
            if source is not None:
                tracer.reads[source] = None
            return value

        return read_block

    def attribute_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(attribute_reader(_itself, name, place), base, name)

    def gradual_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(gradual_reader(_itself, name, place), base, name)

    def defined_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(defined_reader(_itself, name, place), base, name)

    def _property(self, read: Callable[[Any], Any], base: Read, name: str) -> Read:
        tracer = self.tracer

        def traced(frame: Frame) -> Any:
            instance = base(frame)
            value = read(instance)
            tracer.attribute(instance, name)
            return value

        return traced

    def condition(self, node: nodes.Expression, scope: Scope, what: str) -> Read:
        """The condition of a statement is a step of its own, for it may stand on a line of its own."""
        test = super().condition(node, scope, what)
        if what == "the condition of a typedef":  # says whether a value is right, not what it is
            return unnoted(self.tracer, test)
        if what not in ("the condition of 'if'", "the condition of 'when'"):
            return test
        place, tracer = self.place(node, scope), self.tracer

        def traced(frame: Frame) -> Any:
            before = tracer.open()
            try:
                decided = test(frame)
            finally:
                sources = tracer.close(before)
            note = HOLDS if decided is True else HOLDS_NOT
            tracer.reads[tracer.trace(place, How.CONDITION, sources, note)] = None
            return decided

        return traced

    def comprehension(self, node: nodes.Comprehension, scope: Scope) -> Read:
        return self.tracer.remembering(super().comprehension(node, scope))


class TracedLookups(LookupCompiler):
    def __init__(self, compiler: TracedCompiler) -> None:
        super().__init__(compiler)
        self.tracer = compiler.tracer

    def index_lookup(self, node: nodes.IndexLookup, scope: Scope) -> Read:
        return self._traced(super().index_lookup(node, scope), node, scope)

    def selector_lookup(self, node: nodes.SelectorLookup, scope: Scope) -> Read:
        return self._traced(super().selector_lookup(node, scope), node, scope)

    def _traced(self, read: Read, node: nodes.IndexLookup | nodes.SelectorLookup, scope: Scope) -> Read:
        place = nodes.place_of(scope.space.source, node)
        names = tuple(one.name for one in node.arguments if one.name)
        note = ", ".join(names) or None

        def found(value: Any) -> Sources:
            keys = tuple((value, name) for name in names if name in value.entity.slots)
            return keys or ((value, None),)

        return step(self.tracer, read, place, How.INDEX, note=note, found=found)


class TracedCalls(CallCompiler):
    def __init__(self, compiler: TracedCompiler) -> None:
        super().__init__(compiler)
        self.tracer = compiler.tracer
        self.places = compiler.places

    def nested_call(self, node: nodes.Call, scope: Scope) -> Read:
        return self.tracer.remembering(super().nested_call(node, scope))

    def call(self, node: nodes.Call, scope: Scope) -> Read:
        read = super().call(node, scope)
        if node.function in CASTS:
            return read
        function = self.function(node, scope)
        defined = self.places.of(function.call) if function is not None else ()
        place = nodes.place_of(scope.space.source, node)
        return step(self.tracer, read, place, How.PLUGIN, note=node.function, found=lambda _: defined)


def step(
    tracer: Tracer, read: Read, place: Place, how: How, *, note: str | None, found: Callable[[Any], Sources]
) -> Read:
    """A read that is a step of its own: what it reads is behind it, and what `found` says of its value."""

    def traced(frame: Frame) -> Any:
        before = tracer.open()
        try:
            value = read(frame)
        finally:
            sources = tracer.close(before)
        more = found(value) if type(value) is Instance or how is How.PLUGIN else ()
        tracer.reads[tracer.trace(place, how, tuple(dict.fromkeys((*sources, *more))), note)] = None
        return value

    return traced


def unnoted(tracer: Tracer, read: Read) -> Read:
    """A read that is part of no chain."""

    def traced(frame: Frame) -> Any:
        before = tracer.open()
        try:
            return read(frame)
        finally:
            tracer.close(before)

    return traced


def _itself(value: Any) -> Any:
    return value
