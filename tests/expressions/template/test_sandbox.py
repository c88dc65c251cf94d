"""The sandbox: what it refuses, within bounds, and where it says so."""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sabir.expressions.template.findings import RenderError, TemplateDefect, TemplateFinding
from sabir.expressions.template.sandbox import Sandbox
from sabir.text import Source
from tests.expressions.template.rules import RULES

VARIABLES: dict[str, Any] = {"web": {"port": 80, "items": "own"}, "x": "s", "n": 3}

HOSTILE = {
    "long range": ("{% for i in range(10**9) %}{% endfor %}", TemplateDefect.LIMIT),
    "range in range": ("{% for i in range(99999) %}{% for j in range(99999) %}{% endfor %}{% endfor %}", TemplateDefect.LIMIT),
    "product": ("{{ 'a' * 10**9 }}", TemplateDefect.LIMIT),
    "list product": ("{{ [1] * 10**9 }}", TemplateDefect.LIMIT),
    "power": ("{{ 9 ** (9 ** 9) }}", TemplateDefect.LIMIT),
    "doubling": ("{% set s = namespace(x='aaaa') %}{% for i in range(99) %}{% set s.x = s.x ~ s.x %}{% endfor %}", TemplateDefect.LIMIT),
    "sum": ("{% set s = namespace(x='aaaa') %}{% for i in range(99) %}{% set s.x = s.x + s.x %}{% endfor %}", TemplateDefect.LIMIT),
    "recursion": ("{% macro f() %}{{ f() }}{{ f() }}{% endmacro %}{{ f() }}", TemplateDefect.LIMIT),
    "format width": ("{{ '%0999999999d' % 1 }}", TemplateDefect.LIMIT),
    "format method": ("{{ '{:>999999999}'.format(1) }}", TemplateDefect.LIMIT),
    "format nested": ("{{ '{:>{w}}'.format(1, w='999999999') }}", TemplateDefect.LIMIT),
    "center": ("{{ 'a'|center(10**9) }}", TemplateDefect.LIMIT),
    "replace": ("{% set x = 'a'.ljust(9999) %}{{ x|replace(' ', x) }}", TemplateDefect.LIMIT),
    "lists in lists": ("{% set s = namespace(x=[1]) %}{% for i in range(60) %}{% set s.x = [s.x, s.x] %}{% endfor %}{{ s.x }}", TemplateDefect.LIMIT),
    "tuples in tuples": ("{% set s = namespace(x=(1,)) %}{% for i in range(60) %}{% set s.x = (s.x, s.x) %}{% endfor %}{{ {s.x: 1} }}", TemplateDefect.LIMIT),
    "class": ("{{ ''.__class__.__mro__ }}", TemplateDefect.UNSAFE),
    "attr filter": ("{{ x|attr('__class__') }}", TemplateDefect.UNSAFE),
    "globals": ("{{ cycler.__init__.__globals__ }}", TemplateDefect.UNSAFE),
    "change": ("{{ [1].append(2) }}", TemplateDefect.UNSAFE),
    "division": ("{{ 1 / 0 }}", TemplateDefect.FAILED),
    "beyond all bounds": ("{% for x in [1] %}{{ [1e999, x] }}{% endfor %}", TemplateDefect.FAILED),
    "class formatted": ("{{ '%s' | format(namespace) }}", TemplateDefect.FAILED),
    "class formatted by name": ("{{ '%(a)s' | format(a=namespace) }}", TemplateDefect.FAILED),
    "class joined": ("{{ [namespace] | join }}", TemplateDefect.FAILED),
    "classes joined one by one": ("{{ [namespace] | select | join }}", TemplateDefect.FAILED),
    "include": ("{% include 'nothing' %}", TemplateDefect.FAILED),
    "syntax": ("{% if %}", TemplateDefect.SYNTAX),
    "filter": ("{{ 1|nothing }}", TemplateDefect.SYNTAX),
}  # fmt: skip


def _findings(text: str) -> tuple[TemplateFinding, ...]:
    with pytest.raises(RenderError) as failed:
        Sandbox(RULES).render(Source("x", text), VARIABLES)
    return failed.value.findings


@pytest.mark.parametrize(
    ("text", "rendered"),
    [
        ("{{ [1, 2] | map('string') | join(',') }}", "1,2"),
        ("{{ [{'a': 1}, {'a': 2}] | join('-', attribute='a') }}", "1-2"),
        ("{{ range(3) | select('odd') | join }}", "1"),
        ("{{ '%s %s' | format(1, [2]) }}", "1 [2]"),
        ("{{ '%(a)s' | format(a='b') }}", "b"),
    ],
)
def test_what_is_data_is_joined_and_formatted(text: str, rendered: str) -> None:
    assert Sandbox(RULES).render(Source("x", text), VARIABLES).source.text == rendered


