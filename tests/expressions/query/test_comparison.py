"""The right side of a filter is read as a value of the left side's type."""

from __future__ import annotations

from datetime import UTC, date, datetime
from typing import Any

import pytest

from sabir.expressions.query.comparison import equals_literal, is_equal
from sabir.expressions.query.values import InstanceStatus, NodeState
from sabir.graph.values import Sensitive


@pytest.mark.parametrize(
    ("left", "text", "holds"),
    [
        ("a", "a", True),
        ("a", "b", False),
        (1, "1", True),
        (1, "1.0", False),
        (1.0, "1", True),
        (1, "x", False),
        (True, "true", True),
        (True, "Yes", True),
        (False, "off", True),
        (True, "1", False),
        (False, "", False),
        (None, "null", False),
        (b"ab", "ab", True),
        (date(2020, 1, 2), "2020-01-02", True),
        (date(2020, 1, 2), "2 Jan", False),
        (datetime(2020, 1, 2, tzinfo=UTC), "2020-01-02T00:00:00+00:00", True),
        (InstanceStatus.error, "error", True),
        (InstanceStatus.error, "3", True),
        (InstanceStatus.error, "ok", False),
        (NodeState.started, "started", True),
        (["a"], "a", False),
        ({"a": 1}, "a", False),
        (Sensitive(5), "5", True),
    ],
)
def test_a_text_against_a_value(left: Any, text: str, holds: bool) -> None:
    equals = equals_literal(text)
    assert equals(left) is holds
    assert equals(left) is holds, "what was kept of the first comparison serves the second"


def test_one_test_serves_values_of_several_types() -> None:
    equals = equals_literal("1")
    assert [equals(value) for value in ("1", 1, 1.0, True, None, "2", 2)] == [
        True,
        True,
        True,
        False,
        False,
        False,
        False,
    ]


@pytest.mark.parametrize(
    ("left", "right", "same"),
    [(1, 1, True), (1, True, True), (1, "1", False), (Sensitive("a"), "a", True), (None, None, True)],
)
def test_two_values(left: Any, right: Any, same: bool) -> None:
    assert is_equal(left, right) is same
    assert is_equal(right, left) is same
