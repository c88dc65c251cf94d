"""Changes as a plan shows them."""

from __future__ import annotations

import pytest

from sabir.cli.views.plan import leaf_changes
from sabir.graph.values import Sensitive, Value
from sabir.resources.outcome import FieldChange


@pytest.mark.parametrize(
    ("before", "after", "fields"),
    [
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}, ["f.a.c"]),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}, ["f.a[1].b"]),
        ({"a": [1]}, {"a": [1, 2]}, ["f.a"]),
        ({"a": 1}, {"b": 1}, ["f.a", "f.b"]),
        (1, 2, ["f"]),
        ({"a": Sensitive("x")}, {"a": Sensitive("y")}, ["f.a"]),
    ],
)
def test_only_what_differs_is_shown(before: Value, after: Value, fields: list[str]) -> None:
    assert [leaf.field for leaf in leaf_changes(FieldChange(field="f", before=before, after=after))] == fields
