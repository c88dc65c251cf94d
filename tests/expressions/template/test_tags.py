"""Tags, tokens and names of a template text, with their offsets."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.expressions.template.tags import TagKind, read_names, read_tags

TAGS = {
    "none": ("just { text }", []),
    "output": ("a {{ x }} b", ["{{ x }}"]),
    "statement": ("{% if x %}y{% endif %}", ["{% if x %}", "{% endif %}"]),
    "comment": ("a {# {{ x }} #} b", ["{# {{ x }} #}"]),
    "string with braces": ("{{ '}}' }}{{ y }}", ["{{ '}}' }}", "{{ y }}"]),
    "dictionary at the end": ("{{ {'a': 1}}}", ["{{ {'a': 1}}}"]),
    "raw": ("{% raw %}{{ x }}{% endraw %}{{ y }}", ["{% raw %}{{ x }}{% endraw %}", "{{ y }}"]),
    "signs before": ("a \n {{- x }} b", ["{{- x }}"]),
    "signs behind": ("a {% if x -%}  \n y {% endif +%} {{ z }}", ["{% if x -%}", "{% endif +%}", "{{ z }}"]),
    "trimmed comment": ("a  {#- c -#}  {{ x }}", ["{#- c -#}", "{{ x }}"]),
    "trimmed raw": ("a {%- raw -%} b {%- endraw -%} {{ x }}", ["{%- raw -%} b {%- endraw -%}", "{{ x }}"]),
    "carriage returns": ("a\r\n{{ x }}\r{{- y }}\r\n{{ z }}", ["{{ x }}", "{{- y }}", "{{ z }}"]),
    "two lines": ("{{ x\n | f }}", ["{{ x\n | f }}"]),
}


@pytest.mark.parametrize(("text", "expected"), TAGS.values(), ids=TAGS.keys())
def test_tags_and_their_spans(text: str, expected: list[str]) -> None:
    read = read_tags(text)
    assert read.is_complete
    assert [tag.text for tag in read.tags] == expected
    assert [text[tag.span.start : tag.span.end] for tag in read.tags] == expected


INCOMPLETE = {
    "never closed": ("{{ a }} {% if x", ["{{ a }}"]),
    "open string": ("{{ a }} {{ 'x }} {{ b }}", ["{{ a }}"]),
    "wrong bracket": ("{{ a }} {{ b ] }}", ["{{ a }}"]),
}


@pytest.mark.parametrize(("text", "expected"), INCOMPLETE.values(), ids=INCOMPLETE.keys())
def test_a_broken_text_keeps_what_stands_before(text: str, expected: list[str]) -> None:
    read = read_tags(text)
    assert not read.is_complete
    assert [tag.text for tag in read.tags] == expected


def test_a_tag_knows_its_inside_its_word_and_its_signs() -> None:
    text = "{%- if web.port -%}{{x}}{# if #}"
    statement, output, comment = read_tags(text).tags
    assert text[statement.inner.start : statement.inner.end] == " if web.port "
    assert [tag.kind for tag in (statement, output, comment)] == [
        TagKind.STATEMENT,
        TagKind.OUTPUT,
        TagKind.COMMENT,
    ]
    assert [tag.word for tag in (statement, output, comment)] == ["if", "", ""]
    assert [tag.has_sign for tag in (statement, output, comment)] == [True, False, False]


NAMES = {
    "dots": ("{{ web.port + db }}", ["web.port", "db"]),
    "string": ("{{ 'a.b' ~ c }}", ["c"]),
    "key": ("{{ a['b'].c }}", ["a", "c"]),
    "filter": ("{{ a|default(b.c) }}", ["a", "default", "b.c"]),
    "method of a text": ("{{ 'x'.upper() }}", ["upper"]),
    "space around the dot": ("{{ a . b }}", ["a", "b"]),
    "number": ("{{ 1.5 + x }}", ["x"]),
    "text outside": ("name {# of #} {% set x = y %}", ["set", "x", "y"]),
    "dot at the end": ("{{ a.0.b }}", ["a", "b"]),
}


@pytest.mark.parametrize(("text", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names(text: str, expected: list[str]) -> None:
    names = [name.text for tag in read_tags(text).tags for name in read_names(tag.tokens)]
    assert names == expected


def test_names_know_where_they_stand() -> None:
    text = "x: {{ web.port }}\r\ny: {%- if db.host %}"
    found = [name for tag in read_tags(text).tags for name in read_names(tag.tokens)]
    assert [text[name.span.start : name.span.end] for name in found] == ["web.port", "if", "db.host"]


def test_an_output_is_found_by_its_offset_only() -> None:
    read = read_tags("a {% if x %}{{ x }}{% endif %}")
    found = read.output_at(12)
    assert found is not None
    assert found.text == "{{ x }}"
    assert read.output_at(2) is None  # a statement
    assert read.output_at(13) is None
    assert read.output_at(99) is None


@given(
    st.lists(st.sampled_from(["{{ a.b }}", "{%- if x -%}", "{# c #}", " ", "\r\n", "\n", "text", "{", "'"]))
)
def test_spans_lie_in_the_text_and_follow_one_another(parts: list[str]) -> None:
    text = "".join(parts)
    end = 0
    for tag in read_tags(text).tags:
        assert end <= tag.span.start < tag.inner.start <= tag.inner.end < tag.span.end <= len(text)
        assert all(text[token.start : token.end] == token.text for token in tag.tokens)
        end = tag.span.end
