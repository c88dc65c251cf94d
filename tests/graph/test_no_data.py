"""What is data, and what is none."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.graph.no_data import no_data, no_data_within

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