@pytest.mark.parametrize(("text", "defect"), HOSTILE.values(), ids=HOSTILE.keys())
def test_hostile_templates_are_stopped(text: str, defect: TemplateDefect) -> None:
    start = time.process_time()
    (finding,) = _findings(f"first\n{text}")
    assert (finding.defect, finding.place.location.line) == (defect, 2)
    assert time.process_time() - start < 2


def test_every_undefined_name_is_reported_once() -> None:
    findings = _findings("{{ a }}{{ a }}\n{{ web.prot }}\n{% if b %}{% endif %}")
    found = [(finding.name, finding.place.location.line) for finding in findings]
    assert found == [("a", 1), ("web.prot", 2), ("b", 3)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("{{ web.port }}", "80"),
        ("{{ web.items }}", "own"),
        ("{{ nothing|default('d') }}", "d"),
        ("{{ nothing is defined }}", "False"),
        ("{% if n > 2 %}a{% elif n > 1 %}b{% else %}c{% endif %}", "a"),
        ("{% if n > 5 %}a{% elif n > 1 %}b{% else %}c{% endif %}", "b"),
        ("{% if n > 5 %}a{% if nothing %}{% endif %}{% else %}c{% endif %}d", "cd"),
        ("{% if true %}{% if false %}a{% endif %}b{% endif %}", "b"),
        ("{{ '}}' }}", "}}"),
        ("{{ {'a': {'b': 1}} }}", "{'a': {'b': 1}}"),
        ("a{# {{ nothing }} #}b", "ab"),
        ("a {%- if true %} b {% endif -%} c", "a b c"),
        ("{% for i in range(3) %}{{ loop.index }}/{{ loop.length }} {% endfor %}", "1/3 2/3 3/3 "),
        ("{{ 'a' ~ n ~ 'b' }}", "a3b"),
        ("line\r\n{{ n }}\n", "line\n3\n"),
    ],
)
def test_rendered(text: str, expected: str) -> None:
    assert Sandbox(RULES).render(Source("x", text), VARIABLES).source.text == expected


_parts = st.sampled_from(
    [
        "a",
        "\n",
        "{{ n }}",
        "{{ web.port }}",
        "{% if n %}",
        "{% else %}",
        "{% endif %}",
        "{# c #}",
        "{",
        "}",
        "%",
        "{{ '}}' }}",
    ]
)


@given(st.lists(_parts, max_size=12).map("".join))
@example("{% if n %}{% else %}{% else %}{% endif %}")
@example("{% if n %}{% else %}{% elif n %}{% endif %}")
def test_law_the_short_cut_gives_what_jinja_gives(text: str) -> None:
    from jinja2 import Environment, TemplateError

    try:
        expected: str | None = Environment(keep_trailing_newline=True).from_string(text).render(VARIABLES)
    except TemplateError:
        expected = None
    try:
        found: str | None = Sandbox(RULES).render(Source("x", text), VARIABLES).source.text
    except RenderError:
        found = None
    assert found == expected


def test_a_template_that_includes_itself_ends_without_a_word_on_the_side(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ignored: list[Any] = []
    monkeypatch.setattr("sys.unraisablehook", ignored.append)
    source = Source("me", "first\n{% include 'me' %}")
    with pytest.raises(RenderError) as failed:
        Sandbox(RULES, load=lambda _: source).render(source, {})
    (finding,) = failed.value.findings
    assert (finding.defect, finding.place.location.line) == (TemplateDefect.LIMIT, 2)
    assert not ignored


def test_a_defect_of_a_function_of_ours_is_seen() -> None:
    def broken() -> None:
        raise AssertionError("a defect")

    with pytest.raises(AssertionError):
        Sandbox(RULES, functions={"broken": broken}).render(Source("x", "{{ broken() }}"), {})


@pytest.mark.parametrize(
    ("text", "expected", "names"),
    [
        ("a {{ no }} b", "a  b", ["no"]),
        ("{% if no %}x{% endif %}{% for x in web.no %}y{% endfor %}", "", ["no", "web.no"]),
        ("{{ no|default('d') }}{{ no is defined }}", "dFalse", []),
        ("{{ web.port }}", "1", []),
        ("plain", "plain", []),
    ],
)
def test_undefined_names_are_empty_when_leniently_rendered(
    text: str, expected: str, names: list[str]
) -> None:
    rendered, findings = Sandbox(RULES).render_leniently(Source("t", text), {"web": {"port": 1}})
    assert rendered.source.text == expected
    assert [finding.name for finding in findings] == names


@pytest.mark.parametrize(
    ("text", "defect"),
    [
        ("{{ no.port }}", TemplateDefect.UNDEFINED),
        ("{{ no + 1 }}", TemplateDefect.UNDEFINED),
        ("{{ ''.__class__ }}", TemplateDefect.UNSAFE),
        ("{% if %}", TemplateDefect.SYNTAX),
    ],
)
def test_a_lenient_rendering_fails_where_jinja2_fails(text: str, defect: TemplateDefect) -> None:
    with pytest.raises(RenderError) as failed:
        Sandbox(RULES).render_leniently(Source("t", text), {})
    assert [finding.defect for finding in failed.value.findings] == [defect]
