"""YAQL functions of numbers.

Operations that could create huge integers are charged to the limits first.
"""

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
    """Multiply two numbers; the size of an integer product is checked before it is computed."""
    if isinstance(left, int) and isinstance(right, int):
        bits = left.bit_length() + right.bit_length()
        limits.check_bits(bits)
        limits.charge(bits // 100)
    return left * right


@FUNCTIONS.operator("/", NUMBER, NUMBER)
def divide_numbers(limits: YaqlLimits, left: Number, right: Number) -> Number:
    """Divide two numbers; integers are divided with rounding down, as in YAQL 3."""
    if isinstance(left, int) and isinstance(right, int):
        _charge_division(limits, left, right)
        return left // right
    return left / right


@FUNCTIONS.operator("mod", NUMBER, NUMBER)
def number_remainder(limits: YaqlLimits, left: Number, right: Number) -> Number:
    """Return the remainder with the sign of the divisor, as in Python."""
    if isinstance(left, int) and isinstance(right, int):
        _charge_division(limits, left, right)
    return left % right


def _charge_division(limits: YaqlLimits, left: int, right: int) -> None:
    """Charge a division by the product of the lengths of its operands.

    Ordinary numbers cost nothing.
    """
    limits.charge(left.bit_length() * right.bit_length() // 1_000_000)


@FUNCTIONS.prefix("+", NUMBER)
def unary_plus(op: Number) -> Number:
    return op


@FUNCTIONS.prefix("-", NUMBER)
def unary_minus(op: Number) -> Number:
    return -op


@FUNCTIONS.function("abs", NUMBER)
def absolute_value(op: Number) -> Number:
    """Return the number without its sign."""
    return abs(op)


@FUNCTIONS.function("int")
def to_int(value: Any) -> int:
    """Convert a value to an integer; null is 0. Raises `ValueError` for other text than digits."""
    return 0 if value is None else int(value)


@FUNCTIONS.function("float")
def to_float(value: Any) -> float:
    """Convert a value to a floating-point number; null is 0."""
    return 0.0 if value is None else float(value)


@FUNCTIONS.function("random")
def random_float() -> float:
    """Return a random number from 0 (inclusive) to 1 (exclusive)."""
    import random

    return random.random()


@FUNCTIONS.function("random")
def random_between(from_: int, to_: int) -> int:
    """Return a random integer from a range; both ends are included."""
    import random

    if from_ > to_:  # the wording of Python differs between its versions
        raise ValueError(f"the range is empty: {from_} is greater than {to_}")
    return random.randint(from_, to_)


@FUNCTIONS.function("bitwiseAnd", INT, INT)
def bitwise_and(left: int, right: int) -> int:
    """Return the bits that are set in both integers."""
    return left & right


@FUNCTIONS.function("bitwiseOr", INT, INT)
def bitwise_or(left: int, right: int) -> int:
    """Return the bits that are set in either integer."""
    return left | right


@FUNCTIONS.function("bitwiseXor", INT, INT)
def bitwise_xor(left: int, right: int) -> int:
    """Return the bits that are set in exactly one of the integers."""
    return left ^ right


@FUNCTIONS.function("bitwiseNot", INT)
def bitwise_not(arg: int) -> int:
    """Return the integer with all its bits inverted."""
    return ~int(arg)


@FUNCTIONS.function("shiftBitsRight", INT, INT)
def shift_bits_right(value: int, bits_number: int) -> int:
    """Shift the bits to the right, keeping the sign."""
    return value >> bits_number


@FUNCTIONS.function("shiftBitsLeft", INT, INT)
def shift_bits_left(limits: YaqlLimits, value: int, bits_number: int) -> int:
    """Shift the bits to the left; the size of the result is checked before it is computed."""
    if value:
        limits.check_bits(int(value).bit_length() + bits_number)
    return value << bits_number


@FUNCTIONS.function("pow", NUMBER, NUMBER, NUMBER | NULL)
def raise_power(limits: YaqlLimits, a: Number, b: Number, c: Number | None = None) -> Any:
    """Return `a` to the power `b`, modulo `c` if it is set.

    The size of the result, or the cost of modular exponentiation, is checked first. Raises `YaqlRuntimeError` for a complex result.
    """
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
    """Return 1 for a positive number, -1 for a negative one, and 0 for zero."""
    return (num > 0) - (num < 0)


@FUNCTIONS.function("round", NUMBER, INT)
def round_number(number: Number, ndigits: int = 0) -> Number:
    """Round to a number of digits after the decimal point; negative digits round integers."""
    if isinstance(number, int) and ndigits < -len(str(number)) - 1:
        return 0  # Python would compute ten to the power of the digits first
    return round(number, ndigits)


@FUNCTIONS.function("isInteger")
def is_integer(value: Any) -> bool:
    """Return whether the value is an integer; a boolean is not one in YAQL."""
    return isinstance(value, int) and not isinstance(value, bool)


@FUNCTIONS.function("isNumber")
def is_number(value: Any) -> bool:
    """Return whether the value is an integer or a floating-point number; a boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)
