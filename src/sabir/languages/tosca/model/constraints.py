"""Constraints of TOSCA: one function per operator, which tells whether a value passes an argument.

Validation clauses of 2.0: functions of `$value`, nested in one another, that must come out true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.expressions.patterns import PatternRefusedError, compile_pattern, matches_whole
from sabir.expressions.query.comparison import parse_instant
from sabir.expressions.query.functions.tosca2 import PURE
from sabir.expressions.vocabulary import CONTAINMENTS, LOGIC
from sabir.languages.tosca.model.scalars import UNITS, ScalarUnits, is_number, scalar_unit
from sabir.languages.tosca.syntax.dialects import version_key

ConstraintTest = Callable[[Any, Any, str], bool]
"""Of a value, the argument of the constraint and the primitive type; TypeError, ValueError or PatternRefused when they cannot be compared."""


def _comparison_key(value: Any, kind: str) -> Any:
    if kind in UNITS:
        # A bare number stands for so many of the smallest unit.
        return value if is_number(value) else scalar_unit(kind, value)
    if kind == "version":
        return version_key(value)
    if kind == "timestamp" and isinstance(value, str):
        return parse_instant(value) or value
    return value


def _in_range(value: Any, argument: Any, kind: str) -> bool:
    low, high = argument
    bounds = value if kind == "range" and isinstance(value, list) else [value]
    for bound in bounds:
        comparable = _comparison_key(bound, kind)
        if _is_unbounded(comparable):
            continue
        if not _is_unbounded(low) and comparable < _comparison_key(low, kind):
            return False
        if not _is_unbounded(high) and comparable > _comparison_key(high, kind):
            return False
    return True


def _is_unbounded(value: Any) -> bool:
    return isinstance(value, str) and value.upper() == "UNBOUNDED"


def _build_comparison_test(decide: Callable[[Any, Any], bool]) -> ConstraintTest:
    def test(value: Any, argument: Any, kind: str) -> bool:
        return decide(_comparison_key(value, kind), _comparison_key(argument, kind))

    return test


def _matches_pattern(value: Any, argument: Any, kind: str) -> bool:
    del kind
    return matches_whole(compile_pattern(str(argument)), str(value))


def _valid_values(value: Any, argument: Any, kind: str) -> bool:
    if not isinstance(argument, list):
        return True
    comparable = _comparison_key(value, kind)
    return any(comparable == _comparison_key(allowed, kind) for allowed in argument)


def _build_length_test(decide: Callable[[int, int], bool]) -> ConstraintTest:
    def test(value: Any, argument: Any, kind: str) -> bool:
        del kind
        size = len(value) if isinstance(value, str | list | Mapping) else len(str(value))
        return decide(size, int(argument))

    return test


TESTS: Final[Mapping[str, ConstraintTest]] = {
    "equal": _build_comparison_test(lambda left, right: left == right),
    "greater_than": _build_comparison_test(lambda left, right: left > right),
    "greater_or_equal": _build_comparison_test(lambda left, right: left >= right),
    "less_than": _build_comparison_test(lambda left, right: left < right),
    "less_or_equal": _build_comparison_test(lambda left, right: left <= right),
    "in_range": _in_range,
    "valid_values": _valid_values,
    "length": _build_length_test(lambda size, wanted: size == wanted),
    "min_length": _build_length_test(lambda size, wanted: size >= wanted),
    "max_length": _build_length_test(lambda size, wanted: size <= wanted),
    "pattern": _matches_pattern,
    "matches": _matches_pattern,
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
    except (TypeError, ValueError, PatternRefusedError):
        return False


# As they are called when a document has been read.
_READ: Final = frozenset(
    {"get_input", "get_property", "get_attribute", "get_artifact", "get_operation_output", "join", "token"}
)


class _UndecidableError(Exception):
    """Something that only an evaluation can tell."""


def clause_holds(clause: Mapping[str, Any], value: Any, units: ScalarUnits | None) -> bool:
    """Whether a value passes; what cannot be told without an evaluation passes.

    TypeError or ValueError when the value cannot be tested so.
    """
    try:
        return _evaluate_argument(clause, value, units) is not False
    except _UndecidableError:
        return True
    except PatternRefusedError as error:
        raise ValueError(str(error)) from error


def _evaluate_argument(raw: Any, value: Any, units: ScalarUnits | None) -> Any:
    if raw == "$value":
        return _convert_to_base_unit(value, units)
    if isinstance(raw, list):
        return [_evaluate_argument(item, value, units) for item in raw]
    if not isinstance(raw, Mapping) or len(raw) != 1:
        return _convert_to_base_unit(raw, units)
    ((name, argument),) = raw.items()
    if name in _READ:
        raise _UndecidableError
    if not isinstance(name, str) or not name.startswith("$"):
        return raw
    if name == "$value":
        return _follow_path(value, argument)
    function = PURE.get(name[1:])
    count = len(argument) if isinstance(argument, list) else 1
    if function is None or count < function.least or (function.most is not None and count > function.most):
        raise _UndecidableError  # of a wrong number of arguments the check of the clause itself speaks
    return function(
        [_evaluate_argument(item, value, units) for item in argument]
        if isinstance(argument, list)
        else [argument]
    )


def _follow_path(value: Any, path: Any) -> Any:
    for key in path if isinstance(path, list) else [path]:
        try:
            value = value[key]
        except (LookupError, TypeError):
            raise _UndecidableError from None
    return value


def _convert_to_base_unit(value: Any, units: ScalarUnits | None) -> Any:
    """A scalar in its base unit, so that 1 kg is more than 10 g."""
    size = None if units is None else units.in_base_unit(value)
    return value if size is None else size
