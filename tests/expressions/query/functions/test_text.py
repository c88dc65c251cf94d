"""concat, join, token, q."""

from __future__ import annotations

from typing import Any

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS
from tests.expressions.query.functions.calls import errors_test, values_test

VALUES: list[tuple[Any, Any]] = [
    ({"concat": ["a", 1, None]}, "a1None"),
    ({"concat": ["a", "b"], "sep": "-"}, "a-b"),
    ({"concat": "x"}, "x"),
    ({"concat": []}, ""),
    ({"concat": [{"eval": "a"}, "x"]}, "1x"),
    ({"join": [["a", "b"], ","]}, "a,b"),
    ({"join": ["a", "b"]}, "ab"),
    ({"join": [["a", "b"]]}, "ab"),
    ({"join": "x"}, "x"),
    ({"join": [[1, 2], 0]}, "102"),
    ({"token": ["a:b:c", ":", 1]}, "b"),
    ({"token": ["a:b", ":", "-1"]}, "b"),
    ({"token": [12, "2", 0]}, "1"),
    ({"q": "a::b"}, "a::b"),
    ({"q": [1, 2]}, [1, 2]),
    ({"q": {"eval": "a"}}, {"eval": "a"}),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    (
        {"join": [["a"], ",", "x"]},
        BAD_ARGUMENTS,
        "join needs a list of parts and at most one delimiter",
        None,
    ),
    ({"token": ["a", ":"]}, BAD_ARGUMENTS, "token needs a list of 3 items, not ['a', ':']", None),
    (
        {"token": ["a", ":", "x"]},
        BAD_ARGUMENTS,
        "the third item of token must be a whole number, not 'x'",
        None,
    ),
    (
        {"token": ["a", ":", True]},
        BAD_ARGUMENTS,
        "the third item of token must be a whole number, not True",
        None,
    ),
    ({"token": ["a", "", 0]}, BAD_ARGUMENTS, "the second item of token must be the text to split by", None),
    ({"token": ["a:b", ":", 5]}, BAD_ARGUMENTS, "token wants part 5, but there are only 2", None),
    ({"concat": ["a"], "by": "-"}, BAD_ARGUMENTS, "concat takes no 'by'", "it takes sep"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
