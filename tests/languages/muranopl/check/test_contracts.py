"""Defaults that break their own contract: what the check says is what the engine does when it makes the object."""

from __future__ import annotations

import pytest

from sabir.languages.muranopl.check.contracts import Defaults
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoExpressionError
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.source.yaml import YamlMapping, compose
from sabir.text import Source
from tests.languages.muranopl.packages import load

# Contract, default, and words of the finding; None: no finding.
TABLE = [
    ("$.int()", "x", "'x' is no integer"),
    ("$.int()", "'12'", None),
    ("$.int()", "1.5", None),
    ("$.int()", "[1]", "is no integer"),
    ("$.string()", "5", None),
    ("$.string()", "{a: 1}", "is no text"),
    ("$.string().notNull()", "", "null was given"),
    ("$.bool()", "maybe", None),
    ("$.bool().notNull()", "null", "null was given"),
    ("$.int().check($ > 0)", "0", "`$ > 0`"),
    ("$.int().check($ > 0)", "1", None),
    ("$.string().check($ in [a, b])", "c", "`$ in [a, b]`"),
    ("$.string().check($ in list(a, b))", "b", None),
    ("$.string().check($ =~ '^[a-z]+$')", "'0'", "does not satisfy"),
    ("$.string().check(len($) < 3, 'too long')", "abc", "too long"),
    ("$.int().notNull().check($ > 0 and $ < 65536)", "70000", "70000"),
    ("[$.int()]", "[1, 2, x]", "[2]"),
    ("[$.int()]", "[]", None),
    ("[$.int(), 1]", "[]", "at least 1 items"),
    ("[$.int(), 1, 2]", "[1, 2, 3]", "at most 2 items"),
    ("[$.string()]", "one", None),
    ("[$.string().notNull()]", "[a, null]", "[1]"),
    ("{port: $.int().notNull()}", "{}", "['port']"),
    ("{port: $.int()}", "{port: x}", "['port']"),
    ("{port: $.int()}", "[]", "is no dictionary"),
    ("{$.string(): $.int()}", "{a: 1, b: x}", "['b']"),
    ("{kind: web}", "{kind: db}", "it must be 'web'"),
    ("{}", "{a: 1}", None),
    ("$", "[1, {a: b}]", None),
    # What asks for more than the value is not decided,
    ("$.class(Root)", "{a: 1}", None),
    ("$.class(Root)", "null", None),
    ("$.class(Root).check($.x > 1)", "some-id", None),
    ("$.int().check($ > $this.least)", "0", None),
    ("$.int().check($ > random(10))", "0", None),
    ("$.int().check(nothing($))", "0", None),
    ("{a: $.class(Root), b: $.int()}", "{b: x}", "['b']"),
    # but null is no object.
    ("$.class(Root).notNull()", "null", "null was given"),
    # What is no contract, and what the engine would run, is left alone.
    ("int", "x", None),
    ("$.int()", "$.other", None),
    ("$.int()", "len(abc)", None),
]


def refusal(contract: str, default: str) -> str | None:
    source = Source("A.yaml", f"Contract: {contract}\nDefault: {default}\n")
    (declared,) = compose(source).documents
    assert isinstance(declared, YamlMapping)
    found = Defaults(None).check(FileReporter(source), declared.get("Contract"), declared.get("Default"))
    return next((one.message for one in found if one.code == "MPL:W118"), None)


@pytest.mark.parametrize(("contract", "default", "words"), TABLE)
def test_defaults(contract: str, default: str, words: str | None) -> None:
    reason = refusal(contract, default)
    assert reason is None if words is None else reason is not None and words in reason, reason


def is_made(contract: str, default: str) -> bool:
    classes = f"Namespaces: {{=: demo}}\nName: Root\nProperties:\n  p:\n    Contract: {contract}\n    Default: {default}\n"
    try:
        load(classes, {"?": {"id": "root", "type": "demo.Root"}})
    except ContractViolationError:
        return False
    except MuranoExpressionError:
        pass  # a predicate that cannot be asked of the value: nothing is said of it
    return True


SCALARS = ("$", "$.int()", "$.string()", "$.bool()", "$.int().notNull()", "$.string().check(len($) > 1)")
CONTRACTS = (
    *SCALARS,
    *(f"[{one}]" for one in SCALARS),
    *(f"[{one}, 1, 2]" for one in SCALARS),
    *(f"{{a: $.int(), b: {one}}}" for one in SCALARS),
    *(f"{{$.string().notNull(): {one}}}" for one in SCALARS),
)
VALUES = ("null", "0", "7", "'7'", "1.5", "x", "''", "true", "[]", "[1]", "[x, 2]", "[1, 2, 3]")
DEFAULTS = (
    *VALUES,
    *(f"{{a: {one}}}" for one in VALUES),
    *(f"{{b: {one}, c: 1}}" for one in VALUES),
)


@pytest.mark.parametrize("contract", CONTRACTS)
def test_the_engine_agrees(contract: str) -> None:
    for default in DEFAULTS:
        assert (refusal(contract, default) is None) == is_made(contract, default), default
