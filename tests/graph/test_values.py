from __future__ import annotations

from typing import Any

import pytest

from sabir.graph.values import Ref, Sensitive, Unknown, Value, same_value, with_inner


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
