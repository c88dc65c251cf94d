"""Statements that note what they write, and what decides that they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.scope import Closure
from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.assignments import Store, compile_target
from sabir.languages.muranopl.evaluate.hosts import RESULT, HostValue
from sabir.languages.muranopl.evaluate.signals import RETURN, Signal
from sabir.languages.muranopl.evaluate.statements import Compiler, Run
from sabir.languages.muranopl.evaluate.tracking.effects import (
    NOTHING,
    assigned_variable,
    blocks_of,
    choices,
    is_variable,
    jumps,
)
from sabir.languages.muranopl.evaluate.tracking.records import Record, Site
from sabir.languages.muranopl.evaluate.tracking.tracker import Writer, shadow
from sabir.languages.muranopl.syntax import nodes as ast
from sabir.text import Place, Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.engines import ClassEngine
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.evaluate.tracking.tracker import Tracker

__all__ = ["RESULT_STEP", "TrackingCompiler"]

RESULT_STEP = shadow(RESULT)


class _Attempt:
    """One run of `Try`: the steps taken inside so far."""

    __slots__ = ("is_over", "outer", "steps")

    def __init__(self, outer: dict[Record, None] | None) -> None:
        self.outer = outer
        self.steps: dict[Record, None] = {}
        self.is_over = False


class TrackingCompiler(Compiler):
    """Compiles the body of one method."""

    def __init__(self, engine: ClassEngine, runtime: Runtime, body: ast.Block, name: str) -> None:
        super().__init__(engine, runtime)
        assert runtime.tracker is not None
        self.tracker: Tracker = runtime.tracker
        self.name = name
        self.choices = choices(body)
        self._handlers: dict[int, Callable[[Run], Run]] = {}

    def _site(self, span: Span, how: How, note: str | None = None) -> Site:
        return Site(Place(self.source, span), how, note)

    # -- simple instructions -----------------------------------------------------------------------------------------

    def expression(self, node: ast.ExpressionStatement) -> Run:
        run, site = super().expression(node), self._site(node.span, How.EXPRESSION)
        state, record = self.tracker.state, self.tracker.record

        def note(variables: Variables) -> None:
            outer, before = state.log, state.site
            state.log, state.site = [], site
            try:
                run(variables)
            finally:
                if state.trace is not None:
                    record(site, state.log)
                state.log, state.site = outer, before

        return note

    def assignment(self, node: ast.Assignment) -> Run:
        value, store = self.engine.value(node.value), compile_target(node.target, self.engine)
        variable = assigned_variable(node.target)
        if variable is not None and is_variable(node.target):
            return self._local_assignment(node, value, store, variable)
        site = self._site(node.span, How.ASSIGNMENT, None if variable is None else f"${variable}")
        tracker = self.tracker
        state, key = tracker.state, "" if variable is None else shadow(variable)

        def run(variables: Variables) -> None:
            outer, before, writer = state.log, state.site, state.writer
            state.log, state.site = [], site
            try:
                found = value(variables)
                more = (variables[key],) if key in variables else ()
                state.writer = Writer(site, found, more)
                store(variables, found)
                if variable is not None and not isinstance(variables.get(variable), HostValue):
                    variables[key] = tracker.record(site, (*state.log, *more))
            finally:
                if state.trace is not None:
                    tracker.record(site, state.log)
                state.log, state.site, state.writer = outer, before, writer

        return run

    def _local_assignment(self, node: ast.Assignment, value: Closure, store: Store, variable: str) -> Run:
        site, tracker, key = (
            self._site(node.span, How.ASSIGNMENT, f"${variable}"),
            self.tracker,
            shadow(variable),
        )
        state = tracker.state

        def run(variables: Variables) -> None:
            outer, before = state.log, state.site
            state.log, state.site = [], site
            try:
                store(variables, value(variables))
            finally:
                record = tracker.record(site, state.log)
                state.log, state.site = outer, before
            variables[key] = record

        return run

    def return_(self, node: ast.Return) -> Run:
        value, site = self.engine.value(node.value), self._site(node.span, How.RETURN, self.name)
        tracker = self.tracker
        state = tracker.state

        def run(variables: Variables) -> Signal:
            outer, before = state.log, state.site
            state.log, state.site = [], site
            try:
                variables[RESULT] = value(variables)
                variables[RESULT_STEP] = tracker.record(site, state.log)
            finally:
                state.log, state.site = outer, before
            return RETURN

        return run

    def throw(self, node: ast.Throw) -> Run:
        run, site = super().throw(node), self._site(node.span, How.CALL, "Throw")
        state, record = self.tracker.state, self.tracker.record

        def note(variables: Variables) -> Signal | None:
            outer, before = state.log, state.site
            state.log, state.site = [], site
            try:
                return run(variables)
            finally:
                if state.trace is not None:
                    record(site, state.log)
                state.log, state.site = outer, before

        return note

    # -- what decides --------------------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement) -> Run:
        own = _OWN.get(type(node))
        if own is not None:
            return own(self, node)
        run = super().statement(node)
        if not blocks_of(node) or isinstance(node, ast.Do | ast.Parallel):
            return run
        state, stays = self.tracker.state, bool(jumps(node))
        if stays:  # what decided whether to jump decides about all that follows
            return run

        def bounded(variables: Variables) -> Signal | None:
            control = state.control
            signal = run(variables)
            state.control = control
            return signal

        return bounded

    def condition(self, value: ast.Value, node: ast.Statement) -> Closure:
        run, tracker = super().condition(value, node), self.tracker
        how = How.LOOP if isinstance(node, ast.While | ast.For | ast.Repeat) else How.CONDITION
        site = self._site(value.span, how, _title(node))
        state, effects = tracker.state, self.choices.get(id(node), NOTHING)
        cases = self._cases(node)
        item = shadow(node.variable) if isinstance(node, ast.For) else None

        def decide(variables: Variables) -> Any:
            outer, before = state.log, state.site
            state.log, state.site = [], site
            try:
                found = run(variables)
                for case, record in cases:
                    state.log.append(record)
                    if case == found:
                        break
            finally:
                record = tracker.record(site, state.log)
                state.log, state.site = outer, before
            tracker.decide(record, effects, variables)
            if item is not None and found:  # without a round it keeps what it was
                variables[item] = record
            return found

        return decide

    def _cases(self, node: ast.Statement) -> list[tuple[Any, Record]]:
        if not isinstance(node, ast.Match):
            return []
        return [
            (case.value, Record(self._site(case.span, How.LITERAL, "case of Match")))
            for case, _ in node.cases
        ]

    # -- exceptions ----------------------------------------------------------------------------------------------------

    def try_(self, node: ast.Try) -> Run:
        """Whether it fails rests on every step inside; what it writes, and what it does then, rests on that."""
        tracker, effects = self.tracker, self.choices.get(id(node), NOTHING)
        state, span = tracker.state, Span(node.span.start, node.span.start + len("Try"))
        site, stays = self._site(span, How.CONDITION, "Try"), bool(jumps(node))

        def decide(attempt: _Attempt, variables: Variables) -> Record:
            attempt.is_over = True
            state.trace = attempt.outer
            record = tracker.record(site, tuple(attempt.steps))
            tracker.decide(record, effects, variables)
            return record

        def handler(variable: str | None) -> Callable[[Run], Run]:
            def wrap(run: Run) -> Run:
                def handle(variables: Variables) -> Signal | None:
                    record = decide(state.attempts[-1], variables)
                    if variable is not None:
                        variables[shadow(variable)] = record
                    return run(variables)

                return handle

            return wrap

        for clause in node.catches:
            self._handlers[id(clause.body)] = handler(clause.variable)
        self._handlers[id(node.otherwise)] = handler(None)
        run = super().try_(node)

        def watched(variables: Variables) -> Signal | None:
            attempt = _Attempt(state.trace)
            control, state.trace = state.control, attempt.steps
            state.attempts.append(attempt)
            try:
                signal = run(variables)
                if not attempt.is_over:
                    decide(attempt, variables)
                if not stays:
                    state.control = control
                return signal
            finally:
                state.attempts.pop()
                state.trace = attempt.outer
                if attempt.outer is not None:
                    attempt.outer.update(attempt.steps)

        return watched

    def block(self, block: ast.Block) -> Run:
        run = super().block(block)
        wrap = self._handlers.get(id(block)) if block else None
        return run if wrap is None else wrap(run)


_OWN: Final[Mapping[type, Callable[[TrackingCompiler, Any], Run]]] = {
    ast.ExpressionStatement: TrackingCompiler.expression,
    ast.Assignment: TrackingCompiler.assignment,
    ast.Return: TrackingCompiler.return_,
    ast.Throw: TrackingCompiler.throw,
    ast.Try: TrackingCompiler.try_,
}


def _title(node: ast.Statement) -> str:
    if isinstance(node, ast.For):
        return f"For ${node.variable}"
    return type(node).__name__
