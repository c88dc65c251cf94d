"""Lists."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("list(1, [2], range(2))", [1, [2], 0, 1]),
    ("[1, 2]", [1, 2]),
    ("[]", []),
    ("[[1, [2]], 3].flatten()", [1, 2, 3]),
    ("range(3).toList()", [0, 1, 2]),
    ("[1, 2][0]", 1),
    ("[1, 2][-1]", 2),
    ("2 in [1, 2]", True),
    ("[1] in [[1]]", True),
    ("[1, 2].contains(3)", False),
    ("[{a => 1}].contains({a => 1})", True),
    ("[1] + [2]", [1, 2]),
    ("range(2) + [5]", [0, 1, 5]),
    ("[1, 2] * 2", [1, 2, 1, 2]),
    ("2 * [1]", [1, 1]),
    ("[1] * 0", []),
    ("isList([1])", True),
    ("isList(range(2))", False),
    ("isList({})", False),
    ("isIterable(range(1))", True),
    ("isIterable({})", False),
    ("isIterable(abc)", False),
    ("len([1, 2])", 2),
    ("[1, 2].len()", 2),
    ("[1, 2, 3].delete(1)", [1, 3]),
    ("[1, 2, 3].delete(0, 2)", [3]),
    ("[1, 2, 3].delete(1, -1)", [1]),
    ("[1, 2, 3].replace(1, x)", [1, "x", 3]),
    ("[1, 2, 3].replace(0, x, 2)", ["x", 3]),
    ("[1, 2, 3].replaceMany(1, [x, y])", [1, "x", "y", 3]),
    ("[1, 2, 3].replaceMany(0, [x], 2)", ["x", 3]),
    ("[1, 2].insert(1, x)", [1, "x", 2]),
    ("range(2).insert(1, x)", [0, "x", 1]),
    ("range(2).insert(9, x)", [0, 1, "x"]),
    ("[1, 2].insertMany(1, [x, y])", [1, "x", "y", 2]),
    ("[1, 2].insertMany(-1, [x])", ["x", 1, 2]),
    ("[1, 2].insertMany(9, [x])", [1, 2, "x"]),
]

ERRORS = [
    ("[1][5]", "the index lies outside of the list", "[1][5]"),
    ("[1][a]", "an index does not take a list, a string", "[1][a]"),
    (
        "[1, 2] * 100000000",
        "a value takes more than 524288 bytes, the most that is allowed",
        "[1, 2] * 100000000",
    ),
    ("[1].nosuch()", "there is no method `nosuch`", "nosuch()"),
    (
        "[1, 2].delete(a)",
        "the method `delete` does not take these arguments: `dict` is a list, wanted is a dictionary",
        "delete(a)",
    ),
    ("range(3)[0]", "an index does not take a lazy list, an integer", "range(3)[0]"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
