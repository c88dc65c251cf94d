"""get_env and has_env.

to_env and generate_string.
"""

from __future__ import annotations

import re
import time
from typing import Any

import pytest

from sabir.diagnostics.rules import Rule
from sabir.expressions.query import evaluate, redact_value
from sabir.expressions.query.errors import BAD_ARGUMENTS, REFUSED
from sabir.expressions.query.functions.environment import substitute_variables
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


VARIABLES: list[tuple[dict[str, Any], dict[str, str]]] = [
    ({"A": 1, "B": False, "C": True, "D": None, "E": ""}, {"A": "1", "B": "", "C": "true", "E": ""}),
    ({"A": 1, "B": "${A}-${HOME}-${NO}"}, {"A": "1", "B": "1-/h-"}),
    ({"A": {"eval": "a"}}, {"A": "1"}),
    ({"+HOME": None, "+NO": None, "+OTHER": "x"}, {"HOME": "/h", "OTHER": "x"}),
    ({"+H*": None}, {"HOME": "/h"}),
    ({"+!H*": None}, {"EMPTY": ""}),
    ({"^HOME": "/a", "^NO": "/b"}, {"HOME": "/a:/h", "NO": "/b"}),
    ({"A": 1, "AB": 2, "B": 3, "-A*": None}, {"B": "3"}),
    ({"A": 1, "B": 2, "-!A": None}, {"A": "1"}),
]


@pytest.mark.parametrize(("rules", "variables"), VARIABLES, ids=str)
def test_variables(rules: dict[str, Any], variables: dict[str, str]) -> None:
    gives({"eval": {"to_env": rules}}, variables)


def test_marks_stay_on_what_is_made_of_secrets() -> None:
    rules = {"PW": {"eval": {"sensitive": "hush"}}, "URL": "u:${PW}", "PLAIN": "x"}
    value = evaluate({"eval": {"to_env": rules}}, box()).value
    assert redact_value(value) == {"PW": "<<REDACTED>>", "URL": "<<REDACTED>>", "PLAIN": "x"}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("${baz} ${bar:default value}", "env default value"),
        ("foo${baz|missing}${bar:default value}", "fooenvdefault value"),
        (r"foo\${baz}${bar:d}", "foo${baz}d"),
        (r"foo\\${baz}${bar:d}", r"foo\${baz}d"),
        ("${missing|baz} ${missing|missing2:d}", "env d"),
        ("${}", "${}"),
        ("$baz", "$baz"),
    ],
)
def test_references(text: str, expected: str) -> None:
    assert substitute_variables(text, lambda name: {"baz": "env"}.get(name)) == expected


@pytest.mark.parametrize("text", ["${a:" * 50_000, "\\" * 200_000, "${" + "a" * 200_000])
def test_references_without_an_end_are_soon_given_up(text: str) -> None:
    began = time.process_time()
    substitute_variables(text, lambda _name: None)
    assert time.process_time() - began < 2


@pytest.mark.parametrize(
    ("wanted", "pattern"),
    [
        ({"len": 8}, r"[\w%()*+,\-./<>?=^~]{8}"),
        ({}, r".{10}"),
        ({"preset": "number", "len": 6}, r"\d{6}"),
        ({"preset": "password"}, r"(?=.*\d)[a-zA-Z0-9]{15}"),
        ({"len": 5, "ranges": [["a", "d"], [48, 50]]}, r"[abc01]{5}"),
    ],
    ids=str,
)
def test_generated_texts(wanted: dict[str, Any], pattern: str) -> None:
    texts = {evaluate({"eval": {"generate_string": wanted}}, box()).value for _ in range(20)}
    assert all(re.fullmatch(pattern, text) for text in texts)
    assert len(texts) > 10


VARIABLES_ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    ({"to_env": [1]}, BAD_ARGUMENTS, "to_env needs a map of variables", "as {to_env: {PORT: 8080, +HOME: null}}"),
    ({"generate_string": {"len": 0.5}}, BAD_ARGUMENTS, "the length of a generated text must be from 1 to 10,000, not 0.5", None),
    ({"generate_string": {"len": 1 << 40}}, BAD_ARGUMENTS, "the length of a generated text must be from 1 to 10,000, not 1099511627776", None),
    ({"generate_string": {"preset": "pin"}}, BAD_ARGUMENTS, "generate_string knows no preset 'pin'", "there are number and password"),
    ({"generate_string": {"ranges": [["b", "a"]]}}, BAD_ARGUMENTS, "a range of generate_string has a first and a last character, not ['b', 'a']", "as [a, z]"),
]  # fmt: skip


@pytest.mark.parametrize(("call", "rule", "message", "hint"), VARIABLES_ERRORS, ids=str)
def test_variables_errors(call: Any, rule: Rule, message: str, hint: str | None) -> None:
    says({"eval": call}, rule, message, hint)


def test_variables_need_leave() -> None:
    message = "the environment variable 'HOME' is not read: the project is not trusted with it"
    hint = "allow it with --trust env:HOME, or all variables with --trust env"
    says({"eval": {"to_env": {"+HOME": None}}}, REFUSED, message, hint, trust=Trust())
    says({"eval": {"to_env": {"A": "${HOME}"}}}, REFUSED, message, hint, trust=Trust())
    gives({"eval": {"to_env": {"A": 1, "B": "${A}"}}}, {"A": "1", "B": "1"}, box(Trust()))
