"""What Python says never reaches people as it is."""

from __future__ import annotations

import json
import math
import operator
from collections.abc import Callable
from datetime import datetime
from typing import Any
from uuid import UUID

import pytest

from sabir.diagnostics.reasons import reason_of, without_addresses

PYTHON_WORDS = (
    "unhashable",
    "too large to convert",
    "object is not",
    "NoneType",
    "'int'",
    "'str'",
    "recursion",
    " at 0x",
)


def _endless() -> Any:
    return _endless()


def _raise(error: BaseException) -> Any:
    raise error


_HUGE = int("9" * 400)
_VALUES: Any = {"number": 5, "null": None, "list": [1], "text": "a"}
ROWS: tuple[tuple[Callable[[], Any], str], ...] = (
    (lambda: {_VALUES["list"]: 1}, "a list can be no key of a map"),
    (lambda: "a" in _VALUES["number"], "a number has no items to look in"),
    (lambda: list(_VALUES["null"]), "null has no items"),
    (lambda: _VALUES["null"]["a"], "null has no items"),
    (lambda: _VALUES["number"](), "a number cannot be called"),
    (lambda: len(_VALUES["number"]), "a number has no length"),
    (lambda: _endless(1), "'_endless' does not take so many values"),  # type: ignore[call-arg]  # what is tried
    (lambda: _endless(x=1), "'_endless' takes no 'x'"),  # type: ignore[call-arg]  # what is tried
    (lambda: _raise(), "'_raise' wants 'error', too"),  # type: ignore[call-arg]  # what is tried
    (lambda: _VALUES["list"][9], "there is no such item"),
    (lambda: dict(_VALUES["list"]), "a map is made of pairs"),
    (lambda: datetime.strptime("x", "%Y"), "'x' is no time of the form '%Y'"),
    (lambda: "a".encode("nosuch"), "there is no encoding 'nosuch'"),
    (lambda: UUID("x"), "it is no UUID"),
    (lambda: _VALUES["null"].x, "null has no 'x'"),
    (lambda: _VALUES["text"] < _VALUES["number"], "a text < a number has no answer"),
    (lambda: _VALUES["null"] + _VALUES["number"], "null + a number has no result"),
    (lambda: _VALUES["list"] + _VALUES["text"], "a list + a text has no result"),
    (lambda: -_VALUES["text"], "- cannot stand before a text"),
    (lambda: _VALUES["text"] * 1.5, "texts and lists are repeated by whole numbers only"),
    (lambda: "".join(_VALUES["list"]), "only texts can be joined, not a number"),
    (lambda: _VALUES["list"]["a"], "an index is a whole number, not a text"),
    (lambda: int(_VALUES["null"]), "null is no whole number"),
    (lambda: int("x"), "'x' is no whole number"),
    (lambda: float("x"), "'x' is no number"),
    (lambda: int("9" * 5000), "the number has too many digits"),
    (lambda: float(_HUGE), "the number is too large"),
    (lambda: "a" * _HUGE, "the number is too large"),
    (lambda: 10.0**400, "the number is too large"),
    (lambda: int(math.inf), "it is no finite number"),
    (lambda: 1 // 0, "division by zero"),
    (lambda: 1.0 % 0, "division by zero"),
    (lambda: math.sqrt(-1), "it is not defined for this number"),
    (lambda: format("a", "d"), "a text cannot be written as 'd'"),
    (lambda: format([], "d"), "a list cannot be written so"),
    (lambda: operator.mod("%d", "a"), "a text is no number"),
    (lambda: json.dumps(object()), "object is no data"),
    (_endless, "it holds or calls itself, or is nested too deeply"),
    (lambda: _VALUES["x"], "there is no 'x'"),
    (lambda: _raise(ValueError()), "ValueError"),
    (lambda: _raise(ValueError("as it is")), "as it is"),
    (lambda: _raise(ValueError(object())), "<object object>"),
)


@pytest.mark.parametrize(("fails", "words"), ROWS, ids=[words for _, words in ROWS])
def test_words(fails: Callable[[], Any], words: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # each row raises another one
        fails()
    reason = reason_of(caught.value)
    assert reason == words
    assert not [word for word in PYTHON_WORDS if word in reason]


def test_an_exception_without_a_text() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert reason_of(Mute()) == "its text cannot be made"


def test_addresses() -> None:
    assert without_addresses(f"a {object()!r} b") == "a <object object> b"
    assert without_addresses("look at 0x1f") == "look at 0x1f"
