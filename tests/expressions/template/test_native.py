"""What Ansible's users expect of a template: native types, text that stays text, backslashes, lists for views.

Which items of what a template gives are marked.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from sabir.expressions.query import QueryError, map_value, redact_value
from sabir.expressions.query.errors import TOO_MUCH
from sabir.expressions.template.ansible import TEMPLATE
from sabir.graph.values import Sensitive
from sabir.text import REDACTED
from tests.expressions.query.functions.calls import box
from tests.expressions.query.plain import PlainResource

VARIABLES: dict[str, Any] = {
    "n": 1,
    "five": "5",
    "l": [1, 2],
    "m": {"w": 3, "name": "ann"},
    "no": False,
    "txt": "Hello World",
}

RENDERED: list[tuple[str, Any]] = [
    ("{{ n }}", 1),
    ("{{ five }}", 5),
    ("{{ five | string }}", "5"),
    ("{{ l | to_json }}", "[1, 2]"),
    ("{% set q = l | to_json %}{{ q }}", "[1, 2]"),
    ("{{ l | to_json | upper }}", [1, 2]),
    ("{{ m | to_nice_json }}", '{\n    "name": "ann",\n    "w": 3\n}'),
    ("{{ l | to_yaml }}", "[1, 2]\n"),
    ("[{{ n }}, {{ n }}]", [1, 1]),
    # A backslash in a quoted text is one, so that regular expressions need none doubled.
    (r"{{ txt | regex_replace('(l+)', '<\1>') }}", "He<ll>o Wor<l>d"),
    (r"{{ txt | regex_findall('\bW') }}", ["W"]),
    (r"{{ 'a\tb' }}", r"a\tb"),
    (r"{{ 'a\\b' }}", r"a\\b"),
    (r"{{ 'it\'s' }}", "it's"),
    (r"{% set q = 'a\tb' %}{{ q }}", "a\tb"),
    # What would show as an object of Python is a list.
    ("{{ m.keys() }}", ["w", "name"]),
    ("x{{ m.items() }}", "x[('w', 3), ('name', 'ann')]"),
    ("{{ range(3) }}", [0, 1, 2]),
    ("x{{ l | select('odd') }}", "x[1]"),
    ("{{ '{1}' }}", [1]),
    ("x{{ l | zip(l) | list }}", "x[(1, 1), (2, 2)]"),
    ("{{ l | zip(l) | list }}", [[1, 1], [2, 2]]),
    # No output is null; a comment alone makes no template.
    ("{% if no %}x{% endif %}", None),
    ("{{ '' }}", ""),
    ("{# note #}5", "{# note #}5"),
    ("x{{ n if no }}", "x"),
]


@pytest.mark.parametrize(("text", "expected"), RENDERED, ids=[text for text, _ in RENDERED])
def test_rendered(text: str, expected: Any) -> None:
    found = map_value(text, PlainResource("box"), VARIABLES)
    assert (found, type(found)) == (expected, type(expected))


def test_an_if_without_else_that_is_all_there_is_has_no_value() -> None:
    with pytest.raises(QueryError, match="no else section") as failed:
        map_value("{{ n if no }}", PlainResource("box"), VARIABLES)
    assert failed.value.rule is TEMPLATE


NESTING = {
    "lists": "{% set s.x = [s.x, s.x] %}",
    "tuples": "{% set s.x = (s.x, s.x) %}",
    "dictionaries": "{% set s.x = {'a': s.x, 'b': s.x} %}",
    "calls": "{% set s.x = dict(a=s.x, b=s.x) %}",
    "filters": "{% set s.x = [s.x, s.x] | batch(1) | list %}",
    "products": "{% set s.x = [[s.x] * 2] %}",
}


@pytest.mark.parametrize("step", NESTING.values(), ids=NESTING.keys())
def test_values_inside_of_values_end_within_bounds(step: str) -> None:
    text = "{% set s = namespace(x=[1]) %}{% for i in range(60) %}" + step + "{% endfor %}{{ s.x }}"
    start = time.process_time()
    with pytest.raises(QueryError) as failed:
        map_value(text, PlainResource("box"))
    assert failed.value.rule is TOO_MUCH
    assert time.process_time() - start < 2


ITEMS_VARIABLES = {
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
    assert redact_value(map_value(template, box(), ITEMS_VARIABLES)) == expected


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
    assert map_value(template, box(), ITEMS_VARIABLES) == expected


def test_a_header_that_cannot_be_read() -> None:
    with pytest.raises(QueryError, match="#jinja2: knows no 'trim_block'"):
        map_value("#jinja2: trim_block: True\n{{ plain.a }}", box(), ITEMS_VARIABLES)
