"""What is data, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.graph.values import Ref, Sensitive, Unknown, Value, no_data, no_data_within, same_value, with_inner


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [
        pytest.param([1, "a"], (1, "a"), True, id="list and tuple"),
        pytest.param(Sensitive("s"), "s", True, id="marked and not"),
        pytest.param({"a": Sensitive([1])}, {"a": [1]}, True, id="a mark inside"),
        pytest.param(1, 1.0, True, id="numbers of one value"),
        pytest.param(True, 1, False, id="true is no number"),
        pytest.param({"a": 1}, {"a": 1, "b": None}, False, id="a key more"),
        pytest.param([1, 2], [1], False, id="an item more"),
        pytest.param({}, [], False, id="mapping and list"),
    ],
)
def test_same_value(left: Any, right: Any, same: bool) -> None:
    assert same_value(left, right) is same
    assert same_value(right, left) is same


@pytest.mark.parametrize(
    ("value", "changed"),
    [
        pytest.param({"a": 1, "b": [2]}, {"a": "x", "b": "x"}, id="mapping"),
        pytest.param((1, 2), ["x", "x"], id="sequence"),
        pytest.param(Sensitive({"a": 1}), Sensitive("x"), id="the mark stays"),
        pytest.param("text", "text", id="text"),
        pytest.param(b"data", b"data", id="bytes"),
        pytest.param(Ref("a"), Ref("a"), id="reference"),
        pytest.param(Unknown("a|b"), Unknown("a|b"), id="unknown"),
    ],
)
def test_with_inner(value: Value, changed: Value) -> None:
    assert with_inner(value, lambda _: "x") == changed


ITSELF: list[Any] = [1]
ITSELF.append(ITSELF)

ROWS: tuple[tuple[Any, str | None], ...] = (
    (1, None),
    ("a", None),
    (None, None),
    ([1, {"a": (2.5, b"x")}], None),
    (range(3), None),
    ({}.keys(), None),
    (ITSELF, None),
    ("a".upper, "a function"),
    (len, "a function"),
    (lambda: 1, "a function"),
    (str, "a class"),
    ((x for x in "a"), "an iterator"),
    (map(str, [1]), "an iterator"),
    (object(), "an object of Python (object)"),
    ([{"a": (object(),)}], "an object of Python (object)"),
    ({"a": "b".upper}, "a function"),
)


@pytest.mark.parametrize(("value", "kind"), ROWS)
def test_within(value: Any, kind: str | None) -> None:
    assert no_data_within(value) == kind


def test_alone_looks_at_nothing_inside() -> None:
    assert no_data([object()]) is None
