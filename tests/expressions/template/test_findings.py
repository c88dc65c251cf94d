"""From rendered text back to the template: which span of it a span of the output came from."""

from __future__ import annotations

import pytest

from sabir.expressions.template.findings import LineMap, RenderedTemplate, line_place
from sabir.expressions.template.sandbox import NotSimple, Sandbox, is_template, render_simple
from sabir.text import Source, Span
from tests.expressions.template.rules import RULES

TEMPLATE = "a: {{ x }}\n{% if yes %}b: 1\n{% else %}c: 2\n{% endif %}d: {{ x }}!\n"


@pytest.mark.parametrize(
    ("output", "template"),
    [
        ("a: ", "a: "),
        ("b: 1", "b: 1"),
        ("d: ", "d: "),
        ("!", "!"),
        ("1\nd", "1\n{% else %}c: 2\n{% endif %}d"),
    ],
)
def test_text_of_the_template_is_found_where_it_stands(output: str, template: str) -> None:
    source = Source("t.yaml", TEMPLATE)
    rendered = Sandbox(RULES).render(source, {"x": "long value", "yes": True})
    assert rendered.source.text == "a: long value\nb: 1\nd: long value!\n"
    start = rendered.source.text.index(output)
    place = rendered.place(Span(start, start + len(output)))
    assert place.source.name == "t.yaml"
    assert TEMPLATE[place.span.start : place.span.end] == template


def test_what_an_expression_gives_is_placed_at_the_expression() -> None:
    rendered = Sandbox(RULES).render(Source("t.yaml", TEMPLATE), {"x": "long value", "yes": False})
    start = rendered.source.text.index("value")
    assert rendered.place(Span(start, start + 5)).span.start == TEMPLATE.index("{{ x }}")


def test_without_a_map_a_text_is_its_own_place() -> None:
    source = Source("t.yaml", "plain")
    assert RenderedTemplate(source).place(Span(1, 3)).span == Span(1, 3)
    assert LineMap((), ()).place(Span(0, 1)).source.name == "<template>"


@pytest.mark.parametrize(("line", "text"), [(1, "a"), (2, "b: c"), (3, "")])
def test_the_place_of_a_line_leaves_out_its_indentation(line: int, text: str) -> None:
    source = Source("t.yaml", "a\n   b: c  \n\n")
    span = line_place(source, line).span
    assert source.text[span.start : span.end] == text


def evaluate(tag: str) -> str:
    """Stands in for the engine: names are true or false, and are put out as they are."""
    if tag.startswith("{%"):
        return "1" if " yes" in tag else ""
    return tag.strip("{} ")


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("plain", "plain"),
        ("a{{ x }}b", "axb"),
        ("a{# not this #}b", "ab"),
        ("{% if yes %}a{% else %}b{% endif %}c", "ac"),
        ("{% if no %}a{% elif yes %}b{% else %}c{% endif %}", "b"),
        ("{% if no %}a{% elif no %}b{% else %}c{% endif %}", "c"),
        ("{% if no %}{% if yes %}a{% endif %}b{% endif %}c", "c"),
        ("{% if yes %}{% if no %}a{% endif %}b{% endif %}", "b"),
        ("", ""),
    ],
)
def test_the_short_cut(text: str, output: str) -> None:
    assert render_simple(Source("t", text), evaluate).source.text == output


@pytest.mark.parametrize(
    "text",
    [
        "{% for x in y %}{% endfor %}",
        "{%- if yes %}a{% endif %}",
        "{% raw %}a{% endraw %}",
        "{% if yes %}a",
        "{% endif %}",
        "{% if yes %}a{% else x %}b{% endif %}",
        "a\r\n{{ x }}",
        "{{ x",
    ],
)
def test_what_the_short_cut_leaves_to_the_engine(text: str) -> None:
    with pytest.raises(NotSimple):
        render_simple(Source("t", text), evaluate)


@pytest.mark.parametrize(
    ("text", "answer"),
    [("a", False), ("{a}", False), ("{{ a }}", True), ("{% a %}", True), ("{# a #}", True), ("%}", False)],
)
def test_whether_there_is_anything_to_render(text: str, answer: bool) -> None:
    assert is_template(text) is answer
