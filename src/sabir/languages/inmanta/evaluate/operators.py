"""Operators on values, with the types they accept."""

from __future__ import annotations

import operator
from collections.abc import Callable
from enum import Enum
from typing import Any, Final

from sabir.diagnostics.reasons import explain_error
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.interrupts import Stop
from sabir.languages.inmanta.evaluate.values import Frame, ModelInstance, Read
from sabir.languages.inmanta.evaluate.writes import stop
from sabir.languages.inmanta.model.types import TYPE, format_value
from sabir.text import Place

_COMPARISONS: Final[dict[str, Callable[[Any, Any], bool]]] = {
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}
_ARITHMETIC: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "%": operator.mod,
    "**": operator.pow,
}
_LONGEST: Final = 10_000_000
_LARGEST_BITS: Final = 100_000


class ConditionOf(Enum):
    """The owner of a condition. The value is its name in messages."""

    IF = "the condition of 'if'"
    WHEN = "the condition of 'when'"
    CHOICE = "the condition before '?'"
    COMPREHENSION = "the condition of a list comprehension"
    TYPEDEF = "the condition of a typedef"


def condition_error(value: Any, role: str, place: Place) -> Stop:
    """Return the error for a condition that is neither true nor false."""
    hint = None
    if isinstance(value, ModelInstance | str | list | dict) or value is None:
        hint = "compare it, or test it with 'is defined'"
    return stop(TYPE, f"{role} must be true or false, and {format_value(value)} is neither", place, hint=hint)


def binary_reader(symbol: str, left: Read, right: Read, place: Place) -> Read:
    """Return a read of a binary operator. An unknown operand makes the result unknown."""
    if symbol in ("==", "!="):
        return _equality_reader(left, right, wanted=symbol == "==")
    if symbol in _COMPARISONS:
        return _comparison_reader(symbol, left, right, place)
    if symbol == "in":
        return lambda frame: _test_membership(left(frame), right(frame), place)
    if symbol == "not in":
        return negation_reader(lambda frame: _test_membership(left(frame), right(frame), place), place)
    return _arithmetic_reader(symbol, left, right, place)


def _equality_reader(left: Read, right: Read, *, wanted: bool) -> Read:
    def read(frame: Frame) -> Any:
        first, second = left(frame), right(frame)
        if type(first) is Unknown or type(second) is Unknown:
            return Unknown()
        return (first == second) is wanted

    return read


def _comparison_reader(symbol: str, left: Read, right: Read, place: Place) -> Read:
    compare = _COMPARISONS[symbol]

    def read(frame: Frame) -> Any:
        first, second = left(frame), right(frame)
        if isinstance(first, int | float) and isinstance(second, int | float):
            return compare(first, second)
        if isinstance(first, Unknown) or isinstance(second, Unknown):
            return Unknown()
        wrong = first if not isinstance(first, int | float) else second
        raise stop(TYPE, f"{symbol!r} compares numbers, and {format_value(wrong)} is none", place)

    return read


def _test_membership(value: Any, container: Any, place: Place) -> Any:
    if isinstance(container, Unknown) or (isinstance(value, Unknown) and isinstance(container, list | dict)):
        return Unknown()
    if isinstance(container, dict):
        return isinstance(value, str) and value in container
    if isinstance(container, list):
        if value in container:
            return True
        return Unknown() if any(type(item) is Unknown for item in container) else False
    raise stop(TYPE, f"'in' looks into a list or a dict, and {format_value(container)} is neither", place)


def _arithmetic_reader(symbol: str, left: Read, right: Read, place: Place) -> Read:
    compute = _ARITHMETIC[symbol]

    def read(frame: Frame) -> Any:
        first: Any = left(frame)
        second: Any = right(frame)
        numbers: bool = isinstance(first, int | float) and isinstance(second, int | float)
        if not numbers and not (symbol == "+" and isinstance(first, str) and isinstance(second, str)):
            if isinstance(first, Unknown) or isinstance(second, Unknown):
                return Unknown()
            raise _wrong_operands(symbol, first, second, place)
        if symbol == "**" and _too_large(first, second):
            raise stop(LIMIT, f"{format_value(first)} ** {format_value(second)} is too large a number", place)
        try:
            result = compute(first, second)
        except (ArithmeticError, ValueError) as error:
            raise stop(
                TYPE, f"{format_value(first)} {symbol} {format_value(second)}: {explain_error(error)}", place
            ) from None
        if symbol == "/" and type(first) is int and type(second) is int and not first % second:
            result = first // second  # a whole number fits where a whole number is asked for
        if isinstance(result, str) and len(result) > _LONGEST:
            raise stop(LIMIT, f"a string of more than {_LONGEST} characters", place)
        if isinstance(result, int) and result.bit_length() > _LARGEST_BITS:
            raise stop(LIMIT, f"a number of more than {_LARGEST_BITS} bits", place)
        if isinstance(result, complex):
            raise stop(TYPE, f"{format_value(first)} ** {format_value(second)} is no real number", place)
        return result

    return read


def _too_large(base: Any, exponent: Any) -> bool:
    if not isinstance(base, int) or not isinstance(exponent, int):
        return False  # floats overflow by themselves
    return bool(abs(exponent) * max(1, int(abs(base)).bit_length()) > _LARGEST_BITS)


def _wrong_operands(symbol: str, first: Any, second: Any, place: Place) -> Stop:
    wanted = "two numbers or two strings" if symbol == "+" else "two numbers"
    hint = 'a string with other values in it is written "{{name}}"' if symbol == "+" else None
    return stop(
        TYPE,
        f"{symbol!r} takes {wanted}, not {format_value(first)} and {format_value(second)}",
        place,
        hint=hint,
    )


def logic_reader(symbol: str, operands: list[Read], places: list[Place]) -> Read:
    """Return a read of `and` or `or`.

    Operands are evaluated from left to right, up to the first that decides the result or is unknown.
    """
    decides = symbol == "or"

    def read(frame: Frame) -> Any:
        for operand, place in zip(operands, places, strict=True):
            value = operand(frame)
            if value is decides:
                return value
            if value is not (not decides):
                if isinstance(value, Unknown):
                    return value
                raise condition_error(value, f"an operand of {symbol!r}", place)
        return not decides

    return read


def negation_reader(operand: Read, place: Place) -> Read:
    """Return a read of `not`. Only booleans and unknown values are accepted."""

    def read(frame: Frame) -> Any:
        value = operand(frame)
        if value is True:
            return False
        if value is False:
            return True
        if isinstance(value, Unknown):
            return value
        raise condition_error(value, "the operand of 'not'", place)

    return read


def format_interpolated(value: Any) -> str:
    """Return a value as interpolated in a string: as Python formats it, except null."""
    return value if type(value) is str else _spell_value(value, str)


def _spell_value(value: Any, spell: Callable[[Any], str]) -> str:
    if value is None:
        return "null"
    if isinstance(value, list):
        return f"[{', '.join(_spell_value(item, repr) for item in value)}]"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{key!r}: {_spell_value(item, repr)}' for key, item in value.items())}}}"
    return spell(value)
