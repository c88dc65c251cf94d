"""The three forms in which data is written as YAML."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from sabir.source.yaml.write import pyyaml_text, yaml_document, yaml_text
from tests.test_text import STRINGS, find_harmful

TWICE: Any = ["x"]


def test_a_printed_text_has_no_aliases_and_keeps_the_order_of_keys() -> None:
    assert yaml_text({"b": TWICE, "a": TWICE}) == "b:\n- x\na:\n- x\n"


def test_the_width_of_a_printed_text() -> None:
    words = " ".join(["word"] * 20)
    assert yaml_text({"a": words}).count("\n") == 1
    assert yaml_text({"a": words}, width=40).count("\n") == 3


@pytest.mark.parametrize(
    ("data", "options"),
    [
        ({"b": TWICE, "a": TWICE}, {}),
        ({"b": [1, 2], "a": "é"}, {"sort_keys": False}),
        ({"b": [1, 2]}, {"default_flow_style": None, "indent": 4}),
    ],
)
def test_expressions_write_the_bytes_of_pyyaml(data: Any, options: dict[str, Any]) -> None:
    assert pyyaml_text(data, **options) == yaml.safe_dump(data, allow_unicode=True, **options)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain words", "plain words"),
        ("yes", '"yes"'),
        ("", '""'),
        ("1.5", '"1.5"'),
        (1.5, "1.5"),
        (None, "null"),
        ("\x85", '"\\U00000085"'),
        ("two\nlines\n", "|\n  two\n  lines"),
        ("two\nlines", "|-\n  two\n  lines"),
        ("  indented\nfirst", '"  indented\\nfirst"'),
        ("w" * 100, "w" * 100),
        ({}, "{}"),
        ([], "[]"),
        ([[1], {"a": 1, "b": 2}], "\n- - 1\n- a: 1\n  b: 2"),
    ],
)
def test_values_of_a_document(value: Any, text: str) -> None:
    written = yaml_document({"key": value})
    assert written == (f"key:{text}\n" if text.startswith("\n") else f"key: {text}\n")
    assert yaml.safe_load(written) == {"key": value}


_scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.text()
    | st.sampled_from(["yes", "1", "a: b", "- x", " a", "a\n", "\n"])
)
_trees = st.recursive(
    _scalars, lambda inner: st.lists(inner) | st.dictionaries(st.text(min_size=1), inner), max_leaves=12
)


@given(st.dictionaries(st.text(min_size=1), _trees))
def test_law_a_document_is_read_back(data: dict[str, Any]) -> None:
    assert (yaml.safe_load(yaml_document(data)) or {}) == data


@given(st.lists(STRINGS, max_size=3))
def test_law_nothing_invisible_is_printed(strings: list[str]) -> None:
    data = {"list": strings, **dict.fromkeys(strings, 1)}
    for text in (yaml_text(data), yaml_document(data)):
        assert yaml.safe_load(text) == data
        assert find_harmful(text) <= {"\t"}
