"""Numbers."""

from __future__ import annotations

from typing import Any

from sabir.expressions.yaql.errors import YaqlRuntimeError
from sabir.expressions.yaql.functions import Library
from sabir.expressions.yaql.kinds import INT, NULL, NUMBER
from sabir.expressions.yaql.limits import YaqlLimits

FUNCTIONS = Library()
FUNCTIONS.add_ordering(NUMBER)

Number = int | float


@FUNCTIONS.operator("+", NUMBER, NUMBER)
def add_numbers(left: Number, right: Number) -> Number:
    return left + right


@FUNCTIONS.operator("-", NUMBER, NUMBER)
def subtract_numbers(left: Number, right: Number) -> Number:
    return left - right


@FUNCTIONS.operator("*", NUMBER, NUMBER)
def multiply_numbers(limits: YaqlLimits, left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() + right.bit_length()
        limits.check_bits(bits)
        limits.charge(bits // 100)
    return left * right


@FUNCTIONS.operator("/", NUMBER, NUMBER)
def divide_numbers(limits: YaqlLimits, left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        _charge_division(limits, left, right)
        return left // right
    return left / right


@FUNCTIONS.operator("mod", NUMBER, NUMBER)
def number_remainder(limits: YaqlLimits, left: Number, right: Number) -> Number:
    if isinstance(left, int) and isinstance(right, int):
        _charge_division(limits, left, right)
    return left % right


def _charge_division(limits: YaqlLimits, left: int, right: int) -> None:
    """Dividing takes time by the product of the lengths; numbers of usual size are free."""
    limits.charge(left.bit_length() * right.bit_length() // 1_000_000)


@FUNCTIONS.prefix("+", NUMBER)
def unary_plus(op: Number) -> Number:
    return op


@FUNCTIONS.prefix("-", NUMBER)
def unary_minus(op: Number) -> Number:
    return -op


@FUNCTIONS.function("abs", NUMBER)
def absolute_value(op: Number) -> Number:
    return abs(op)


@FUNCTIONS.function("int")
def to_int(value: Any) -> int:
    return 0 if value is None else int(value)


@FUNCTIONS.function("float")
def to_float(value: Any) -> float:
    return 0.0 if value is None else float(value)


@FUNCTIONS.function("random")
def random_float() -> float:
    import random

    return random.random()


@FUNCTIONS.function("random")
def random_between(from_: int, to_: int) -> int:
    import random

    if from_ > to_:  # the wording of Python differs between its versions
        raise ValueError(f"the range is empty: {from_} is greater than {to_}")
    return random.randint(from_, to_)


@FUNCTIONS.function("bitwiseAnd", INT, INT)
def bitwise_and(left: int, right: int) -> int:
    return left & right


@FUNCTIONS.function("bitwiseOr", INT, INT)
def bitwise_or(left: int, right: int) -> int:
    return left | right


@FUNCTIONS.function("bitwiseXor", INT, INT)
def bitwise_xor(left: int, right: int) -> int:
    return left ^ right


@FUNCTIONS.function("bitwiseNot", INT)
def bitwise_not(arg: int) -> int:
    return ~int(arg)


@FUNCTIONS.function("shiftBitsRight", INT, INT)
def shift_bits_right(value: int, bits_number: int) -> int:
    return value >> bits_number


@FUNCTIONS.function("shiftBitsLeft", INT, INT)
def shift_bits_left(limits: YaqlLimits, value: int, bits_number: int) -> int:
    if value:
        limits.check_bits(int(value).bit_length() + bits_number)
    return value << bits_number


@FUNCTIONS.function("pow", NUMBER, NUMBER, NUMBER | NULL)
def raise_power(limits: YaqlLimits, a: Number, b: Number, c: Number | None = None) -> Any:
    if c is None and isinstance(a, int) and isinstance(b, int) and b > 0 and abs(a) > 1:
        limits.check_bits(a.bit_length() * b)
    if c is not None and isinstance(b, int) and isinstance(c, int):
        limits.charge(b.bit_length() * c.bit_length() ** 2 // 1_000_000)
    result = pow(a, b, c)  # type: ignore[arg-type]  # floats with a modulus are Python's to refuse
    if isinstance(result, complex):
        raise YaqlRuntimeError("the power is not a real number")
    return result


@FUNCTIONS.function("sign", NUMBER)
def sign(num: Number) -> int:
    return (num > 0) - (num < 0)


@FUNCTIONS.function("round", NUMBER, INT)
def round_number(number: Number, ndigits: int = 0) -> Number:
    if isinstance(number, int) and ndigits < -len(str(number)) - 1:
        return 0  # Python would compute ten to the power of the digits first
    return round(number, ndigits)


@FUNCTIONS.function("isInteger")
def is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


@FUNCTIONS.function("isNumber")
def is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
