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

from sabir.diagnostics.reasons import explain_error, without_addresses

PYTHON_WORDS = (
    "unhashable",
    "too large to convert",
    "' object",
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
    (lambda: {_VALUES["list"]: 1}, "list cannot be the key of a mapping"),
    (lambda: "a" in _VALUES["number"], "argument of type integer is not iterable"),
    (lambda: list(_VALUES["null"]), "null is not iterable"),
    (lambda: _VALUES["null"]["a"], "null is not subscriptable"),
    (lambda: _VALUES["number"](), "integer is not callable"),
    (lambda: len(_VALUES["number"]), "object of type integer has no len()"),
    (lambda: _endless(1), "_endless() takes 0 positional arguments but 1 was given"),  # type: ignore[call-arg]  # what is tried
    (lambda: _endless(x=1), "_endless() got an unexpected keyword argument 'x'"),  # type: ignore[call-arg]  # what is tried
    (lambda: _raise(), "_raise() missing 1 required positional argument: 'error'"),  # type: ignore[call-arg]  # what is tried
    (lambda: _VALUES["list"][9], "index out of range"),
    (lambda: dict(_VALUES["list"]), "cannot convert dictionary update sequence element #0 to a sequence"),
    (lambda: datetime.strptime("x", "%Y"), "time data 'x' does not match format '%Y'"),
    (lambda: "a".encode("nosuch"), "unknown encoding: nosuch"),
    (lambda: UUID("x"), "badly formed hexadecimal UUID string"),
    (lambda: _VALUES["null"].x, "null has no attribute 'x'"),
    (
        lambda: _VALUES["text"] < _VALUES["number"],
        "'<' not supported between instances of string and integer",
    ),
    (lambda: _VALUES["null"] + _VALUES["number"], "unsupported operand type(s) for +: null and integer"),
    (lambda: _VALUES["list"] + _VALUES["text"], "can only concatenate list (not string) to list"),
    (lambda: -_VALUES["text"], "bad operand type for unary -: string"),
    (lambda: _VALUES["text"] * 1.5, "can't multiply sequence by non-integer of type number"),
    (lambda: "".join(_VALUES["list"]), "sequence item 0: expected string instance, integer found"),
    (lambda: _VALUES["list"]["a"], "list indices must be integers or slices, not string"),
    (
        lambda: int(_VALUES["null"]),
        "int() argument must be a string, a bytes-like object or a real number, not null",
    ),
    (lambda: int("x"), "expected an integer, found 'x'"),
    (lambda: float("x"), "expected a number, found 'x'"),
    (lambda: int("9" * 5000), "number has too many digits"),
    (lambda: float(_HUGE), "value out of range"),
    (lambda: "a" * _HUGE, "value out of range"),
    (lambda: 10.0**400, "value out of range"),
    (lambda: int(math.inf), "value out of range"),
    (lambda: 1 // 0, "division by zero"),
    (lambda: 1.0 % 0, "division by zero"),
    (lambda: math.sqrt(-1), "math domain error"),
    (lambda: format("a", "d"), "Unknown format code 'd' for object of type string"),
    (lambda: format([], "d"), "unsupported format string passed to list.__format__"),
    (lambda: operator.mod("%d", "a"), "%d format: a real number is required, not string"),
    (lambda: json.dumps(object()), "Object of type object is not JSON serializable"),
    (_endless, "nested too deeply, or contains itself"),
    (lambda: _VALUES["x"], "there is no 'x'"),
    (lambda: ("a" * 70).encode("idna"), "not a valid host name"),
    # As Python 3.11 and 3.13 raise it.
    (lambda: _raise(UnicodeError("label empty or too long")), "not a valid host name"),
    (lambda: _raise(UnicodeEncodeError("idna", "a", 0, 1, "label too long")), "not a valid host name"),
    (lambda: _raise(ValueError()), "ValueError"),
    (lambda: _raise(ValueError("as it is")), "as it is"),
    (lambda: _raise(ValueError(object())), "<object object>"),
)


@pytest.mark.parametrize(("fails", "words"), ROWS, ids=[words for _, words in ROWS])
def test_words(fails: Callable[[], Any], words: str) -> None:
    with pytest.raises(Exception) as caught:  # noqa: PT011  # each row raises another one
        fails()
    reason = explain_error(caught.value)
    assert reason == words
    assert not [word for word in PYTHON_WORDS if word in reason]


def test_an_exception_without_a_text() -> None:
    class Mute(Exception):
        def __str__(self) -> str:
            raise ValueError

    assert explain_error(Mute()) == "its text cannot be made"


def test_addresses() -> None:
    assert without_addresses(f"a {object()!r} b") == "a <object object> b"
    assert without_addresses("look at 0x1f") == "look at 0x1f"


def test_a_string_of_another_encoding_is_not_a_host_name() -> None:
    assert "host name" not in explain_error(UnicodeEncodeError("ascii", "é", 0, 1, "ordinal not in range"))
