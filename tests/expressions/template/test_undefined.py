"""Undefined names: all of them in one run, with their path, their place and what is defined beside them."""

from __future__ import annotations

import pytest

from sabir.expressions.template.sandbox import Sandbox, TemplateFailed
from sabir.text import Source

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
    with pytest.raises(TemplateFailed) as failed:
        Sandbox().render(Source("x", text), VARIABLES)
    found = [
        (problem.name, (problem.place.location.line, problem.place.location.column))
        for problem in failed.value.problems
    ]
    assert found == expected


def test_what_is_defined_beside_an_attribute_is_told() -> None:
    with pytest.raises(TemplateFailed) as failed:
        Sandbox().render(Source("x", "{{ web.prot }}"), VARIABLES)
    assert failed.value.problems[0].known == ("port", "tls")


def test_the_place_is_in_the_included_file() -> None:
    part = Source("part", "ok\n{{ nothing }}")
    with pytest.raises(TemplateFailed) as failed:
        Sandbox(load=lambda _: part).render(Source("x", "{% include 'part' %}"), VARIABLES)
    place = failed.value.problems[0].place
    assert (place.source.name, place.location.line, place.location.column) == ("part", 2, 4)
