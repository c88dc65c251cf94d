"""Instants and versions are compared as such, other texts by their letters."""

from __future__ import annotations

import pytest

from sabir.expressions.query.functions.tosca2 import PURE


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("1.9.0", "1.10.0"),
        ("1.2.0", "1.10.0"),
        ("2.0.0.alpha-1", "2.0.0"),
        ("2.0.0.alpha-2", "2.0.0.alpha-10"),
        ("2024-01-01T10:00:00Z", "2024-01-01T09:00:00-05:00"),
        ("2016-12-31T23:59:58Z", "2016-12-31T23:59:60Z"),
        ("9 MB", "1 GB"),
        ("10", "9"),
        ("a", "b"),
    ],
)
def test_less(left: str, right: str) -> None:
    assert PURE["less_than"]([left, right]) is True
    assert PURE["greater_than"]([left, right]) is False
    assert PURE["equal"]([left, right]) is False
