"""Undefined names: all of them in one run, with their path, their place and what is defined beside them."""

from __future__ import annotations

import pytest

from sabir.expressions.template.findings import RenderError
from sabir.expressions.template.sandbox import Sandbox
from sabir.text import Source
from tests.expressions.template.rules import RULES

VARIABLES = {"web": {"port": 80, "tls": {"cert": "x"}}, "name": "db"}

USES = {
    "name": ("port: {{ port }}", [("port", (1, 10))]),
    "attribute": ("{{ web.prot }}", [("web.prot", (1, 4))]),
    "deep attribute": ("{{ web.tls.key }}", [("web.tls.key", (1, 4))]),
    "key": ("{{ web['prot'] }}", [("web.prot", (1, 9))]),
    "behind a string": ("{{ 'prot' ~ web.prot }}", [("web.prot", (1, 13))]),
    "two": ("{{ one }}\n  {{ two }}", [("one", (1, 4)), ("two", (2, 6))]),
    "twice": ("{{ one }}\n{{ one }}", [("one", (1, 4))]),
    "in a condition": ("a\n{% if tow %}{% endif %}", [("tow", (2, 7))]),
    "in a loop": ("{% for x in items %}{% endfor %}", [("items", (1, 13))]),
    "reached through another": ("{{ nothing.at.all }}", [("nothing", (1, 4))]),
}


@pytest.mark.parametrize(("text", "expected"), USES.values(), ids=USES.keys())
def test_names_and_places(text: str, expected: list[tuple[str, tuple[int, int]]]) -> None:
    with pytest.raises(RenderError) as failed:
        Sandbox(RULES).render(Source("x", text), VARIABLES)
    found = [
        (finding.name, (finding.place.location.line, finding.place.location.column))
        for finding in failed.value.findings
    ]
    assert found == expected


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("{{ web.prot }}", "did you mean 'web.port'?"),
        ("{{ nome }}", "did you mean 'name'?"),
        ("{{ elsewhere }}", "define it"),
    ],
)
def test_the_near_name_is_looked_for_where_the_name_was(text: str, hint: str) -> None:
    with pytest.raises(RenderError) as failed:
        Sandbox(RULES).render(Source("x", text), VARIABLES)
    assert failed.value.findings[0].hint == hint


def test_the_place_is_in_the_included_file() -> None:
    part = Source("part", "ok\n{{ nothing }}")
    with pytest.raises(RenderError) as failed:
        Sandbox(RULES, load=lambda _: part).render(Source("x", "{% include 'part' %}"), VARIABLES)
    place = failed.value.findings[0].place
    assert (place.source.name, place.location.line, place.location.column) == ("part", 2, 4)
