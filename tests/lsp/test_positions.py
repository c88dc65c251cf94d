from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types
from pygls.workspace import PositionCodec

from sabir.lsp.positions import PositionConverter
from sabir.text import Source

POSITIONS = PositionConverter(PositionCodec(types.PositionEncodingKind.Utf16))


@pytest.mark.parametrize(
    ("text", "offset", "expected"),
    [
        ("ab\ncd", 4, (1, 1)),
        ("😀b", 1, (0, 2)),
        ("é\n\n", 2, (1, 0)),
        ("", 0, (0, 0)),
    ],
)
def test_positions_count_units_of_the_encoding(text: str, offset: int, expected: tuple[int, int]) -> None:
    assert POSITIONS.position(Source("x", text), offset) == types.Position(*expected)


@given(st.text(alphabet="ab😀é\n"), st.data())
def test_an_offset_survives(text: str, data: st.DataObject) -> None:
    source = Source("x", text)
    offset = data.draw(st.integers(0, len(text)))
    assert POSITIONS.offset(source, POSITIONS.position(source, offset)) == offset
