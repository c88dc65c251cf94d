"""Forms: eval with vars, select, foreach, strict and trace; values with expressions in them."""

from __future__ import annotations

from typing import Any

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS
from sabir.expressions.query.forms import UNKNOWN_FUNCTION
from sabir.expressions.query.syntax import SYNTAX
from tests.expressions.query.functions.calls import errors_test, values_test

VALUES: list[tuple[Any, Any]] = [
    ({"eval": "$v", "vars": {"v": 3}}, 3),
    ({"eval": "$v", "vars": {"v": {"eval": "a"}}}, 1),
    ({"eval": "$w", "vars": {"v": 1, "w": {"eval": "$v"}}}, 1),
    ({"ref": "a"}, 1),
    ({"eval": "::*", "select": "a"}, [1, 2]),
    ({"eval": "m", "select": "k"}, ["v"]),
    ({"eval": "l", "foreach": "$item"}, [1, 2]),
    ({"eval": "l", "foreach": "$index"}, [0, 1]),
    ({"eval": "l", "foreach": {"key": "$index", "value": "$item"}}, {0: 1, 1: 2}),
    (
        {
            "eval": "l",
            "foreach": {"eval": {"if": {"eq": [{"eval": "$item"}, 1]}, "then": "$continue", "else": "$item"}},
        },
        [2],
    ),
    ({"eval": "l", "foreach": "$true"}, [1, 2]),
    ({"eval": "l", "foreach": {"x": {"eval": "$item"}, "y": 1}}, [{"x": 1, "y": 1}, {"x": 2, "y": 1}]),
    ({"eval": "a", "foreach": "$item"}, [1]),
    ({"eval": "nosuch", "foreach": "$item"}, []),
    ({"eval": {"concat": ["a", "b"]}}, "ab"),
    ("{{ 1 + 1 }}", 2),
    ({"eval": "$start::.name"}, "box"),
    (["a", {"eval": "a"}], ["a", 1]),
    (None, None),
    (5, 5),
    ({"eval": None}, None),
    ({"eval": "$true"}, True),
    ({"eval": "$null"}, None),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    (
        {"eval": "a", "zelect": "b"},
        BAD_ARGUMENTS,
        "'zelect' cannot stand beside 'eval'",
        "beside it can stand foreach, select, strict, trace, vars",
    ),
    ({"conct": ["a"]}, UNKNOWN_FUNCTION, "there is no function 'conct'", "did you mean 'concat'?"),
    ({"eval": {"zzzzzz": 1}}, UNKNOWN_FUNCTION, "there is no function 'zzzzzz'", None),
    ({"eval": "a["}, SYNTAX, "'[' is never closed", "add the missing ']'"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
