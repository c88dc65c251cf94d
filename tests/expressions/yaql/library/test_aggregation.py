"""Folding, grouping, joining, merging."""

from __future__ import annotations

from typing import Any

import pytest

from tests.expressions.yaql.cases import gives, says

VALUES: list[tuple[str, Any]] = [
    ("[1, 2, 3].aggregate($1 + $2)", 6),
    ("[1, 2].aggregate($1 + $2, 10)", 13),
    ("[].aggregate($1 + $2, 0)", 0),
    ("[2, 3].reduce($1 * $2)", 6),
    ("[1, 2, 3].accumulate($1 + $2)", [1, 3, 6]),
    ("[1, 2].accumulate($1 + $2, 10)", [10, 11, 13]),
    ("[1, 2].sum()", 3),
    ("[a, b].sum()", "ab"),
    ("[].sum(0)", 0),
    ("[[1], [2]].sum()", [1, 2]),
    ("max(1, 2)", 2),
    ("min(1, 2)", 1),
    ("max(null, 1)", 1),
    ("[1, 3, 2].max()", 3),
    ("[1, 3, 2].min()", 1),
    ("[].max(5)", 5),
    ("[null, 2].min()", None),
    ("[a, bb, c].groupBy($.len())", [[1, ["a", "c"]], [2, ["bb"]]]),
    ("[1, 2, 3].groupBy($ mod 2, $ * 10)", [[1, [10, 30]], [0, [20]]]),
    ("[1, 2, 3].groupBy($ mod 2, $, $.sum())", [[1, 4], [0, 2]]),
    ("[1, 2, 3].groupBy($ mod 2, aggregator => [$[0], $[1].len()])", [[1, 2], [0, 1]]),
    ("[1, 2].zip([a, b, c])", [[1, "a"], [2, "b"]]),
    ("[1].zip([2], [3])", [[1, 2, 3]]),
    ("[1, 2].zipLongest([a])", [[1, "a"], [2, None]]),
    ("[1, 2].zipLongest([a], default => x)", [[1, "a"], [2, "x"]]),
    ("[1, 2].join([2, 3], $1 = $2, [$1, $2])", [[2, 2]]),
    ("{a => 1}.mergeWith({b => 2})", {"a": 1, "b": 2}),
    ("{a => {x => 1}}.mergeWith({a => {y => 2}})", {"a": {"x": 1, "y": 2}}),
    ("{a => [1]}.mergeWith({a => [1, 2]})", {"a": [1, 2]}),
    ("{a => [1]}.mergeWith({a => [2]}, $1 + $2 + [0])", {"a": [1, 2, 0]}),
    ("{a => 1}.mergeWith({a => 2}, itemMerger => $1 * 10 + $2)", {"a": 12}),
    ("{a => {x => 1}}.mergeWith({a => {y => 2}}, maxLevels => 1)", {"a": {"y": 2}}),
]

ERRORS = [
    ("[].aggregate($1 + $2)", "the list is empty and there is no initial value", "aggregate($1 + $2)"),
    ("[].sum()", "the list is empty and there is no initial value", "sum()"),
    ("[].max()", "the list is empty and there is no initial value", "max()"),
    ("[].accumulate($1)", "the list is empty and there is no initial value", "[].accumulate($1)"),
    ("[1, a].sum()", "the operator `+` does not take an integer and a string", "sum()"),
    ("{a => 1}.mergeWith({a => [1]})", "cannot merge an integer with a list", "mergeWith({a => [1]})"),
    ("[1].max(a)", "the operator `>` does not take an integer and a string", "max(a)"),
]


@pytest.mark.parametrize(("expression", "value"), VALUES)
def test_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), ERRORS)
def test_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)
