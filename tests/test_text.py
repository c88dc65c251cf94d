from __future__ import annotations

import json
import unicodedata
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.text import EMPTY_SPAN, Location, Place, Source, Span, escape_json_bytes, format_json

TEXT = "one\ntwo\r\n\nü😀x"


@pytest.mark.parametrize(
    "offset, line, column",
    [(0, 1, 1), (3, 1, 4), (4, 2, 1), (7, 2, 4), (9, 3, 1), (10, 4, 1), (12, 4, 3), (13, 4, 4)],
)
def test_line_and_column(offset: int, line: int, column: int) -> None:
    source = Source("a.yaml", TEXT)
    assert source.line_column(offset) == (line, column)
    assert source.offset(line, column) == offset


@given(st.text(alphabet="ab\n\r😀", max_size=40), st.data())
def test_offset_and_place_agree(text: str, data: st.DataObject) -> None:
    source = Source("a", text)
    offset = data.draw(st.integers(0, len(text)))
    assert source.offset(*source.line_column(offset)) == offset


@given(st.text(alphabet="ab\n😀", max_size=40))
def test_lines_are_those_of_the_text(text: str) -> None:
    source = Source("a", text)
    assert [source.line_text(line) for line in range(1, len(source.line_starts) + 1)] == text.split("\n")


@pytest.mark.parametrize("line, text", [(0, ""), (1, "one"), (2, "two"), (3, ""), (4, "ü😀x"), (5, "")])
def test_line_text(line: int, text: str) -> None:
    assert Source("a", TEXT).line_text(line) == text


@pytest.mark.parametrize("line, column, offset", [(-1, 1, 0), (99, 1, 10), (4, 99, 13)])
def test_places_outside_are_clipped(line: int, column: int, offset: int) -> None:
    assert Source("a", TEXT).offset(line, column) == offset


def test_spans() -> None:
    span = Span(2, 5)
    assert span == Span(2, 5)
    assert hash(span) == hash(Span(2, 5))
    assert span != EMPTY_SPAN
    assert span.to(Span(7, 9)) == Span(2, 9)
    assert span.shift(3) == Span(5, 8)
    assert span.contains(Span(3, 5))
    assert not span.contains(Span(3, 6))
    assert Source("a", "0123456").slice(span) == "234"


def test_location_in_words() -> None:
    place = Place(Source("dir/a.yaml", TEXT), Span(4, 7))
    assert place.location == Location("dir/a.yaml", 2, 1)
    assert str(place.location) == "dir/a.yaml:2:1"
    assert str(Location("a.yaml", 0, 0)) == "a.yaml"


HARMFUL = (
    *map(chr, (*range(0x20), *range(0x7F, 0xA0), 0x61C, *range(0x200B, 0x2010), *range(0x2028, 0x202F))),
    *map(chr, (*range(0x2060, 0x2070), 0xAD, 0xFEFF, *range(0xFFF9, 0xFFFC), 0xE0001, 0xE0041)),
)
STRINGS = st.text(
    alphabet=st.one_of(st.characters(exclude_categories=["Cs"]), st.sampled_from(HARMFUL)), max_size=30
)
VALUES: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | STRINGS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(STRINGS, inner, max_size=4),
    max_leaves=10,
)


def find_harmful(text: str) -> set[str]:
    """What a terminal or an editor would obey or hide instead of showing it, but for line feeds."""
    found = {char for char in text if unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp")}
    return (found | (set(text) & set(HARMFUL))) - {"\n"}


@given(VALUES, st.sampled_from([None, 2]))
def test_json_holds_any_value_and_nothing_invisible(value: Any, indent: int | None) -> None:
    text = format_json(value, indent=indent)
    assert json.loads(text) == value
    assert msgspec.json.decode(text) == json.loads(text)
    assert find_harmful(text) == set()


@given(STRINGS)
def test_json_in_bytes_is_escaped_in_the_same_way(string: str) -> None:
    data = escape_json_bytes(msgspec.json.encode(string))
    assert json.loads(data) == string
    assert find_harmful(data.decode()) == set()


@pytest.mark.parametrize(
    ("string", "written"),
    [
        ("\x9b31m", '"\\u009b31m"'),
        ("a\u202eb", '"a\\u202eb"'),
        ("\x7f", '"\\u007f"'),
        ("\U000e0041", '"\\udb40\\udc41"'),
        ("\ud800", '"\\ud800"'),
        ("Größe 漢字 😀 “…”", '"Größe 漢字 😀 “…”"'),
    ],
)
def test_json_keeps_letters_and_escapes_the_rest(string: str, written: str) -> None:
    assert format_json(string) == written
    assert json.loads(written) == string
