"""Expressions, look-ups and calls that note what they read."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.calls import CallCompiler
from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler
from sabir.languages.inmanta.evaluate.functions import CASTS
from sabir.languages.inmanta.evaluate.lookups import LookupCompiler
from sabir.languages.inmanta.evaluate.operators import ConditionOf
from sabir.languages.inmanta.evaluate.reading import attribute_reader, defined_reader, gradual_reader
from sabir.languages.inmanta.evaluate.recording.choices import Choice
from sabir.languages.inmanta.evaluate.recording.recorder import ModelRecorder
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Read
from sabir.languages.inmanta.syntax import nodes
from sabir.provenance import Outcome, Sources
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.recording.compiler import RecordedCompiler

__all__ = ["RecordedCalls", "RecordedExpressions", "RecordedLookups"]


class RecordedExpressions(ExpressionCompiler):
    compiler: RecordedCompiler

    def __init__(self, compiler: RecordedCompiler) -> None:
        super().__init__(compiler)
        self.recorder = compiler.recorder
        self._counted: Choice | None = None
        """Of the comprehension that is being compiled."""

    def variable_read(self, scope: Scope, depth: int, slot: int) -> Read:
        read = super().variable_read(scope, depth, slot)
        recorder, variables = self.recorder, self.recorder.variables
        if scope.parent is None:
            key = (id(self.compiler.frame(scope.space.name)), slot)

            def read_namespace(frame: Frame) -> Any:
                value = read(frame)
                source = variables.get(key)
                if source is not None:
                    recorder.reads.append(source)
                return value

            return read_namespace

        def read_block(frame: Frame) -> Any:
            value = read(frame)
            for _ in range(depth):
                frame = frame[0]
            source = variables.get((id(frame), slot))
            if source is not None:
                recorder.reads.append(source)
            return value

        return read_block

    def attribute_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(attribute_reader(_itself, name, place), base, name)

    def gradual_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(gradual_reader(_itself, name, place), base, name)

    def defined_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(defined_reader(_itself, name, place), base, name)

    def _property(self, read: Callable[[Any], Any], base: Read, name: str) -> Read:
        recorder = self.recorder

        def traced(frame: Frame) -> Any:
            instance = base(frame)
            value = read(instance)
            recorder.attribute(instance, name)
            return value

        return traced

    def condition(self, node: nodes.Expression, scope: Scope, role: ConditionOf) -> Read:
        """A condition is a step of its own: it says whether it held, and what it read is behind it."""
        test = super().condition(node, scope, role)
        if role is ConditionOf.TYPEDEF:  # says whether a value is right, not what it is
            return unnoted(self.recorder, test)
        place, recorder = self.place(node, scope), self.recorder
        choice = self._counted if role is ConditionOf.COMPREHENSION else None

        def traced(frame: Frame) -> Any:
            decided, sources = recorder.gathered(test, frame)
            if choice is not None:
                choice.count(place, sources, held=decided is True)
            else:
                outcome = Outcome.HELD if decided is True else Outcome.DID_NOT_HOLD
                recorder.reads.append(recorder.step_at(place, How.CONDITION, sources, outcome=outcome))
            return decided

        return traced

    def comprehension(self, node: nodes.Comprehension, scope: Scope) -> Read:
        outer, self._counted = self._counted, Choice()
        try:
            return self.recorder.remembering(
                self._counted.noting(super().comprehension(node, scope), self.recorder)
            )
        finally:
            self._counted = outer


class RecordedLookups(LookupCompiler):
    compiler: RecordedCompiler

    def index_lookup(self, node: nodes.IndexLookup, scope: Scope) -> Read:
        return self._traced(super().index_lookup(node, scope), node, scope)

    def selector_lookup(self, node: nodes.SelectorLookup, scope: Scope) -> Read:
        return self._traced(super().selector_lookup(node, scope), node, scope)

    def _traced(self, read: Read, node: nodes.IndexLookup | nodes.SelectorLookup, scope: Scope) -> Read:
        place = nodes.place_of(scope.space.source, node)
        names = tuple(argument.name for argument in node.arguments if argument.name)
        note = ", ".join(names) or None

        def more(value: Any) -> Sources:
            keys = tuple((value, name) for name in names if name in value.entity.slots)
            return keys or ((value, None),)

        return step(self.compiler.recorder, read, place, How.INDEX, note=note, more=more)


class RecordedCalls(CallCompiler):
    compiler: RecordedCompiler

    def nested_call(self, node: nodes.Call, scope: Scope) -> Read:
        return self.compiler.recorder.remembering(super().nested_call(node, scope))

    def call(self, node: nodes.Call, scope: Scope) -> Read:
        read = super().call(node, scope)
        if node.function in CASTS:
            return read
        function = self.function(node, scope)
        defined = self.compiler.places.of(function.call) if function is not None else ()
        place = nodes.place_of(scope.space.source, node)
        return step(
            self.compiler.recorder, read, place, How.PLUGIN, note=node.function, more=lambda _: defined
        )


def step(
    recorder: ModelRecorder,
    read: Read,
    place: Place,
    how: How,
    *,
    note: str | None,
    more: Callable[[Any], Sources],
) -> Read:
    """A read that is a step of its own: what it reads is behind it, and what `more` says of its value."""

    def traced(frame: Frame) -> Any:
        value, sources = recorder.gathered(read, frame)
        others = more(value) if type(value) is Instance or how is How.PLUGIN else ()
        recorder.reads.append(recorder.step_at(place, how, tuple(dict.fromkeys((*sources, *others))), note))
        return value

    return traced


def unnoted(recorder: ModelRecorder, read: Read) -> Read:
    """A read that is part of no chain."""
    return lambda frame: recorder.gathered(read, frame)[0]


def _itself(value: Any) -> Any:
    return value
