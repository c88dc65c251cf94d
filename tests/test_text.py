from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.text import EMPTY_SPAN, Location, Place, Source, Span

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
    assert span.shifted(3) == Span(5, 8)
    assert span.contains(Span(3, 5))
    assert not span.contains(Span(3, 6))
    assert Source("a", "0123456").slice(span) == "234"


def test_location_in_words() -> None:
    place = Place(Source("dir/a.yaml", TEXT), Span(4, 7))
    assert place.location == Location("dir/a.yaml", 2, 1)
    assert str(place.location) == "dir/a.yaml:2:1"
    assert str(Location("a.yaml", 0, 0)) == "a.yaml"
