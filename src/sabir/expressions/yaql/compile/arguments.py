"""Compiled arguments: getters that evaluate, check and convert one argument of a call.

A getter takes the receiver of a method call (None in a plain call) and the variables.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sabir.expressions.yaql.functions import YaqlParameter
from sabir.expressions.yaql.kinds import ANY, ITERABLE, KINDS, MAPPING, describe_kind, kind_names
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Closure, Lambda, Variables, YaqlRule

Getter = Callable[[Any, Variables], Any]


class Mismatch(Exception):
    """An argument is not of the kind its parameter takes."""

    def __init__(self, value: object, parameter: YaqlParameter) -> None:
        wanted = kind_names(parameter.kind) if isinstance(parameter.kind, int) else "something else"
        self.reason = f"`{parameter.name}` is {describe_kind(value)}, wanted is {wanted}"


def accepts_value(kind: object, value: object) -> bool:
    """Whether a value fits the kind of an eager parameter."""
    if isinstance(kind, int):
        return bool(KINDS[type(value)] & kind)
    return isinstance(kind, type) and isinstance(value, kind)


def find_converter(parameter: YaqlParameter, limits: YaqlLimits) -> Callable[[Any], Any] | None:
    """What else happens to a value of the right kind: lists to go through are limited."""
    kind = parameter.kind
    return limits.iterable if isinstance(kind, int) and kind & ~MAPPING == ITERABLE else None


def constant_getter(value: Any) -> Getter:
    return lambda _receiver, _variables: value


def get_variables(_receiver: Any, scope: Variables) -> Variables:
    return scope


def receiver_getter(parameter: YaqlParameter, limits: YaqlLimits) -> Getter:
    kind, convert = parameter.kind, find_converter(parameter, limits)
    if kind == ANY:
        return lambda value, _variables: value

    def get(value: Any, _variables: Variables) -> Any:
        if not accepts_value(kind, value):
            raise Mismatch(value, parameter)
        return value if convert is None else convert(value)

    return get


def eager_getter(closure: Closure, parameter: YaqlParameter, limits: YaqlLimits) -> Getter:
    kind, convert = parameter.kind, find_converter(parameter, limits)
    if kind == ANY:
        return lambda _receiver, scope: closure(scope)

    def get(_receiver: Any, scope: Variables) -> Any:
        value = closure(scope)
        if not accepts_value(kind, value):
            raise Mismatch(value, parameter)
        return value if convert is None else convert(value)

    return get


def lambda_getter(closure: Closure, limits: YaqlLimits) -> Getter:
    return lambda _receiver, scope: Lambda(closure, scope, limits)


def lazy_rule(source: Closure, target: Closure, limits: YaqlLimits) -> Getter:
    return lambda _receiver, scope: YaqlRule(Lambda(source, scope, limits), Lambda(target, scope, limits))
