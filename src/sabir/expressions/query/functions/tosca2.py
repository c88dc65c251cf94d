"""The functions of TOSCA 2.0 that compute: logic, comparison, texts, lists, maps, sets, arithmetic. Their arguments are values, never paths.

`PURE` has each as a function of plain arguments, for those who test a value without an evaluation; `FUNCTIONS` are the calls. What is
computed from a value that is not known yet is not known either.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import reduce
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.patterns import PatternRefusedError, compile_pattern, matches_whole
from sabir.expressions.query.comparison import comparable_texts
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.entities import PathPosition, find_entities, find_entity, follow_path
from sabir.expressions.query.functions.registry import Function
from sabir.expressions.query.values import (
    MISSING,
    build_unknown,
    holds_unknown,
    is_sensitive,
    mark_sensitive,
    reveal_deep,
)


class Pure(Struct, frozen=True, eq=False):
    """A function of plain arguments and how many it takes; ValueError or TypeError when it cannot take these."""

    run: Callable[..., Any]
    least: int
    most: int | None

    def __call__(self, arguments: list[Any]) -> Any:
        if len(arguments) < self.least or (self.most is not None and len(arguments) > self.most):
            wanted = self.least if self.most == self.least else f"at least {self.least}"
            raise ValueError(f"it needs {wanted} arguments, not {len(arguments)}")
        return self.run(*arguments)


_SCALAR: Final = r"\s*([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)\s*([^\s0-9].*?)\s*"


def _split_scalar(value: Any) -> tuple[float, str]:
    """A number and its unit; a bare number has none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, ""
    match = re.fullmatch(_SCALAR, value) if isinstance(value, str) else None
    if match is None:
        raise TypeError(f"{value!r} is no number")
    number = float(match[1])
    return int(number) if number.is_integer() and "." not in match[1] else number, match[2]


def _require_number(value: Any) -> float:
    number, unit = _split_scalar(value)
    if unit:
        raise TypeError(f"{value!r} is no number")
    return number


def _with_unit(number: float, unit: str) -> Any:
    return f"{number} {unit}" if unit else number


def _same_unit(values: tuple[Any, ...]) -> tuple[list[float], str]:
    pairs = [_split_scalar(value) for value in values]
    units = {unit for _, unit in pairs}
    usual = next((family for family in _UNITS if all(unit.upper() in family for unit in units)), None)
    if len(units) > 1 and usual is not None:
        sizes = {unit: usual[unit.upper()] for unit in units}
        pairs = [_split_scalar(_convert_unit(value, pairs[0][1], sizes)) for value in values]
        units = {pairs[0][1]}
    if len(units) > 1:
        raise ValueError("the units differ: " + ", ".join(sorted(units)))
    return [number for number, _ in pairs], units.pop()


def _add_scalars(*values: Any) -> Any:
    numbers, unit = _same_unit(values)
    return _with_unit(sum(numbers), unit)


def _subtract_scalars(*values: Any) -> Any:
    numbers, unit = _same_unit(values)
    return _with_unit(numbers[0] - numbers[1], unit)


def _multiply_scalar(first: Any, *others: Any) -> Any:
    number, unit = _split_scalar(first)
    return _with_unit(reduce(lambda left, right: left * right, map(_require_number, others), number), unit)


def _divide_scalar(first: Any, second: Any) -> Any:
    number, unit = _split_scalar(first)
    divisor = _require_number(second)
    if divisor == 0:
        raise ValueError("cannot divide by 0")
    return _with_unit(number / divisor, unit)


def _scalar_remainder(first: Any, second: Any) -> Any:
    number, unit = _split_scalar(first)
    divisor = _require_number(second)
    if divisor == 0:
        raise ValueError("cannot divide by 0")
    return _with_unit(number % divisor, unit)


def _round_number(value: Any) -> int:
    """Half is rounded down, as the specification has it."""
    return math.ceil(_require_number(value) - 0.5)


def _require_boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _comparable_values(left: Any, right: Any) -> tuple[Any, Any]:
    """Two instants or versions; two scalars as numbers: of one unit, or of two of the usual ones that measure the same."""
    if isinstance(left, str) and isinstance(right, str):
        # A version would pass for a number with a unit.
        ordered = comparable_texts(left, right)
        if ordered != (left, right):
            return ordered
        first, second = re.fullmatch(_SCALAR, left), re.fullmatch(_SCALAR, right)
        if first is not None and second is not None:
            if first[2] == second[2]:
                return float(first[1]), float(second[1])
            for units in _UNITS:
                sizes = units.get(first[2].upper()), units.get(second[2].upper())
                if sizes[0] is not None and sizes[1] is not None:
                    return float(first[1]) * sizes[0], float(second[1]) * sizes[1]
    return left, right


