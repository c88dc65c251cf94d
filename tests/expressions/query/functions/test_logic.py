"""if, and, or, not, eq, foreach."""

from __future__ import annotations

from typing import Any

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS
from tests.expressions.query.functions.calls import errors_test, values_test

VALUES: list[tuple[Any, Any]] = [
    ({"if": "a", "then": {"q": "yes"}, "else": {"q": "no"}}, "yes"),
    ({"if": "nosuch", "then": {"q": "yes"}, "else": {"q": "no"}}, "no"),
    ({"if": "a"}, True),
    ({"if": "nosuch"}, False),
    ({"if": "a", "then": "word"}, "word"),
    ({"if": "a", "then": "l"}, [1, 2]),
    ({"if": "a", "then": {"q": [1, 2]}}, [1, 2]),
    ({"if": "nosuch", "then": "a"}, False),
    ({"if": "e", "then": {"q": "y"}, "else": {"q": "n"}}, "n"),
    ({"and": ["a", "l"]}, [1, 2]),
    ({"and": ["a", "nosuch", "$undefined"]}, None),
    ({"and": ["a", "m::k"]}, "v"),
    ({"or": ["nosuch", "a"]}, 1),
    ({"or": ["nosuch"]}, False),
    ({"or": ["a", "$undefined"]}, 1),
    ({"not": "a"}, False),
    ({"not": "nosuch"}, True),
    ({"eq": [1, 1]}, True),
    ({"eq": [1, True]}, True),
    ({"eq": ["a", {"eval": "::box::a"}]}, False),
    ({"eq": [{"eval": "a"}, 1]}, True),
    ({"foreach": "$index"}, [0]),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    ({"eq": [1]}, BAD_ARGUMENTS, "eq needs a list of 2 items, not [1]", None),
    ({"eq": 1}, BAD_ARGUMENTS, "eq needs a list of 2 items, not 1", None),
    ({"and": []}, BAD_ARGUMENTS, "and needs a list of at least 1 items, not []", None),
    ({"or": "a"}, BAD_ARGUMENTS, "or needs a list of at least 1 items, not 'a'", None),
    ({"if": "a", "them": 1}, BAD_ARGUMENTS, "if takes no 'them'", "it takes else, then"),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
