"""Statements compiled to closures over the variables of a method call.

A closure returns None, or the signal that ended it (`Return`, `Break`, `Continue`). A failure collects the
location of the statement on its way out, which costs nothing as long as nothing fails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Variables, YaqlError
from sabir.expressions.yaql.scope import Closure
from sabir.languages.muranopl.evaluate.assignments import compile_target
from sabir.languages.muranopl.evaluate.control_flow import run_for, run_repeat, run_while, whole_number
from sabir.languages.muranopl.evaluate.methods import BREAK, CONTINUE, RETURN, Signal
from sabir.languages.muranopl.model.engines import ClassEngine, expression_failure
from sabir.languages.muranopl.model.errors import MuranoError, Unstoppable
from sabir.languages.muranopl.model.objects import AT, MADE_FOR, MAKING, RESULT
from sabir.languages.muranopl.syntax import nodes as ast
from sabir.languages.muranopl.syntax.defects import FORM
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime


def values_of(node: ast.Statement) -> list[ast.Value]:
    """Return the values that a statement computes itself, without those of its blocks."""
    match node:
        case ast.ExpressionStatement(expression=expression):
            return [expression]
        case ast.Assignment(target=target, value=value):
            return [value, target]
        case ast.Return(value=value):
            return [value]
        case ast.If(condition=value) | ast.While(condition=value) | ast.For(collection=value):
            return [value]
        case ast.Repeat(times=value):
            return [value]
        case ast.Match(value=value):
            return [value]
        case ast.Switch(cases=cases):
            return [condition for condition, _ in cases]
        case ast.Parallel(limit=limit):
            return [limit] if limit is not None else []
        case ast.Throw(names=names, message=message, extra=extra, cause=cause):
            return [value for value in (names, message, extra, cause) if value is not None]
        case _:
            return []


def has_text(value: ast.Value, text: str | None) -> bool:
    """Tell whether an expression in a value contains a text; False if the text is None."""
    if isinstance(value, ast.Expr):
        return text is not None and text in value.text
    if isinstance(value, ast.ListValue):
        return any(has_text(item, text) for item in value.items)
    if isinstance(value, ast.MapValue):
        return any(has_text(part, text) for entry in value.entries for part in entry)
    return False


def may_call(value: ast.Value) -> bool:
    """Tell whether evaluating a value may call a method or function, which may create objects."""
    if isinstance(value, ast.Expr):
        return "(" in value.text
    if isinstance(value, ast.ListValue):
        return any(map(may_call, value.items))
    return isinstance(value, ast.MapValue) and any(
        may_call(part) for entry in value.entries for part in entry
    )


Run = Callable[[Variables], Signal | None]


def run_nothing(_variables: Variables) -> None:
    """Do nothing: the closure of an empty block."""


class MethodCompiler:
    """Compiles the body of one method."""

    def __init__(self, engine: ClassEngine, runtime: Runtime) -> None:
        self.engine = engine
        self.runtime = runtime
        self.source = engine.source

    def block(self, block: ast.Block) -> Run:
        if not block:
            return run_nothing
        if len(block) == 1:
            return self._single(block[0])
        steps = [(self.statement(node), node) for node in block]
        runs = tuple(run for run, _ in steps)
        nodes = dict(steps)
        failed = self._convert_error

        def run_all(variables: Variables) -> Signal | None:
            run: Run = runs[0]
            try:
                for run in runs:
                    signal = run(variables)
                    if signal is not None:
                        return signal
            except MuranoError as error:
                if error.at is None:
                    error.at = Place(self.source, nodes[run].span)
                raise
            except (YaqlError, RecursionError) as error:
                raise failed(error, nodes[run]) from None
            return None

        return run_all

    def _single(self, node: ast.Statement) -> Run:
        run, failed = self.statement(node), self._convert_error

        def run_one(variables: Variables) -> Signal | None:
            try:
                return run(variables)
            except MuranoError as error:
                if error.at is None:
                    error.at = Place(self.source, node.span)
                raise
            except (YaqlError, RecursionError) as error:
                raise failed(error, node) from None

        return run_one

    def _convert_error(self, error: YaqlError | RecursionError, node: ast.Statement) -> MuranoError:
        if isinstance(error, YaqlError):
            values = values_of(node)
            where = next((value for value in values if has_text(value, error.text)), None)
            failure = expression_failure(error, self.source, where, node.span)
        else:
            failure = Unstoppable("the calls are nested too deeply")
        failure.at = failure.place = failure.place or Place(self.source, node.span)
        return failure

    def statement(self, node: ast.Statement) -> Run:
        return _COMPILERS[type(node)](self, node)

    def reject_broken(self, node: ast.BrokenStatement) -> Run:
        raise MuranoError(FORM, "the instruction cannot be read", place=Place(self.source, node.span))

    # -- simple instructions -----------------------------------------------------------------------------------------

    def expression(self, node: ast.ExpressionStatement) -> Run:
        evaluate = self.engine.compile_expression(node.expression).evaluate

        def run(variables: Variables) -> None:
            evaluate(variables)

        return run

    def assignment_value(self, node: ast.Assignment) -> Closure:
        """Compile the value of an assignment. Objects created while it is computed belong to its target."""
        value, target = self.engine.value(node.value), node.target.text.strip()
        if not may_call(node.value):
            return value

        def run(variables: Variables) -> Any:
            around = variables.get(MADE_FOR)
            variables[MAKING] = (around, target)
            result = value(variables)
            variables[MAKING] = around
            return result

        return run

    def assignment(self, node: ast.Assignment) -> Run:
        value = self.assignment_value(node)
        store = compile_target(node.target, self.engine)
        name = _local_name(node.target.text)
        if name is not None:

            def run_local(variables: Variables) -> None:
                variables[name] = value(variables)

            return run_local

        if self.runtime.written is not None:
            place = Place(self.source, node.span)

            def run_noted(variables: Variables) -> None:
                variables[AT] = place
                store(variables, value(variables))

            return run_noted

        def run(variables: Variables) -> None:
            store(variables, value(variables))

        return run

    def return_(self, node: ast.Return) -> Run:
        value = self.engine.value(node.value)

        def run(variables: Variables) -> Signal:
            variables[RESULT] = value(variables)
            return RETURN

        return run

    def break_(self, _node: ast.Break) -> Run:
        return lambda _variables: BREAK

    def continue_(self, _node: ast.Continue) -> Run:
        return lambda _variables: CONTINUE

    def do(self, node: ast.Do) -> Run:
        return self.block(node.body)

    def condition(self, value: ast.Value, node: ast.Statement) -> Closure:
        """Compile the value that decides which blocks of a statement run, and how often."""
        del node
        return self.engine.value(value)

    # -- choices -----------------------------------------------------------------------------------------------------

    def if_(self, node: ast.If) -> Run:
        condition = self.condition(node.condition, node)
        then, otherwise = self.block(node.then), self.block(node.otherwise)

        def run(variables: Variables) -> Signal | None:
            return then(variables) if condition(variables) else otherwise(variables)

        return run

    def match(self, node: ast.Match) -> Run:
        value = self.condition(node.value, node)
        cases = [(case.value, self.block(block)) for case, block in node.cases]
        default = self.block(node.default)

        def run(variables: Variables) -> Signal | None:
            wanted = value(variables)
            for case, block in cases:
                if wanted == case:
                    return block(variables)
            return default(variables)

        return run

    def switch(self, node: ast.Switch) -> Run:
        cases = [(self.condition(condition, node), self.block(block)) for condition, block in node.cases]
        default = self.block(node.default)

        def run(variables: Variables) -> Signal | None:
            matched = False
            for condition, block in cases:
                if condition(variables):
                    matched = True
                    signal = block(variables)
                    if signal is not None:
                        return signal
            return None if matched else default(variables)

        return run

    # -- loops ---------------------------------------------------------------------------------------------------------

    def while_(self, node: ast.While) -> Run:
        return run_while(self.condition(node.condition, node), self.block(node.body), self.runtime.meter)

    def for_(self, node: ast.For) -> Run:
        collection = self.condition(node.collection, node)
        return run_for(node.variable, collection, self.block(node.body), self.runtime.meter)

    def repeat(self, node: ast.Repeat) -> Run:
        return run_repeat(self.condition(node.times, node), self.block(node.body), self.runtime.meter)

    # -- side by side --------------------------------------------------------------------------------------------------

    def parallel(self, node: ast.Parallel) -> Run:
        branches = [self._single(branch) for branch in node.branches]
        limit = None if node.limit is None else self.engine.value(node.limit)
        scheduler = self.runtime.scheduler

        def run(variables: Variables) -> Signal | None:
            most = None if limit is None else whole_number(limit(variables), "Limit")
            return scheduler.run_branches(branches, variables, most)

        return run

    # -- exceptions ------------------------------------------------------------------------------------------------------

    def try_(self, node: ast.Try) -> Run:
        from sabir.languages.muranopl.evaluate.control_flow import compile_try

        return compile_try(self, node)

    def throw(self, node: ast.Throw) -> Run:
        from sabir.languages.muranopl.evaluate.control_flow import compile_throw

        return compile_throw(self, node)

    def rethrow(self, _node: ast.Rethrow) -> Run:
        from sabir.languages.muranopl.evaluate.control_flow import rethrow

        return rethrow


_COMPILERS: Final[Mapping[type, Callable[[MethodCompiler, Any], Run]]] = {
    ast.BrokenStatement: MethodCompiler.reject_broken,
    ast.ExpressionStatement: MethodCompiler.expression,
    ast.Assignment: MethodCompiler.assignment,
    ast.Return: MethodCompiler.return_,
    ast.Break: MethodCompiler.break_,
    ast.Continue: MethodCompiler.continue_,
    ast.Do: MethodCompiler.do,
    ast.If: MethodCompiler.if_,
    ast.Match: MethodCompiler.match,
    ast.Switch: MethodCompiler.switch,
    ast.While: MethodCompiler.while_,
    ast.For: MethodCompiler.for_,
    ast.Repeat: MethodCompiler.repeat,
    ast.Parallel: MethodCompiler.parallel,
    ast.Try: MethodCompiler.try_,
    ast.Throw: MethodCompiler.throw,
    ast.Rethrow: MethodCompiler.rethrow,
}


def _local_name(target: str) -> str | None:
    """Return the variable that a target consists of; None for any other target."""
    name = target.strip()[1:]
    return name if target.strip().startswith("$") and name.isidentifier() else None
