"""Variables, definitions, calls by name."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
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

ERRORS = [
    ("[1].unpack(a, b)", "cannot unpack 1 items into 2 names", "unpack(a, b)"),
    ("[1, 2, 3].unpack(a)", "cannot unpack 2 items into 1 names", "unpack(a)"),
    ("0.assert($ > 1)", "Assertion failed", "assert($ > 1)"),
    ("0.assert($ > 1, 'too small')", "too small", "assert($ > 1, 'too small')"),
    ("call(nosuch, [], {})", "there is no function `nosuch`", "call(nosuch, [], {})"),
    ("call(len, [1], {})", "the function `len` does not take an integer", "call(len, [1], {})"),
    ("1 -> 2", "the left side of `->` is an integer; it takes what `let(…)` gives", "1 -> 2"),
    ("def(f, f($)) -> f(1)", "defined functions call one another more than 150 deep", "f($)"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
