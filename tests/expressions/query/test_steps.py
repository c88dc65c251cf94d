"""Segments and filters of a path: which values they let through."""

from __future__ import annotations

from typing import Any

from sabir.diagnostics.rules import Rule
from sabir.expressions.query.steps import UNDEFINED_VARIABLE, UNKNOWN_SPECIAL_KEY
from tests.expressions.query.functions.calls import errors_test, values_test

VALUES: list[tuple[Any, Any]] = [
    ("a", 1),
    ("l", [1, 2]),
    ("l::0", 1),
    ("l::-1", 2),
    ("l::9", None),
    ("m::k", ["v"]),
    ("m::*", ["v"]),
    ("m::k::0", "v"),
    ("nosuch", None),
    ("nosuch::x", None),
    ("a::b", None),
    (".name", "box"),
    ("..::.name", "root"),
    ("lid::a", None),
    (".::a", 1),
    ("::lid::a", 2),
    (".children::.name", "lid"),
    (".descendents::.name", ["box", "lid"]),
    (".ancestors::.name", ["box", "root"]),
    (".root::.name", "root"),
    ("l[=1]", [1, 2]),
    ("l[=3]", None),
    ("::*[a]::.name", ["box", "lid"]),
    ("::*[a=1]::.name", "box"),
    ("::*[a!=1]::.name", "lid"),
    ("::*[!a]::.name", "root"),
    ("::*[host_only=x]::.name", "lid"),
    ("::*[.name=lid]::a", 2),
    ("::*[a]?::.name", "box"),
    ("::*[]::.name", ["root", "box", "lid"]),
    ("::*[!]", None),
    ("m[k]", {"k": ["v"]}),
    ("l[!=1]", None),
    ("e", []),
    ("e::0", None),
    ("::box[a][l]::a", 1),
    ("::lid::..::a", 1),
    (".all::lid::a", 2),
]

ERRORS: list[tuple[Any, Rule, str, str | None]] = [
    (".nmae", UNKNOWN_SPECIAL_KEY, "instance 'box' has no special key '.nmae'", "did you mean '.name'?"),
    (
        "$nosuch",
        UNDEFINED_VARIABLE,
        "variable $nosuch is not defined",
        "give it under 'vars:' beside 'eval:'",
    ),
    (
        "l::$nosuch",
        UNDEFINED_VARIABLE,
        "variable $nosuch is not defined",
        "give it under 'vars:' beside 'eval:'",
    ),
]

test_values = values_test(VALUES)
test_errors = errors_test(ERRORS)
