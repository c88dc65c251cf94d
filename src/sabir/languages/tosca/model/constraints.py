"""Constraints of TOSCA: one function per operator, which tells whether a value passes an argument."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.expressions.patterns import PatternRefused, compile_pattern, matches_whole
from sabir.expressions.query.comparison import instant
from sabir.expressions.vocabulary import CONTAINMENTS, LOGIC
from sabir.languages.tosca.model.scalars import UNITS, is_number, scalar_unit
from sabir.languages.tosca.syntax.versions import version_key

__all__ = ["CONSTRAINTS", "TESTS", "ConstraintTest", "constraint_holds"]

ConstraintTest = Callable[[Any, Any, str], bool]
"""Of a value, the argument of the constraint and the primitive type; TypeError, ValueError or PatternRefused when they cannot be compared."""


def _comparable(value: Any, kind: str) -> Any:
    if kind in UNITS:
        # A bare number stands for so many of the smallest unit.
        return value if is_number(value) else scalar_unit(kind, value)
    if kind == "version":
        return version_key(value)
    if kind == "timestamp" and isinstance(value, str):
        return instant(value) or value
    return value


def _in_range(value: Any, argument: Any, kind: str) -> bool:
    low, high = argument
    bounds = value if kind == "range" and isinstance(value, list) else [value]
    for bound in bounds:
        comparable = _comparable(bound, kind)
        if _is_unbounded(comparable):
            continue
        if not _is_unbounded(low) and comparable < _comparable(low, kind):
            return False
        if not _is_unbounded(high) and comparable > _comparable(high, kind):
            return False
    return True


def _is_unbounded(value: Any) -> bool:
    return isinstance(value, str) and value.upper() == "UNBOUNDED"


def _comparison(decide: Callable[[Any, Any], bool]) -> ConstraintTest:
    def test(value: Any, argument: Any, kind: str) -> bool:
        return decide(_comparable(value, kind), _comparable(argument, kind))

    return test


def _pattern(value: Any, argument: Any, kind: str) -> bool:
    del kind
    return matches_whole(compile_pattern(str(argument)), str(value))


def _valid_values(value: Any, argument: Any, kind: str) -> bool:
    if not isinstance(argument, list):
        return True
    comparable = _comparable(value, kind)
    return any(comparable == _comparable(allowed, kind) for allowed in argument)


def _length(decide: Callable[[int, int], bool]) -> ConstraintTest:
    def test(value: Any, argument: Any, kind: str) -> bool:
        del kind
        size = len(value) if isinstance(value, str | list | Mapping) else len(str(value))
        return decide(size, int(argument))

    return test


TESTS: Final[Mapping[str, ConstraintTest]] = {
    "equal": _comparison(lambda left, right: left == right),
    "greater_than": _comparison(lambda left, right: left > right),
    "greater_or_equal": _comparison(lambda left, right: left >= right),
    "less_than": _comparison(lambda left, right: left < right),
    "less_or_equal": _comparison(lambda left, right: left <= right),
    "in_range": _in_range,
    "valid_values": _valid_values,
    "length": _length(lambda size, wanted: size == wanted),
    "min_length": _length(lambda size, wanted: size >= wanted),
    "max_length": _length(lambda size, wanted: size <= wanted),
    "pattern": _pattern,
    "matches": _pattern,
}
CONSTRAINTS: Final = frozenset({*TESTS, "schema", *LOGIC, *CONTAINMENTS})
"""All operators; those without a test are accepted and left to the orchestrator."""


def constraint_holds(operator: str, argument: Any, value: Any) -> bool:
    """Whether a value passes a constraint written beside it; the kind of scalar is told from the value."""
    test = TESTS.get(operator)
    if test is None:
        return True
    kind = next((unit for unit in UNITS if scalar_unit(unit, value) is not None), "")
    try:
        return test(value, argument, kind)
    except (TypeError, ValueError, PatternRefused):
        return False
