"""Every key, scalar and container has its place in the text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sabir.source.yaml import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence, compose, plain_data
from sabir.text import Source, Span


def _compose(text: str) -> tuple[Source, list[YamlNode]]:
    source = Source("test.yaml", text)
    return source, [document for document in compose(source).documents if document is not None]


def _children(node: YamlNode) -> Iterator[YamlNode]:
    if isinstance(node, YamlSequence):
        yield from node.items
    elif isinstance(node, YamlMapping):
        for entry in node.entries:
            if not entry.merged:
                yield entry.key
                yield entry.value


def _all(node: YamlNode) -> Iterator[YamlNode]:
    yield node
    for child in _children(node):
        yield from _all(child)


TEXT = """\
# remark
name: web   # another
ports: [80, "4😀3"]
env:
  - KEY: 'it''s'
    text: |
      one
      two
  - {a: b}
last: end
"""


@pytest.mark.parametrize(
    "written, style",
    [
        ("name", Style.PLAIN),
        ("web", Style.PLAIN),
        ("80", Style.PLAIN),
        ('"4😀3"', Style.QUOTED),
        ("'it''s'", Style.QUOTED),
        ("KEY", Style.PLAIN),
        ("b", Style.PLAIN),
        ("end", Style.PLAIN),
    ],
)
def test_scalars_lie_where_they_are_written(written: str, style: Style) -> None:
    source, (document,) = _compose(TEXT)
    found = [node for node in _all(document) if source.slice(node.span) == written]
    assert [node.style for node in found if isinstance(node, YamlScalar)] == [style]


@pytest.mark.parametrize(
    "key, written",
    [
        ("ports", '[80, "4😀3"]'),
        ("env", "- KEY: 'it''s'\n    text: |\n      one\n      two\n  - {a: b}"),
        ("last", "end"),
    ],
)
def test_containers_end_with_their_last_item(key: str, written: str) -> None:
    source, (document,) = _compose(TEXT)
    assert isinstance(document, YamlMapping)
    node = document.get(key)
    assert node is not None
    assert source.slice(node.span) == written


@pytest.mark.parametrize("text", ["a: &x 1\nb:\n  c: *x\nd: 2\n", "a: &x {k: 1}\nb:\n  <<: *x\nd: 2\n"])
def test_container_that_ends_with_an_alias(text: str) -> None:
    source, (document,) = _compose(text)
    assert isinstance(document, YamlMapping)
    node = document.get("b")
    assert node is not None
    assert source.slice(node.span).endswith("*x")


@pytest.mark.parametrize("start", ["", "\ufeff", "# 😀\n", "\x85", "\r\n", "--- # ü\n"])
@pytest.mark.parametrize("break_", ["\n", "\r\n", "\r", "\x85", "\u2028"])
def test_offsets_count_characters(start: str, break_: str) -> None:
    source, documents = _compose(f"{start}kéy: välue{break_}😀: 'x'{break_}")
    scalars = [node for node in _all(documents[-1]) if isinstance(node, YamlScalar)]
    assert [source.slice(node.span) for node in scalars] == ["kéy", "välue", "😀", "'x'"]


def _check_nesting(source: Source, node: YamlNode, within: Span) -> None:
    assert 0 <= node.span.start <= node.span.end <= len(source.text)
    assert within.contains(node.span), (within, node)
    before = node.span.start
    for child in _children(node):
        assert child.span.start >= before, (before, child)
        before = child.span.end
        _check_nesting(source, child, node.span)


DATA = st.recursive(
    st.none() | st.integers() | st.text(alphabet="ab :#'\"\n😀é-", max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(alphabet="ab 😀", max_size=4), inner, max_size=4)
    ),
    max_leaves=15,
)


@given(
    DATA,
    st.sampled_from([None, True, False]),
    st.sampled_from([None, "'", '"', "|", ">"]),
    st.sampled_from(["\n", "\r\n"]),
)
def test_spans_lie_inside_and_nest(data: Any, flow: bool | None, style: str | None, break_: str) -> None:
    text = yaml.safe_dump(
        data, default_flow_style=flow, default_style=style, allow_unicode=True, line_break=break_
    )
    source, documents = _compose(text)
    for document in documents:
        _check_nesting(source, document, Span(0, len(text)))


@given(st.text(alphabet="ab:-?[]{},#!|>'\" \n\t~😀\ufeff", max_size=30))
def test_spans_of_any_text_nest(text: str) -> None:
    source, documents = _compose(text)
    for document in documents:
        _check_nesting(source, document, Span(0, len(text)))


def test_texts_that_begin_with_colons_keep_their_places() -> None:
    text = "a: {eval: ::n}\nb: [x, ::a::b, 'q, ::z']\n"
    refused = compose(Source("x.yaml", text))
    assert "cannot begin with '::'" in refused.findings[0].message
    stream = compose(Source("x.yaml", text), paths=True)
    (root,) = stream.documents
    assert isinstance(root, YamlMapping)
    assert not stream.findings
    assert plain_data(root) == {"a": {"eval": "::n"}, "b": ["x", "::a::b", "q, ::z"]}
    items = root.get("b")
    assert isinstance(items, YamlSequence)
    assert text[items.items[1].span.start : items.items[1].span.end] == "::a::b"


def test_a_text_that_holds_the_stand_in_is_left_alone() -> None:
    assert compose(Source("x.yaml", "a: {eval: ::n, b: \ue000\ue001}\n"), paths=True).broken
