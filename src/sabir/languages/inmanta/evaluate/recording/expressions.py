"""Expressions, lookups and calls that record what they read.

The conditions of a comprehension are evaluated for every item, but recorded as one step that states how
often they were true. A call of a plugin also depends on the Python that ran: its own function, and the
functions and names of the same module that it uses.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import TYPE_CHECKING, Any

from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.calls import CallCompiler
from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler
from sabir.languages.inmanta.evaluate.functions import CASTS
from sabir.languages.inmanta.evaluate.lookups import LookupCompiler
from sabir.languages.inmanta.evaluate.operators import ConditionOf
from sabir.languages.inmanta.evaluate.reads import attribute_reader, definition_reader, gradual_reader
from sabir.languages.inmanta.evaluate.recording.recorder import ModelRecorder
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, Read
from sabir.languages.inmanta.syntax import nodes
from sabir.provenance import DecisionOutcome, ProvenanceStep, Site, Sources, ValueSource
from sabir.text import Place, Source, Span

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.recording.compiler import RecordedCompiler


class _Tally:
    """How often a condition was evaluated, how often it was true, and what it read."""

    __slots__ = ("asked", "held", "place", "reads")

    def __init__(self, place: Place) -> None:
        self.place = place
        self.asked = 0
        self.held = 0
        self.reads: dict[ValueSource, None] = {}


class ConditionCounter:
    """The conditions of one comprehension.

    A run that waits continues later, so there is a tally for each frame it runs in.
    """

    def __init__(self) -> None:
        self._by_frame: dict[int, dict[int, _Tally]] = {}  # by identity: who waits keeps its frame alive
        self._running: dict[int, _Tally] = {}  # by identity of the place of a condition

    def count(self, place: Place, sources: Sources, *, held: bool) -> None:
        tally = self._running.get(id(place))
        if tally is None:
            tally = self._running[id(place)] = _Tally(place)
        tally.asked += 1
        tally.held += held
        tally.reads.update(dict.fromkeys(sources))

    def trace_conditions(self, read: Read, recorder: ModelRecorder) -> Read:
        """Return a read of the list that adds a step for each condition."""

        def traced(frame: Frame) -> Any:
            outer = self._running
            tallies = self._running = self._by_frame.setdefault(id(frame), {})
            try:
                value = read(frame)
            finally:
                self._running = outer
            del self._by_frame[id(frame)]
            for tally in tallies.values():
                words = f"holds for {tally.held} of {tally.asked}"
                sources = recorder.distinct(tuple(tally.reads))
                recorder.reads.append(recorder.step_at(tally.place, How.CONDITION, sources, words))
            return value

        return traced


class RecordedExpressions(ExpressionCompiler):
    """Expressions that record variables, attributes and conditions."""

    compiler: RecordedCompiler

    def __init__(self, compiler: RecordedCompiler) -> None:
        super().__init__(compiler)
        self.recorder = compiler.recorder
        self._counted: ConditionCounter | None = None
        """Of the comprehension that is being compiled."""

    def variable_read(self, scope: BlockScope, depth: int, slot: int) -> Read:
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
        return self._property(attribute_reader(_pass_value, name, place), base, name)

    def gradual_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(gradual_reader(_pass_value, name, place), base, name)

    def definition_read(self, base: Read, name: str, place: Place) -> Read:
        return self._property(definition_reader(_pass_value, name, place), base, name)

    def _property(self, read: Callable[[Any], Any], base: Read, name: str) -> Read:
        recorder = self.recorder

        def traced(frame: Frame) -> Any:
            instance = base(frame)
            value = read(instance)
            recorder.attribute(instance, name)
            return value

        return traced

    def condition(self, node: nodes.Expression, scope: BlockScope, role: ConditionOf) -> Read:
        """Return a condition recorded as its own step, with its result and what it read."""
        test = super().condition(node, scope, role)
        if role is ConditionOf.TYPEDEF:  # says whether a value is right, not what it is
            return discard_reads(self.recorder, test)
        place, recorder = self.place(node, scope), self.recorder
        choice = self._counted if role is ConditionOf.COMPREHENSION else None

        def traced(frame: Frame) -> Any:
            decided, sources = recorder.collect_reads(test, frame)
            if choice is not None:
                choice.count(place, sources, held=decided is True)
            else:
                outcome = DecisionOutcome.HELD if decided is True else DecisionOutcome.DID_NOT_HOLD
                recorder.reads.append(recorder.step_at(place, How.CONDITION, sources, outcome=outcome))
            return decided

        return traced

    def comprehension(self, node: nodes.Comprehension, scope: BlockScope) -> Read:
        outer, self._counted = self._counted, ConditionCounter()
        try:
            return self.recorder.remember_reads(
                self._counted.trace_conditions(super().comprehension(node, scope), self.recorder)
            )
        finally:
            self._counted = outer


class RecordedLookups(LookupCompiler):
    """Lookups that record the identifying properties of the instance found."""

    compiler: RecordedCompiler

    def index_lookup(self, node: nodes.IndexLookup, scope: BlockScope) -> Read:
        return self._trace_lookup(super().index_lookup(node, scope), node, scope)

    def selector_lookup(self, node: nodes.SelectorLookup, scope: BlockScope) -> Read:
        return self._trace_lookup(super().selector_lookup(node, scope), node, scope)

    def _trace_lookup(
        self, read: Read, node: nodes.IndexLookup | nodes.SelectorLookup, scope: BlockScope
    ) -> Read:
        place = nodes.place_of(scope.space.source, node)
        names = tuple(argument.name for argument in node.arguments if argument.name)
        note = ", ".join(names) or None

        def more(value: Any) -> Sources:
            keys = tuple((value, name) for name in names if name in value.entity.slots)
            return keys or ((value, None),)

        return trace_step(self.compiler.recorder, read, place, How.INDEX, note=note, more=more)


class RecordedCalls(CallCompiler):
    """Calls that record their arguments and the location of the called Python."""

    compiler: RecordedCompiler

    def call_once(self, node: nodes.Call, scope: BlockScope) -> Read:
        return self.compiler.recorder.remember_reads(super().call_once(node, scope))

    def call(self, node: nodes.Call, scope: BlockScope) -> Read:
        read = super().call(node, scope)
        if node.function in CASTS:
            return read
        function = self.function(node, scope)
        defined = self.compiler.places.of(function.call) if function is not None else ()
        place = nodes.place_of(scope.space.source, node)
        return trace_step(
            self.compiler.recorder, read, place, How.PLUGIN, note=node.function, more=lambda _: defined
        )


def trace_step(
    recorder: ModelRecorder,
    read: Read,
    place: Place,
    how: How,
    *,
    note: str | None,
    more: Callable[[Any], Sources],
) -> Read:
    """Return a read recorded as its own step, with `more` adding a note about the value."""

    def traced(frame: Frame) -> Any:
        value, sources = recorder.collect_reads(read, frame)
        others = more(value) if type(value) is ModelInstance or how is How.PLUGIN else ()
        recorder.reads.append(recorder.step_at(place, how, tuple(dict.fromkeys((*sources, *others))), note))
        return value

    return traced


def discard_reads(recorder: ModelRecorder, read: Read) -> Read:
    """Return a read that is not part of any chain."""
    return lambda frame: recorder.collect_reads(read, frame)[0]


def _pass_value(value: Any) -> Any:
    return value


_Names = dict[str, list[Place]]


class PluginPlaces:
    """The definitions that a plugin consists of, as steps. Bundled functions have none: users cannot change them."""

    def __init__(self, sources: Mapping[str, Source]) -> None:
        self._sources = sources
        self._steps: dict[Any, tuple[ProvenanceStep, ...]] = {}
        self._files: dict[str, _Names] = {}

    def of(self, function: Any) -> tuple[ProvenanceStep, ...]:
        function = inspect.unwrap(function)
        code = getattr(function, "__code__", None)
        if not isinstance(code, CodeType):
            return ()
        steps = self._steps.get(code)
        if steps is None:
            steps = self._steps[code] = tuple(self._find(function))
        return steps

    def _find(self, function: FunctionType) -> list[ProvenanceStep]:
        names = self._names(function.__code__)
        used: dict[Place, str] = {}
        todo = [function.__name__]
        seen = set(todo)
        while todo:
            name = todo.pop(0)
            for place in names.get(name, ()):
                used[place] = name
                for word in _list_names(place):
                    if word in names and word not in seen:
                        seen.add(word)
                        todo.append(word)
        first = function.__name__
        return [
            ProvenanceStep(
                Site(place, How.PLUGIN, f"def {name}" if name == first else f"{name}, used by {first}")
            )
            for place, name in used.items()
        ]

    def _names(self, code: CodeType) -> _Names:
        """Return the locations of everything that the module of a function defines, by name."""
        file = code.co_filename.removeprefix("<plug-in ").removesuffix(">")
        places = self._files.get(file)
        if places is None:
            source = self._sources.get(file) if code.co_filename.startswith("<plug-in ") else None
            places = self._files[file] = {} if source is None else _find_definitions(source)
        return places


def _find_definitions(source: Source) -> _Names:
    places: _Names = {}
    for node in ast.parse(source.text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            first = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
            names = [node.name]
        elif isinstance(node, ast.Assign | ast.AnnAssign | ast.AugAssign):
            first = node.lineno
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = [part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name)]
        else:
            continue
        end = source.offset(node.end_lineno or first)
        end += len(source.line_text(node.end_lineno or first))
        for name in names:
            places.setdefault(name, []).append(Place(source, Span(source.offset(first), end)))
    return places


def _list_names(place: Place) -> list[str]:
    """Return the names that a definition uses, in source order."""
    try:
        tree = ast.parse(place.source.slice(place.span))
    except SyntaxError:
        return []
    return [node.id for node in ast.walk(tree) if isinstance(node, ast.Name)]
