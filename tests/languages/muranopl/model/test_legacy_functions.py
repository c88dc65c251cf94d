"""Functions of plain values: they are there without any class, object or run."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql import Dialect, Engine, Library, Options
from sabir.languages.muranopl.evaluate.functions import library_for
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.legacy_functions import first_library
from sabir.languages.muranopl.model.plain_functions import VALUES

PLAIN: list[tuple[str, Any]] = [
    ("bind('$name', {name => 5})", 5),
    ("bind({'$key' => ['$-{name}']}, {key => k, name => n})", {"k": ["-n"]}),
    ("base64decode(base64encode(text))", "text"),
    ("patch({a => 1}, {op => replace, path => '/a', value => 2})", {"a": 2}),
    ("isObject(5)", False),
    ("'{0}-{1}'.format(a, b)", "a-b"),
]

FIRST: list[tuple[str, Any]] = [
    ("[1, 2, 3][1]", 2),
    ("{a => 1}[a]", 1),
    ("substr(abcd, 1, 2)", "bc"),
    ("toUpper(a) + a.toUpper()", "AA"),
    ("switch(5, $ > 3 => many, true => few)", "many"),
    ("[].firstOrDefault(none)", "none"),
]


def _result(library: Library, text: str, *, first: bool = False) -> Any:
    engine = Engine(library, options=Options(iterable_dicts=first), dialect=Dialect.MURANO)
    return engine.finalize(engine.compile(text)({}))


@pytest.mark.parametrize(("text", "expected"), PLAIN)
def test_plain(text: str, expected: Any) -> None:
    assert _result(VALUES, text) == expected
    assert _result(library_for("1.4"), text) == expected


@pytest.mark.parametrize(("text", "expected"), FIRST)
def test_first_formats(text: str, expected: Any) -> None:
    assert _result(first_library(VALUES), text, first=True) == expected
    assert _result(library_for("1.0"), text, first=True) == expected


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("bind('$nmae', {name => 5})", "no value for '$nmae'"),
        ("base64decode('/w==')", "is no base64 of a text"),
        ("decryptData(x)", "key store"),
    ],
)
def test_failures(text: str, words: str) -> None:
    with pytest.raises(MuranoError) as caught:
        _result(VALUES, text)
    assert words in caught.value.finding().message
