"""Choosing between cases."""

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
