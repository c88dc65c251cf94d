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

from sabir.diagnostics.reasons import reason_of
from sabir.expressions.patterns import PatternRefused, compile_pattern, matches_whole
from sabir.expressions.query.comparison import comparable_texts
from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.entities import Reached, find_entity, named_entities, stepped
from sabir.expressions.query.functions.registry import Function
from sabir.expressions.query.values import MISSING, holds_unknown, is_sensitive, mark, resting_on, reveal_deep


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


def _parts(value: Any) -> tuple[float, str]:
    """A number and its unit; a bare number has none."""
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value, ""
    match = re.fullmatch(_SCALAR, value) if isinstance(value, str) else None
    if match is None:
        raise TypeError(f"{value!r} is no number")
    number = float(match[1])
    return int(number) if number.is_integer() and "." not in match[1] else number, match[2]


def _number(value: Any) -> float:
    number, unit = _parts(value)
    if unit:
        raise TypeError(f"{value!r} is no number")
    return number


def _with_unit(number: float, unit: str) -> Any:
    return f"{number} {unit}" if unit else number


def _same_unit(values: tuple[Any, ...]) -> tuple[list[float], str]:
    pairs = [_parts(value) for value in values]
    units = {unit for _, unit in pairs}
    usual = next((family for family in _UNITS if all(unit.upper() in family for unit in units)), None)
    if len(units) > 1 and usual is not None:
        sizes = {unit: usual[unit.upper()] for unit in units}
        pairs = [_parts(_converted(value, pairs[0][1], sizes)) for value in values]
        units = {pairs[0][1]}
    if len(units) > 1:
        raise ValueError("the units differ: " + ", ".join(sorted(units)))
    return [number for number, _ in pairs], units.pop()


def _sum(*values: Any) -> Any:
    numbers, unit = _same_unit(values)
    return _with_unit(sum(numbers), unit)


def _difference(*values: Any) -> Any:
    numbers, unit = _same_unit(values)
    return _with_unit(numbers[0] - numbers[1], unit)


def _product(first: Any, *others: Any) -> Any:
    number, unit = _parts(first)
    return _with_unit(reduce(lambda left, right: left * right, map(_number, others), number), unit)


def _quotient(first: Any, second: Any) -> Any:
    number, unit = _parts(first)
    divisor = _number(second)
    if divisor == 0:
        raise ValueError("cannot divide by 0")
    return _with_unit(number / divisor, unit)


def _remainder(first: Any, second: Any) -> Any:
    number, unit = _parts(first)
    divisor = _number(second)
    if divisor == 0:
        raise ValueError("cannot divide by 0")
    return _with_unit(number % divisor, unit)


def _round(value: Any) -> int:
    """Half is rounded down, as the specification has it."""
    return math.ceil(_number(value) - 0.5)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is neither true nor false")
    return value


def _comparable(left: Any, right: Any) -> tuple[Any, Any]:
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


