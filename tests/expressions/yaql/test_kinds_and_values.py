"""What kind a value is of, how kinds are named, and what values have in common."""

from __future__ import annotations

import re
from collections import OrderedDict, deque
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from sabir.expressions.yaql.errors import LimitExceeded
from sabir.expressions.yaql.kinds import (
    ANY,
    BOOL,
    COLLECTION,
    DATETIME,
    FLOAT,
    INT,
    INTEGER,
    ITERABLE,
    ITERATOR,
    MAPPING,
    NOT_NULL,
    NULL,
    NUMBER,
    OTHER,
    PATTERN,
    RULE,
    SCOPE,
    SEQUENCE,
    SET,
    STRING,
    TIMESPAN,
    describe_kind,
    kind_names,
    kind_of,
)
from sabir.expressions.yaql.limits import Options, YaqlLimits
from sabir.expressions.yaql.scope import YaqlRule, YaqlScope, function_key, variable_key
from sabir.expressions.yaql.values import (
    FrozenDict,
    finalize_value,
    freeze_value,
    is_equal,
    is_iterable,
    plain_text,
    text_of,
    to_hashable,
)

LIMITS = YaqlLimits(Options())


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        (None, NULL, "null"),
        (True, BOOL, "a boolean"),
        (1, INTEGER, "an integer"),
        (1.5, FLOAT, "a float"),
        ("a", STRING, "a string"),
        ([], SEQUENCE, "a list"),
        ((), SEQUENCE, "a list"),
        (frozenset(), SET, "a set"),
        ({}.keys(), SET, "a set"),
        ({}.values(), COLLECTION, "a collection"),
        (iter([]), ITERATOR, "a lazy list"),
        ((number for number in [1]), ITERATOR, "a lazy list"),
        ({}, MAPPING, "a dictionary"),
        (OrderedDict(), MAPPING, "a dictionary"),
        (deque(), SEQUENCE, "a list"),
        (re.compile("a"), PATTERN, "a regular expression"),
        (datetime(2020, 1, 1, tzinfo=UTC), DATETIME, "a date"),
        (timedelta(), TIMESPAN, "a timespan"),
        (YaqlScope({}), SCOPE, "a scope"),
        (YaqlRule(1, 2), RULE, "a rule `a => b`"),
        (object(), OTHER, "another value"),
    ],
)
def test_the_kind_of_a_value(value: Any, kind: int, words: str) -> None:
    assert (kind_of(value), describe_kind(value)) == (kind, words)


@pytest.mark.parametrize(
    ("kinds", "words"),
    [
        (ANY, "any value"),
        (NOT_NULL, "any value"),
        (STRING, "a string"),
        (NUMBER, "an integer or a float"),
        (INT | NULL, "null, a boolean or an integer"),
        (ITERABLE, "a list, a set or a lazy list"),
        (SCOPE, "a scope"),
    ],
)
def test_kinds_in_words(kinds: int, words: str) -> None:
    assert kind_names(kinds) == words


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (1, 1.0, True),
        (1, "1", False),
        (None, None, True),
        (None, False, False),
        ([1, [2]], (1, (2,)), True),
        ([1], (1, 2), False),
        ([1], [2], False),
        ({"a": [1]}, {"a": [1]}, True),
        (frozenset({1}), {1: 2}.keys(), True),
        ([], {}, False),
    ],
)
def test_equality(first: Any, second: Any, same: bool) -> None:
    assert is_equal(first, second) is same
    assert is_equal(second, first, LIMITS) is same


@pytest.mark.parametrize(
    "value", [1, "a", (1, 2), [1, [2, {"a": [3]}]], {"a": [1]}, {"a": {"b": [1]}}, frozenset({1})]
)
def test_whatever_it_is_can_be_a_key(value: Any) -> None:
    key = to_hashable(value, LIMITS)
    assert {key: 1}[to_hashable(value)] == 1
    assert is_equal(freeze_value(value), value)
    assert is_equal(value, freeze_value(value), LIMITS)


def test_frozen_dictionaries_with_the_same_items_are_one_key() -> None:
    assert hash(FrozenDict({"a": 1, "b": 2})) == hash(FrozenDict({"b": 2, "a": 1}))


@pytest.mark.parametrize(
    ("value", "text", "plain"),
    [
        (None, "null", "None"),
        (True, "true", "True"),
        (False, "false", "False"),
        (1.5, "1.5", "1.5"),
        ([1, ["a"]], "(1, ('a',))", "(1, ('a',))"),
        ({"a": [1, 2]}, "{'a': (1, 2)}", "{'a': (1, 2)}"),
        ([], "()", "()"),
    ],
)
def test_values_as_text(value: Any, text: str, plain: str) -> None:
    assert (text_of(value, LIMITS), plain_text(value, LIMITS)) == (text, plain)


@pytest.mark.parametrize(
    ("value", "final"),
    [
        (iter([1, 2]), [1, 2]),
        ((1, (2,)), [1, [2]]),
        ({"a": iter([1])}, {"a": [1]}),
        (frozenset({1}), [1]),
        ({1: 2}.items(), [[1, 2]]),
        ([iter([1]), "a"], [[1], "a"]),
    ],
)
def test_values_as_they_leave_the_engine(value: Any, final: Any) -> None:
    assert finalize_value(value, LIMITS) == final


@pytest.mark.parametrize("value", [[1, [2]], {"a": {"b": [1]}}, "text", None])
def test_what_is_plain_is_not_copied(value: Any) -> None:
    assert finalize_value(value, LIMITS) is value


def test_values_that_lie_too_deep() -> None:
    value: list[Any] = []
    for _ in range(400):
        value = [value]
    with pytest.raises(LimitExceeded, match="values are nested deeper than 300 levels"):
        finalize_value(value, LIMITS)
    with pytest.raises(LimitExceeded, match="values are nested deeper than 300 levels"):
        is_equal(value, [value], LIMITS)


@pytest.mark.parametrize(("value", "holds"), [([], True), (iter([]), True), ("a", False), ({}, False)])
def test_what_can_be_gone_through(value: Any, holds: bool) -> None:
    assert is_iterable(value) is holds


@pytest.mark.parametrize(
    ("name", "key"), [("", "$"), ("1", "$"), ("$", "$"), ("a", "a"), ("$a", "a"), ("2", "2")]
)
def test_keys_of_variables(name: str, key: str) -> None:
    assert variable_key(name) == key
    assert function_key(name) != key
