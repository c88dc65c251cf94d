"""sensitive, secret, local, external."""

from __future__ import annotations

from typing import Any

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS, NOT_FOUND
from tests.expressions.query.functions.calls import errors_test, values_test

VALUES: list[tuple[Any, Any]] = [
    ({"local": "port"}, 80),
    ({"local": "ports"}, 1),
    ({"local": "nosuch"}, None),
    ({"eval": {"external": "local"}, "select": "port"}, 80),
    ({"sensitive": None}, None),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    ({"external": "locl"}, NOT_FOUND, "there is no external 'locl'", "did you mean 'local'?"),
    ({"external": "zzzzzz"}, NOT_FOUND, "there is no external 'zzzzzz'", "known are local, secret"),
    ({"local": [1]}, BAD_ARGUMENTS, "the name of a local value must be text, not [1]", None),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
