"""A call of a function inside an expression: its argument and keywords, compiled once, run many times."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NoReturn

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import BAD_ARGUMENTS, QueryError
from sabir.expressions.query.functions.registry import Function
from sabir.expressions.query.values import MISSING, reveal_deep, single_value


class Matches(list[Any]):
    """The result of a function as matches: a list in it is one match."""


class FunctionCall:
    """`argument` is the raw value under the function's name; `keywords` the raw values beside it."""

    __slots__ = ("_expressions", "_values", "argument", "function", "keywords")

    def __init__(self, function: Function, argument: Any, keywords: Mapping[str, Any]) -> None:
        self.function = function
        self.argument = argument
        self.keywords = keywords
        # By identity of the raw value, which the call keeps alive.
        self._values: dict[int, Any] = {}
        self._expressions: dict[int, Any] = {}

    def value(self, context: QueryContext, raw: Any = MISSING) -> Any:
        """A raw value (the argument unless given) with the expressions in it replaced: texts are texts."""
        if raw is MISSING:
            raw = self.argument
        compiled = self._values.get(id(raw), MISSING)
        if compiled is MISSING:
            from sabir.expressions.query.forms import compile_argument

            compiled = self._values[id(raw)] = compile_argument(raw)
        return raw if compiled is None else compiled(context)

    def matches(self, context: QueryContext, raw: Any = MISSING) -> list[Any]:
        """A raw value as an expression: texts are paths."""
        if raw is MISSING:
            raw = self.argument
        compiled = self._expressions.get(id(raw), MISSING)
        if compiled is MISSING:
            from sabir.expressions.query.forms import compile_expression

            compiled = self._expressions[id(raw)] = compile_expression(raw)
        found: list[Any] = compiled(context)
        return found

    def keyword(self, context: QueryContext, name: str, default: Any = None) -> Any:
        """The value of a keyword, with the expressions in it replaced."""
        raw = self.keywords.get(name, MISSING)
        return default if raw is MISSING else self.value(context, raw)

    def text(self, context: QueryContext, what: str, raw: Any = MISSING) -> str:
        """A value that must be text (a number will do)."""
        value = reveal_deep(self.value(context, raw))
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            return str(value)
        raise self.error(context, f"{what} must be text, not {_describe_value(value)}")

    def items(self, context: QueryContext, least: int, most: int | None = None) -> list[Any]:
        """The argument as a list of raw items, as many as needed."""
        items = self.argument
        if isinstance(items, Mapping) or not isinstance(items, list):
            items = reveal_deep(self.value(context))
        if not isinstance(items, list) or len(items) < least or (most is not None and len(items) > most):
            wanted = f"{least}" if most == least else f"{least} to {most}" if most else f"at least {least}"
            self.fail(
                context,
                f"{self.function.name} needs a list of {wanted} items, not {_describe_value(self.argument)}",
            )
        return items

    def single(self, context: QueryContext, raw: Any = MISSING) -> Any:
        return single_value(self.matches(context, raw))

    def error(
        self, context: QueryContext, message: str, rule: Rule = BAD_ARGUMENTS, hint: str | None = None
    ) -> QueryError:
        return QueryError.of(rule, message, place=context.place, hint=hint)

    def fail(
        self, context: QueryContext, message: str, rule: Rule = BAD_ARGUMENTS, hint: str | None = None
    ) -> NoReturn:
        raise self.error(context, message, rule, hint)


def _describe_value(value: Any) -> str:
    from sabir.expressions.query.values import redact_value

    text = repr(redact_value(value))
    return text if len(text) < 80 else text[:77] + "…"