_PREFIXES: Final = {
    "": 1.0,
    "K": 1e3,
    "M": 1e6,
    "G": 1e9,
    "T": 1e12,
    "KI": 2.0**10,
    "MI": 2.0**20,
    "GI": 2.0**30,
}
_UNITS: Final[tuple[Mapping[str, float], ...]] = (
    {f"{prefix}B": size for prefix, size in _PREFIXES.items()},
    {f"{prefix}BPS": size for prefix, size in _PREFIXES.items()},
    {f"{prefix}HZ": size for prefix, size in _PREFIXES.items()},
    {"D": 86400.0, "H": 3600.0, "M": 60.0, "S": 1.0, "MS": 1e-3, "US": 1e-6, "NS": 1e-9},
)
"""By units in capitals; what a scalar type of one's own calls so may differ, but not in one comparison."""


def _build_comparison(decide: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: decide(*_comparable_values(left, right))


def _in_range(value: Any, bounds: Any) -> bool:
    low, high = _require_list(bounds)
    above, least = _comparable_values(value, low)
    below, most = _comparable_values(value, high)
    return bool(above >= least) and (str(high).upper() == "UNBOUNDED" or bool(below <= most))


def _unique_items(items: list[Any]) -> list[Any]:
    unique: list[Any] = []
    for item in items:
        if item not in unique:
            unique.append(item)
    return unique


def _require_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return value


def _list_entries(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else _require_list(value)


def _require_map(value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is no map")
    return value


def _has_prefix(value: Any, prefix: Any) -> bool:
    if isinstance(value, str):
        return value.startswith(str(prefix))
    return _require_list(value)[: len(_require_list(prefix))] == _require_list(prefix)


def _has_suffix(value: Any, suffix: Any) -> bool:
    if isinstance(value, str):
        return value.endswith(str(suffix))
    end = _require_list(suffix)
    return not end or _require_list(value)[-len(end) :] == end


def _contains_part(value: Any, part: Any) -> bool:
    """A text in a text, or a list as a run of entries in another."""
    if isinstance(value, str):
        return part in value
    size = len(_require_list(part))
    return any(value[start : start + size] == part for start in range(len(_require_list(value)) - size + 1))


def _value_length(value: Any) -> int:
    if not isinstance(value, str | list | Mapping):
        raise TypeError(f"{value!r} has no length")
    return len(value)


def _matches_pattern(text: Any, pattern: Any) -> bool:
    return matches_whole(compile_pattern(str(pattern)), str(text))


PURE: Final[Mapping[str, Pure]] = {
    "and": Pure(lambda *values: all(map(_require_boolean, values)), 1, None),
    "or": Pure(lambda *values: any(map(_require_boolean, values)), 1, None),
    "not": Pure(lambda value: not _require_boolean(value), 1, 1),
    "xor": Pure(lambda left, right: _require_boolean(left) is not _require_boolean(right), 2, 2),
    "equal": Pure(_build_comparison(lambda left, right: left == right), 2, 2),
    "greater_than": Pure(_build_comparison(lambda left, right: left > right), 2, 2),
    "greater_or_equal": Pure(_build_comparison(lambda left, right: left >= right), 2, 2),
    "less_than": Pure(_build_comparison(lambda left, right: left < right), 2, 2),
    "less_or_equal": Pure(_build_comparison(lambda left, right: left <= right), 2, 2),
    "in_range": Pure(_in_range, 2, 2),
    "valid_values": Pure(lambda value, allowed: value in _require_list(allowed), 2, 2),
    "matches": Pure(_matches_pattern, 2, 2),
    "has_suffix": Pure(_has_suffix, 2, 2),
    "has_prefix": Pure(_has_prefix, 2, 2),
    "contains": Pure(_contains_part, 2, 2),
    "has_entry": Pure(lambda value, entry: entry in _list_entries(value), 2, 2),
    "has_key": Pure(lambda value, key: key in _require_map(value), 2, 2),
    "has_all_entries": Pure(
        lambda value, wanted: all(entry in _list_entries(value) for entry in _require_list(wanted)), 2, 2
    ),
    "has_all_keys": Pure(
        lambda value, wanted: all(key in _require_map(value) for key in _require_list(wanted)), 2, 2
    ),
    "has_any_entry": Pure(
        lambda value, wanted: any(entry in _list_entries(value) for entry in _require_list(wanted)), 2, 2
    ),
    "has_any_key": Pure(
        lambda value, wanted: any(key in _require_map(value) for key in _require_list(wanted)), 2, 2
    ),
    "length": Pure(_value_length, 1, 1),
    "union": Pure(
        lambda *lists: _unique_items([item for list_ in lists for item in _require_list(list_)]), 1, None
    ),
    "intersection": Pure(
        lambda first, *others: [
            item
            for item in _unique_items(_require_list(first))
            if all(item in _require_list(other) for other in others)
        ],
        1,
        None,
    ),
    "sum": Pure(_add_scalars, 1, None),
    "difference": Pure(_subtract_scalars, 2, 2),
    "product": Pure(_multiply_scalar, 2, None),
    "quotient": Pure(_divide_scalar, 2, 2),
    "remainder": Pure(_scalar_remainder, 2, 2),
    "round": Pure(_round_number, 1, 1),
    "floor": Pure(lambda value: math.floor(_require_number(value)), 1, 1),
    "ceil": Pure(lambda value: math.ceil(_require_number(value)), 1, 1),
}


def _in_one_unit(values: list[Any], families: Sequence[Mapping[str, float]]) -> list[Any]:
    """Scalars of one type that are written in several units, all in the unit of the first."""
    scalars = [match for value in _flatten_bounds(values) if (match := _match_scalar(value)) is not None]
    units = {match[2] for match in scalars}
    if len(units) < 2:
        return values
    sizes = next((family for family in families if units <= family.keys()), None)
    if sizes is None:
        return values
    goal = scalars[0][2]
    return [_convert_unit(value, goal, sizes) for value in values]


def _flatten_bounds(values: list[Any]) -> Iterator[Any]:
    """The values, and those of the bounds of a range."""
    for value in values:
        yield from value if isinstance(value, list) else (value,)


def _match_scalar(value: Any) -> re.Match[str] | None:
    return re.fullmatch(_SCALAR, value) if isinstance(value, str) else None


def _convert_unit(value: Any, goal: str, sizes: Mapping[str, float]) -> Any:
    if isinstance(value, list):
        return [_convert_unit(item, goal, sizes) for item in value]
    match = _match_scalar(value)
    if match is None or match[2] == goal:
        return value
    number = float(match[1]) * sizes[match[2]] / sizes[goal]
    return _with_unit(int(number) if number.is_integer() else number, goal)


def _build_call(name: str, pure: Pure) -> Callable[[FunctionCall, QueryContext], Any]:
    def run(call: FunctionCall, context: QueryContext) -> Any:
        arguments = call.value(context)
        plain = reveal_deep(arguments)
        if holds_unknown(plain):
            return build_unknown(plain)
        try:
            values = plain if isinstance(plain, list) else [plain]
            result = pure(_in_one_unit(values, context.session.scalar_units))
        except (TypeError, ValueError, ArithmeticError, PatternRefusedError) as error:
            call.fail(context, f"${name}: {explain_error(error)}")
        result = mark_sensitive(result) if is_sensitive(arguments) else result
        return Matches([result])

    return run


def _value_under_test(call: FunctionCall, context: QueryContext) -> Any:
    """The value under test, and the way into it."""
    value = context.variable("value")
    if value is MISSING:
        call.fail(context, "$value has a meaning in a validation clause only")
    for key in reveal_deep(call.value(context)) or []:
        try:
            value = value[key]
        except (LookupError, TypeError):
            call.fail(context, f"the value has no part {key!r}")
    return Matches([value])


def _node_index(call: FunctionCall, context: QueryContext) -> Any:
    del call
    return context.resource.index


def _relationship_index(call: FunctionCall, context: QueryContext) -> Any:
    del call
    return context.resource.index


def _available_allocation(call: FunctionCall, context: QueryContext) -> Any:
    """What is left of a property of a capability."""
    path = reveal_deep(call.value(context))
    if not isinstance(path, list) or len(path) < 2:
        call.fail(context, "$available_allocation needs a way to a capability, and a property of it")
    reached = find_entities(context, path)
    if reached is None:
        entity = find_entity(context, str(path[0]), lambda _: True)
        reached = PathPosition((), path) if entity is None else PathPosition([entity], path[1:])
    ends = [follow_path(entity, reached.rest) for entity in reached.entities[:1]]
    if not ends or not ends[0].entities or len(ends[0].rest) != 1:
        call.fail(context, "$available_allocation: the way leads to no capability")
    value = ends[0].entities[0].available(str(ends[0].rest[0]))
    return None if value is MISSING else Matches([value])


def _join_lists(call: FunctionCall, context: QueryContext) -> Any:
    """2.0 concatenates texts or lists."""
    value = reveal_deep(call.value(context))
    if holds_unknown(value):
        return build_unknown(value)
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        return Matches([[entry for item in value for entry in item]])
    if isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        call.fail(context, "$concat needs texts only, or lists only")
    from sabir.expressions.query.functions.text import concat_texts

    return concat_texts(call, context)


FUNCTIONS: Final[Mapping[str, Function]] = {
    function.name: function
    for function in (
        *(Function(f"${name}", _build_call(name, pure), standalone=True) for name, pure in PURE.items()),
        Function("$concat", _join_lists, standalone=True),
        Function("$value", _value_under_test, standalone=True),
        Function("$available_allocation", _available_allocation, standalone=True),
        Function("$node_index", _node_index, standalone=True),
        Function("$relationship_index", _relationship_index, standalone=True),
    )
}
