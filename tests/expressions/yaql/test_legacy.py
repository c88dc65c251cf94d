"""Forms of YAQL 0.2."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.yaql import STANDARD, Dialect, Engine, Library, Options
from sabir.expressions.yaql.library.embedder import declare_legacy

LIBRARY = Library(STANDARD)
declare_legacy(LIBRARY)
ENGINE = Engine(LIBRARY, dialect=Dialect.LEGACY, options=Options(iterable_dicts=True))
DATA = {"l": [1, 2, 3], "d": {"a": 1}}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a => 1 => 2", ["a", 1, 2]),
        ("tuple(1, 2)", [1, 2]),
        ("dict(a => 1, b => 2)", {"a": 1, "b": 2}),
        ("{a => 1}", {"a": 1}),
        ("$.l[1]", 2),
        ("$.l[$ > 1]", [2, 3]),
        ("$.d.zz", None),
        ("range(1, 3)", [1, 2]),
        ("range(5).take(2)", [5, 6]),
        ("5.switch($ < 3 => small, $ < 10 => medium)", "medium"),
        ("$.as($.l => x).d.a + 1", 2),
        ("$.l.as($.len() => n).select($ + $n)", [4, 5, 6]),
        ("select($.l, $ * 2)", [2, 4, 6]),
        ("'12'.int()", 12),
        ("$.d.select($)", ["a"]),
    ],
)
def test_legacy(text: str, expected: Any) -> None:
    assert ENGINE.evaluate(text, DATA) == expected
