"""Statements that record what they write, and what decides that they run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.scope import Closure
from sabir.graph.origin import How
from sabir.languages.muranopl.evaluate.assignments import Store, compile_target
from sabir.languages.muranopl.evaluate.methods import RETURN, Signal
from sabir.languages.muranopl.evaluate.recording.effects import (
    NOTHING,
    blocks_of,
    find_choice_effects,
    find_jumps,
    is_variable,
    target_variable,
)
from sabir.languages.muranopl.evaluate.recording.recorder import PendingWrite, shadow_key
from sabir.languages.muranopl.evaluate.statements import MethodCompiler, Run
from sabir.languages.muranopl.model.objects import RESULT, HostValue
from sabir.languages.muranopl.syntax import nodes as ast
from sabir.provenance import ProvenanceStep, Site
from sabir.text import Place, Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.recording.recorder import RunRecorder
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.model.engines import ClassEngine


RESULT_STEP = shadow_key(RESULT)


class _Attempt:
    """One run of `Try`: the steps inside it so far."""

    __slots__ = ("is_over", "outer", "steps")

    def __init__(self, outer: dict[ProvenanceStep, None] | None) -> None:
        self.outer = outer
        self.steps: dict[ProvenanceStep, None] = {}
        self.is_over = False


class RecordingCompiler(MethodCompiler):
    """Compiles the body of one method with recording."""

    def __init__(self, engine: ClassEngine, runtime: Runtime, body: ast.Block, name: str) -> None:
        super().__init__(engine, runtime)
        assert runtime.recorder is not None
        self.recorder: RunRecorder = runtime.recorder
        self.name = name
        self.choices = find_choice_effects(body)
        self._handlers: dict[int, Callable[[Run], Run]] = {}

    def _site(self, span: Span, how: How, note: str | None = None) -> Site:
        return Site(Place(self.source, span), how, note)

    # -- simple instructions -----------------------------------------------------------------------------------------

    def expression(self, node: ast.ExpressionStatement) -> Run:
        return self._record_site(super().expression(node), self._site(node.span, How.EXPRESSION))

    def assignment(self, node: ast.Assignment) -> Run:
        value, store = self.assignment_value(node), compile_target(node.target, self.engine)
        variable = target_variable(node.target)
        if variable is not None and is_variable(node.target):
            return self._local_assignment(node, value, store, variable)
        site = self._site(node.span, How.ASSIGNMENT, None if variable is None else f"${variable}")
        recorder = self.recorder
        state, key = recorder.state, "" if variable is None else shadow_key(variable)

        def run(variables: Variables) -> None:
            outer, before, writer = state.reads, state.site, state.writer
            state.reads, state.site = [], site
            try:
                stored = value(variables)
                more = (variables[key],) if key in variables else ()
                state.writer = PendingWrite(site, stored, more)
                store(variables, stored)
                if variable is not None and not isinstance(variables.get(variable), HostValue):
                    variables[key] = recorder.run(site, (*state.reads, *more))
            finally:
                if state.attempted is not None:
                    recorder.run(site, state.reads)
                state.reads, state.site, state.writer = outer, before, writer

        return run

    def _local_assignment(self, node: ast.Assignment, value: Closure, store: Store, variable: str) -> Run:
        site, recorder, key = (
            self._site(node.span, How.ASSIGNMENT, f"${variable}"),
            self.recorder,
            shadow_key(variable),
        )
        state = recorder.state

        def run(variables: Variables) -> None:
            outer, before = state.reads, state.site
            state.reads, state.site = [], site
            try:
                store(variables, value(variables))
            finally:
                step = recorder.run(site, state.reads)
                state.reads, state.site = outer, before
            variables[key] = step

        return run

    def return_(self, node: ast.Return) -> Run:
        value, site = self.engine.value(node.value), self._site(node.span, How.RETURN, self.name)
        recorder = self.recorder
        state = recorder.state

        def run(variables: Variables) -> Signal:
            outer, before = state.reads, state.site
            state.reads, state.site = [], site
            try:
                variables[RESULT] = value(variables)
                variables[RESULT_STEP] = recorder.run(site, state.reads)
            finally:
                state.reads, state.site = outer, before
            return RETURN

        return run

    def throw(self, node: ast.Throw) -> Run:
        return self._record_site(super().throw(node), self._site(node.span, How.CALL, "Throw"))

    def _record_site(self, run: Run, site: Site) -> Run:
        """Record a statement without a result. Its reads count only inside a `Try`, whose failure depends on
        them.
        """
        state, ran = self.recorder.state, self.recorder.run

        def note(variables: Variables) -> Signal | None:
            outer, before = state.reads, state.site
            state.reads, state.site = [], site
            try:
                return run(variables)
            finally:
                if state.attempted is not None:
                    ran(site, state.reads)
                state.reads, state.site = outer, before

        return note

    # -- what decides --------------------------------------------------------------------------------------------------

    def statement(self, node: ast.Statement) -> Run:
        compile_it = _OWN.get(type(node))
        if compile_it is not None:
            return compile_it(self, node)
        run = super().statement(node)
        if not blocks_of(node) or isinstance(node, ast.Do | ast.Parallel):
            return run
        state, stays = self.recorder.state, bool(find_jumps(node))
        if stays:  # the condition of a jump decides about everything after it
            return run

        def bounded(variables: Variables) -> Signal | None:
            decided_by = state.decided_by
            signal = run(variables)
            state.decided_by = decided_by
            return signal

        return bounded

    def condition(self, value: ast.Value, node: ast.Statement) -> Closure:
        run, recorder = super().condition(value, node), self.recorder
        how = How.LOOP if isinstance(node, ast.While | ast.For | ast.Repeat) else How.CONDITION
        site = self._site(value.span, how, _statement_title(node))
        state, effects = recorder.state, self.choices.get(id(node), NOTHING)
        cases = self._cases(node)
        item = shadow_key(node.variable) if isinstance(node, ast.For) else None

        def decide(variables: Variables) -> Any:
            outer, before = state.reads, state.site
            state.reads, state.site = [], site
            try:
                chosen = run(variables)
                for case, step in cases:
                    state.reads.append(step)
                    if case == chosen:
                        break
            finally:
                decision = recorder.run(site, state.reads)
                state.reads, state.site = outer, before
            recorder.decide(decision, effects, variables)
            if item is not None and chosen:  # without an iteration the variable keeps its value
                variables[item] = decision
            return chosen

        return decide

    def _cases(self, node: ast.Statement) -> list[tuple[Any, ProvenanceStep]]:
        if not isinstance(node, ast.Match):
            return []
        return [
            (case.value, ProvenanceStep(self._site(case.span, How.LITERAL, "case of Match")))
            for case, _ in node.cases
        ]

    # -- exceptions ----------------------------------------------------------------------------------------------------

    def try_(self, node: ast.Try) -> Run:
        """Compile `Try`. Whether it fails depends on every step inside; all that it then writes depends on that."""
        recorder, effects = self.recorder, self.choices.get(id(node), NOTHING)
        state, span = recorder.state, Span(node.span.start, node.span.start + len("Try"))
        site, stays = self._site(span, How.CONDITION, "Try"), bool(find_jumps(node))

        def decide(attempt: _Attempt, variables: Variables) -> ProvenanceStep:
            attempt.is_over = True
            state.attempted = attempt.outer
            step = recorder.run(site, tuple(attempt.steps))
            recorder.decide(step, effects, variables)
            return step

        def handler(variable: str | None) -> Callable[[Run], Run]:
            def wrap(run: Run) -> Run:
                def handle(variables: Variables) -> Signal | None:
                    step = decide(state.attempts[-1], variables)
                    if variable is not None:
                        variables[shadow_key(variable)] = step
                    return run(variables)

                return handle

            return wrap

        for clause in node.catches:
            self._handlers[id(clause.body)] = handler(clause.variable)
        self._handlers[id(node.otherwise)] = handler(None)
        run = super().try_(node)

        def watched(variables: Variables) -> Signal | None:
            attempt = _Attempt(state.attempted)
            decided_by, state.attempted = state.decided_by, attempt.steps
            state.attempts.append(attempt)
            try:
                signal = run(variables)
                if not attempt.is_over:
                    decide(attempt, variables)
                if not stays:
                    state.decided_by = decided_by
                return signal
            finally:
                state.attempts.pop()
                state.attempted = attempt.outer
                if attempt.outer is not None:
                    attempt.outer.update(attempt.steps)

        return watched

    def block(self, block: ast.Block) -> Run:
        run = super().block(block)
        wrap = self._handlers.get(id(block)) if block else None
        return run if wrap is None else wrap(run)


_OWN: Final[Mapping[type, Callable[[RecordingCompiler, Any], Run]]] = {
    ast.ExpressionStatement: RecordingCompiler.expression,
    ast.Assignment: RecordingCompiler.assignment,
    ast.Return: RecordingCompiler.return_,
    ast.Throw: RecordingCompiler.throw,
    ast.Try: RecordingCompiler.try_,
}


def _statement_title(node: ast.Statement) -> str:
    if isinstance(node, ast.For):
        return f"For ${node.variable}"
    return type(node).__name__
