"""The decoder's words become ours, with the place."""

from __future__ import annotations

from enum import Enum
from typing import Annotated, Any

import msgspec
import pytest
from msgspec import Meta, Struct

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error


class Colour(Enum):
    RED = "red"


class Inner(Struct):
    x: int
    colour: Colour = Colour.RED


class Outer(Struct, forbid_unknown_fields=True):
    a: int
    inner: list[Inner] = []
    by_name: dict[str, Inner] = {}
    choice: int | str | None = None
    pair: tuple[int, int] = (1, 2)
    name: Annotated[str, Meta(min_length=2, pattern="^a")] = "aa"
    count: Annotated[int, Meta(ge=1)] = 1
    by_number: dict[int, int] = {}
    data: bytes = b""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (b"", "it is no JSON: it ends too early"),
        (b"[]", "a map is wanted here, not a list"),
        (b"{}", "'a' is missing"),
        (b'{"a": "x"}', "a: a whole number is wanted here, not a text"),
        (b'{"a": 1, "z": 2}', "'z' is no key that is known here"),
        (
            b'{"a": 1, "inner": [{"x": 1}, {"x": "q"}]}',
            "inner[1].x: a whole number is wanted here, not a text",
        ),
        (
            b'{"a": 1, "inner": [{"x": 1, "colour": "z"}]}',
            "inner[0].colour: 'z' is none of the values that may stand here",
        ),
        (
            b'{"a": 1, "by_name": {"k": {"x": []}}}',
            "by_name.….x: a whole number is wanted here, not a list",
        ),
        (b'{"a": 1, "choice": []}', "choice: a whole number, a text or null is wanted here, not a list"),
        (b'{"a": 1, "pair": [1]}', "pair: a list of exactly 2 is wanted here"),
        (b'{"a": 1, "name": "a"}', "name: a text of at least 2 is wanted here"),
        (b'{"a": 1, "name": "bb"}', "name: a text that matches '^a' is wanted here"),
        (b'{"a": 1, "count": 0}', "count: a whole number >= 1 is wanted here"),
        (
            b'{"a": 1, "by_number": {"x": 1}}',
            "a key of by_number: a whole number is wanted here, not a text",
        ),
        (b'{"a": 1, "data": "?"}', "data: it is no base64 text"),
        (b'{"a": 1e999}', "a: the number is too large"),
        (
            b'{"a": 1,\n }',
            "it is no JSON at line 2, column 2: there is a comma with nothing behind it",
        ),
        (b"{a: 1}", "it is no JSON at line 1, column 2: a key has to be a text in quotes"),
        (b'{"a": 1} x', "it is no JSON at line 1, column 11: there is something behind its end"),
        (b'{"a" 1}', "it is no JSON at line 1, column 6: ':' is missing"),
    ],
)
def test_words(text: bytes, reason: str) -> None:
    with pytest.raises(UNDECODED) as caught:
        msgspec.json.decode(text, type=Outer)
    assert explain_decode_error(caught.value, text) == reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [(b'"\xff"', "it is no UTF-8 text"), (b"[" * 100_000, "it is nested too deeply")],
)
def test_other_errors(text: bytes, reason: str) -> None:
    with pytest.raises(UNDECODED) as caught:
        msgspec.json.decode(text, type=Any)
    assert explain_decode_error(caught.value, text) == reason
