"""get_env and has_env."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.errors import BAD_ARGUMENTS, REFUSED
from sabir.session import Trust
from tests.expressions.query.functions.calls import box, errors_test, gives, says, values_test

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

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)


NOBODY, HOME_ONLY = Trust(), Trust.of(["env:HOME"])
ONE = "the environment variable {!r} is not read: the project is not trusted with it"
HINT = "allow it with --trust env:{0}, or all variables with --trust env"


@pytest.mark.parametrize(
    ("expression", "trust", "name"),
    [
        ({"get_env": "HOME"}, NOBODY, "HOME"),
        ({"get_env": ["HOME", "default"]}, NOBODY, "HOME"),
        ({"get_env": ["NOSUCH", "default"]}, HOME_ONLY, "NOSUCH"),
        ({"has_env": "EMPTY"}, HOME_ONLY, "EMPTY"),
        ({"lookup": {"env": "HOME"}}, NOBODY, "HOME"),
        ({"lookup": {"env": ["NOSUCH", "default"]}}, HOME_ONLY, "NOSUCH"),
    ],
    ids=str,
)
def test_without_leave_it_is_an_error_and_never_the_default(expression: Any, trust: Trust, name: str) -> None:
    says({"eval": expression}, REFUSED, ONE.format(name), HINT.format(name), trust=trust)


def test_all_variables_without_any_leave() -> None:
    says(
        {"get_env": []},
        REFUSED,
        "the environment variables are not read: the project is not trusted with them",
        "allow single ones with --trust env:NAME, or all with --trust env",
        trust=NOBODY,
    )


def test_with_leave_for_names_these_are_all_there_is() -> None:
    gives({"get_env": []}, {"HOME": "/h"}, box(HOME_ONLY))
    gives({"get_env": "HOME"}, "/h", box(HOME_ONLY))
