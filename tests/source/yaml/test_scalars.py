"""The same values as PyYAML's safe loader, whatever the text."""

from __future__ import annotations

import re
from datetime import date, datetime
from math import isnan
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sabir.source.yaml import YamlMapping, compose, plain_data
from sabir.text import Source


def _ours(text: str) -> list[Any]:
    stream = compose(Source("test.yaml", text))
    assert not stream.broken, stream.findings
    return [None if document is None else plain_data(document) for document in stream.documents]


def _theirs(text: str) -> list[Any]:
    return list(yaml.load_all(text, Loader=yaml.SafeLoader))


def _typed(data: Any) -> Any:
    """Data in which 1, 1.0, true and not-a-number compare as what they are."""
    if isinstance(data, dict):
        return {"map": [(_typed(key), _typed(value)) for key, value in sorted(data.items(), key=repr)]}
    if isinstance(data, list | tuple):
        return [_typed(item) for item in data]
    if isinstance(data, float) and isnan(data):
        return "nan"
    return (type(data).__name__, data)


SCALARS = r"""
~ null Null NULL nUll "" ''
yes Yes YES yEs no No NO on On ON off Off OFF true True TRUE tRUE false y n Y N
0 -0 +0 1 +1 -1 12_345 1__0 0_ 00 007 08 09 0o17 0b101 -0b11 0b2 0x1F -0xff 0xg
1e3 1e+3 1.e+3 1.0e+3 1.0e3 .5 -.5 +.5 . .. -. 0. 1._0 1_000.5
.inf -.inf +.Inf .INF .nan .NaN -.nan .Nan inf nan
1:30 1:60 1:59 190:20:30 -1:30 0:30 01:30 1:30.5 190:20:30.15 1:2:3:4 :30
2001-12-14 2001-1-1 2001-12-14t21:59:43.10-05:00 2001-12-14T21:59:43Z 2001-12-15T2:59:43.123456789
2001-12-14T21:59:43+5 2001-12-14x -- + < <<x v1.0 1.2.3 a#b a:b http://x
'1' "1" '"' "a\tb" "\u263A" "\U0001F600" 'it''s' é 😀
"""


TAGGED = [
    "!!str 12",
    '!!int "0x1F"',
    "!!float 1",
    "!!bool YES",
    "!!bool 'tRue'",
    "!!null x",
    "!!binary aGFsbG8=",
    "! 12",
    "! 'x'",
    "! '12'",
    "!!timestamp 2001-12-14",
    "!!str ~",
    "!!str",
]


@pytest.mark.parametrize("text", [*re.findall(r"\S+", SCALARS), *TAGGED])
def test_scalar(text: str) -> None:
    assert _typed(_ours(f"k: {text}")) == _typed(_theirs(f"k: {text}"))


@pytest.mark.parametrize(
    "text", ["2001-12-14 21:59:43.10 -5", "2001-12-14   21:59:43 Z", "2001-12-14 1:59:43", "a b  c", "1 2"]
)
def test_scalar_with_blanks(text: str) -> None:
    assert _typed(_ours(text)) == _typed(_theirs(text))


@given(st.text(alphabet="0123456789+-._:eExXbBoOaAfFtTzZ ", min_size=1, max_size=12))
def test_whatever_looks_like_a_number(text: str) -> None:
    try:
        theirs = _typed(_theirs(text))
    except (yaml.YAMLError, ValueError, OverflowError):
        return  # not one plain scalar, or a number or date that cannot be
    assert _typed(_ours(text)) == theirs


DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_nan=False)
    | st.text(max_size=12)
    | st.dates(date(1000, 1, 1))
    | st.datetimes(datetime(1000, 1, 1))
    | st.binary(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=6) | st.integers() | st.booleans() | st.none(), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(DATA, st.sampled_from([None, True, False]), st.sampled_from([None, "'", '"', "|", ">"]), st.booleans())
