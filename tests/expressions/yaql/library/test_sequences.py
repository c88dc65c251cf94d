"""Lists that are made as they are gone through.

Sets; outside of the engine they are lists.
"""

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


SETS_VALUES: list[tuple[str, Any]] = [
    ("set(1, 1, 2).len()", 2),
    ("[1, 1].toSet().len()", 1),
    ("set(range(3)).len()", 3),
    ("set([1], [1]).len()", 1),
    ("isSet(set(1))", True),
    ("isSet([1])", False),
    ("set(1) < set(1, 2)", True),
    ("set(1) < set(1)", False),
    ("set(1) <= set(1)", True),
    ("set(1, 2) > set(1)", True),
    ("set(1, 2) >= set(1, 3)", False),
    ("set(1).union(set(2)) = set(1, 2)", True),
    ("set(1, 2).intersect(set(2, 3))", [2]),
    ("set(1, 2).difference(set(2))", [1]),
    ("set(1, 2) - set(2)", [1]),
    ("set(1, 2).symmetricDifference(set(2, 3)) = set(1, 3)", True),
    ("set(1).add(1)", [1]),
    ("set(1, 2).remove(2, 9)", [1]),
    ("set(1) = set(1)", True),
    ("1 in set(1)", True),
    ("{a => 1}.keys().union({b => 1}.keys()).len()", 2),
    ("set(1) + set(1)", [1]),
]

SETS_ERRORS = [
    ("set(1) + 1", "the operator `+` does not take a set and an integer", "set(1) + 1"),
    (
        "set(1).union([2])",
        "the method `union` does not take these arguments: `right` is a list, wanted is a set",
        "union([2])",
    ),
    (
        "[1].union(set(1))",
        "the method `union` does not take these arguments: `left` is a list, wanted is a set",
        "union(set(1))",
    ),
]


@pytest.mark.parametrize(("expression", "value"), SETS_VALUES)
def test_sets_values(expression: str, value: Any) -> None:
    gives(expression, value)


@pytest.mark.parametrize(("expression", "message", "part"), SETS_ERRORS)
def test_sets_errors(expression: str, message: str, part: str) -> None:
    says(expression, message, part)


@pytest.mark.parametrize(
    "expression",
    [
        "{a => [1]} in set({a => [1]})",
        "set({a => [1]}).first() = {a => [1]}",
        "set([1]).toList() = [[1]]",
        "set({a => [[1]]}).toList() = [{a => [[1]]}]",
        "not {a => [2]} in set({a => [1]})",
        "set({a => [1]}).toList() != [{a => [2]}]",
    ],
)
def test_what_was_in_a_set_is_what_it_was(expression: str) -> None:
    gives(expression, True)
