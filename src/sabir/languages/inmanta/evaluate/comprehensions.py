"""List comprehensions, each item evaluated in its own frame.

A comprehension that is added to a relation or looped over yields its items one by one, as the relations
it iterates over receive theirs (`Flow`). Elsewhere it is a plain list, available once all items are
complete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.budget import LARGE_LIST, Budget
from sabir.languages.inmanta.evaluate.engine import EngineStep, ModelEngine
from sabir.languages.inmanta.evaluate.interrupts import Stop
from sabir.languages.inmanta.evaluate.operators import ConditionOf
from sabir.languages.inmanta.evaluate.scopes import BlockScope
from sabir.languages.inmanta.evaluate.values import (
    Frame,
    ModelInstance,
    PendingSlot,
    Read,
    RelationValue,
    flatten_into,
)
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.entities import Property
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler


class _Parts:
    """A compiled comprehension: its sources, each in the scope of the previous one, and the item expression."""

    def __init__(
        self,
        expressions: ExpressionCompiler,
        node: nodes.Comprehension,
        scope: BlockScope,
        read: Callable[[nodes.Expression, BlockScope], Read],
    ) -> None:
        self.node = node
        self.place = expressions.place(node, scope)
        self.sources: list[Read] = []
        self.scopes = [scope]
        for variable, iterable in node.loops:
            self.sources.append(read(iterable, self.scopes[-1]))
            inner = self.scopes[-1].open_frame()
            inner.names[variable] = 1
            inner.controls = (iterable,)
            self.scopes.append(inner)
        inner = self.scopes[-1]
        self.guards = [
            expressions.condition(guard, inner, ConditionOf.COMPREHENSION) for guard in node.guards
        ]
        self.element = read(node.element, inner)

    def frame(self, level: int, outer: Frame, item: Any) -> Frame:
        return [outer, item, *self.scopes[level + 1].layout.rest()]

    def is_wanted(self, frame: Frame) -> Any:
        """Return the result of the guards: true, false, or unknown."""
        for guard in self.guards:
            decided = guard(frame)
            if decided is not True:
                return decided
        return True

    def no_list(self, value: Any) -> Stop:
        return stop(TYPE, f"{format_value(value)} is no list and cannot be iterated", self.place)


class _Progress:
    """The progress of a comprehension: the items so far, and the position and frame of each loop.

    A statement that had to wait continues from here. Nothing is created twice, and one frame per loop
    is kept.
    """

    def __init__(self, parts: _Parts, budget: Budget) -> None:
        self.parts = parts
        self.budget = budget
        self.out: list[Any] = []
        self.rounds = 0
        self.at = [0] * len(parts.sources)
        self.frames: list[Frame | None] = [None] * len(parts.sources)

    def run(self, level: int, outer: Frame) -> None:
        parts, frames, is_last = self.parts, self.frames, level + 1 == len(self.parts.sources)
        items = parts.sources[level](outer)
        if isinstance(items, Unknown):
            items = [items]
        if not isinstance(items, list):
            raise parts.no_list(items)
        for position in range(self.at[level], len(items)):
            self.at[level] = position
            frame = frames[level]
            if frame is None:
                frame = frames[level] = parts.frame(level, outer, items[position])
                self.rounds += 1
                self.budget.room(self.rounds, parts.place)
            if isinstance(items[position], Unknown):
                self.out.append(items[position])  # nothing is known of what would be made of it, either
            elif not is_last:
                self.run(level + 1, frame)
            else:
                self._item(frame)
            frames[level] = None
        self.at[level] = 0

    def _item(self, frame: Frame) -> None:
        wanted = self.parts.is_wanted(frame)
        if wanted is True:
            self._add(self.parts.element(frame))
        elif isinstance(wanted, Unknown):
            self.out.append(wanted)

    def _add(self, value: Any) -> None:
        if isinstance(value, list):
            flatten_into(value, self.out)
        else:
            self.out.append(value)


def compile_comprehension(
    expressions: ExpressionCompiler, node: nodes.Comprehension, scope: BlockScope
) -> Read:
    """Return a read of the complete list."""
    parts = _Parts(expressions, node, scope, expressions.read)
    memo = scope.layout.slot()
    budget = expressions.budget

    def read(frame: Frame) -> list[Any]:
        progress = frame[memo]
        if type(progress) is list:
            return progress  # done already; another part of the statement had to wait
        if type(progress) is PendingSlot:
            progress = frame[memo] = _Progress(parts, budget)
        progress.run(0, frame)
        out: list[Any] = progress.out
        if len(out) > LARGE_LIST:
            budget.items(len(out), parts.place)
        frame[memo] = out
        return out

    return read


def compile_flow(expressions: ExpressionCompiler, node: nodes.Comprehension, scope: BlockScope) -> Read:
    """Return a read of a `Flow`, for statements that can consume the items one by one."""

    def read(part: nodes.Expression, inner: BlockScope) -> Read:
        whole = isinstance(part, nodes.Comprehension)  # a list inside is a value of its own
        return expressions.read(part, inner) if whole else expressions.gradual(part, inner)

    parts = _Parts(expressions, node, scope, read)
    engine = expressions.compiler.engine
    return lambda frame: Flow(parts, engine, frame)


class Flow:
    """A comprehension whose items a statement has started to consume."""

    def __init__(self, parts: _Parts, engine: ModelEngine, frame: Frame) -> None:
        self.parts = parts
        self.engine = engine
        self.frame = frame
        self._steps: list[EngineStep] = []
        self._sink: Callable[[Any], None]

    def into_relation(
        self, instance: ModelInstance, prop: Property, put: Callable[[ModelInstance, Property, Any], None]
    ) -> None:
        node = self.parts.node
        argument = nodes.Argument(node.start, node.end, None, node, False)
        self._start(argument, (instance, prop), lambda value: put(instance, prop, value))

    def into_loop(self, loop: nodes.For, body: Callable[[Any], None]) -> None:
        def sink(value: Any) -> None:
            if type(value) is RelationValue:
                self.engine.listen(value, self._steps[0], self.frame, body)
            elif isinstance(value, list):
                items: list[Any] = []
                flatten_into(value, items)
                for item in items:
                    body(item)
            elif not isinstance(value, Unknown):
                body(value)

        self._start(loop, None, sink)

    def _start(
        self,
        node: nodes.Argument | nodes.For,
        writes: tuple[ModelInstance, Property] | None,
        sink: Callable[[Any], None],
    ) -> None:
        self._sink = sink
        for level, scope in enumerate(self.parts.scopes):
            step = EngineStep(self._runner(level), node, scope)
            step.writes_instance = writes
            self._steps.append(step)
        self.engine.run_step(self._steps[0], self.frame)

    def _runner(self, level: int) -> Callable[[Frame], None]:
        parts, engine = self.parts, self.engine

        def run_item(frame: Frame) -> None:
            wanted = parts.is_wanted(frame)
            if wanted is True:
                self._sink(parts.element(frame))
            elif isinstance(wanted, Unknown):
                self._sink(wanted)

        if level == len(parts.sources):
            return run_item
        source = parts.sources[level]

        def run_loop(frame: Frame) -> None:
            items = source(frame)
            following = self._steps[level + 1]

            def body(item: Any) -> None:
                if isinstance(item, Unknown):
                    self._sink(item)
                else:
                    engine.run_step(following, parts.frame(level, frame, item))

            if isinstance(items, list):
                for item in items:
                    body(item)
            elif type(items) is RelationValue:
                engine.listen(items, self._steps[level], frame, body)
            elif isinstance(items, Unknown):
                self._sink(items)
            else:
                raise parts.no_list(items)

        return run_loop
