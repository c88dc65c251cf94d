"""Differences between two states of an object."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.deployments.drivers.kubernetes.compare import changes_between, sensitive_paths
from sabir.graph.values import Sensitive
from sabir.resources.outcome import FieldChange


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"spec": {"replicas": 1}}, {"spec": {"replicas": 1}}, ()),
        (
            {"spec": {"replicas": 1}},
            {"spec": {"replicas": 2}},
            (FieldChange(field="spec.replicas", before=1, after=2),),
        ),
        ({"a": [1, 2]}, {"a": [1, 3]}, (FieldChange(field="a[1]", before=2, after=3),)),
        ({"a": [1]}, {"a": [1, 2]}, (FieldChange(field="a", before=[1], after=[1, 2]),)),
        ({"a": {}}, {}, ()),
        ({"status": {"x": 1}, "metadata": {"generation": 1}}, {"metadata": {"generation": 2}}, ()),
        (
            {"kind": "Secret", "data": {"p": "YQ=="}},
            {"kind": "Secret", "data": {"p": "Yg=="}},
            (FieldChange(field="data.p", before=Sensitive("YQ=="), after=Sensitive("Yg==")),),
        ),
    ],
)
def test_changes(before: dict[str, Any], after: dict[str, Any], changes: tuple[FieldChange, ...]) -> None:
    assert changes_between(before, after) == changes


def test_sensitive_paths_hide_what_stands_below_them() -> None:
    paths = sensitive_paths({"data": {"a": Sensitive("1"), "b": "2"}, "list": [1, Sensitive([2])]})
    assert paths == {"data.a", "list[1]"}
    (change,) = changes_between({"list": [1, [2]]}, {"list": [1, [3]]}, paths)
    assert change == FieldChange(field="list[1][0]", before=Sensitive(2), after=Sensitive(3))
