"""The engine: compiles expressions against a library and keeps what it compiled."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from sabir.expressions.yaql.binding import Dispatcher
from sabir.expressions.yaql.compile.compiler import YaqlCompiler
from sabir.expressions.yaql.errors import CAUGHT, LimitExceeded, NodeSite
from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.library import STANDARD
from sabir.expressions.yaql.limits import Options, YaqlLimits
from sabir.expressions.yaql.nodes import Node, is_stored
from sabir.expressions.yaql.parser import Dialect, YaqlExpression, parse
from sabir.expressions.yaql.scope import Closure, Variables
from sabir.expressions.yaql.values import finalize_value
from sabir.session import wall_clock

if TYPE_CHECKING:
    from datetime import datetime


_MAX_KEPT = 20_000


class EmbedderObjects(Protocol):
    """What an embedder says about objects of its own, those that are `EmbeddedObject`s."""

    def attribute(self, value: Any, name: str, variables: Variables) -> Any:
        """`value.name`"""
        ...

    def method(self, value: Any, name: str, variables: Variables) -> Callable[..., Any] | None:
        """What `value.name(…)` calls, with evaluated arguments; None leaves it to the library."""
        ...


MakeCompiler = Callable[["Engine", str, Node], YaqlCompiler]
"""What compiles the tree of a text for an engine."""
Clock = Callable[[], "datetime"]
"""What `now` asks: the time of day, with its time zone."""


class CompiledExpression:
    """An expression ready to run. Call it with the variables; `run` is the same without the final conversion.

    Code that evaluates expressions inside expressions calls `evaluate`: calling the object itself passes through C code,
    which some releases of Python 3.12 allow only a few hundred levels deep.
    """

    __slots__ = ("_is_stored", "_limits", "_site", "expression", "run")

    def __init__(self, expression: YaqlExpression, run: Closure, limits: YaqlLimits) -> None:
        self.expression = expression
        self.run = run
        self._limits = limits
        self._is_stored = is_stored(expression.tree)
        self._site = NodeSite(expression.text, 0, len(expression.text))

    def evaluate(self, variables: Variables) -> Any:
        limits = self._limits
        limits.left = limits.steps
        value = self.run(variables)
        kind = type(value)
        if kind is int or kind is bool or value is None:
            return value
        if self._is_stored and (kind is dict or kind is list or kind is str):
            return value  # it was stored by somebody, so it is plain already
        try:
            return finalize_value(value, limits)
        except CAUGHT as problem:
            self._site.fail(problem)

    __call__ = evaluate


class Engine:
    """Compiles expressions: once for each text, whoever asks. An embedder may watch them with a `compiler` of its own."""

    def __init__(
        self,
        library: Library = STANDARD,
        *,
        options: Options | None = None,
        dialect: Dialect = Dialect.YAQL,
        objects: EmbedderObjects | None = None,
        compiler: MakeCompiler = YaqlCompiler,
        clock: Clock = wall_clock,
    ) -> None:
        self.options = options or Options()
        self.library = library.with_iterable_dicts() if self.options.iterable_dicts else library
        self.limits = YaqlLimits(self.options)
        self.dialect = dialect
        self.objects = objects
        self.compiler = compiler
        self.clock = clock
        self.dispatcher = Dispatcher(self.library, self.limits, self)
        self._kept: dict[str, CompiledExpression] = {}

    def with_library(self, library: Library) -> Engine:
        """The same engine with other functions."""
        return Engine(
            library,
            options=self.options,
            dialect=self.dialect,
            objects=self.objects,
            compiler=self.compiler,
            clock=self.clock,
        )

    def compile(self, source: str | YaqlExpression) -> CompiledExpression:
        """The compiled form of a text or expression. Raises `YaqlSyntaxError` for a text that is none."""
        text = source if isinstance(source, str) else source.text
        kept = self._kept.get(text)
        if kept is not None:
            return kept
        expression = source if isinstance(source, YaqlExpression) else parse(source, self.dialect)
        compiled = CompiledExpression(expression, self._closure(expression), self.limits)
        if len(self._kept) < _MAX_KEPT:
            self._kept[text] = compiled
        return compiled

    def _closure(self, expression: YaqlExpression) -> Closure:
        try:
            return self.compiler(self, expression.text, expression.tree).compile(expression.tree)
        except RecursionError:
            site = NodeSite(expression.text, 0, len(expression.text))
            site.fail(LimitExceeded("the expression is nested too deeply"))

    def evaluate(self, source: str | YaqlExpression, data: Any = None, **variables: Any) -> Any:
        """Evaluates once: `data` is `$`, the keywords are the other variables."""
        return self.compile(source)({"$": data, **variables})

    def finalize(self, value: Any) -> Any:
        """A value without lazy parts, as a finished expression gives it."""
        return finalize_value(value, self.limits)

    def call(self, name: str, *args: Any, variables: Variables | None = None, **named: Any) -> Any:
        """Calls a function of the library with values."""
        return self.dispatcher.call(name, args, named, variables or {})


def evaluate(text: str, data: Any = None, **variables: Any) -> Any:
    """Evaluates an expression once, with the standard library and limits; `data` is `$`."""
    return Engine().evaluate(text, data, **variables)
