"""Dictionaries."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("{a => 1, 'b' => 2}", {"a": 1, "b": 2}),
    ("{}", {}),
    ("dict(a => 1)", {"a": 1}),
    ("dict([[a, 1], [b, 2]])", {"a": 1, "b": 2}),
    ("[1, 2].toDict($, $ * 10)", {1: 10, 2: 20}),
    ("[1, 2].toDict($)", {1: 1, 2: 2}),
    ("{a => 1}[a]", 1),
    ("{a => 1}[b, 9]", 9),
    ("{a => 1}.a", 1),
    ("{a => 1}.get(a)", 1),
    ("{a => 1}.get(b)", None),
    ("{a => 1}.get(b, 3)", 3),
    ("{[1] => x}.get([1])", "x"),
    ("{a => 1}.set(b, 2)", {"a": 1, "b": 2}),
    ("{a => 1}.set({a => 2, c => 3})", {"a": 2, "c": 3}),
    ("{a => 1}.set(a => 5, c => 6)", {"a": 5, "c": 6}),
    ("{a => 1, b => 2}.keys()", ["a", "b"]),
    ("{a => 1, b => 2}.values()", [1, 2]),
    ("{a => 1}.items()", [["a", 1]]),
    ("{a => 1}.containsKey(a)", True),
    ("{a => 1}.containsKey(b)", False),
    ("{a => [1]}.containsValue([1])", True),
    ("{a => 1}.containsValue(2)", False),
    ("{a => 1} + {a => 2, b => 3}", {"a": 2, "b": 3}),
    ("isDict({})", True),
    ("isDict([])", False),
    ("len({a => 1})", 1),
    ("{a => 1, b => 2, c => 3}.delete(a, c)", {"b": 2}),
    ("{a => 1, b => 2}.deleteAll([b, z])", {"a": 1}),
]

ERRORS = [
    ("{a => 1}.b", "the dictionary has no key 'b'", "b"),
    ("{a => 1}[b]", "the dictionary has no key 'b'", "{a => 1}[b]"),
    ("dict([1])", "integer is not iterable", "dict([1])"),
    ("{} + []", "the operator `+` does not take a dictionary and a list", "{} + []"),
    ("{a => 1}.nosuch()", "there is no method `nosuch`", "nosuch()"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
