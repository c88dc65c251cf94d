"""Going through lists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("[1, 2, 3].where($ > 1)", [2, 3]),
    ("[1, 2, 3].filter($ > 1)", [2, 3]),
    ("[1, 2].select($ * 2)", [2, 4]),
    ("[1, 2].map($ + 1)", [2, 3]),
    ("[[1], [2, 3]].selectMany($)", [1, 2, 3]),
    ("[1, 2].selectMany($)", [1, 2]),
    ("[1, 2, 3].skip(1)", [2, 3]),
    ("[1, 2, 3].limit(2)", [1, 2]),
    ("[1, 2, 3].take(1)", [1]),
    ("[1, 5, 2].takeWhile($ < 3)", [1]),
    ("[1, 5, 2].skipWhile($ < 3)", [5, 2]),
    ("[1].append(2, 3)", [1, 2, 3]),
    ("[1].concat([2], [3])", [1, 2, 3]),
    ("concat([1], [2])", [1, 2]),
    ("[1, 1, 2].distinct()", [1, 2]),
    ("[[1, a], [1, b]].distinct($[0])", [[1, "a"]]),
    ("[a, b].enumerate()", [[0, "a"], [1, "b"]]),
    ("[a].enumerate(5)", [[5, "a"]]),
    ("[0, 1].any()", True),
    ("[].any()", False),
    ("[1, 2].any($ > 1)", True),
    ("[1, 0].all()", False),
    ("[].all()", True),
    ("[1, 2].all($ > 0)", True),
    ("range(5).len()", 5),
    ("range(5).count()", 5),
    ("[1, 2].count()", 2),
    ("[1, 2].first()", 1),
    ("[].first(9)", 9),
    ("[1, 2].last()", 2),
    ("range(3).last()", 2),
    ("[].last(9)", 9),
    ("[7].single()", 7),
    ("[a, b, a].indexOf(a)", 0),
    ("[a].indexOf(z)", -1),
    ("[a, b, a].lastIndexOf(a)", 2),
    ("[1, 2, 3].indexWhere($ > 1)", 1),
    ("[1, 2, 3].lastIndexWhere($ < 3)", 1),
    ("[1].indexWhere($ > 1)", -1),
    ("[1, 2, 3].slice(2)", [[1, 2], [3]]),
    ("[1, 0, 2].splitWhere($ = 0)", [[1], [2]]),
    ("[1, 1, 2].sliceWhere($ > 1)", [[1, 1], [2]]),
    ("[1, 2, 3].splitAt(1)", [[1], [2, 3]]),
    ("[1, 2].reverse()", [2, 1]),
]

ERRORS = [
    ("[].first()", "the list is empty", "first()"),
    ("[].last()", "the list is empty", "last()"),
    ("[1, 2].single()", "the list has more than one item", "single()"),
    ("[].single()", "the list is empty", "single()"),
    ("[1].select($ / 0)", "division by zero", "$ / 0"),
    ("[1].where($.a)", "an integer has no property `a`", "a"),
    (
        "1.select($)",
        "the method `select` does not take these arguments: `collection` is an integer, wanted is a list, a set or a lazy list",
        "select($)",
    ),
    (
        "[1, 2].skip(a)",
        "the method `skip` does not take these arguments; there is `collection.skip(count)`",
        "skip(a)",
    ),
    ("[1].select($.nosuch())", "there is no method `nosuch`", "nosuch()"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
