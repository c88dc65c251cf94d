"""Compiled forms: access, operators and calls, and the place of what fails in them."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql import Engine, YaqlError

DATA = {"a": {"b": 1}, "items": [{"n": 1}, {"n": 2}], "text": "abc", "none": None}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("$.a.b", 1),
        ("$.items.n", [1, 2]),
        ("$.none?.b", None),
        ("$.a?.b", 1),
        ("$.items[0].n", 1),
        ("$['text']", "abc"),
        ("not ($.a.b = 1 and $.none = null)", False),
        ("$.none and $.none.whatever", None),  # the right side is not looked at
        ("$.text or $.none.whatever", "abc"),
        ("1 + 2 * 3 - -4", 11),
        ("'a' in $.text", True),
        ("$.items.select($.n).sum()", 3),
        ("max(1, $.a.b + 4)", 5),
        ("[1, $.a.b, [2]]", [1, 1, [2]]),
        ("{x => $.a.b}", {"x": 1}),
        ("let(y => 2) -> $y + $.a.b", 3),
    ],
)
def test_value(text: str, value: Any) -> None:
    engine = Engine()
    assert engine.evaluate(text, DATA) == value
    assert engine.compile(text) is engine.compile(text)


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("1 + $.a.missing", "missing"),
        ("$.text.nothing()", "nothing()"),
        ("$.a.b + nothing(1)", "nothing(1)"),
        ("1 + (2 + 'a')", "2 + 'a'"),
        ("$.items.select($.n.foo())", "foo()"),
    ],
)
def test_place_of_a_failure(text: str, part: str) -> None:
    with pytest.raises(YaqlError) as failure:
        Engine().evaluate(text, DATA)
    span = failure.value.span
    assert span is not None
    assert text[span.start : span.end] == part
