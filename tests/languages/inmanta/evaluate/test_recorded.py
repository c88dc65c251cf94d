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
    'a = number("3") == 3 and number(true) == 1': True,
    "a = string([null, 1])": "[null, 1]",
    'b = [null, {"c": null}]\na = "{{b}}"': "[null, {'c': null}]",
    'b = 1.0\nc = 10000000000000000000000.0\na = "{{b}} {{ c }} {{\tb\t}}"': "1 10000000000000000000000 1",
    'b = 1.5\na = "{{b}}"': "1.5",
    'b = 2\nw = 5\na = f"{b:{w}}|{b:>{w}}|"': "    2|    2|",
    'b = 3.14159\nw = 6\np = 2\na = f"{b:{w}.{p}f}"': "  3.14",
    "b = 'x'\na = f\"{b!r} {b!s}\"": "'x' x",
    'b = 1\na = f"{b == 1}"': "True",
}  # fmt: skip

ERRORS = {
    'b = 2\na = {"x{{b}}": 1}\n': (codes.SYNTAX, 2),
    "if false:\n    x = nosuch::y\nend\n": (codes.UNKNOWN_NAME, 2),
    'a = "{{1}}"\n': (codes.UNKNOWN_NAME, 1),
    "entity A:\n    any x\nend\n": (codes.UNKNOWN_NAME, 2),
    "typedef t as int matching true\n": (codes.TYPE, 1),
    'b = 1\na = f"{b:{c}}"\n': (codes.UNKNOWN_NAME, 2),
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
