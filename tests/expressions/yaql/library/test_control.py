"""Variables, definitions, calls by name.

Choosing between cases.
"""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("switch(false => 1, true => 2)", 2),
    ("switch(false => 1)", None),
    ("switch(true => 1, 1 / 0 => 2)", 1),
    ("switch(false => 1 / 0, true => 3)", 3),
    ("selectCase(false, true)", 1),
    ("selectCase(false, false)", 2),
    ("selectCase()", 0),
    ("selectCase(true, 1 / 0)", 0),
    ("selectAllCases(true, false, 1 = 1)", [0, 2]),
    ("examine(1 = 1, 0, null)", [True, False, False]),
    ("0.switchCase(a, b)", "a"),
    ("5.switchCase(a, b)", "b"),
    ("(-1).switchCase(a, b)", "b"),
    ("1.switchCase()", None),
    ("1.switchCase(1 / 0, b)", "b"),
    ("coalesce(null, 2, 1 / 0)", 2),
    ("coalesce(null)", None),
    ("coalesce()", None),
    ("coalesce(false, 1)", False),
]

ERRORS = [
    ("switch(1 / 0 => 1)", "division by zero", "1 / 0"),
    ("coalesce(null, $.x.y)", "null has no property `x`", "x"),
    ("selectCase(1 / 0)", "division by zero", "1 / 0"),
    (
        "x.switchCase(a)",
        "the method `switchCase` does not take these arguments: `case` is a string, wanted is a boolean or an integer",
        "switchCase(a)",
    ),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)


SYSTEM_VALUES: list[tuple[str, Any]] = [
    ("let(a => 1) -> $a", 1),
    ("let(1, 2) -> $1 + $2", 3),
    ("let(1, b => 2) -> $ + $b", 3),
    ("with(3) -> $", 3),
    ("with(1, 2) -> $2", 2),
    ("[1, 2].unpack(a, b) -> $a + $b", 3),
    ("[1, 2].unpack() -> $2", 2),
    ("def(f, $ * 2) -> f(4)", 8),
    ("def(fact, switch($ < 2 => 1, true => $ * fact($ - 1))) -> fact(5)", 120),
    ("def(f, $x + 1) -> f(x => 2)", 3),
    ("call(len, [[1, 2]], {})", 2),
    ("call(toUpper, [], {}, abc)", "ABC"),
    ("call(timespan, [], {hours => 2}).hours", 2.0),
    ("5.assert($ > 1)", 5),
    ("range(3).assert($.len() = 3).len()", 3),
    ("bool(0)", False),
    ("bool([1])", True),
    ("isBoolean(true)", True),
    ("isBoolean(0)", False),
]

SYSTEM_ERRORS = [
    ("[1].unpack(a, b)", "cannot unpack 1 items into 2 names", "unpack(a, b)"),
    ("[1, 2, 3].unpack(a)", "cannot unpack 2 items into 1 names", "unpack(a)"),
    ("0.assert($ > 1)", "Assertion failed", "assert($ > 1)"),
    ("0.assert($ > 1, 'too small')", "too small", "assert($ > 1, 'too small')"),
    ("call(nosuch, [], {})", "there is no function `nosuch`", "call(nosuch, [], {})"),
    ("call(len, [1], {})", "the function `len` does not take an integer", "call(len, [1], {})"),
    ("1 -> 2", "the left side of `->` is an integer; it takes what `let(…)` gives", "1 -> 2"),
    ("def(f, f($)) -> f(1)", "defined functions call one another more than 150 deep", "f($)"),
]


@pytest.mark.parametrize(("expression", "value"), SYSTEM_VALUES)
def test_system_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), SYSTEM_ERRORS)
def test_system_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
