"""Lists that are made as they are gone through."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("range(3)", [0, 1, 2]),
    ("range(1, 3)", [1, 2]),
    ("range(3, 0, -1)", [3, 2, 1]),
    ("sequence().take(3)", [0, 1, 2]),
    ("sequence(5, 2).take(2)", [5, 7]),
    ("x.repeat(2)", ["x", "x"]),
    ("x.repeat().take(2)", ["x", "x"]),
    ("[1, 2].cycle().take(5)", [1, 2, 1, 2, 1]),
    ("generate(1, $ < 20, $ * 2)", [1, 2, 4, 8, 16]),
    ("generate(1, $ < 20, $ * 2, $ + 1)", [2, 3, 5, 9, 17]),
    ("generate(1, true, ($ + 1) mod 3, decycle => true)", [1, 2, 0]),
    ("generateMany(3, range($))", [3, 0, 1, 2, 0, 0, 1, 0]),
    ("generateMany(1, [($ + 1) mod 3], decycle => true)", [1, 2, 0]),
    ("generateMany(2, range($), depthFirst => true)", [2, 0, 1, 0]),
    ("[].defaultIfEmpty([1])", [1]),
    ("[2].defaultIfEmpty([1])", [2]),
    ("range(0).defaultIfEmpty([1])", [1]),
    ("range(2).defaultIfEmpty([1])", [0, 1]),
    ("let(range(2).memorize()) -> [$.len(), $.len()]", [2, 2]),
    ("let(range(2)) -> [$.len(), $.len()]", [2, 0]),
]

ERRORS = [
    ("sequence()", "a list has more than 2000 items, the most that is allowed", "sequence()"),
    ("range(1, 2, 0)", "range() arg 3 must not be zero", "range(1, 2, 0)"),
    ("x.repeat()", "a list has more than 2000 items, the most that is allowed", "x.repeat()"),
    (
        "generate(1, true, $)",
        "a list has more than 2000 items, the most that is allowed",
        "generate(1, true, $)",
    ),
    ("[1].cycle()", "a list has more than 2000 items, the most that is allowed", "[1].cycle()"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
