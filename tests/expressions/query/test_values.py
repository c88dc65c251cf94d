"""Marks, lazy maps, and what single mode makes of matches."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.expressions.query.values import (
    MISSING,
    External,
    LazyList,
    LazyMap,
    is_sensitive,
    mark_sensitive,
    plain_value,
    redact_value,
    reveal_deep,
    single_value,
)
from sabir.graph.values import Sensitive
from sabir.text import REDACTED


class Note(External):
    def get(self, key: str) -> object:
        return {"text": "t"}.get(key, MISSING)

    def result(self) -> object:
        return ["path", LazyMap({"a": lambda: 1}, {})]


@pytest.mark.parametrize(
    ("matches", "value"), [([], None), ([1], 1), ([None], None), ([1, 2], [1, 2]), ([[1]], [1]), ([[]], [])]
)
def test_single_mode(matches: list[Any], value: Any) -> None:
    assert single_value(matches) == value


@pytest.mark.parametrize(
    ("value", "result"),
    [
        ("a", "a"),
        ((1, (2,)), [1, [2]]),
        (LazyMap({"a": lambda: (1,)}, {}), {"a": [1]}),
        ({"x": Note()}, {"x": ["path", {"a": 1}]}),
        ([None, True, 1.5], [None, True, 1.5]),
    ],
)
def test_plain_values(value: Any, result: Any) -> None:
    assert plain_value(value) == result


def test_marks_stay_outside() -> None:
    value = plain_value(mark_sensitive(Note()))
    assert isinstance(value, Sensitive)
    assert value.value == ["path", {"a": 1}]
    assert mark_sensitive(value) is value


@pytest.mark.parametrize(
    ("value", "sensitive", "shown", "revealed"),
    [
        (1, False, 1, 1),
        (Sensitive(1), True, REDACTED, 1),
        ([1, Sensitive("a")], True, [1, REDACTED], [1, "a"]),
        ({"a": {"b": Sensitive([1])}}, True, {"a": {"b": REDACTED}}, {"a": {"b": [1]}}),
        ((1,), False, [1], (1,)),
        (Sensitive({"a": Sensitive(1)}), True, REDACTED, {"a": 1}),
    ],
)
def test_marked_values(value: Any, sensitive: bool, shown: Any, revealed: Any) -> None:
    assert (is_sensitive(value), redact_value(value), reveal_deep(value)) == (sensitive, shown, revealed)


def test_an_item_of_a_lazy_map_is_computed_once_and_when_asked_for() -> None:
    calls: list[str] = []

    def compute() -> int:
        calls.append("a")
        return 1

    lazy = LazyMap({"a": compute, "b": compute}, {"b": 2})
    assert (len(lazy), list(lazy), "a" in lazy, "z" in lazy, calls) == (2, ["a", "b"], True, False, [])
    assert (lazy["a"], lazy["a"], lazy["b"], calls) == (1, 1, 2, ["a"])


def test_an_item_that_needs_itself_is_null() -> None:
    lazy = LazyMap({"a": lambda: [lazy["a"]]}, {})
    assert lazy["a"] == [None]


def test_an_item_that_fails_fails_again() -> None:
    def fail() -> int:
        raise ValueError("no")

    lazy = LazyMap({"a": fail}, {})
    for _ in range(2):
        with pytest.raises(ValueError, match="no"):
            lazy["a"]


def test_a_list_computes_its_items_when_they_are_read() -> None:
    lazy = LazyList([1, "?", "?"], {1: lambda: lazy[2], 2: lambda: lazy[0] + 1}, lambda _at: "circle")
    assert (lazy[-2], lazy[1:], list(lazy), lazy.compute_all()) == (2, [2, 2], [1, 2, 2], [1, 2, 2])


def test_a_list_says_what_an_item_is_that_needs_itself() -> None:
    lazy = LazyList(["?"], {0: lambda: [lazy[0]]}, lambda at: f"circle {at}")
    assert lazy.compute_all() == [["circle 0"]]


def test_a_list_whose_item_fails_fails_again() -> None:
    lazy = LazyList(["?"], {0: lambda: 1 // 0}, lambda _at: None)
    for _ in range(2):
        with pytest.raises(ZeroDivisionError):
            lazy.compute_all()