def _compared(decide: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    return lambda left, right: decide(*_comparable(left, right))


def _in_range(value: Any, bounds: Any) -> bool:
    low, high = _list(bounds)
    above, least = _comparable(value, low)
    below, most = _comparable(value, high)
    return bool(above >= least) and (str(high).upper() == "UNBOUNDED" or bool(below <= most))


def _unique(items: list[Any]) -> list[Any]:
    unique: list[Any] = []
    for item in items:
        if item not in unique:
            unique.append(item)
    return unique


def _list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError(f"{value!r} is no list")
    return value


def _entries(value: Any) -> list[Any]:
    return list(value.values()) if isinstance(value, Mapping) else _list(value)


def _keys(value: Any) -> Mapping[Any, Any]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{value!r} is no map")
    return value


def _has_prefix(value: Any, prefix: Any) -> bool:
    if isinstance(value, str):
        return value.startswith(str(prefix))
    return _list(value)[: len(_list(prefix))] == _list(prefix)


def _has_suffix(value: Any, suffix: Any) -> bool:
    if isinstance(value, str):
        return value.endswith(str(suffix))
    end = _list(suffix)
    return not end or _list(value)[-len(end) :] == end


def _contains(value: Any, part: Any) -> bool:
    """A text in a text, or a list as a run of entries in another."""
    if isinstance(value, str):
        return part in value
    size = len(_list(part))
    return any(value[start : start + size] == part for start in range(len(_list(value)) - size + 1))


def _length(value: Any) -> int:
    if not isinstance(value, str | list | Mapping):
        raise TypeError(f"{value!r} has no length")
    return len(value)


def _matches(text: Any, pattern: Any) -> bool:
    return matches_whole(compile_pattern(str(pattern)), str(text))


PURE: Final[Mapping[str, Pure]] = {
    "and": Pure(lambda *values: all(map(_flag, values)), 1, None),
    "or": Pure(lambda *values: any(map(_flag, values)), 1, None),
    "not": Pure(lambda value: not _flag(value), 1, 1),
    "xor": Pure(lambda left, right: _flag(left) is not _flag(right), 2, 2),
    "equal": Pure(_compared(lambda left, right: left == right), 2, 2),
    "greater_than": Pure(_compared(lambda left, right: left > right), 2, 2),
    "greater_or_equal": Pure(_compared(lambda left, right: left >= right), 2, 2),
    "less_than": Pure(_compared(lambda left, right: left < right), 2, 2),
    "less_or_equal": Pure(_compared(lambda left, right: left <= right), 2, 2),
    "in_range": Pure(_in_range, 2, 2),
    "valid_values": Pure(lambda value, allowed: value in _list(allowed), 2, 2),
    "matches": Pure(_matches, 2, 2),
    "has_suffix": Pure(_has_suffix, 2, 2),
    "has_prefix": Pure(_has_prefix, 2, 2),
    "contains": Pure(_contains, 2, 2),
    "has_entry": Pure(lambda value, entry: entry in _entries(value), 2, 2),
    "has_key": Pure(lambda value, key: key in _keys(value), 2, 2),
    "has_all_entries": Pure(
        lambda value, wanted: all(entry in _entries(value) for entry in _list(wanted)), 2, 2
    ),
    "has_all_keys": Pure(lambda value, wanted: all(key in _keys(value) for key in _list(wanted)), 2, 2),
    "has_any_entry": Pure(
        lambda value, wanted: any(entry in _entries(value) for entry in _list(wanted)), 2, 2
    ),
    "has_any_key": Pure(lambda value, wanted: any(key in _keys(value) for key in _list(wanted)), 2, 2),
    "length": Pure(_length, 1, 1),
    "union": Pure(lambda *lists: _unique([item for list_ in lists for item in _list(list_)]), 1, None),
    "intersection": Pure(
        lambda first, *others: [
            item for item in _unique(_list(first)) if all(item in _list(other) for other in others)
        ],
        1,
        None,
    ),
    "sum": Pure(_sum, 1, None),
    "difference": Pure(_difference, 2, 2),
    "product": Pure(_product, 2, None),
    "quotient": Pure(_quotient, 2, 2),
    "remainder": Pure(_remainder, 2, 2),
    "round": Pure(_round, 1, 1),
    "floor": Pure(lambda value: math.floor(_number(value)), 1, 1),
    "ceil": Pure(lambda value: math.ceil(_number(value)), 1, 1),
}


def _in_one_unit(values: list[Any], families: Sequence[Mapping[str, float]]) -> list[Any]:
    """Scalars of one type that are written in several units, all in the unit of the first."""
    scalars = [match for value in _flat(values) if (match := _scalar(value)) is not None]
    units = {match[2] for match in scalars}
    if len(units) < 2:
        return values
    sizes = next((family for family in families if units <= family.keys()), None)
    if sizes is None:
        return values
    goal = scalars[0][2]
    return [_converted(value, goal, sizes) for value in values]


def _flat(values: list[Any]) -> Iterator[Any]:
    """The values, and those of the bounds of a range."""
    for value in values:
        yield from value if isinstance(value, list) else (value,)


def _scalar(value: Any) -> re.Match[str] | None:
    return re.fullmatch(_SCALAR, value) if isinstance(value, str) else None


def _converted(value: Any, goal: str, sizes: Mapping[str, float]) -> Any:
    if isinstance(value, list):
        return [_converted(item, goal, sizes) for item in value]
    match = _scalar(value)
    if match is None or match[2] == goal:
        return value
    number = float(match[1]) * sizes[match[2]] / sizes[goal]
    return _with_unit(int(number) if number.is_integer() else number, goal)


def _call(name: str, pure: Pure) -> Callable[[Call, Context], Any]:
    def run(call: Call, context: Context) -> Any:
        arguments = call.value(context)
        plain = reveal_deep(arguments)
        if holds_unknown(plain):
            return resting_on(plain)
        try:
            values = plain if isinstance(plain, list) else [plain]
            result = pure(_in_one_unit(values, context.session.scalar_units))
        except (TypeError, ValueError, ArithmeticError, PatternRefused) as error:
            call.fail(context, f"${name}: {reason_of(error)}")
        result = mark(result) if is_sensitive(arguments) else result
        return Matches([result])

    return run


def _value(call: Call, context: Context) -> Any:
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


def _node_index(call: Call, context: Context) -> Any:
    del call
    return context.resource.index


def _relationship_index(call: Call, context: Context) -> Any:
    del call
    return context.resource.index


def _available_allocation(call: Call, context: Context) -> Any:
    """What is left of a property of a capability."""
    path = reveal_deep(call.value(context))
    if not isinstance(path, list) or len(path) < 2:
        call.fail(context, "$available_allocation needs a way to a capability, and a property of it")
    reached = named_entities(context, path)
    if reached is None:
        entity = find_entity(context, str(path[0]), lambda _: True)
        reached = Reached((), path) if entity is None else Reached([entity], path[1:])
    ends = [stepped(entity, reached.rest) for entity in reached.entities[:1]]
    if not ends or not ends[0].entities or len(ends[0].rest) != 1:
        call.fail(context, "$available_allocation: the way leads to no capability")
    value = ends[0].entities[0].available(str(ends[0].rest[0]))
    return None if value is MISSING else Matches([value])


def _join_lists(call: Call, context: Context) -> Any:
    """2.0 concatenates texts or lists."""
    value = reveal_deep(call.value(context))
    if holds_unknown(value):
        return resting_on(value)
    if isinstance(value, list) and value and all(isinstance(item, list) for item in value):
        return Matches([[entry for item in value for entry in item]])
    if isinstance(value, list) and any(isinstance(item, list | Mapping) for item in value):
        call.fail(context, "$concat needs texts only, or lists only")
    from sabir.expressions.query.functions.text import concat

    return concat(call, context)


FUNCTIONS: Final[Mapping[str, Function]] = {
    function.name: function
    for function in (
        *(Function(f"${name}", _call(name, pure), standalone=True) for name, pure in PURE.items()),
        Function("$concat", _join_lists, standalone=True),
        Function("$value", _value, standalone=True),
        Function("$available_allocation", _available_allocation, standalone=True),
        Function("$node_index", _node_index, standalone=True),
        Function("$relationship_index", _relationship_index, standalone=True),
    )
}
