"""Run-time companions of compiled expressions: variables, lambdas, rules.

The variables of a running expression are a plain dictionary, `Variables`: name without dollar to value, `$` itself (which
is also `$1`) under the key "$". A function defined by `def` stands there too, under its name with "()" behind it, where no
variable can be. Whatever keeps the variables beyond the call at hand copies them first; then writing to them is safe.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sabir.expressions.yaql.limits import YaqlLimits


Variables = dict[str, Any]
Closure = Callable[[Variables], Any]


def variable_key(name: str) -> str:
    """The key of a variable given without its dollar: `$` and `$1` are one."""
    return "$" if name in ("", "1", "$") else name.removeprefix("$")


def function_key(name: str) -> str:
    return name + "()"


class Lambda:
    """An argument that is not evaluated yet: called with values for `$1`, `$2` … and named ones."""

    __slots__ = ("body", "limits", "variables")

    def __init__(self, body: Closure, variables: Variables, limits: YaqlLimits) -> None:
        self.body = body
        self.variables = variables.copy()
        self.limits = limits

    def __call__(self, *values: Any, **named: Any) -> Any:
        self.limits.charge(1)
        variables = self.variables
        if values:
            variables["$"] = values[0]
            for number, value in enumerate(values[1:], 2):
                variables[str(number)] = value
        if named:
            for name, value in named.items():
                variables[variable_key(name)] = value
        return self.body(variables)

    def fresh(self) -> Lambda:
        """A lambda with variables of its own, for calls that may nest."""
        return Lambda(self.body, self.variables, self.limits)

    def call_nested(self, values: Sequence[Any], named: Mapping[str, Any]) -> Any:
        """Its value as a function made by `def`, which may call itself: with variables of its own, and not too deep."""
        limits = self.limits
        limits.charge(20)  # it takes as long as twenty items
        limits.check_calls()
        limits.calls += 1
        try:
            return self.fresh()(*values, **named)
        finally:
            limits.calls -= 1

    def within(self, variables: Variables) -> Any:
        """Its value where other variables hold."""
        self.limits.charge(1)
        return self.body(variables)


class YaqlScope:
    """The value of `let(…)` and its relatives: variables for the right side of `->`."""

    __slots__ = ("variables",)

    def __init__(self, variables: Variables) -> None:
        self.variables = variables


class YaqlRule:
    """`source => target`, evaluated, or lazy when both are lambdas."""

    __slots__ = ("source", "target")

    def __init__(self, source: Any, target: Any) -> None:
        self.source = source
        self.target = target
