"""Which items of what a template gives are marked."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.query import QueryError, map_value, redacted
from sabir.graph.values import Sensitive
from sabir.text import REDACTED
from tests.expressions.query.functions.calls import box

VARIABLES = {
    "plain": {"a": 1},
    "some": {"bar": 1, "pw": Sensitive("x"), "l": [1, Sensitive("2")], "s": Sensitive({"a": "1"})},
}

TEMPLATES: list[tuple[str, Any]] = [
    ("{{ ['a', 'b' | sensitive] }}", ["a", REDACTED]),
    ("{{ {'k': ['x' | sensitive, 1], 'z': plain.a} }}", {"k": [REDACTED, 1], "z": 1}),
    ("{{ [plain.a | sensitive, plain.a] }}", [REDACTED, 1]),
    ("{{ [{'k' | sensitive: 1}, 2] }}", [REDACTED, 2]),
    ("{{ [['b' | sensitive] | first, 2] }}", [REDACTED, 2]),
    ("{{ ['a', 'b'] | sensitive }}", REDACTED),
    ("{{ ['a' | sensitive, 'b'] | join }}", REDACTED),
    ("{{ {'k' | sensitive: 1} }}", REDACTED),
    ("x{{ ['a' | sensitive] }}", REDACTED),
    ("{% set x = 'a' | sensitive %}{{ [1, x] }}", REDACTED),
    # Names are looked up first: whichever item has the secret, it is not said.
    ("{{ [some.bar, some.pw] }}", REDACTED),
    ("{{ [1, some] }}", REDACTED),
    ("{{ some }}", {"bar": 1, "pw": REDACTED, "l": [1, REDACTED], "s": REDACTED}),
    ("{{ some.bar }}", 1),
    ("{{ some['l'] }}", [1, REDACTED]),
    ("{{ some.l[0] }}", 1),
    ("{{ some.l[1] }}", REDACTED),
    ("{{ some.s.a }}", REDACTED),
    ("{{ some.bar + 1 }}", REDACTED),
    ("{{ some.pw | length }}", REDACTED),
    ("{{ some.items() | list }}", REDACTED),
    ("{{ some.keys() | list }}", REDACTED),
    ("{{ some.nope | default(3) }}", REDACTED),
]


@pytest.mark.parametrize(("template", "expected"), TEMPLATES)
def test_marks(template: str, expected: Any) -> None:
    assert redacted(map_value(template, box(), VARIABLES)) == expected


def test_functions_of_expressions_in_a_template() -> None:
    assert map_value("{{ __unfurl.to_label('a', 'b', sep='.') }}", box()) == "a.b"
    assert map_value("{{ __unfurl.urljoin('http', 'h', 80) }}", box()) == "http://h"


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("#jinja2: variable_start_string: '<%', variable_end_string: '%>'\n{% if true %}<% plain.a %>{{ a }}{% endif %}", "1{{ a }}"),
        ("#jinja2: trim_blocks: True\n{{ plain.a }}", 1),
    ],
)  # fmt: skip
def test_a_template_chooses_its_signs(template: str, expected: Any) -> None:
    assert map_value(template, box(), VARIABLES) == expected


def test_a_header_that_cannot_be_read() -> None:
    with pytest.raises(QueryError, match="#jinja2: knows no 'trim_block'"):
        map_value("#jinja2: trim_block: True\n{{ plain.a }}", box(), VARIABLES)
