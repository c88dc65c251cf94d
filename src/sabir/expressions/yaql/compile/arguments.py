"""Compiled arguments: getters that evaluate, check and convert one argument of a call.

A getter takes the receiver of a method call (None in a plain call) and the variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sabir.expressions.yaql.functions import Parameter
from sabir.expressions.yaql.kinds import ANY, ITERABLE, KINDS, MAPPING, describe, kind_names
from sabir.expressions.yaql.limits import Limits
from sabir.expressions.yaql.scope import Closure, Lambda, Rule, Variables

Getter = Callable[[Any, Variables], Any]


class Mismatch(Exception):
    """An argument is not of the kind its parameter takes."""

    def __init__(self, value: object, parameter: Parameter) -> None:
        wanted = kind_names(parameter.kind) if isinstance(parameter.kind, int) else "something else"
        self.reason = f"`{parameter.name}` is {describe(value)}, wanted is {wanted}"


def accepts(kind: object, value: object) -> bool:
    """Whether a value fits the kind of an eager parameter."""
    if isinstance(kind, int):
        return bool(KINDS[type(value)] & kind)
    return isinstance(kind, type) and isinstance(value, kind)


def converter(parameter: Parameter, limits: Limits) -> Callable[[Any], Any] | None:
    """What else happens to a value of the right kind: lists to go through are limited."""
    kind = parameter.kind
    return limits.iterable if isinstance(kind, int) and kind & ~MAPPING == ITERABLE else None


def constant(value: Any) -> Getter:
    return lambda _receiver, _variables: value


def variables(_receiver: Any, scope: Variables) -> Variables:
    return scope


def receiver(parameter: Parameter, limits: Limits) -> Getter:
    kind, convert = parameter.kind, converter(parameter, limits)
    if kind == ANY:
        return lambda value, _variables: value

    def get(value: Any, _variables: Variables) -> Any:
        if not accepts(kind, value):
            raise Mismatch(value, parameter)
        return value if convert is None else convert(value)

    return get


def eager(closure: Closure, parameter: Parameter, limits: Limits) -> Getter:
    kind, convert = parameter.kind, converter(parameter, limits)
    if kind == ANY:
        return lambda _receiver, scope: closure(scope)

    def get(_receiver: Any, scope: Variables) -> Any:
        value = closure(scope)
        if not accepts(kind, value):
            raise Mismatch(value, parameter)
        return value if convert is None else convert(value)

    return get


def lazy(closure: Closure, limits: Limits) -> Getter:
    return lambda _receiver, scope: Lambda(closure, scope, limits)


def lazy_rule(source: Closure, target: Closure, limits: Limits) -> Getter:
    return lambda _receiver, scope: Rule(Lambda(source, scope, limits), Lambda(target, scope, limits))