def test_dumped_data_comes_back(data: Any, flow: bool | None, style: str | None, unicode: bool) -> None:
    text = yaml.safe_dump(data, default_flow_style=flow, default_style=style, allow_unicode=unicode, width=30)
    assert _typed(_ours(text)) == _typed(_theirs(text))


@given(st.lists(DATA, min_size=1, max_size=4))
def test_several_documents(documents: list[Any]) -> None:
    text = yaml.safe_dump_all(documents, explicit_start=True)
    assert _typed(_ours(text)) == _typed(_theirs(text))


@given(st.text(alphabet="ab01:-?[]{},#&*!|>'\"% \n\t~.<=\r\x85\u2028😀\ufeff", max_size=25))
def test_any_text_is_read_as_by_pyyaml_or_is_a_problem(text: str) -> None:
    stream = compose(Source("test.yaml", text))
    if stream.broken:
        return
    try:
        theirs = list(yaml.load_all(text, Loader=yaml.CSafeLoader))
    except (yaml.YAMLError, ValueError):
        return  # a key that is a list, `=` as a value: there we are kinder
    ours = [None if document is None else plain_data(document) for document in stream.documents]
    assert _typed(ours) == _typed(theirs)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x {k: 1, l: 2}\nb: {<<: *x, l: 3}\n",
        "a: &x {k: 1}\nb: &y {k: 2, m: 5}\nc: {<<: [*x, *y]}\n",
        "a: &x {k: 1}\nb: &y {k: 2, m: 5}\nc:\n  <<: *x\n  <<: *y\n",
        "a: &x {k: 1}\nb: &y {<<: *x, l: 2}\nc: {l: 3, <<: *y}\n",
        "<<: {a: 1}\na: 2\n",
        "a: {'<<': 1}\n",
        "<<: []\nb: 1\n",
        "a: &x {1: one, true: yes}\nb: {<<: *x, 1: uno}\n",
    ],
)
def test_merge_keys(text: str) -> None:
    assert _ours(text) == _theirs(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a remark\n",
        "---\n",
        "---\n---\na\n...\n---\nb\n",
        "a: 1\r\nb:\r\n  - x\r\n  - |\r\n    two\r\n    lines\r\n",
        "\ufeffa: 1\n",
        "a: 1\x85b: 2\u2028c: 3\n",
        "%YAML 1.1\n---\na: 1\n",
        "%TAG ! tag:yaml.org,2002:\n---\na: !str 12\n",
        "a: &x [1, 2]\nb: *x\nc: [*x, *x]\n",
        "&k key: *k\n",
        "? a\n: b\n? c\n",
        "- - 1\n  - 2\n- ? x\n  : y\n",
        "a: |+\n  x\n\n\nb: >-\n  y\n  z\n\n  w\n",
        '"a\\\n  b"',
        "!!map {a: !!seq [!!int 3]}",
        "{a, b: , c: d}",
        "[a: 1, {b: 2}]",
    ],
)
def test_forms(text: str) -> None:
    assert _typed(_ours(text)) == _typed(_theirs(text))


@pytest.mark.parametrize(
    "text, data",
    [
        ("!!set {a, b}", {"a": None, "b": None}),
        ("!!omap [a: 1, b: 2]", [{"a": 1}, {"b": 2}]),
        ("!!pairs [a: 1, a: 2]", [{"a": 1}, {"a": 2}]),
        ("? [1, {a: 2}]\n: x", {(1, (("a", 2),)): "x"}),
        ("=: x", {"=": "x"}),
        ("k: =", {"k": "="}),
    ],
)
def test_where_we_differ_from_pyyaml(text: str, data: Any) -> None:
    """Sets and ordered maps stay the containers they are written as, and a key may be a list."""
    assert _ours(text) == [data]


def test_aliases_are_the_very_node() -> None:
    (document,) = compose(Source("a", "a: &x [1]\nb: *x\n")).documents
    assert isinstance(document, YamlMapping)
    assert document.get("a") is document.get("b") is not None
