"""Expressions of a class, compiled with the functions of its package format and its imported extensions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql import CompiledExpression, Engine, LimitExceeded, NoMatch, UnknownName, YaqlError
from sabir.expressions.yaql.scope import Closure
from sabir.expressions.yaql.values import to_hashable
from sabir.languages.muranopl.model.contracts import contract_library
from sabir.languages.muranopl.model.errors import MuranoError, MuranoExpressionError, Unstoppable
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue, Value
from sabir.languages.muranopl.syntax.values import expression_place
from sabir.text import Place, Source, Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass


class ClassEngine:
    """Compiles the expressions of one class."""

    __slots__ = ("_contracts", "cls", "engine", "source", "unseen")

    def __init__(self, cls: MuranoClass, engine: Engine) -> None:
        self.cls = cls
        self.engine = engine
        self.source = cls.node.source
        self._contracts: Engine | None = None
        self.unseen: Callable[[Closure], Closure] | None = None
        """What hides the reads of a predicate, which change no value, from whoever records reads."""

    def compile_expression(self, expr: Expr) -> CompiledExpression:
        """Return the bare expression; its callers must convert `YaqlError` to a `MuranoError`."""
        try:
            return self.engine.compile(expr.text)
        except YaqlError as error:
            raise expression_failure(error, self.source, expr) from None

    def expression(self, expr: Expr) -> Closure:
        """Return an expression whose failures are `MuranoError`s."""
        return self._wrap_errors(
            self.compile_expression(expr), lambda error: expression_failure(error, self.source, expr)
        )

    def contract_expression(self, expr: Expr) -> Closure:
        """Return an expression in which the contract functions are methods."""
        if self._contracts is None:
            self._contracts = self.engine.with_library(contract_library(self.engine.library))
        return self._wrap_errors(
            self._contracts.compile(expr.text), lambda error: expression_failure(error, self.source, expr)
        )

    def inner(self, text: str, expr: Expr, offset: int) -> Closure:
        """Return a part of an expression, such as the argument of `check(…)`."""

        def failure(error: YaqlError) -> MuranoError:
            if error.span is not None:
                error.span = error.span.shift(offset)
            return expression_failure(error, self.source, expr)

        try:
            run = self._wrap_errors(self.engine.compile(text), failure)
            return run if self.unseen is None else self.unseen(run)
        except YaqlError as error:
            raise failure(error) from None

    def _wrap_errors(
        self, compiled: CompiledExpression, failure: Callable[[YaqlError], MuranoError]
    ) -> Closure:
        evaluate = compiled.evaluate

        def run(variables: Any) -> Any:
            try:
                return evaluate(variables)
            except YaqlError as error:
                raise failure(error) from None

        return run

    def value(self, value: Value) -> Closure:
        """Return a structure with expressions at any depth. Constant parts are shared, since values are never changed."""
        if isinstance(value, Expr):
            return self.compile_expression(value).evaluate
        if isinstance(value, Constant):
            constant = value.value
            return lambda _variables: constant
        if is_constant(value):
            data = constant_data(value)
            return lambda _variables: data
        if isinstance(value, ListValue):
            items = [self.value(item) for item in value.items]
            return lambda variables: [item(variables) for item in items]
        entries = [(self.value(key), self.value(item)) for key, item in value.entries]
        return lambda variables: {to_hashable(key(variables)): item(variables) for key, item in entries}

    def guard_value(self, value: Value) -> Closure:
        """Return the same with failures as `MuranoError`s: for defaults, which no statement evaluates."""
        run = self.value(value)
        if is_constant(value):
            return run

        def guarded(variables: Any) -> Any:
            try:
                return run(variables)
            except YaqlError as error:
                raise expression_failure(error, self.source, value) from None

        return guarded


def is_constant(value: Value) -> bool:
    """Tell whether a value contains no expression at any depth."""
    if isinstance(value, ListValue):
        return all(is_constant(item) for item in value.items)
    if isinstance(value, MapValue):
        return all(is_constant(key) and is_constant(item) for key, item in value.entries)
    return isinstance(value, Constant)


def constant_data(value: Value) -> Any:
    """Return the data of a constant value."""
    if isinstance(value, ListValue):
        return [constant_data(item) for item in value.items]
    if isinstance(value, MapValue):
        return {to_hashable(constant_data(key)): constant_data(item) for key, item in value.entries}
    assert isinstance(value, Constant)
    return value.value


def expression_failure(
    error: YaqlError, source: Source, where: Value | None, span: Span | None = None
) -> MuranoError:
    """Return a failure of an expression as a `MuranoError`, located at the part that failed."""
    if isinstance(error.__cause__, RecursionError):
        return Unstoppable(
            "the calls are nested too deeply",
            hint="look for a method that calls itself without end",
        )
    expr = _expression_of(where, error.text) if where is not None else None
    place = Place(source, span) if span is not None else None
    if expr is not None:
        place = expression_place(source, expr, error.span if expr.text == error.text else None)
    elif where is not None:
        place = Place(source, where.span)
    failure = MuranoExpressionError(error.message, place=place, reasons=_catchable_names(error))
    failure.__cause__ = error
    return failure


def _catchable_names(error: YaqlError) -> tuple[str, ...]:
    """Return the names by which packages written for the original engine may catch the failure."""
    cause = error.__cause__
    if cause is not None and type(cause).__module__ == "builtins":
        return (type(cause).__name__, f"builtins.{type(cause).__name__}")
    callee = "Method" if isinstance(error, NoMatch | UnknownName) and error.is_method else "Function"
    if isinstance(error, NoMatch):
        kind = f"NoMatching{callee}Exception"
    elif isinstance(error, UnknownName):
        kind = f"No{callee}RegisteredException"
    elif isinstance(error, LimitExceeded):
        kind = "CollectionTooLargeException" if error.is_list else "MemoryQuotaExceededException"
    else:
        return ()
    return (f"yaql.language.exceptions.{kind}", kind)


def _expression_of(value: Value, text: str | None) -> Expr | None:
    """Return the expression with this text inside a value."""
    if isinstance(value, Expr):
        return value
    parts: tuple[Value, ...] = ()
    if isinstance(value, ListValue):
        parts = value.items
    elif isinstance(value, MapValue):
        parts = tuple(part for entry in value.entries for part in entry)
    for part in parts:
        expression = _expression_of(part, text)
        if expression is not None and expression.text == text:
            return expression
    return None
