"""Numbers."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("7 / 2", 3),
    ("-7 / 2", -4),
    ("7.0 / 2", 3.5),
    ("7 mod 3", 1),
    ("-7 mod 3", 2),
    ("7.5 mod 2", 1.5),
    ("2 * 3", 6),
    ("2 * 1.5", 3.0),
    ("1 - 3", -2),
    ("1 + 2.5", 3.5),
    ("-(3)", -3),
    ("+(3)", 3),
    ("1 < 2", True),
    ("2 < 2", False),
    ("2 <= 2", True),
    ("3 > 2", True),
    ("2 >= 3", False),
    ("1 < 1.5", True),
    ("abs(-3)", 3),
    ("abs(-1.5)", 1.5),
    ("int('12')", 12),
    ("int(null)", 0),
    ("int(3.9)", 3),
    ("int(true)", 1),
    ("float('1.5')", 1.5),
    ("float(null)", 0.0),
    ("float(2)", 2.0),
    ("bitwiseAnd(6, 3)", 2),
    ("bitwiseOr(6, 3)", 7),
    ("bitwiseXor(6, 3)", 5),
    ("bitwiseNot(0)", -1),
    ("bitwiseNot(true)", -2),
    ("shiftBitsLeft(1, 4)", 16),
    ("shiftBitsRight(16, 2)", 4),
    ("shiftBitsLeft(0, 100000000)", 0),
    ("pow(2, 10)", 1024),
    ("pow(2, -1)", 0.5),
    ("pow(2, 10, 1000)", 24),
    ("pow(2.0, 3)", 8.0),
    ("sign(-5)", -1),
    ("sign(0)", 0),
    ("sign(2.5)", 1),
    ("round(2.567, 2)", 2.57),
    ("round(2.5)", 2.0),
    ("round(1234, -2)", 1200),
    ("round(1234, -100)", 0),
    ("isInteger(1)", True),
    ("isInteger(true)", False),
    ("isInteger(1.0)", False),
    ("isNumber(1.0)", True),
    ("isNumber(true)", False),
    ("isNumber('1')", False),
    ("random(3, 3)", 3),
    ("random() < 1", True),
]

ERRORS = [
    ("1 / 0", "division by zero", "1 / 0"),
    ("2 + 1 mod 0", "division by zero", "1 mod 0"),
    ("1 + 'a'", "the operator `+` does not take an integer and a string", "1 + 'a'"),
    ("-'a'", "the operator `-` does not take a string", "-'a'"),
    ("int('x')", "expected an integer, found 'x'", "int('x')"),
    ("random(5, 1)", "the range is empty: 5 is greater than 1", "random(5, 1)"),
    ("pow(-1, 0.5)", "the power is not a real number", "pow(-1, 0.5)"),
    (
        "pow(2, 100000000)",
        "a value takes more than 524288 bytes, the most that is allowed",
        "pow(2, 100000000)",
    ),
    (
        "shiftBitsLeft(1, 100000000)",
        "a value takes more than 524288 bytes, the most that is allowed",
        "shiftBitsLeft(1, 100000000)",
    ),
    ("1 < 'a'", "the operator `<` does not take an integer and a string", "1 < 'a'"),
    ("abs('x')", "the function `abs` does not take these arguments; there is `abs(op)`", "abs('x')"),
    (
        "bitwiseAnd(1.5, 1)",
        "the function `bitwiseAnd` does not take these arguments; there is `bitwiseAnd(left, right)`",
        "bitwiseAnd(1.5, 1)",
    ),
    ("pow(2, 3, 0)", "pow() 3rd argument cannot be 0", "pow(2, 3, 0)"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
