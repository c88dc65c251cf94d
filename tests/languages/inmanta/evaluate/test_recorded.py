"""Small models whose outcome was recorded from the existing engine."""

from __future__ import annotations

import pytest

from sabir.languages.inmanta import codes
from tests.languages.inmanta.models import evaluate

VALUES = {
    "a = 2 ** 3 ** 2": 64,
    "a = -2 ** 2": 4,
    "a = string(null)": "null",
    "a = string([1])": "[1]",
    "a = bool([])": False,
    'a = bool({"x": 1})': True,
    'a = std::length("abc")': 3,
    'a = std::unique_file("a", "b", "c")': "a92eb5ffee6ae2fec3ad71c777531578fc",
    'a = {r"x{{b}}": 1}': {"x{{b}}": 1},
    'if false:\n    x = nosuch\nend\na = 1': 1,
}  # fmt: skip

ERRORS = {
    'b = 2\na = {"x{{b}}": 1}\n': (codes.SYNTAX, 2),
    "if false:\n    x = nosuch::y\nend\n": (codes.UNKNOWN_NAME, 2),
}


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    model = evaluate(text + "\n")
    assert model.findings == []
    assert model.variables()["a"] == VALUES[text]


@pytest.mark.parametrize("text", ERRORS)
def test_error(text: str) -> None:
    findings = evaluate(text).findings
    assert [(one.code, one.place.location.line) for one in findings] == [ERRORS[text]]
