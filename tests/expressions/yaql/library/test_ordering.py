"""Ordering."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("[3, 1, 2].orderBy($)", [1, 2, 3]),
    ("[3, 1, 2].orderByDescending($)", [3, 2, 1]),
    ("[b, a].orderBy($)", ["a", "b"]),
    ("[[1, b], [0, c], [1, a]].orderBy($[0]).thenBy($[1])", [[0, "c"], [1, "a"], [1, "b"]]),
    ("[[1, b], [0, c], [1, a]].orderBy($[0]).thenByDescending($[1])", [[0, "c"], [1, "b"], [1, "a"]]),
    ("[[1, b], [1, a]].orderBy($[0])", [[1, "b"], [1, "a"]]),
    ("[].orderBy($)", []),
    ("[2, null, 1].orderBy($)", [None, 1, 2]),
    ("[3, 1].orderBy($).first()", 1),
    ("[3, 1].orderBy($).select($ + 1)", [2, 4]),
]

ERRORS = [
    ("[1, a].orderBy($)", "the operator `<` does not take a string and an integer", "[1, a].orderBy($)"),
    (
        "[1].thenBy($)",
        "the method `thenBy` does not take these arguments: `collection` is a list, wanted is something else",
        "thenBy($)",
    ),
    ("[1, 0].orderBy(1 / $)", "division by zero", "1 / $"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
