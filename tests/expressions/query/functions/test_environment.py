"""get_env and has_env."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS
from tests.expressions.query.functions.calls import gives, says

VALUES: list[tuple[Any, Any]] = [
    ({"get_env": "HOME"}, "/h"),
    ({"get_env": "NOSUCH"}, None),
    ({"get_env": ["NOSUCH", "d"]}, "d"),
    ({"get_env": ["HOME", "d"]}, "/h"),
    ({"get_env": ["EMPTY", "d"]}, ""),
    ({"get_env": ["NOSUCH", {"eval": "a"}]}, 1),
    ({"get_env": []}, {"HOME": "/h", "EMPTY": ""}),
    ({"get_env": None}, {"HOME": "/h", "EMPTY": ""}),
    ({"has_env": "EMPTY"}, True),
    ({"has_env": "NOSUCH"}, False),
    ({"get_env": {"concat": ["HO", "ME"]}}, "/h"),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    ({"get_env": ["A", "b", "c"]}, BAD_ARGUMENTS, "get_env takes a name and a default, no more", None),
    ({"get_env": 5}, BAD_ARGUMENTS, "the name of an environment variable must be text, not 5", None),
    ({"has_env": [1]}, BAD_ARGUMENTS, "the name of an environment variable must be text, not [1]", None),
]


@pytest.mark.parametrize(("expression", "value"), VALUES, ids=str)
def test_values(expression: Any, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "rule", "message", "hint"), ERRORS, ids=str)
def test_errors(expression: Any, rule: Rule, message: str, hint: str | None) -> None:
    says(expression, rule, message, hint)
