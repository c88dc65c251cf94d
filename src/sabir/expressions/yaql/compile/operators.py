"""Operators: the frequent kinds at once, the others by way of the library's overloads."""

from __future__ import annotations

import operator as python
from collections.abc import Callable
from typing import Any

from sabir.expressions.yaql.binding import Dispatcher
from sabir.expressions.yaql.errors import CAUGHT, NodeSite
from sabir.expressions.yaql.functions import binary_name, unary_name
from sabir.expressions.yaql.limits import YaqlLimits
from sabir.expressions.yaql.scope import Closure, Variables
from sabir.expressions.yaql.values import is_equal

_NUMBERS = frozenset((int, float))
_ORDERED: dict[str, Callable[[Any, Any], Any]] = {
    "<": python.lt,
    "<=": python.le,
    ">": python.gt,
    ">=": python.ge,
}
# What a comparison says when the left side is null, when the right side is, and when both are: null is below all.
_WITH_NULL = {
    "<": (True, False, False),
    "<=": (True, False, True),
    ">": (False, True, False),
    ">=": (False, True, True),
}

BINARY = frozenset(("+", "-", "*", "/", "mod", "<", "<=", ">", ">=", "in", "=~", "!~"))
UNARY = frozenset(("+", "-", "not"))


def compile_binary(
    symbol: str, left: Closure, right: Closure, site: NodeSite, dispatcher: Dispatcher
) -> Closure:
    """A binary operator that evaluates both sides."""
    make = _FAST.get(symbol)
    name = binary_name(symbol)

    def fall_back(first: Any, second: Any) -> Any:
        return dispatcher.binary(name, first, second)

    if make is not None:
        return make(left, right, site, fall_back)
    if symbol in _ORDERED:
        return _compile_comparison(symbol, left, right, site, fall_back)

    def run(scope: Variables) -> Any:
        try:
            return fall_back(left(scope), right(scope))
        except CAUGHT as problem:
            site.fail(problem)

    return run


_FallBack = Callable[[Any, Any], Any]


def _compile_plus(left: Closure, right: Closure, site: NodeSite, fall_back: _FallBack) -> Closure:
    def run(scope: Variables) -> Any:
        try:
            first, second = left(scope), right(scope)
            if type(first) in _NUMBERS and type(second) in _NUMBERS:
                return first + second
            return fall_back(first, second)
        except CAUGHT as problem:
            site.fail(problem)

    return run


def _compile_minus(left: Closure, right: Closure, site: NodeSite, fall_back: _FallBack) -> Closure:
    def run(scope: Variables) -> Any:
        try:
            first, second = left(scope), right(scope)
            if type(first) in _NUMBERS and type(second) in _NUMBERS:
                return first - second
            return fall_back(first, second)
        except CAUGHT as problem:
            site.fail(problem)

    return run


def compile_equality(left: Closure, right: Closure, site: NodeSite, limits: YaqlLimits) -> Closure:
    def run(scope: Variables) -> Any:
        try:
            return is_equal(left(scope), right(scope), limits)
        except CAUGHT as problem:
            site.fail(problem)

    return run


def compile_inequality(left: Closure, right: Closure, site: NodeSite, limits: YaqlLimits) -> Closure:
    def run(scope: Variables) -> Any:
        try:
            return not is_equal(left(scope), right(scope), limits)
        except CAUGHT as problem:
            site.fail(problem)

    return run


_FAST: dict[str, Callable[[Closure, Closure, NodeSite, _FallBack], Closure]] = {
    "+": _compile_plus,
    "-": _compile_minus,
}


def _compile_comparison(
    symbol: str, left: Closure, right: Closure, site: NodeSite, fall_back: _FallBack
) -> Closure:
    compare = _ORDERED[symbol]

    def run(scope: Variables) -> Any:
        try:
            first, second = left(scope), right(scope)
            kind = type(first)
            if (kind in _NUMBERS and type(second) in _NUMBERS) or kind is str is type(second):
                return compare(first, second)
            return compare_rarely(symbol, first, second, fall_back)
        except CAUGHT as problem:
            site.fail(problem)

    return run


def compare_rarely(symbol: str, first: Any, second: Any, fall_back: _FallBack) -> Any:
    if first is None or second is None:
        if_left, if_right, if_both = _WITH_NULL[symbol]
        return if_both if first is second else if_left if first is None else if_right
    return fall_back(first, second)


def compile_unary(symbol: str, operand: Closure, site: NodeSite, dispatcher: Dispatcher) -> Closure:
    if symbol == "not":
        return lambda scope: not operand(scope)
    name = unary_name(symbol)

    def run(scope: Variables) -> Any:
        try:
            return dispatcher.unary(name, operand(scope))
        except CAUGHT as problem:
            site.fail(problem)

    return run


def compile_and(left: Closure, right: Closure) -> Closure:
    return lambda scope: left(scope) and right(scope)


def compile_or(left: Closure, right: Closure) -> Closure:
    return lambda scope: left(scope) or right(scope)
