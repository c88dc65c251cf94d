from __future__ import annotations

import pytest

from sabir.source.yaml.typing import typed_place
from sabir.text import Source


@pytest.mark.parametrize(
    ("text", "path", "key", "before"),
    [
        ("|", (), None, ""),
        ("a:\n  b:\n    |", ("a", "b"), None, ""),
        ("a:\n  b: x|", ("a",), "b", "x"),
        ("a:\n  - b: 1\n    c|", ("a",), None, "c"),
        ("a:\n- b:\n    c: 1\n  |", ("a",), None, ""),
        ("a:\n  'b c':\n    |", ("a", "b c"), None, ""),
        ("a: {x: 1}\nb:\n  # c:\n  d|", ("b",), None, "d"),
        ("a:\n  b: http://x|", ("a",), "b", "http://x"),
    ],
)
def test_the_place_is_told_by_indentation(
    text: str, path: tuple[str, ...], key: str | None, before: str
) -> None:
    place = typed_place(Source("x", text.replace("|", "")), text.index("|"))
    assert (place.path, place.key, place.before) == (path, key, before)
